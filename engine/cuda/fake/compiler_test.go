package fake_test

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
)

func TestCompilerMessages(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         string // log of a source that does not compile
		warning      string // log of one that does
	}{
		{"a sound source", fake.Source, "", ""},
		{"an error", "// one\n#error no luck\n", "k.cu(2): catastrophic error: #error directive: no luck\n\n1 catastrophic error detected in the compilation of \"k.cu\".\nCompilation terminated.\n", ""},
		{"a warning", "#warning mind\n", "", "k.cu(1): warning #1105-D: #warning directive: mind\n\n"},
		{"a syntax error", "extern \"C\" __global__ void f() {\n\tsyntax error here\n}\n", "k.cu(2): error: identifier \"syntax\" is undefined\n\nk.cu(2): error: expected a \";\"\n\n2 errors detected in the compilation of \"k.cu\".\n", ""},
		{"a brace too few", "extern \"C\" __global__ void f() {\n", "At end of source: error: expected a \"}\"\n\n1 error detected in the compilation of \"k.cu\".\n", ""},
		{"a brace too many", "void f() {}\n}\n", "k.cu(2): error: expected a declaration\n\n1 error detected in the compilation of \"k.cu\".\n", ""},
		{"a header that is there", "#include \"mine.h\"\n", "", ""},
		{"a mistake in a header", "\n#include <bad.h>\n", "bad.h(1): error: identifier \"syntax\" is undefined\n\nbad.h(1): error: expected a \";\"\n\n2 errors detected in the compilation of \"k.cu\".\n", ""},
		{"a header that is not", "\n#include \"other.h\"\n", "k.cu(2): catastrophic error: cannot open source file \"other.h\"\n\n1 catastrophic error detected in the compilation of \"k.cu\".\nCompilation terminated.\n", ""},
		{"a comment", "/* #error\n syntax error here { */ // { #error\n", "", ""},
		{"a comment in a string", `extern "C" __global__ void f() { printf("// {\"/*"); }` + "\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiler, err := fake.New(fake.Config{Compiler: fake.Library{Version: 11080}}).Compiler()
			if err != nil {
				t.Fatal(err)
			}
			headers := map[string]string{"mine.h": "#include \"mine.h\"\n", "bad.h": "syntax error here\n"}
			image, log, err := compiler.Compile("k.cu", c.source, headers, []string{"--gpu-architecture=compute_70"})
			if c.want == "" {
				if err != nil || len(image) == 0 || log != c.warning {
					t.Errorf("%d bytes, log %q, %v; want the log %q", len(image), log, err, c.warning)
				}
				return
			}
			var e *nvidia.CompileError
			if !errors.As(err, &e) || e.File != "k.cu" || e.Log != c.want || image != nil {
				t.Errorf("the error is %#v,\nwant the log %q", err, c.want)
			}
		})
	}
}

// From NVRTC 12 on a message shows the line.
func TestCompilerCaret(t *testing.T) {
	compiler, err := fake.New(fake.Config{}).Compiler()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = compiler.Compile("k.cu", "\t#error no\n", nil, nil)
	var e *nvidia.CompileError
	if !errors.As(err, &e) || !strings.HasPrefix(e.Log, "k.cu(1): catastrophic error: #error directive: no\n  \t#error no\n  \t^\n\n") {
		t.Errorf("the error is %v", err)
	}
}

func TestCompilerOptions(t *testing.T) {
	compiler, err := fake.New(fake.Config{}).Compiler()
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range []string{"--gpu-architecture=sm_12", "--gpu-architecture=sm_70", "--gpu-architecture=90", "--fmad=perhaps", "fast"} {
		_, _, err := compiler.Compile("k.cu", fake.Source, nil, []string{option})
		var e *nvidia.Error
		if !errors.As(err, &e) || e.Library != "NVRTC" || e.Name != "NVRTC_ERROR_INVALID_OPTION" || !strings.Contains(e.Log, "nvrtc: error: ") {
			t.Errorf("%s: %v", option, err)
		}
	}
}

// The sample kernels are CUDA C, which the real compiler takes too, with the
// parameters that the fake reads from them.
func TestSourceIsCUDA(t *testing.T) {
	compiler, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skipf("NVRTC is not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	image, log, err := compiler.Compile("sample.cu", fake.Source, nil, []string{"--gpu-architecture=compute_75"})
	if err != nil || log != "" {
		t.Fatalf("log %q, %v", log, err)
	}
	_, c := context(t, fake.Config{})
	module, err := c.Load(image)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Function(module, "add_one")
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Launch(f, one, one, 0, [][]byte{u64(uint64(p)), u32(1)}); err != nil {
		t.Error(err)
	}
	for _, symbol := range []string{"write_outside", "read_null", "never_ends", "traps", "prints"} {
		if _, err := c.Function(module, symbol); err != nil {
			t.Error(err)
		}
	}
}
