// Package experiment is a kernel as somebody works on it: a source, the launches
// it is tried with, and what should come out.
//
//	e, err := experiment.Read(experiment.Input{Source: text, Launch: form, Reference: want})
//	outcome, err := e.Run(ctx, experiment.On{Spec: spec, Launcher: emulator, Host: cpu}, experiment.Options{Record: blocks})
//
// The launches are in the form of package launchfile. They run on any
// launch.Launcher; on one that is a launch.Recorder, blocks of the last launch can
// be recorded, so that they are stepped afterwards.
//
// What should come out is computed on the CPU from what the buffers held before,
// by one of the operations that package experiment knows (Operations), and every
// element of the result is held against it. The kernel may add in any order, so
// an element passes if it lies within the bound of a sum in any order; how many
// elements have other bits than the CPU's is counted beside.
package experiment
