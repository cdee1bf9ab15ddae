//go:build !gorgonia && (amd64 || arm64)

package native

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
)

// TestSession runs products from the session down to C: a driver without a GPU,
// compiled from C, is opened as the real one is, loads the embedded kernels, and
// multiplies on the host in the order that they have.
func TestSession(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc makes the driver of this test, and is not installed")
	}
	const source = "../driver/testdata/libcuda.c"
	if _, err := os.Stat(source); err != nil {
		t.Skip("the driver of this test is made from the repository, and this is only its test binary")
	}
	file := filepath.Join(t.TempDir(), "libcuda.so.1")
	if out, err := exec.Command(cc, "-O1", "-shared", "-fPIC", "-o", file, source, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	// A process has one driver, and this one may have opened the machine's own.
	command := exec.Command(os.Args[0], "-test.run=^TestSessionChild$", "-test.v")
	command.Env = append(os.Environ(), child+"=session", library.DriverVariable+"="+file, "GORACE=atexit_sleep_ms=0")
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestSessionChild") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSessionChild(t *testing.T) {
	if os.Getenv(child) != "session" {
		t.Skip("this is what TestSession runs in a process of its own")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, err := Driver()
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(session.Libraries{Driver: d}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if name := s.Device().Name; name != "Fake GPU 0" {
		t.Fatalf("the GPU is %s, and not that of the test", name)
	}
	random := rand.New(rand.NewPCG(5, 8))
	differ := false
	for _, shape := range [][4]int{{1, 2, 3, 2}, {1, 17, 33, 9}, {3, 5, 129, 31}, {1, 1, 1, 1}, {2, 7, 13, 1}} {
		for _, mean := range []bool{false, true} {
			var results [][]byte
			left, right := numbers(random, shape[0]*shape[1]*shape[2]), numbers(random, shape[0]*shape[2]*shape[3])
			for _, contract := range []device.Contract{device.Separate, device.Fused} {
				name := fmt.Sprintf("%v, mean %v, %v", shape, mean, contract)
				p := session.Product{B: shape[0], M: shape[1], K: shape[2], N: shape[3], Precision: device.Float64, Contract: contract, Mean: mean}
				want := chain(p, left, right)
				out := bytes.Repeat([]byte{0xFF}, len(want))
				stats, err := s.Multiply(p, pack(left), pack(right), out)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !bytes.Equal(out, want) {
					t.Errorf("%s: the product differs from the chain of its contract", name)
				}
				if stats.Requests != 1 || stats.Launches != 1 || stats.BytesOut != int64(len(out)) {
					t.Errorf("%s: %+v", name, stats)
				}
				results = append(results, out)
			}
			differ = differ || !bytes.Equal(results[0], results[1])
		}
	}
	if !differ {
		t.Error("both contracts gave the same bits everywhere, so that nothing tells which one ran")
	}
	if err := s.Healthy(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func numbers(random *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = random.NormFloat64()
	}
	return out
}

func pack(values []float64) (out []byte) {
	for _, x := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// chain is a product by the words of its contract: products are added in ascending
// order, from zero, and rounded before that or not.
func chain(p session.Product, left, right []float64) []byte {
	var out []float64
	for b := range p.B {
		for i := range p.M {
			for j := range p.N {
				sum := 0.0
				for k := range p.K {
					x, y := left[(b*p.M+i)*p.K+k], right[(b*p.K+k)*p.N+j]
					if p.Contract == device.Fused {
						sum = math.FMA(x, y, sum)
					} else {
						sum = float64(x*y) + sum
					}
				}
				if p.Mean {
					sum /= float64(p.K)
				}
				out = append(out, sum)
			}
		}
	}
	return pack(out)
}
