package run_test

import (
	"fmt"
	"strings"
	"testing"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// diary writes down what it is told, a line an event.
type diary struct {
	wants run.Events
	b     strings.Builder
	p     *code.Program
	stop  run.FaultKind // a fault that ends the launch
}

func (d *diary) note(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

func (d *diary) at(pos code.Pos) int { return d.p.Position(pos).Line }

func (d *diary) Wants() run.Events    { return d.wants }
func (d *diary) Begin(b *run.Block)   { d.note("begin %d", b.Number) }
func (d *diary) End(b *run.Block)     { d.note("end %d", b.Number) }
func (d *diary) Release(b *run.Block) { d.note("release %d", b.Number) }

func (d *diary) Statement(w *run.Warp, pos code.Pos) {
	d.note("%d statement warp %d lanes %x", d.at(pos), w.Index, w.Active)
}

func (d *diary) Segment(w *run.Warp, s *run.Segment) {
	d.note("segment %d warp %d lanes %x: %d instructions from %d", s.Number, w.Index, w.Active, len(s.Instrs), d.at(s.Instrs[0].Position()))
}

func (d *diary) Branch(w *run.Warp, pos code.Pos, taken, others uint32) {
	d.note("%d branch warp %d: %x, %x", d.at(pos), w.Index, taken, others)
}

func (d *diary) Declare(w *run.Warp, pos code.Pos, p run.Pointer) {
	d.note("%d declare warp %d: %s", d.at(pos), w.Index, w.Memory(p).Label)
}

func (d *diary) Access(a *run.Access) {
	s := ""
	run.Lanes(a.Mask, func(lane int) {
		p := run.Pointer(a.Addrs[lane])
		s += " " + a.Warp.Memory(p).Name(p.Offset())
		if a.Kind != run.Load {
			s += fmt.Sprintf("=%d", int32(a.Value(lane, a.Count-1)))
		}
	})
	d.note("%d %v %v of %d×%d warp %d:%s", d.at(a.Pos), a.Space, a.Kind, a.Count, a.Size, a.Warp.Index, s)
}

func (d *diary) Barrier(w *run.Warp, pos code.Pos) {
	d.note("%d barrier warp %d lanes %x of %x", d.at(pos), w.Index, w.Active, w.Live)
}

func (d *diary) SyncWarp(w *run.Warp, pos code.Pos, masks *[32]uint32) {
	d.note("%d syncwarp warp %d: %x", d.at(pos), w.Index, masks[0])
}

func (d *diary) Exchange(w *run.Warp, pos code.Pos, in code.Instr, masks *[32]uint32) {
	d.note("%d %T warp %d lanes %x: %x", d.at(pos), in, w.Index, w.Active, masks[0])
}

func (d *diary) Fence(w *run.Warp, pos code.Pos, s code.Scope) {
	d.note("%d fence %v warp %d", d.at(pos), s, w.Index)
}

func (d *diary) Fault(w *run.Warp, f *run.Fault) bool {
	d.note("%v", f)
	return f.Kind != d.stop
}

const diaryText = `shared tile 16 4 elem "int" 4 dims 4
kernel k(out ptr %out) {
	reg u32 %tid
	reg i32 %t %v %w %z %q
	reg pred %p
	reg ptr %s %at %l
	local mine 8 4 elem "int" 4 dims 2
	stmt
	special tid.x %tid
	convert i32 u32 %t %tid
	addr shared %s tile
	index i32 %at %s %t 4
	begin mine
	addr local %l mine
	store i32 local %l [%t 7]
	stmt
	lt i32 %p %t 3
	if %p {
		stmt
		store i32 shared %at %t
		sub i32 %z %t 1
		div i32 %q 12 %z
	} else {
		fence block
		undef %w
	}
	barrier sync
	syncwarp 15
	shuffle xor i32 %v _ %t 1 32 15
	load i32 shared %v %at 4
	add i32 %w %w 1
	index i32 %at %out %t 4
	atomic add i32 global block _ %at %v
}
`

func TestObserver(t *testing.T) {
	for _, c := range []struct {
		wants run.Events
		want  string
	}{
		{0, `
begin 0
k.code:22:3: divide by zero (block 0,0,0 thread 1,0,0: warp 0 lane 1)
k.code:30:2: out of bounds: load of 4 bytes at tile[4], which has 16 bytes, int [4] (block 0,0,0 thread 3,0,0: warp 0 lane 3)
end 0
`},
		{run.Accesses, `
begin 0
13 declare warp 0: mine
15 local store of 2×4 warp 0: mine[0]=7 mine[0]=7 mine[0]=7 mine[0]=7
20 shared store of 1×4 warp 0: tile[0]=0 tile[1]=1 tile[2]=2
k.code:22:3: divide by zero (block 0,0,0 thread 1,0,0: warp 0 lane 1)
k.code:30:2: out of bounds: load of 4 bytes at tile[4], which has 16 bytes, int [4] (block 0,0,0 thread 3,0,0: warp 0 lane 3)
30 shared load of 1×4 warp 0: tile[1] tile[2] tile[3]
33 global atomic of 1×4 warp 0: out[0]=1 out[1]=2 out[2]=-1 out[3]=0
end 0
`},
		{run.Statements | run.Branches | run.Syncs, `
begin 0
8 statement warp 0 lanes f
16 statement warp 0 lanes f
18 branch warp 0: 7, 8
19 statement warp 0 lanes 7
k.code:22:3: divide by zero (block 0,0,0 thread 1,0,0: warp 0 lane 1)
24 fence block warp 0
27 barrier warp 0 lanes f of f
release 0
28 syncwarp warp 0: f
29 *code.Shuffle warp 0 lanes f: f
k.code:30:2: out of bounds: load of 4 bytes at tile[4], which has 16 bytes, int [4] (block 0,0,0 thread 3,0,0: warp 0 lane 3)
end 0
`},
		{run.Segments | run.Values, `
begin 0
segment 0 warp 0 lanes f: 11 instructions from 8
segment 1 warp 0 lanes 7: 4 instructions from 19
k.code:22:3: divide by zero (block 0,0,0 thread 1,0,0: warp 0 lane 1)
segment 2 warp 0 lanes 8: 2 instructions from 24
segment 3 warp 0 lanes f: 7 instructions from 27
k.code:30:2: out of bounds: load of 4 bytes at tile[4], which has 16 bytes, int [4] (block 0,0,0 thread 3,0,0: warp 0 lane 3)
k.code:31:2: uninitialised: w is used and was never set (block 0,0,0 thread 0,0,0: warp 0 lane 0)
end 0
`},
	} {
		b := program(t, "k.code", diaryText)
		d := &diary{wants: c.wants, p: b.Image().Program}
		out := b.buffer("out", "int", []int32{10, 20, 30, 40})
		b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(4, 1, 1), Args: args(out), Observer: d})
		if got := "\n" + d.b.String(); got != c.want {
			t.Errorf("with %b:%s\nnot:%s", c.wants, got, c.want)
		}
		if got := fmt.Sprint(get[int32](t, out)); got != "[11 22 29 40]" {
			t.Errorf("with %b the result is %s", c.wants, got)
		}
	}

	// A fault that the observer does not let pass is the launch's error.
	b := program(t, "k.code", diaryText)
	d := &diary{p: b.Image().Program, stop: run.DivideByZero}
	f := b.faultOf(&run.Launch{Kernel: "k", Grid: dim(3, 1, 1), Block: dim(4, 1, 1), Args: args(b.buffer("out", "int", make([]int32, 4))), Observer: d})
	if f.Kind != run.DivideByZero || strings.Count(d.b.String(), "begin") != strings.Count(d.b.String(), "end") {
		t.Errorf("%v\n%s", f, d.b.String())
	}
}

// TestUninitialised has values that were never set: used, moved on, and used in
// a loop that is never entered.
func TestUninitialised(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"used", "add i32 %w %v 1\nstore i32 global %out %w", "v is used and was never set (block 0,0,0 thread 0,0,0: warp 0 lane 0)"},
		{"set in a branch", "lt i32 %p %t 3\nif %p {\nmove %v 1\n}\nadd i32 %w %v 1\nstore i32 global %out %w", "v is used and was never set (block 0,0,0 thread 3,0,0: warp 0 lane 3)"},
		{"moved and used", "move %w %v\nadd i32 %w %w 1\nstore i32 global %out %w", "w is used and was never set (block 0,0,0 thread 0,0,0: warp 0 lane 0)"},
		{"moved", "move %w %v\nmove %w 5\nstore i32 global %out %w", ""},
		{"declared again", "loop {\nlt i32 %p %i 2\n} while %p {\nundef %v\nif %p {\nmove %v 1\n}\nadd i32 %w %v 1\nadd i32 %i %i 64\n}", ""},
		{"set before it is declared again", "move %v 1\nundef %v\nadd i32 %w %v 1\nstore i32 global %out %w", "v is used and was never set (block 0,0,0 thread 0,0,0: warp 0 lane 0)"},
		{"in a loop that nobody enters", "move %w %v\nloop {\nlt i32 %p %i -1\n} while %p {\nadd i32 %z %w 1\nadd i32 %y %v 1\nstore i32 global %out [%z %y]\n}", ""},
		{"the condition of a loop", "loop {\n} while %q {\nbreak\n}", "q is used and was never set (block 0,0,0 thread 0,0,0: warp 0 lane 0)"},
	} {
		b := program(t, "k.code", kernelText("out ptr %out", "reg pred %p %q\nreg i32 %v %w %y %z", c.body))
		d := &diary{p: b.Image().Program, wants: run.Values}
		b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(b.buffer("out", "int", make([]int32, 2))), Observer: d})
		faults := ""
		for line := range strings.Lines(d.b.String()) {
			if _, f, ok := strings.Cut(strings.TrimSpace(line), ": uninitialised: "); ok {
				faults += f
			}
		}
		if faults != c.want {
			t.Errorf("%s: %q, not %q", c.name, faults, c.want)
		}
	}
}

// TestExchangeFaults has masks and sources of which lanes are absent.
func TestExchangeFaults(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"all are there", "shuffle down i32 %v _ %t 1 32 4294967295", ""},
		{"some have ended", "lt i32 %p %t 5\nif %p {\nreturn\n}\nvote any %q true 4294967295", ""},
		{"a mask with absent lanes", "lt i32 %p %t 16\nif %p {\nvote any %q true 4294967295\n}", "inactive lane: its mask names a lane that does not take part (block 0,0,0 thread 0,0,0: warp 0 lane 0)"},
		{"a mask without the lane itself", "vote any %q true 4294967279", "inactive lane: its mask does not name the lane itself (block 0,0,0 thread 4,0,0: warp 0 lane 4)"},
		{"a source that is absent", "lt i32 %p %t 16\nif %p {\nshuffle down i32 %v _ %t 8 32 65535\n}", "inactive lane: it reads from a lane that does not take part (block 0,0,0 thread 8,0,0: warp 0 lane 8)"},
		{"one source for all", "gt i32 %p %t 0\nif %p {\nshuffle idx i32 %v _ %t 0 32 4294967294\n}", "inactive lane: it reads from a lane that does not take part (block 0,0,0 thread 1,0,0: warp 0 lane 1)"},
	} {
		b := program(t, "k.code", kernelText("out ptr %out", "reg pred %p %q\nreg i32 %v", c.body))
		d := &diary{p: b.Image().Program, wants: run.Syncs}
		b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(uint64(0)), Observer: d})
		faults := ""
		for line := range strings.Lines(d.b.String()) {
			if _, f, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(line, "k.code") {
				faults += f
			}
		}
		if faults != c.want {
			t.Errorf("%s: %q, not %q", c.name, faults, c.want)
		}
	}
}

// TestPrintf has what C's printf prints.
func TestPrintf(t *testing.T) {
	for _, c := range []struct{ format, args, want string }{
		{"plain %% text\\n", "", "plain % text\n"},
		{"%d|%5d|%-5d|%05d|%+d|% d|%.3d", "i32 -7 i32 42 i32 42 i32 42 i32 42 i32 42 i32 7", "-7|   42|42   |00042|+42| 42|007"},
		{"%u %x %X %#x %o %#o", "u32 4294967295 u32 255 u32 255 u32 255 u32 8 u32 8", "4294967295 ff FF 0xff 10 010"},
		{"%d %u", "u32 4294967295 i32 -1", "-1 4294967295"},
		{"%lld %llu %lx %ld %zu", "i64 -9000000000 u64 18446744073709551615 u64 255 i64 5 u64 6", "-9000000000 18446744073709551615 ff 5 6"},
		{"%hd %hhd %hhu", "i32 65537 i32 257 i32 -1", "1 1 255"},
		{"%f %.2f %8.3f|%-8.1f|%08.2f %+.1f %.0f", "f64 3.14159265 f64 2.5 f64 -1.5 f64 2.25 f64 -3.14159 f64 1.0 f64 2.5", "3.141593 2.50   -1.500|2.2     |-0003.14 +1.0 2"},
		{"%e %.3e %E", "f64 12345.678 f64 0.00012 f64 1e100", "1.234568e+04 1.200e-04 1.000000E+100"},
		{"%g %g %g %g %g %.3g %#g %G", "f64 0.0001 f64 0.00001 f64 123456.0 f64 1234567.0 f64 0.5 f64 1234.5 f64 1.0 f64 1e-10", "0.0001 1e-05 123456 1.23457e+06 0.5 1.23e+03 1.00000 1E-10"},
		{"%f %e %g %F %5.1f|%-6f|%06f", "f64 0x7ff0000000000000 f64 0xfff0000000000000 f64 0x7ff8000000000000 f64 0x7ff0000000000000 f64 0x7ff8000000000000 f64 0x7ff0000000000000 f64 0x7ff0000000000000", "inf -inf nan INF   nan|inf   |   inf"},
		{"%a %A %.1a", "f64 1.5 f64 0.5 f64 1.96875", "0x1.8p+0 0X1P-1 0x1.0p+1"},
		{"%c%c|%3c", "i32 72 i32 105 i32 33", "Hi|  !"},
		{"%*d|%-*d|%.*f|%*d", "i32 5 i32 42 i32 4 i32 7 i32 2 f64 3.14159 i32 -4 i32 9", "   42|7   |3.14|9   "},
		{"%p", "ptr 0x1234", "0x1234"},
		{"%s and %.2s|%6s|%-6s|", "ptr %text ptr %text ptr %text ptr %text", "word and wo|  word|word  |"},
		{"%d %d", "i32 1", "1 "},
		{"%y %d", "i32 3", "%y 3"},
		{"100%", "", "100%"},
		{"%i%5%%ld", "i32 1 i32 2", "1%2"},
	} {
		b := program(t, "k.code", "constant \"text\" 5 1 init 776f726400\nkernel k() {\nreg ptr %text\nreg i32 %n\naddr constant %text #0\nprintf %n \""+c.format+"\" "+c.args+"\n}\n")
		r := b.launch(&run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(1, 1, 1)})
		if r.Printed != c.want {
			t.Errorf("%q of %s: %q, not %q", c.format, c.args, r.Printed, c.want)
		}
	}
	// Lanes in their order, blocks in theirs, however they ran.
	b := program(t, "k.code", kernelText("", "", `printf _ "%d " i32 %i`))
	want := ""
	for i := range 20 * 40 {
		want += fmt.Sprint(i, " ")
	}
	for range 3 {
		if r := b.launch(&run.Launch{Kernel: "k", Grid: dim(20, 1, 1), Block: dim(40, 1, 1), Workers: 3}); r.Printed != want {
			t.Errorf("printed %q", r.Printed)
		}
	}
}
