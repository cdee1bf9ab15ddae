package run_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
)

// thread is what most programs begin with: %i is the thread's number in the
// grid, %t in its block.
const threadNumber = `
	reg u32 %tid %ctaid %ntid %n
	reg i32 %i %t
	special tid.x %tid
	special ctaid.x %ctaid
	special ntid.x %ntid
	mul u32 %n %ctaid %ntid
	add u32 %n %n %tid
	convert i32 u32 %i %n
	convert i32 u32 %t %tid
`

// kernelText is a kernel that declares registers and has a body behind
// threadNumber. Registers come first in the text form.
func kernelText(params, regs, body string) string {
	decls, rest, _ := strings.Cut(threadNumber, "\tspecial tid.x")
	return "kernel k(" + params + ") {\n" + decls + regs + "\n\tspecial tid.x" + rest + body + "\n}\n"
}

func TestShuffles(t *testing.T) {
	for _, c := range []struct {
		kind      string
		lane      int
		width     int
		from      func(lane int) int
		isUniform bool
	}{
		{"idx", 5, 32, func(l int) int { return 5 }, true},
		{"idx", 37, 32, func(l int) int { return 5 }, true},
		{"idx", 3, 8, func(l int) int { return l&^7 + 3 }, false},
		{"idx", 11, 8, func(l int) int { return l&^7 + 3 }, false}, // modulo the width
		{"up", 1, 32, func(l int) int { return max(l-1, 0) }, false},
		{"up", 3, 8, func(l int) int { return max(l-3, l&^7) }, false},
		{"down", 4, 32, func(l int) int { return l + 4 }, false},
		{"down", 4, 16, func(l int) int { return l + 4 }, false},
		{"xor", 16, 32, func(l int) int { return l ^ 16 }, false},
		{"xor", 1, 2, func(l int) int { return l ^ 1 }, false},
		{"xor", 8, 8, func(l int) int { return l ^ 8 }, false}, // a lower group may be read, a higher one not
	} {
		// The documented rules: down and xor outside of the group give the own value,
		// up below its group too.
		want := func(l int) int {
			f := c.from(l)
			last := l&^(c.width-1) + c.width - 1
			switch c.kind {
			case "up":
				if l-c.lane < l&^(c.width-1) {
					return l
				}
			case "down", "xor":
				if f > last {
					return l
				}
			}
			return f
		}
		b := program(t, "k.code", kernelText("out ptr %out", "reg i32 %v %w\nreg pred %ok\nreg u64 %a %b\nreg ptr %p", fmt.Sprintf(`
			mul i32 %%v %%t 3
			shuffle %s i32 %%w _ %%v %d %d 4294967295
			index i32 %%p %%out %%i 24
			store i32 global %%p %%w
			convert u64 i32 %%a %%v
			mul u64 %%a %%a 4294967297
			shuffle %s u64 %%b %%ok %%a %d %d 4294967295
			store u64 global %%p %%b 8
			select i32 %%w %%ok 1 0
			store i32 global %%p %%w 16`, c.kind, c.lane, c.width, c.kind, c.lane, c.width)))
		out := b.buffer("out", "int", make([]int32, 6*64))
		b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(64, 1, 1), Args: args(out)})
		got := get[int32](t, out)
		for i := range 64 {
			l := i % 32
			w := want(l)
			value := int32((i/32*32 + w) * 3)
			ok := int32(1)
			if w == l && !(c.kind == "idx") && c.lane%32 != 0 {
				ok = 0
			}
			if got[6*i] != value || got[6*i+2] != value || got[6*i+3] != value || got[6*i+4] != ok {
				t.Errorf("%s by %d in groups of %d: lane %d has %d, %d, %d valid %d, not %d valid %d", c.kind, c.lane, c.width, l, got[6*i], got[6*i+2], got[6*i+3], got[6*i+4], value, ok)
			}
		}
	}
}

func TestVotes(t *testing.T) {
	b := program(t, "k.code", kernelText("out ptr %out", "reg i32 %v %w\nreg pred %p %q %r\nreg u32 %m %mask %a\nreg ptr %o\nreg f64 %d", `
		and i32 %v %t 3
		eq i32 %p %v 1
		index i32 %o %out %i 64
		vote ballot %m %p 4294967295
		store u32 global %o %m
		vote any %q %p 4294967295
		select i32 %w %q 1 0
		store i32 global %o %w 4
		vote all %q %p 4294967295
		select i32 %w %q 1 0
		store i32 global %o %w 8
		lt i32 %r %t 16
		if %r {
			activemask %a
			store u32 global %o %a 12
			vote ballot %m %p 65535
			store u32 global %o %m 16
			and i32 %v %t 1
			vote uni %q true 65535
			select i32 %w %q 1 0
			store i32 global %o %w 20
		} else {
			activemask %a
			store u32 global %o %a 12
		}
		and i32 %v %t 7
		convert f64 i32 %d %v
		match.any f64 %m %d 4294967295
		store u32 global %o %m 24
		match.all i32 %m %q 5 4294967295
		select i32 %w %q 1 0
		store u32 global %o %m 28
		store i32 global %o %w 32
		match.all i32 %m %q %t 4294967295
		store u32 global %o %m 36
		reduce add i32 %w %t 4294967295
		store i32 global %o %w 40
		convert u32 i32 %a %t
		reduce max u32 %m %a 4294967295
		store u32 global %o %m 44
		reduce or u32 %m %a 4294967295
		store u32 global %o %m 48
		special lanemask_lt %m
		store u32 global %o %m 52
		special lanemask_ge %m
		store u32 global %o %m 56
		special lanemask_gt %m
		store u32 global %o %m 60
		`))
	out := b.buffer("out", "unsigned int", make([]uint32, 16*32))
	b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(out)})
	got := get[uint32](t, out)
	for l := range 32 {
		same := uint32(0)
		for k := range 32 {
			if k%8 == l%8 {
				same |= 1 << k
			}
		}
		active, low, uni := uint32(0x0000ffff), uint32(0x2222), uint32(1)
		if l >= 16 {
			active, low, uni = 0xffff0000, 0, 0
		}
		want := []uint32{0x22222222, 1, 0, active, low, uni, same, 0xffffffff, 1, 0, 496, 31, 31, 1<<l - 1, ^uint32(1<<l - 1), ^uint32(2<<l - 1)}
		if !slices.Equal(got[16*l:16*l+16], want) {
			t.Errorf("lane %d: %x, not %x", l, got[16*l:16*l+16], want)
		}
	}
}

// TestReduction sums in shared memory, with shuffles at the end and one atomic a
// block, at awkward sizes.
func TestReduction(t *testing.T) {
	text := `
shared partial 128 4 elem "float" 4 dims 32
` + kernelText("x ptr %x, n i32 %count, out ptr %out", "reg i32 %lane %warp %o %size\nreg u32 %warps\nreg pred %p\nreg f32 %v %w\nreg ptr %at %s", `
		move %v 0.0
		lt i32 %p %i %count
		if %p {
			index i32 %at %x %i 4
			load f32 global %v %at
		}
		and i32 %lane %t 31
		shr i32 %warp %t 5
		move %o 16
		loop {
			gt i32 %p %o 0
		} while %p {
			shuffle down f32 %w _ %v %o 32 4294967295
			add f32 %v %v %w
		} step {
			shr i32 %o %o 1
		}
		addr shared %s partial
		eq i32 %p %lane 0
		if %p {
			index i32 %at %s %warp 4
			store f32 shared %at %v
		}
		barrier sync
		eq i32 %p %warp 0
		if %p {
			add u32 %warps %ntid 31
			shr u32 %warps %warps 5
			convert i32 u32 %size %warps
			move %v 0.0
			lt i32 %p %lane %size
			if %p {
				index i32 %at %s %lane 4
				load f32 shared %v %at
			}
			move %o 16
			loop {
				gt i32 %p %o 0
			} while %p {
				shuffle xor f32 %w _ %v %o 32 4294967295
				add f32 %v %v %w
			} step {
				shr i32 %o %o 1
			}
			eq i32 %p %lane 0
			if %p {
				atomic add f32 global device _ %out %v
			}
		}`)
	for _, n := range []int{1, 31, 33, 257, 1009, 5000} {
		for _, threads := range []int{32, 256, 1024} {
			b := program(t, "k.code", text)
			x := make([]float32, n)
			want := float32(0)
			for i := range x {
				x[i] = float32(i % 17)
				want += x[i]
			}
			out := b.buffer("out", "float", []float32{0})
			b.launch(&run.Launch{Kernel: "k", Grid: dim((n+threads-1)/threads, 1, 1), Block: dim(threads, 1, 1), Args: args(b.buffer("x", "float", x), n, out), Workers: 2})
			if got := get[float32](t, out)[0]; got != want {
				t.Errorf("%d numbers, blocks of %d: %v, not %v", n, threads, got, want)
			}
		}
	}
}

func TestBarrierVotes(t *testing.T) {
	b := program(t, "k.code", kernelText("out ptr %out", "reg i32 %v %w\nreg pred %p\nreg ptr %o", `
		and i32 %v %t 3
		eq i32 %p %v 1
		index i32 %o %out %i 16
		barrier count %w %p
		store i32 global %o %w
		barrier and %w %p
		store i32 global %o %w 4
		barrier or %w %p
		store i32 global %o %w 8
		ge i32 %p %v 0
		barrier and %w %p
		store i32 global %o %w 12`))
	out := b.buffer("out", "int", make([]int32, 4*300))
	b.launch(&run.Launch{Kernel: "k", Grid: dim(3, 1, 1), Block: dim(100, 1, 1), Args: args(out)})
	for i, v := range slices.Collect(slices.Chunk(get[int32](t, out), 4)) {
		if !slices.Equal(v, []int32{25, 0, 1, 1}) {
			t.Fatalf("thread %d: %v", i, v)
		}
	}
}

func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		op, of  string
		operand string
		start   uint64
		want    uint64
	}{
		{"add", "i32", "%t", 5, 5 + 2016}, {"sub", "i32", "%t", 0, uint64(uint32(1<<32 - 2016))}, {"min", "i32", "%t", 7, 0}, {"max", "i32", "%t", 7, 63},
		{"max", "u32", "%tid", 0xffffffff, 0xffffffff}, {"and", "u32", "%tid", 0xff, 0}, {"or", "u32", "%tid", 0, 63}, {"xor", "u32", "%tid", 1, 1},
		{"inc", "u32", "9", 0, 64 % 10}, {"dec", "u32", "9", 0, (10 - 64%10) % 10},
		{"add", "u64", "%w", 1 << 40, 1<<40 + 2016}, {"max", "i64", "-1", 1 << 63, math.MaxUint64}, {"exch", "u32", "77", 0, 77},
		{"add", "f32", "0.5", 0, uint64(math.Float32bits(32))}, {"add", "f64", "0.25", 0, math.Float64bits(16)}, {"add", "f16", "0x3c00", 0, 0x5400}, {"add", "bf16", "0x3f80", 0, 0x4280},
	} {
		for _, space := range []string{"global", "shared"} {
			b := program(t, "k.code", "shared cell 8 8\n"+kernelText("out ptr %out", "reg u64 %w\nreg ptr %p\nreg pred %q\nreg u64 %x\nreg "+c.of+" %old", fmt.Sprintf(`
				convert u64 u32 %%w %%tid
				addr shared %%p cell
				eq i32 %%q %%t 0
				if %%q {
					load u64 global %%x %%out
					store u64 shared %%p %%x
				}
				barrier sync
				if %v {
					move %%p %%out
				}
				atomic %s %s generic device %%old %%p %s
				barrier sync
				if %%q {
					load u64 generic %%x %%p
					store u64 global %%out %%x
				}`, space == "global", c.op, c.of, c.operand)))
			out := b.buffer("out", "long", []uint64{c.start})
			b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(64, 1, 1), Args: args(out)})
			if got := get[uint64](t, out)[0]; got != c.want {
				t.Errorf("%s %s in %s memory: %#x, not %#x", c.op, c.of, space, got, c.want)
			}
		}
	}
}

// TestLock takes a lock of one thread per block around a sum that is not atomic,
// from blocks that run at the same time.
func TestLock(t *testing.T) {
	b := program(t, "k.code", kernelText("lock ptr %lock, sum ptr %sum", "reg pred %p\nreg i32 %old %v", `
		ne i32 %p %t 0
		if %p {
			return
		}
		loop {
		} while true {
			atomic cas i32 global device %old %lock 1 0
			eq i32 %p %old 0
			if %p {
				break
			}
		}
		fence device
		load i32 global %v %sum volatile
		add i32 %v %v %i
		store i32 global %sum %v volatile
		fence device
		atomic exch i32 global device _ %lock 0`))
	for _, workers := range []int{1, 2} {
		lock, sum := b.buffer("lock", "int", []int32{0}), b.buffer("sum", "int", []int32{0})
		const blocks, threads = 200, 64
		b.launch(&run.Launch{Kernel: "k", Grid: dim(blocks, 1, 1), Block: dim(threads, 1, 1), Args: args(lock, sum), Workers: workers})
		want := int32(0)
		for i := range blocks {
			want += int32(i * threads)
		}
		if got := get[int32](t, sum)[0]; got != want {
			t.Errorf("with %d workers the sum is %d, not %d", workers, got, want)
		}
	}
}

// TestGridBarrier has all blocks wait for each other, more than once: none is
// left waiting because another has not begun.
func TestGridBarrier(t *testing.T) {
	b := program(t, "k.code", kernelText("count ptr %count, out ptr %out", "reg pred %p %q\nreg i32 %round %goal %v %grid\nreg u32 %g\nreg ptr %o %at", `
		special nctaid.x %g
		convert i32 u32 %grid %g
		eq i32 %p %t 0
		move %round 0
		loop {
			lt i32 %q %round 3
		} while %q {
			// Each block writes its place for the round, and after the barrier reads its neighbour's.
			barrier sync
			if %p {
				mul i32 %v %round 1000
				add i32 %v %v %i
				index u32 %o %out %ctaid 4
				store i32 global %o %v
				fence device
				atomic add i32 global device _ %count 1
				add i32 %goal %round 1
				mul i32 %goal %goal %grid
				mul i32 %goal %goal 2
				sub i32 %goal %goal %grid
				loop {
					load i32 global %v %count volatile
					lt i32 %q %v %goal
				} while %q {
				}
				fence device
				add u32 %n %ctaid 1
				rem u32 %n %n %g
				index u32 %at %out %n 4
				load i32 global %v %at volatile
				mul i32 %goal %round %grid
				add i32 %goal %goal %t
				index i32 %at %out %grid 4
				index i32 %at %at %goal 4
				index u32 %at %at %ctaid 4
				store i32 global %at %v
				fence device
				atomic add i32 global device _ %count 1
				add i32 %goal %round 1
				mul i32 %goal %goal %grid
				mul i32 %goal %goal 2
				loop {
					load i32 global %v %count volatile
					lt i32 %q %v %goal
				} while %q {
				}
			}
			barrier sync
		} step {
			add i32 %round %round 1
		}`))
	const blocks, threads = 40, 64
	for _, workers := range []int{1, 2} {
		out := b.buffer("out", "int", make([]int32, 4*blocks))
		b.launch(&run.Launch{
			Kernel: "k", Grid: dim(blocks, 1, 1), Block: dim(threads, 1, 1), Workers: workers, Seed: 3,
			Args: args(b.buffer("count", "int", []int32{0}), out), Limits: run.Limits{Instructions: 1 << 26},
		})
		got := get[int32](t, out)
		for round := range 3 {
			for i := range blocks {
				if v, want := got[blocks*(round+1)+i], int32(1000*round+(i+1)%blocks*threads); v != want {
					t.Fatalf("%d workers, round %d: block %d reads %d, not %d", workers, round, i, v, want)
				}
			}
		}
	}
}

// TestRecursion calls functions that call themselves, to another depth in each
// lane.
func TestRecursion(t *testing.T) {
	b := program(t, "k.code", kernelText("out ptr %out", "reg i32 %n1 %a %b %c\nreg ptr %p", `
		and i32 %n1 %t 15
		call fib %a %n1
		call pair [%b %c] %n1
		index i32 %p %out %i 16
		store i32 global %p [%a %b %c %t]`)+`
func fib(n i32 %n) i32 {
	reg pred %p
	reg i32 %m %a %b
	lt i32 %p %n 2
	if %p {
		return %n
	}
	sub i32 %m %n 1
	call fib %a %m
	sub i32 %m %n 2
	call fib %b %m
	add i32 %a %a %b
	return %a
}
// pair keeps what it has in local memory while it calls itself.
func pair(n i32 %n) i32 i32 {
	reg pred %p
	reg i32 %m %a %b
	reg ptr %at
	local kept 8 4
	addr local %at kept
	store i32 local %at %n
	le i32 %p %n 0
	if %p {
		return [0 1]
	}
	sub i32 %m %n 1
	call pair [%a %b] %m
	load i32 local %m %at
	add i32 %a %a %m
	mul i32 %b %b 2
	return [%a %b]
}`)
	out := b.buffer("out", "int", make([]int32, 4*40))
	b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(40, 1, 1), Args: args(out), Quantum: 5})
	fib := []int32{0, 1}
	for len(fib) < 16 {
		fib = append(fib, fib[len(fib)-1]+fib[len(fib)-2])
	}
	for i, v := range slices.Collect(slices.Chunk(get[int32](t, out), 4)) {
		n := int32(i % 16)
		if want := []int32{fib[n], n * (n + 1) / 2, 1 << n, int32(i)}; !slices.Equal(v, want) {
			t.Errorf("thread %d: %v, not %v", i, v, want)
		}
	}
}

// TestStructParameter reads a struct that is passed by value behind a narrower
// parameter, a constant array, and a variable of the program.
func TestStructParameter(t *testing.T) {
	b := program(t, "k.code", "constant weights 16 4 elem \"float\" 4 dims 4 init 0000803f0000004000004040\nglobal total 4 4\n"+
		kernelText("s u8 %s, m struct 24 8, out ptr %out, yes pred %yes", "reg i32 %a %small\nreg i64 %b\nreg f32 %c %d\nreg ptr %p %w %o", `
		addr param %p m
		load i32 param %a %p
		load i64 param %b %p 8
		load f32 param %c %p 16
		addr constant %w weights
		index i32 %w %w %t 4
		load f32 constant %d %w
		mul f32 %c %c %d
		convert f32 i64 %d %b
		add f32 %c %c %d
		convert i32 u8 %small %s
		add i32 %a %a %small
		addr global %w total
		atomic add i32 global device _ %w %a
		index i32 %o %out %i 4
		if %yes {
			store f32 global %o %c
		}`))
	m := make([]byte, 24)
	copy(m, args(1000)[0])
	copy(m[8:], args(int64(-5))[0])
	copy(m[16:], args(float32(2.5))[0])
	out := b.buffer("out", "float", make([]float32, 4))
	b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(4, 1, 1), Args: args(uint8(200), m, out, true)})
	if got, want := get[float32](t, out), []float32{-2.5, 0, 2.5, -5}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if got := get[int32](t, b.Variable("total"))[0]; got != 4800 {
		t.Errorf("total is %d", got)
	}
}

// faultOf runs a kernel that must fail with a fault.
func (b *bench) faultOf(l *run.Launch) *run.Fault {
	b.t.Helper()
	_, err := b.Launch(context.Background(), l)
	var f *run.Fault
	if !errors.As(err, &f) {
		b.t.Fatalf("the error is %v, not a fault", err)
	}
	return f
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, declare, regs, body string
		kind                      run.FaultKind
		lane                      int
		text                      string
	}{
		{"beyond the end", "", "reg ptr %p", "index i32 %p %out %i 4\nstore i32 global %p %i", run.OutOfBounds, 20, `k.code:21:1: out of bounds: store of 4 bytes at out[20], which has 80 bytes, int [20] (block 0,0,0 thread 20,0,0: warp 0 lane 20)`},
		{"before the beginning", "", "reg ptr %p\nreg f32 %v", "index i32 %p %out -1 4\nload f32 global %v %p", run.OutOfBounds, 0, "out[-1]"},
		{"a shared array", "shared tile 64 4 elem \"float\" 4 dims 4 4", "reg ptr %p", "addr shared %p tile\nindex i32 %p %p %i 16\nstore f32 shared %p 1.0 12", run.OutOfBounds, 4, "tile[4][3], which has 64 bytes, float [4][4]"},
		{"a local array", "", "local a 16 4 elem \"int\" 4 dims 4\nreg ptr %p", "addr local %p a\nindex i32 %p %p %i 4\nstore i32 local %p %i", run.OutOfBounds, 4, "a[4]"},
		{"dynamic shared memory", "shared buf 0 4 elem \"float\" 4 dynamic", "reg ptr %p", "addr shared %p buf\nindex i32 %p %p %i 4\nstore f32 shared %p 1.0", run.OutOfBounds, 25, "buf[25], which has 100 bytes, float [25]"},
		{"across the end", "", "reg ptr %p", "index i32 %p %out 0 1 72\nstore i64 global %p 1 4", run.OutOfBounds, 0, "out[19]"},
		{"misaligned", "", "reg ptr %p\nreg f32 %a", "and i32 %i %i 7\nindex i32 %p %out %i 4\nload f32 global [%a _] %p", run.Misaligned, 1, "no multiple of 8"},
		{"null", "", "reg ptr %p", "move %p 0x0\nstore i32 global %p 1 8", run.NullPointer, 0, "8 bytes from a null pointer"},
		{"nowhere", "", "reg ptr %p", "move %p 0x1234567890abcdef\nstore i32 generic %p 1", run.OutOfBounds, 0, "where there is nothing"},
		{"read only", "constant c 4 4", "reg ptr %p", "addr constant %p c\nstore i32 generic %p 1", run.ReadOnly, 0, "c"},
		{"assert", "", "reg pred %p", "lt i32 %p %t 3\nassert %p \"t < 3\" \"k\"", run.Assertion, 3, "t < 3"},
		{"trap", "", "reg pred %p", "gt i32 %p %t 3\nif %p {\ntrap\n}", run.Trap, 4, "trap"},
		{"atomic", "", "reg ptr %p", "index i32 %p %out %i 4\natomic add i32 global device _ %p 1", run.OutOfBounds, 20, "atomic of 4 bytes at out[20]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			regs, locals := "", ""
			for _, l := range strings.Split(c.regs, "\n") {
				if strings.HasPrefix(l, "local") {
					locals += l + "\n"
				} else {
					regs += l + "\n"
				}
			}
			text := kernelText("out ptr %out", strings.TrimSpace(regs), "@@"+c.body)
			if locals != "" {
				text = strings.Replace(text, "\tspecial tid.x", locals+"\tspecial tid.x", 1)
			}
			text = c.declare + "\n" + text
			// The body begins at line 20, whatever stands above.
			above, body, _ := strings.Cut(text, "@@")
			text = strings.Repeat("\n", 19-strings.Count(above, "\n")) + above + body
			b := program(t, "k.code", text)
			out := b.buffer("out", "int", make([]int32, 20))
			f := b.faultOf(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(33, 1, 1), SharedBytes: 100, Args: args(out)})
			if f.Kind != c.kind || f.Lane != c.lane || f.Thread.X != c.lane || !strings.Contains(f.Error(), c.text) {
				t.Errorf("%v\nkind %v, lane %d", f, f.Kind, f.Lane)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	endless := kernelText("out ptr %out", "reg pred %p\nreg i32 %v", `
		and i32 %v %t 1
		eq i32 %p %v 0
		loop {
		} while true {
			if %p {
				break
			}
		}
		store i32 global %out 1`)
	b := program(t, "k.code", endless)
	out := b.buffer("out", "int", []int32{0})
	f := b.faultOf(&run.Launch{Kernel: "k", Grid: dim(4, 1, 1), Block: dim(32, 1, 1), Args: args(out), Limits: run.Limits{Instructions: 1 << 20}})
	if f.Kind != run.InstructionsOut || f.Lanes != 0xaaaaaaaa || f.Waiting != 0x55555555 || f.Position.Line == 0 || !strings.Contains(f.Error(), "wait for it") {
		t.Errorf("%v: lanes %x, waiting %x", f, f.Lanes, f.Waiting)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err := b.Launch(ctx, &run.Launch{Kernel: "k", Grid: dim(4, 1, 1), Block: dim(32, 1, 1), Args: args(out)})
	if !errors.As(err, &f) || !errors.Is(err, context.DeadlineExceeded) || f.Kind != run.TimeOut || f.Spent == 0 || f.Blocks != 4 || f.Position.Line == 0 {
		t.Errorf("a launch whose time is over gives %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = b.Launch(stopped, &run.Launch{Kernel: "k", Grid: dim(4, 1, 1), Block: dim(32, 1, 1), Args: args(out)})
	if !errors.As(err, &f) || f.Kind != run.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("a launch that nobody wants any more gives %v", err)
	}

	// A function that calls itself without end.
	b = program(t, "k.code", kernelText("out ptr %out", "", "call f [] []")+"func f() {\ncall f [] []\n}\n")
	out = b.buffer("out", "int", []int32{0})
	if f := b.faultOf(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(out)}); f.Kind != run.CallDepth {
		t.Errorf("%v", f)
	}

	// What is printed beyond the limit is lost.
	b = program(t, "k.code", kernelText("out ptr %out", "", "printf _ \"%d,\" i32 %t"))
	r := b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(b.buffer("out", "int", []int32{0})), Limits: run.Limits{Output: 7}})
	if r.Printed != "0,1,2," {
		t.Errorf("printed %q", r.Printed)
	}
}

func TestRefusedLaunches(t *testing.T) {
	b := program(t, "k.code", "shared a 40000 4\nshared b 12000 4\n"+kernelText("out ptr %out, n i32 %count", "reg ptr %p", "addr shared %p a\nstore i32 shared %p 1")+
		strings.Replace(kernelText("", "reg ptr %p %q", "addr shared %p a\nstore i32 shared %p 1\naddr shared %q b\nstore i32 shared %q 1"), "kernel k(", "kernel both(", 1)+
		strings.Replace(kernelText("", "", ""), "kernel k()", "kernel bounded() threads 64", 1)+"kernel large() {\nreg ptr %p\nlocal a 600000 4\naddr local %p a\nstore i32 local %p 1\n}\nfunc f() {\n}\n")
	good := run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(uint64(0), 1)}
	for _, c := range []struct {
		name   string
		change func(l *run.Launch)
		reason string
	}{
		{"no such kernel", func(l *run.Launch) { l.Kernel = "q" }, "no __global__ function"},
		{"a device function", func(l *run.Launch) { l.Kernel = "f" }, "no __global__ function"},
		{"empty grid", func(l *run.Launch) { l.Grid.Y = 0 }, "grid: y is 0"},
		{"large grid", func(l *run.Launch) { l.Grid.Z = 65536 }, "z is 65536, and must be from 1 to 65535"},
		{"empty block", func(l *run.Launch) { l.Block.X = 0 }, "block: x is 0"},
		{"deep block", func(l *run.Launch) { l.Block.Z = 65 }, "from 1 to 64"},
		{"large block", func(l *run.Launch) { l.Block = dim(32, 33, 1) }, "1056 threads"},
		{"beyond the bounds", func(l *run.Launch) { l.Kernel, l.Block.X, l.Args = "bounded", 65, nil }, "__launch_bounds__"},
		{"too few arguments", func(l *run.Launch) { l.Args = l.Args[:1] }, "there are 1, and the kernel has 2 parameters"},
		{"a wide argument", func(l *run.Launch) { l.Args = args(uint64(0), uint64(1)) }, "args[1]: n has 4 bytes and was given 8"},
		{"declared shared memory", func(l *run.Launch) { l.Kernel, l.Args = "both", nil }, "the kernel declares 52000 bytes"},
		{"local memory", func(l *run.Launch) { l.Kernel, l.Args = "large", nil }, "600000 bytes for each thread"},
		{"dynamic shared memory", func(l *run.Launch) { l.SharedBytes = 200000 }, "more than the 232448 of a block"},
	} {
		l := good
		c.change(&l)
		_, err := b.Launch(context.Background(), &l)
		var refused *launch.ArgumentError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := b.Launch(context.Background(), &good); err != nil {
		t.Errorf("a launch that is in order: %v", err)
	}
}
