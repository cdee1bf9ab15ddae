package front_test

import (
	"context"
	"encoding/binary"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
)

// execute runs kernel k(T* out) of a source on one block, and returns the bytes of
// out.
func execute(t *testing.T, text, kernel string, size, threads int, contract device.Contract) ([]byte, string) {
	t.Helper()
	out, printed, err := tryExecute(text, kernel, size, threads, contract)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return out, printed
}

func tryExecute(text, kernel string, size, threads int, contract device.Contract) ([]byte, string, error) {
	unit, err := front.Read("t.cu", text, front.Options{})
	if err != nil {
		return nil, "", err
	}
	program, err := unit.Program(kernel)
	if err != nil {
		return nil, "", err
	}
	return executeProgram(program, kernel, size, threads, contract)
}

func executeProgram(program *code.Program, kernel string, size, threads int, contract device.Contract) ([]byte, string, error) {
	image, err := run.Compile(program)
	if err != nil {
		return nil, "", err
	}
	machine, err := run.New(image, 0)
	if err != nil {
		return nil, "", err
	}
	memory, err := machine.Allocate("out", int64(size), "char", 1)
	if err != nil {
		return nil, "", err
	}
	arg := binary.LittleEndian.AppendUint64(nil, uint64(memory.Pointer()))
	result, err := machine.Launch(context.Background(), &run.Launch{
		Kernel: kernel, Grid: launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: threads, Y: 1, Z: 1}, SharedBytes: 1024,
		Args: [][]byte{arg}, Contract: contract, Limits: run.Limits{Instructions: 1 << 24},
	})
	if err != nil {
		return nil, "", err
	}
	return memory.Data, result.Printed, nil
}

func ints(b []byte) []int32 {
	out := make([]int32, len(b)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}
