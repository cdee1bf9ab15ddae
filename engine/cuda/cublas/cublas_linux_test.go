//go:build amd64 || arm64

package cublas

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// folder has a library of testdata/libcublas.c, which is opened once in a process.
var folder string

var build = sync.OnceValue(func() error {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		return errNoCompiler
	}
	if folder, err = os.MkdirTemp("", "libcublas"); err != nil {
		return err
	}
	return compile(cc, folder)
})

var errNoCompiler = errors.New("gcc makes the library of this test, and is not installed")

func compile(cc, dir string, options ...string) error {
	arguments := append([]string{"-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcublas.so.13"), "testdata/libcublas.c"}, options...)
	if out, err := exec.Command(cc, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

type fake struct {
	t       *testing.T
	library *library.Library
}

func open(t *testing.T) (*blas, fake) {
	t.Helper()
	if err := build(); errors.Is(err, errNoCompiler) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Setenv(library.DirVariable, folder)
	t.Setenv(library.OnlyVariable, "1")
	l, err := library.Open(library.CUBLAS)
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, l}
	f.clear()
	b, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.clear()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if got, want := f.journal(), "cublasCreate_v2\ncublasSetWorkspace_v2 (nil) 0\n"; got != want {
		t.Errorf("to open it\n%swas called, want\n%s", got, want)
	}
	return b.(*blas), f
}

func (f fake) symbol(name string) uintptr {
	f.t.Helper()
	address, err := f.library.Symbol(name)
	if err != nil {
		f.t.Fatal(err)
	}
	return address
}

func (f fake) clear() { _, _, _ = purego.SyscallN(f.symbol("fake_clear")) }

func (f fake) answer(result int) {
	_, _, _ = purego.SyscallN(f.symbol("fake_answer"), uintptr(result))
}

func (f fake) handles() int {
	n, _, _ := purego.SyscallN(f.symbol("fake_handles"))
	return int(int32(n))
}

func (f fake) journal() string {
	var journal func() string
	purego.RegisterFunc(&journal, f.symbol("fake_journal"))
	calls := journal()
	f.clear()
	return calls
}

func TestVersionAndWorkspace(t *testing.T) {
	b, f := open(t)
	if v, err := b.Version(); err != nil || v != 130100 {
		t.Errorf("the version is %d, %v", v, err)
	}
	if err := b.SetWorkspace(0x7f00_1234_5600, 1<<32+256); err != nil {
		t.Error(err)
	}
	if err := b.SetWorkspace(0xBAD, 1); err == nil {
		t.Error("a bad workspace was taken")
	}
	want := "cublasGetVersion_v2\ncublasSetWorkspace_v2 0x7f0012345600 4294967552\ncublasSetWorkspace_v2 0xbad 1\n"
	if got := f.journal(); got != want {
		t.Errorf("called\n%swant\n%s", got, want)
	}
}

// number is a small integer for each coordinate, so that every sum is exact.
func number[T float32 | float64](seed, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T((i*i*7+i*13+seed*31)%19 - 9)
	}
	return out
}

// products holds a batch of column-major products, with gaps everywhere, to BLAS's
// definition.
func products[T float32 | float64](t *testing.T, kind nvidia.Type, call string) {
	b, f := open(t)
	const m, n, k, batch = 3, 5, 4, 3
	const lda, ldb, ldc = m + 2, k + 1, m + 3
	const sa, sb, sc = lda*k + 3, ldb*n + 5, ldc*n + 1
	for _, x := range []struct{ alpha, beta float64 }{{1, 0}, {0.5, 0}, {-2, 3}} {
		left, right, out := number[T](1, sa*batch), number[T](2, sb*batch), number[T](3, sc*batch)
		want := append([]T(nil), out...)
		for z := range batch {
			for j := range n {
				for i := range m {
					var sum T
					for l := range k {
						sum += left[z*sa+l*lda+i] * right[z*sb+j*ldb+l]
					}
					cell := &want[z*sc+j*ldc+i]
					*cell = T(x.alpha)*sum + T(x.beta)**cell
				}
			}
		}
		var pin runtime.Pinner
		address := func(s []T) nvidia.Pointer {
			pin.Pin(&s[0])
			return nvidia.Pointer(uintptr(unsafe.Pointer(&s[0])))
		}
		err := b.Gemm(nvidia.Gemm{
			Type: kind, M: m, N: n, K: k, Alpha: x.alpha, Beta: x.beta,
			A: address(left), B: address(right), C: address(out),
			LDA: lda, LDB: ldb, LDC: ldc, StrideA: sa, StrideB: sb, StrideC: sc, Batch: batch,
		})
		pin.Unpin()
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if out[i] != want[i] {
				t.Errorf("alpha %v, beta %v: element %d is %v, want %v", x.alpha, x.beta, i, out[i], want[i])
				break
			}
		}
		line := fmt.Sprintf("%s 0 0 %d %d %d alpha=%v lda=%d sa=%d ldb=%d sb=%d beta=%v ldc=%d sc=%d batch=%d\n",
			call, m, n, k, x.alpha, lda, sa, ldb, sb, x.beta, ldc, sc, batch)
		if got := f.journal(); got != line {
			t.Errorf("called\n%swant\n%s", got, line)
		}
	}
}

func TestFloat64(t *testing.T) {
	products[float64](t, nvidia.Float64, "cublasDgemmStridedBatched")
}

func TestFloat32(t *testing.T) {
	products[float32](t, nvidia.Float32, "cublasSgemmStridedBatched")
}

// TestSixteenBits also has numbers that need 64 bits where C takes as many.
func TestSixteenBits(t *testing.T) {
	b, f := open(t)
	g := nvidia.Gemm{
		M: 1<<31 - 1, N: 2, K: 3, Alpha: 0.1, Beta: -1.5, A: 0x7f0000000100, B: 0x7f0000000200, C: 0x7f0000000300,
		LDA: 1<<31 - 1, LDB: 4, LDC: 5, StrideA: 1<<40 + 1, StrideB: -6, StrideC: 0, Batch: 7,
	}
	for kind, number := range map[nvidia.Type]int{nvidia.Float16: 2, nvidia.BFloat16: 14} {
		g.Type = kind
		if err := b.Gemm(g); err != nil {
			t.Error(err)
		}
		want := fmt.Sprintf("cublasGemmStridedBatchedEx 0 0 2147483647 2 3 alpha=0.1 a=0x7f0000000100 %[1]d lda=2147483647 sa=1099511627777 "+
			"b=0x7f0000000200 %[1]d ldb=4 sb=-6 beta=-1.5 c=0x7f0000000300 %[1]d ldc=5 sc=0 batch=7 compute=68 algorithm=-1\n", number)
		if got := f.journal(); got != want {
			t.Errorf("called\n%swant\n%s", got, want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	b, f := open(t)
	good := nvidia.Gemm{M: 1, N: 1, K: 1, LDA: 1, LDB: 1, LDC: 1, Batch: 1}
	for name, change := range map[string]func(g *nvidia.Gemm, value int){
		"M":     func(g *nvidia.Gemm, v int) { g.M = v },
		"N":     func(g *nvidia.Gemm, v int) { g.N = v },
		"K":     func(g *nvidia.Gemm, v int) { g.K = v },
		"LDA":   func(g *nvidia.Gemm, v int) { g.LDA = v },
		"LDB":   func(g *nvidia.Gemm, v int) { g.LDB = v },
		"LDC":   func(g *nvidia.Gemm, v int) { g.LDC = v },
		"Batch": func(g *nvidia.Gemm, v int) { g.Batch = v },
	} {
		for _, value := range []int{-1, 1 << 31, 1<<32 + 1} {
			g := good
			change(&g, value)
			err := b.Gemm(g)
			var refused *nvidia.Error
			if !errors.As(err, &refused) || refused.Code != invalidValue || refused.Library != "cuBLAS" ||
				!strings.Contains(refused.Text, fmt.Sprintf("%s is %d,", name, value)) {
				t.Errorf("%s = %d: %v", name, value, err)
			}
		}
	}
	if got := f.journal(); got != "" {
		t.Errorf("what does not fit was passed on:\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	b, f := open(t)
	before := f.handles()
	for code, name := range map[int]string{
		1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE",
		8: "CUBLAS_STATUS_ARCH_MISMATCH", 11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED",
		14: "CUBLAS_STATUS_INTERNAL_ERROR", 15: "CUBLAS_STATUS_NOT_SUPPORTED", 16: "CUBLAS_STATUS_LICENSE_ERROR",
		99: "cublasStatus_t 99",
	} {
		f.answer(code)
		_, version := b.Version()
		_, created := New()
		g := b.Gemm(nvidia.Gemm{M: 1, N: 1, K: 1, LDA: 1, LDB: 1, LDC: 1, Batch: 1})
		for call, err := range map[string]error{"cublasGetVersion_v2": version, "cublasCreate_v2": created, "cublasDgemmStridedBatched": g} {
			var refused *nvidia.Error
			if !errors.As(err, &refused) || refused.Library != "cuBLAS" || refused.Call != call || refused.Code != code || refused.Name != name || refused.Sticky() {
				t.Errorf("%d: %v", code, err)
			}
		}
		f.clear()
	}
	if after := f.handles(); after != before {
		t.Errorf("%d handles are left, of %d", after, before)
	}
	// A closed handle is not destroyed again.
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if got, want := f.journal(), "cublasDestroy_v2\n"; got != want || f.handles() != before-1 {
		t.Errorf("to close it twice\n%swas called, want\n%s", got, want)
	}
}

func TestAllocations(t *testing.T) {
	b, f := open(t)
	g := nvidia.Gemm{Type: nvidia.Float16, M: 1, N: 1, K: 1, LDA: 1, LDB: 1, LDC: 1, Batch: 1}
	allocations := testing.AllocsPerRun(20, func() {
		if err := b.Gemm(g); err != nil {
			t.Error(err)
		}
	})
	if allocations > 0.5 && !raceEnabled {
		t.Errorf("a product allocates %v times, want never", allocations)
	}
	f.clear()
}

const child = "COURSE_TEST_CHILD"

func TestChild(t *testing.T) {
	if os.Getenv(child) == "" {
		t.Skip("this is what another test runs in a process of its own")
	}
	_, err := New()
	fmt.Printf("error: %v (%T)\n", err, err)
}

func TestLibraryWithoutAFunction(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip(errNoCompiler)
	}
	dir := t.TempDir()
	for _, x := range []struct {
		make func() error
		want string
	}{
		{func() error { return nil }, "error: cuBLAS was not found; tried\n  " + dir + "/libcublas.so.13: cannot open shared object file"},
		{func() error { return compile(cc, dir, "-DWITHOUT_WORKSPACE") }, "error: cuBLAS: " + dir + "/libcublas.so.13 has no function cublasSetWorkspace_v2"},
	} {
		if err := x.make(); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
		command.Env = append(os.Environ(), child+"=new", library.DirVariable+"="+dir, library.OnlyVariable+"=1", "GORACE=atexit_sleep_ms=0")
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), x.want) || !strings.Contains(string(out), "(*nvidia.MissingError)") {
			t.Errorf("%v: got\n%swant\n%s", err, out, x.want)
		}
	}
}
