package simt_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What is compared with other emulators: SPEED.md beside this file says how, and
// what came of it. Every side is a program that is started, with all its checks,
// and what it takes to start with an empty kernel is subtracted.

// side is one program that can run the products.
type side struct {
	name    string
	command func(kernel string, n int) *exec.Cmd
	kernels []string
	sizes   []int
}

// inBrief is how often our side runs for once of another: it takes so little that
// a pause of the machine would be all there is to see.
const inBrief = 10

func BenchmarkPeers(b *testing.B) {
	dir := b.TempDir()
	ours := workbench(b, dir)
	for _, peer := range []struct {
		name string
		open func(b *testing.B, dir string) side
	}{{"oclgrind", oclgrind}, {"numba", numba}} {
		b.Run(peer.name, func(b *testing.B) {
			p := peer.open(b, dir)
			for _, kernel := range p.kernels {
				for _, n := range p.sizes {
					b.Run(fmt.Sprintf("%s/%d", kernel, n), func(b *testing.B) { versus(b, ours, p, kernel, n) })
				}
			}
		})
	}
}

// versus runs both by turns and reports how many times longer the peer takes, of
// the shortest times of each: by the clock, and of processor time, which says more
// where other programs run.
func versus(b *testing.B, ours, peer side, kernel string, n int) {
	var us, usEmpty, them, themEmpty []taken
	for range b.N {
		for range inBrief {
			usEmpty = append(usEmpty, timed(b, ours.command("empty", n)))
			us = append(us, timed(b, ours.command(kernel, n)))
		}
		themEmpty = append(themEmpty, silently(b, peer.command("empty", n)))
		them = append(them, silently(b, peer.command(kernel, n)))
	}
	b.ReportMetric(0, "ns/op")
	for _, c := range []struct {
		name string
		of   func(t taken) time.Duration
	}{{"", func(t taken) time.Duration { return t.clock }}, {"cpu-", func(t taken) time.Duration { return t.processor }}} {
		least := func(list []taken) time.Duration {
			return c.of(slices.MinFunc(list, func(x, y taken) int { return cmp.Compare(c.of(x), c.of(y)) }))
		}
		took := max(least(us)-least(usEmpty), time.Millisecond) // less cannot be told apart of two programs' times
		peerTook := least(them) - least(themEmpty)
		b.ReportMetric(1000*took.Seconds(), c.name+"ms")
		b.ReportMetric(1000*peerTook.Seconds(), "peer-"+c.name+"ms")
		b.ReportMetric(peerTook.Seconds()/took.Seconds(), c.name+"times")
	}
}

// taken is what a program has taken, by the clock and of processors.
type taken struct{ clock, processor time.Duration }

// timed runs a command that must do well.
func timed(b *testing.B, c *exec.Cmd) taken {
	var said bytes.Buffer
	c.Stderr = &said
	start := time.Now()
	err := c.Run()
	t := taken{clock: time.Since(start)}
	if err != nil {
		b.Fatalf("%v: %v\n%s", c.Args, err, said.String())
	}
	t.processor = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return t
}

// silently is timed of one that says what is wrong and does well all the same.
func silently(b *testing.B, c *exec.Cmd) taken {
	var said bytes.Buffer
	c.Stdout = &said
	t := timed(b, c)
	said.Write(c.Stderr.(*bytes.Buffer).Bytes())
	if said.Len() > 0 {
		b.Fatalf("%v:\n%s", c.Args, said.String())
	}
	return t
}

// workbench is our side: the program as it is shipped.
func workbench(b *testing.B, dir string) side {
	binary := filepath.Join(dir, "workbench")
	build := exec.Command("go", "build", "-o", binary, "workbench/cmd/workbench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	source, err := filepath.Abs("testdata/peers/products.cu")
	if err != nil {
		b.Fatal(err)
	}
	s := side{name: "workbench"}
	s.command = func(kernel string, n int) *exec.Cmd {
		grid, block := fmt.Sprintf("[%d, %d]", n/16, n/16), "[16, 16]"
		if kernel == "empty" {
			grid, block = "[1]", "[1]"
		}
		text := fmt.Sprintf(`{"source": %q, "kernel": %q, "grid": %s, "block": %s, "args": [
			{"name": "a", "type": "f32", "shape": [%[5]d, %[5]d], "fill": "random", "seed": 1},
			{"name": "b", "type": "f32", "shape": [%[5]d, %[5]d], "fill": "random", "seed": 2},
			{"name": "c", "type": "f32", "shape": [%[5]d, %[5]d]},
			{"name": "n", "type": "i32", "value": %[5]d}]}`, source, kernel, grid, block, n)
		return exec.CommandContext(b.Context(), binary, "emulate", write(b, dir, fmt.Sprintf("%s%d.json", kernel, n), text))
	}
	if out, err := s.command("racing", 32).Output(); err == nil || !strings.Contains(string(out), "race") {
		b.Fatalf("our emulator does not say that a kernel races: %v\n%s", err, out)
	}
	return s
}

func oclgrind(b *testing.B, dir string) side {
	const program = "oclgrind-kernel"
	if _, err := exec.LookPath(program); err != nil {
		b.Skipf("there is no %s: Debian has it as the package oclgrind", program)
	}
	source, err := os.ReadFile("testdata/peers/products.cl")
	if err != nil {
		b.Fatal(err)
	}
	file := write(b, dir, "products.cl", string(source))
	command := func(kernel string, n int, out string, flags ...string) *exec.Cmd {
		global, local := fmt.Sprintf("%d %d 1", n, n), "16 16 1"
		if kernel == "empty" {
			global, local = "1 1 1", "1 1 1"
		}
		text := fmt.Sprintf("%s\n%s\n%s\n%s\n<size=%d float range=0:1:%d>\n<size=%[5]d float range=0:1:%[6]d>\n<size=%[5]d float noinit%[7]s>\n<size=4 int>\n%[8]d\n",
			file, kernel, global, local, 4*n*n, n*n-1, out, n)
		args := append([]string{"--data-races", "--uninitialized"}, flags...)
		return exec.CommandContext(b.Context(), program, append(args, write(b, dir, fmt.Sprintf("%s%d.sim", kernel, n), text))...)
	}
	for _, kernel := range []string{"naive", "tiled"} {
		printed, err := command(kernel, 32, " dump").Output()
		if err != nil {
			b.Fatal(err)
		}
		ramp(b, kernel, 32, printed)
	}
	said, err := command("racing", 32, "", "--max-errors", "1").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "data race") {
		b.Fatalf("Oclgrind does not say that a kernel races: %v\n%s", err, said)
	}
	return side{
		name:    "oclgrind",
		command: func(kernel string, n int) *exec.Cmd { return command(kernel, n, "") },
		kernels: []string{"naive", "tiled"}, sizes: []int{64, 128},
	}
}

// ramp holds what Oclgrind printed against the product of 0, 1, 2 … with itself.
func ramp(b *testing.B, kernel string, n int, printed []byte) {
	found := regexp.MustCompile(`c\[(\d+)\] = (\S+)`).FindAllSubmatch(printed, -1)
	if len(found) != n*n {
		b.Fatalf("%s: %d elements, of %d", kernel, len(found), n*n)
	}
	for i, m := range found {
		got, err := strconv.ParseFloat(string(m[2]), 64)
		if err != nil {
			b.Fatal(err)
		}
		want := 0.0
		for k := range n {
			want += float64(i/n*n+k) * float64(k*n+i%n)
		}
		if !(math.Abs(got-want) <= 1e-5*want) { // it prints six digits
			b.Fatalf("%s: element %d is %v, not %v", kernel, i, got, want)
		}
	}
}

func numba(b *testing.B, _ string) side {
	env := append(os.Environ(), "NUMBA_ENABLE_CUDASIM=1")
	python := ""
	for _, name := range []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"} {
		if name == "" {
			continue
		}
		try := exec.Command(name, "-c", "import numba, numpy")
		try.Env = env
		if try.Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		b.Skip("no Python here has numba: Debian has it as the package python3-numba, and the variable PYTHON says which Python is meant")
	}
	return side{
		name: "numba",
		command: func(kernel string, n int) *exec.Cmd {
			c := exec.CommandContext(b.Context(), python, "testdata/peers/products.py", kernel, strconv.Itoa(n))
			c.Env = env
			return c
		},
		kernels: []string{"naive", "tiled"}, sizes: []int{64},
	}
}

func write(b *testing.B, dir, name, text string) string {
	b.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return name
}

// BenchmarkTiled256 is the product whose limits are 2 s with all checks and 0.3 s
// without, on two cores.
func BenchmarkTiled256(b *testing.B) {
	dir := b.TempDir()
	s := workbench(b, dir)
	checked := s.command("tiled", 256)
	file := checked.Args[len(checked.Args)-1]
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	unchecked := write(b, dir, "unchecked.json", strings.Replace(string(text), `{"source"`, `{"checks": false, "source"`, 1))
	for _, c := range []struct{ name, file string }{{"checks", file}, {"without", unchecked}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				timed(b, exec.CommandContext(b.Context(), checked.Path, "emulate", c.file))
			}
		})
	}
}

// BenchmarkStart is what the program takes to start, of which the limit is 50 ms.
func BenchmarkStart(b *testing.B) {
	s := workbench(b, b.TempDir())
	empty := s.command("empty", 16)
	for _, c := range []struct {
		name string
		args []string
	}{{"version", []string{"version"}}, {"emulate", empty.Args[1:]}} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				took = append(took, timed(b, exec.CommandContext(b.Context(), empty.Path, c.args...)).clock)
			}
			slices.Sort(took)
			b.ReportMetric(1000*took[len(took)/2].Seconds(), "median-ms")
		})
	}
}
