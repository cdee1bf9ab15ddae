package machine

import "golang.org/x/sys/cpu"

// features names what the processor has of what vector code can use, the
// widest first.
func features() []string {
	var out []string
	for _, f := range []struct {
		has  bool
		name string
	}{
		{cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL, "AVX-512"},
		{cpu.X86.HasAVX2, "AVX2"},
		{cpu.X86.HasFMA, "FMA"},
		{cpu.ARM64.HasASIMD, "NEON"},
	} {
		if f.has {
			out = append(out, f.name)
		}
	}
	return out
}
