package native

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"workbench/engine/cuda/cublas"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvidia/conform"
)

// gpu returns the driver of a machine with a GPU. Without one the test is skipped,
// or with COURSE_REQUIRE_GPU=1 failed.
func gpu(t *testing.T) nvidia.Driver {
	t.Helper()
	d, err := Driver()
	if err == nil {
		_, err = d.Devices()
	}
	if err == nil {
		return d
	}
	if os.Getenv("COURSE_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	t.Skipf("no GPU: %v", err)
	return nil
}

func TestConformGPU(t *testing.T) {
	d := gpu(t)
	version, err := d.Version()
	if err != nil {
		t.Fatal(err)
	}
	devices, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, driver for CUDA %d.%d, through %s", devices[0].Name, version/1000, version%1000/10, Implementation)
	tally := conform.Run(d, 0, func(name string, err error) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Logf("%s: passed", name)
		}
	})
	if tally.Passed == 0 {
		t.Error("no case passed")
	}
}

// child is set in a process that runs one case and ends.
const child = "COURSE_TEST_CASE"

// inChild runs a case of a sticky error in this test's own binary.
func inChild(t *testing.T, name string) string {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
	command.Env = append(os.Environ(), child+"="+name, "GORACE=atexit_sleep_ms=0")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, &out)
	}
	return out.String()
}

func TestChild(t *testing.T) {
	name := os.Getenv(child)
	if name == "" {
		t.Skip("this is what the tests of sticky errors run in a process of its own")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := gpu(t)
	if name == "print" {
		if err := conform.Print(d, 0, 42); err != nil {
			t.Error(err)
		}
		// Nothing of libc's may be left to its own end.
		return
	}
	for _, c := range conform.Sticky() {
		if c.Name == name {
			if err := conform.Attempt(c, d, 0); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("no case %q", name)
}

func TestStickyGPU(t *testing.T) {
	gpu(t)
	for _, c := range conform.Sticky() {
		if out := inChild(t, c.Name); !strings.Contains(out, "--- PASS: TestChild") {
			t.Errorf("%s did not run:\n%s", c.Name, out)
		}
	}
}

func TestPrintGPU(t *testing.T) {
	gpu(t)
	if out := inChild(t, "print"); !strings.Contains(out, "conform_print 42\n") {
		t.Errorf("the kernel's line is not in the process's output:\n%s", out)
	}
}

// TestLibraryGPU multiplies [1 2 3; 4 5 6] by [7 8; 9 10; 11 12] with cuBLAS, in every
// format. The row-major product is the column-major one of the operands in the
// other order.
func TestLibraryGPU(t *testing.T) {
	d := gpu(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := cublas.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) && os.Getenv("COURSE_REQUIRE_GPU") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	version, err := b.Version()
	if err != nil {
		t.Error(err)
	}
	t.Logf("cuBLAS %d", version)

	half := map[float64]uint16{}
	bfloat := map[float64]uint16{}
	for _, x := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 58, 64, 139, 154} {
		bits := math.Float32bits(float32(x)) // small integers lie in every format
		bfloat[x] = uint16(bits >> 16)
		half[x] = uint16((bits>>23-127+15)<<10 | bits>>13&0x3FF)
	}
	for kind, encode := range map[nvidia.Type]func(b []byte, x float64) []byte{
		nvidia.Float64: func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) },
		nvidia.Float32: func(b []byte, x float64) []byte {
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		},
		nvidia.Float16:  func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint16(b, half[x]) },
		nvidia.BFloat16: func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint16(b, bfloat[x]) },
	} {
		pack := func(values ...float64) (out []byte) {
			for _, x := range values {
				out = encode(out, x)
			}
			return out
		}
		place := func(bytes []byte) nvidia.Pointer {
			p, err := c.Alloc(uint64(len(bytes)))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.CopyIn(p, bytes); err != nil {
				t.Fatal(err)
			}
			return p
		}
		want := pack(58, 64, 139, 154)
		left, right, out := place(pack(1, 2, 3, 4, 5, 6)), place(pack(7, 8, 9, 10, 11, 12)), place(bytes.Repeat([]byte{0xFF}, len(want)))
		err := b.Gemm(nvidia.Gemm{
			Type: kind, M: 2, N: 2, K: 3, Alpha: 1, A: right, B: left, C: out,
			LDA: 2, LDB: 3, LDC: 2, StrideA: 6, StrideB: 6, StrideC: 4, Batch: 1,
		})
		if err != nil {
			t.Error(err)
		}
		got := make([]byte, len(want))
		if err := c.CopyOut(got, out); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("type %d: the product is %x, want %x", kind, got, want)
		}
		if err := errors.Join(c.Free(left), c.Free(right), c.Free(out)); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(b.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

func TestNoDriver(t *testing.T) {
	if runtime.GOOS == "linux" {
		t.Skip("of systems without CUDA")
	}
	_, err := Driver()
	var missing *nvidia.MissingError
	if !errors.As(err, &missing) {
		t.Errorf("got %v, want a *nvidia.MissingError", err)
	}
}
