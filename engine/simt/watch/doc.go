// Package watch has the observers of a launch in the emulator: Checks finds what
// is wrong with a kernel, Measures counts what it does. Join lets one launch have
// both.
//
//	checks := watch.NewChecks(watch.Options{Source: line})
//	_, err := machine.Launch(ctx, &run.Launch{…, Observer: checks})
//	checks.Ended(err)          // a launch that ended early may be one more report
//	reports := checks.Reports()
//
// Checks lets a launch go on behind most faults, so that one launch shows them
// all; what happened to many threads at one place of the source is one report,
// about the lowest thread. Which reports there are depends on what the kernel
// does and not on the order in which warps had their turns: races come from what
// is ordered (package race), and an unwritten value that another thread writes
// without order is a race too, whoever came first.
//
// The table of idioms in IDIOMS.md says what is reported and what is not, each
// with its test.
//
// A line that has raced a million times is looked at now and then only from then on.
//
// Not found is what no launch shows: a race between launches, since here one
// ends before the next begins, as in one stream. A __syncwarp() whose mask names
// lanes that do not come is no report of its own, since lanes may meet at
// different ones; what it fails to order is a race.
package watch
