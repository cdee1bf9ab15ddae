package runner

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"workbench/lessons/lesson"
)

// goroutine is one of a program's, as the runtime writes it down.
type goroutine struct {
	state  string // "running", "chan receive"
	frames []frame
}

// frame is a function that was at work, the innermost first.
type frame struct {
	function string // "exercise.FlatIndex"
	file     string // its last element
	line     int
}

// readStacks reads what the runtime writes of goroutines.
func readStacks(text string) []goroutine {
	var all []goroutine
	function := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, "goroutine "); ok && strings.HasSuffix(line, ":") {
			_, state, _ := strings.Cut(rest, "[")
			state, _, _ = strings.Cut(state, "]")
			state, _, _ = strings.Cut(state, ",") // how long it waits, and what it is locked to
			all = append(all, goroutine{state: state})
			continue
		}
		if len(all) == 0 {
			continue
		}
		if !strings.HasPrefix(line, "\t") {
			function = line
			if i := strings.LastIndexByte(line, '('); i > 0 && strings.HasSuffix(line, ")") {
				function = line[:i]
			}
			continue
		}
		path, rest, ok := cutLast(strings.TrimSpace(line), ":")
		number, _, _ := strings.Cut(rest, " ")
		at, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		g := &all[len(all)-1]
		g.frames = append(g.frames, frame{strings.TrimPrefix(function, "created by "), filepath.Base(filepath.FromSlash(path)), at})
	}
	return all
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// place returns the line of the learner's file at which a goroutine was, with the
// function: of the innermost frame there, behind a panic's own. 0 is none.
func (g *goCheck) place(r goroutine) (line int, function string) {
	begin := 0
	for i, f := range r.frames {
		if f.function == "panic" {
			begin = i
			break // a panic in a deferred function stands before that which it replaced
		}
	}
	for _, f := range r.frames[begin:] {
		// An empty loop that was inlined is at line 1, says the compiler.
		if f.file == g.file && f.line > 1 {
			return f.line, strings.TrimPrefix(f.function, packageName+".")
		}
	}
	return 0, ""
}

// trail writes the learner's frames of a goroutine.
func (g *goCheck) trail(r goroutine) string {
	const most = 8
	var out []string
	for _, f := range r.frames {
		if f.file != g.file {
			continue
		}
		if len(out) == most {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%s, %s:%d", strings.TrimPrefix(f.function, packageName+"."), f.file, f.line))
	}
	return strings.Join(out, "\n")
}

// panicked is a panic that was caught.
func (g *goCheck) panicked(said, stack string) lesson.Finding {
	f := lesson.Finding{Kind: lesson.Panic}
	f.Text, f.Next = plainPanic(said)
	for _, r := range readStacks(stack) {
		if line, _ := g.place(r); line > 0 {
			f.Detail = "panic: " + said + "\n" + g.trail(r)
			return g.at(f, line, 0)
		}
	}
	f.Detail = "panic: " + said
	return f
}

// The runtime's panics in other words. What is none of them is the learner's own
// or a package's.
var plainPanics = []plain{
	says(`^runtime error: index out of range \[(-\d+)\]`,
		"It panics: index $1 is below 0.",
		"look at what makes it negative; the first element is at 0"),
	says(`^runtime error: index out of range \[(\d+)\] with length 0`,
		"It panics: it asks an empty slice for element $1.",
		"a tensor may have no elements or no axes: look at the length first, or let the loop decide"),
	says(`^runtime error: index out of range \[(\d+)\] with length (\d+)`,
		"It panics: it asks for element $1 of $2, and counting begins at 0.",
		"look at where the loop ends, and which slice this index belongs to"),
	says(`^runtime error: slice bounds out of range`,
		"It panics: it takes a part of a slice that reaches beyond it.",
		"both bounds lie between 0 and the length, and the first is not above the second"),
	says(`^runtime error: integer divide by zero`,
		"It panics: it divides a whole number by 0.",
		"look at when the divisor is 0, as the extent of an empty axis"),
	says(`^runtime error: invalid memory address or nil pointer dereference`,
		"It panics: it follows a pointer that is nil.",
		"give it something to point to first"),
	says(`^assignment to entry in nil map`,
		"It panics: it puts something into a map that was never made.",
		"make it first: m := map[K]V{}"),
	says(`^runtime error: makeslice: (len|cap) out of range`,
		"It panics: it makes a slice whose length is negative or beyond all memory.",
		"look at how the length is worked out"),
	says(`^runtime error: growslice: len out of range`,
		"It panics: a slice grows beyond all memory.",
		"look at what ends the loop around the append"),
	says(`^runtime error: negative shift amount`,
		"It panics: it shifts by a negative number of bits.",
		"look at how the number is worked out"),
	says(`^interface conversion: (.+)`,
		"It panics: $1.",
		"ask with the second result of a type assertion: x, ok := v.(T)"),
	says(`^send on closed channel`, "It panics: it sends on a channel that was closed.", "close it where the last value was sent"),
	says(`^close of (nil|closed) channel`, "It panics: it closes a channel that is $1.", "close it once"),
	says(`^panic called with nil argument`, "It panics with nil.", "say what is wrong in the panic, or return an error"),
}

func plainPanic(said string) (text, next string) {
	first, _, _ := strings.Cut(said, "\n")
	for _, p := range plainPanics {
		if m := p.pattern.FindStringSubmatchIndex(first); m != nil {
			return string(p.pattern.ExpandString(nil, braced(p.text), first, m)), string(p.pattern.ExpandString(nil, braced(p.next), first, m))
		}
	}
	return "It panics: " + strings.TrimSuffix(first, ".") + ".", "look at what leads to this line"
}

// death says why the program did not come to its end; nil if it did.
func (g *goCheck) death(r *ran) *lesson.Finding {
	switch {
	case r.stop != nil:
		if r.stop.stack == "" { // it died before it could say where it was, and the runtime did
			r.stop.stack = r.crash
		}
		return g.stopped(r.stop)
	case r.over:
		return nil
	case r.crash != "":
		return g.crashed(r.crash)
	case r.exit >= 0:
		f := lesson.Finding{
			Kind: lesson.Panic,
			Text: fmt.Sprintf("It ended the whole program, with status %d, where a function returns.", r.exit),
			Next: "os.Exit and log.Fatal end the program: return a value or an error",
		}
		f = g.at(f, g.lineWith("os.Exit(", "log.Fatal", "syscall.Exit("), 0)
		return &f
	}
	return &lesson.Finding{
		Kind: lesson.Panic,
		Text: "The program was killed from outside, and nothing says by whom.",
		Next: "a system that runs out of memory does that: look at what the program keeps",
	}
}

// manyGoroutines is more than anybody starts on purpose here.
const manyGoroutines = 1000

// stopped is a program that the harness ended.
func (g *goCheck) stopped(s *stopped) *lesson.Finding {
	// The goroutine of the learner's that was at work, or else one that waits.
	var at goroutine
	line := 0
	for _, r := range readStacks(s.stack) {
		found, _ := g.place(r)
		if found == 0 {
			continue
		}
		if busy := strings.HasPrefix(r.state, "runn"); line == 0 || busy && !strings.HasPrefix(at.state, "runn") {
			at, line = r, found
		}
	}
	f := lesson.Finding{Detail: g.trail(at)}
	where := "."
	if line > 0 {
		where = fmt.Sprintf(", and was at line %d.", line)
	}
	switch s.why {
	case "memory":
		f.Kind = lesson.MemoryLimit
		f.Text = fmt.Sprintf("It was ended with %d MB of memory in use; 1 GiB is allowed%s", s.figure>>20, where)
		f.Next = "look for a loop that appends without an end, or a length that is too large"
		if s.goroutines > manyGoroutines {
			f.Text = fmt.Sprintf("It was ended with %d MB of memory in use, 1 GiB being allowed, and %d goroutines.", s.figure>>20, s.goroutines)
			f.Next = "look at what starts goroutines, and what ends each of them"
		}
	case "output":
		f.Kind = lesson.OutputLimit
		f.Text = "It was ended after it had printed more than 1 MiB" + where
		f.Next = "print less: once, and not for each element"
	default:
		f.Kind = lesson.TimeLimit
		f.Text = fmt.Sprintf("It had not come to its end after %g s%s", g.lesson.Limit.Seconds(), where)
		f.Next = "look at what ends the loop there, and at how often it goes round"
		if wait, ok := waits(at.state); ok {
			f.Text = fmt.Sprintf("It had not come to its end after %g s: it waits %s%s", g.lesson.Limit.Seconds(), wait, where)
			f.Next = "look at who should end the waiting, and whether that goroutine is still there"
		} else if s.goroutines > manyGoroutines {
			f.Text = fmt.Sprintf("It had not come to its end after %g s, and had %d goroutines.", g.lesson.Limit.Seconds(), s.goroutines)
			f.Next = "look at what starts goroutines, and what ends each of them"
		}
	}
	if s.call < 0 {
		f.Text = strings.TrimSuffix(f.Text, ".") + ", before the first call: in the initial value of a variable, or in init."
	}
	f = g.at(f, line, 0)
	return &f
}

// waits says for what a goroutine in a state waits.
func waits(state string) (string, bool) {
	for _, w := range []struct{ state, text string }{
		{"chan receive", "for something from a channel"},
		{"chan send", "for somebody to take what it sends on a channel"},
		{"select", "in a select, none of whose cases can go on"},
		{"sync.WaitGroup.Wait", "for a WaitGroup whose count does not reach 0"},
		{"sync.Mutex.Lock", "for a lock that nobody gives back"},
		{"sync.RWMutex", "for a lock that nobody gives back"},
		{"sync.Cond.Wait", "for a signal that nobody gives"},
		{"semacquire", "for another goroutine"},
		{"sleep", "in time.Sleep"},
		{"IO wait", "for input or output"},
	} {
		if strings.HasPrefix(state, w.state) {
			return w.text, true
		}
	}
	return "", false
}

var (
	fatalError    = regexp.MustCompile(`(?m)^fatal error: (.+)$`)
	panicLine     = regexp.MustCompile(`(?m)^panic: (.+)$`)
	recoveredTail = regexp.MustCompile(` \[recovered.*\]$`)
)

// crashed is a program that the runtime ended.
func (g *goCheck) crashed(crash string) *lesson.Finding {
	f := lesson.Finding{Kind: lesson.Panic, Next: "look at what leads to this line"}
	if m := fatalError.FindStringSubmatch(crash); m != nil {
		what := m[1]
		f.Detail = "fatal error: " + what
		switch {
		case strings.Contains(what, "stack overflow"):
			f.Text = "It calls itself without an end: its stack grew beyond 16 MiB."
			f.Next = "look at what ends the recursion, and whether each call is nearer to it"
		case strings.Contains(what, "out of memory") || strings.Contains(what, "cannot allocate"):
			f.Kind = lesson.MemoryLimit
			f.Text = "It asked for more memory than it may have: 1 GiB is allowed."
			f.Next = "look at how the length of what it makes is worked out, and at what ends the loop around it"
		case strings.HasPrefix(what, "concurrent map"):
			f.Text = "Two goroutines use one map at the same time, and one of them writes: " + what + "."
			f.Next = "give each goroutine its own map, or guard this one with a sync.Mutex"
		case strings.Contains(what, "all goroutines are asleep"):
			f.Text = "All its goroutines wait, and there is nobody left who could wake them."
			f.Next = "look at who should send, or unlock, or call Done"
		default:
			f.Text = "The Go runtime ended it: " + what + "."
		}
	} else if m := panicLine.FindStringSubmatch(crash); m != nil {
		said := recoveredTail.ReplaceAllString(m[1], "")
		f.Text, f.Next = plainPanic(said)
		f.Detail = "panic: " + said
	} else {
		first, _, _ := strings.Cut(crash, "\n")
		f.Text = "It died: " + first + "."
	}
	for _, r := range readStacks(crash) {
		if strings.HasPrefix(f.Text, "It calls itself") && len(r.frames) > 1 {
			r.frames = r.frames[1:] // the line of the call, and not that of the function
		}
		if line, _ := g.place(r); line > 0 {
			f.Detail += "\n" + g.trail(r)
			f = g.at(f, line, 0)
			break
		}
	}
	return &f
}
