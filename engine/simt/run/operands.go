package run

import "workbench/engine/simt/code"

// operands returns what an instruction reads and which registers it writes.
func operands(in code.Instr) (values []code.Value, dst []code.Reg) { return code.Operands(in) }

// rename returns a copy of an instruction with other operands.
func rename(in code.Instr, value func(code.Value) code.Value, reg func(code.Reg) code.Reg) code.Instr {
	return code.Rename(in, value, reg)
}
