// Command ptx compiles the kernels of the catalogue to the PTX that comes with
// the workbench, for both contracts. It runs in the folder kernels:
//
//	go generate ./kernels
//
// It needs NVRTC 11.8 and no GPU. The PTX is embedded, so the files of a new topic
// must exist, empty, before the command can be built.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/device"
	"workbench/kernels"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "ptx:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	c, err := nvrtc.New()
	if err != nil {
		return err
	}
	// All are compiled before the first is written.
	type output struct{ file, text string }
	var outputs []output
	for _, topic := range kernels.Catalogue() {
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			text, err := made(c, topic, contract)
			if err != nil {
				return err
			}
			outputs = append(outputs, output{filepath.Join(dir, topic.Name, topic.PTXFile(contract)), text})
		}
	}
	for _, o := range outputs {
		if err := os.WriteFile(o.file, []byte(o.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// made returns the text of one file. The source is read from the catalogue,
// which embeds it: it is what runs.
func made(c nvidia.Compiler, topic kernels.Topic, contract device.Contract) (string, error) {
	return compile.Embed(c, topic.File, topic.Source, contract)
}
