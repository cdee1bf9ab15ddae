package run

import "workbench/engine/simt/code"

// rename returns a copy of an instruction with other operands.
func rename(in code.Instr, value func(code.Value) code.Value, reg func(code.Reg) code.Reg) code.Instr {
	return code.Rename(in, value, reg)
}
