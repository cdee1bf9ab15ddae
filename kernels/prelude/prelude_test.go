package prelude_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"workbench/engine/dtype"
	"workbench/kernels/prelude"
)

func TestHeaders(t *testing.T) {
	headers := prelude.Headers()
	if headers[prelude.Name] != prelude.Source || !strings.Contains(prelude.Source, "#ifndef WORKBENCH_PRELUDE\n#define WORKBENCH_PRELUDE\n") {
		t.Error("the prelude is not under its name, or is not safe to include twice")
	}
	for name, text := range headers {
		if name != prelude.Name && strings.TrimSpace(text) != "// prelude.h has what kernels use of it." {
			t.Errorf("%s is not empty: %q", name, text)
		}
	}
	headers["mine.h"] = "changed"
	if _, there := prelude.Headers()["mine.h"]; there {
		t.Error("a caller's change to Headers reached the next caller")
	}
}

// program runs the header's own bfloat16 arithmetic on this machine: a C++ compiler
// is told what CUDA's words mean, and that there is no PTX. It reads float32 bits
// and writes bfloat16 bits.
const program = `
#include <cstdio>
#include <cstring>
#include <vector>
#define __device__
#define __forceinline__ inline
#define asm(...)
static inline unsigned int __float_as_uint(float x) { unsigned int u; std::memcpy(&u, &x, 4); return u; }
static inline float __uint_as_float(unsigned int u) { float x; std::memcpy(&x, &u, 4); return x; }
#include "prelude.h"
int main() {
	std::vector<unsigned int> in(1 << 16);
	while (size_t n = std::fread(in.data(), 4, in.size(), stdin)) {
		for (size_t i = 0; i < n; i++) {
			__nv_bfloat16 b = __float2bfloat16(__uint_as_float(in[i]));
			unsigned short bits = __bfloat16_as_ushort(b);
			std::fwrite(&bits, 2, 1, stdout);
			if (__float_as_uint(__bfloat162float(b)) != (unsigned int)bits << 16) return 1;
			if (__bfloat16_as_ushort(__nv_bfloat16(__uint_as_float(in[i]))) != bits) return 2;
		}
	}
}
`

// A bfloat16 on the GPU is the one on the host: every way that the lower half of a
// float can round, around every upper half.
func TestBFloat16(t *testing.T) {
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("needs a C++ compiler to run the header's arithmetic here: there is no c++ in PATH")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"prelude.h": prelude.Source, "main.cc": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command(compiler, "-std=c++17", "-O1", "-w", "-o", "main", "main.cc")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	var in []byte
	for upper := range uint32(1 << 16) {
		for _, lower := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			in = binary.LittleEndian.AppendUint32(in, upper<<16|lower)
		}
	}
	run := exec.Command(filepath.Join(dir, "main"))
	run.Stdin = bytes.NewReader(in)
	out, err := run.Output()
	if err != nil || len(out) != len(in)/2 {
		t.Fatalf("%d bytes of %d: %v", len(out), len(in)/2, err)
	}
	wrong := 0
	for i := range len(in) / 4 {
		bits := binary.LittleEndian.Uint32(in[4*i:])
		x := float64(math.Float32frombits(bits))
		got, want := binary.LittleEndian.Uint16(out[2*i:]), dtype.BFloat16Bits(x)
		if math.IsNaN(x) {
			want = 0x7fff // CUDA's
		}
		if got != want {
			if wrong++; wrong <= 5 {
				t.Errorf("float %#08x becomes bfloat16 %#04x, want %#04x", bits, got, want)
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d of %d are wrong", wrong, len(in)/4)
	}
}
