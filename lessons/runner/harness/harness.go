// Package harness is the course's part of the program that a learner's Go
// package becomes when it is checked: it makes the calls, and writes down what
// came of each. Package runner copies it, and package value, into the program;
// only the standard library is there.
//
// Both sides meet in a folder, which the environment names in Folder. The program
// reads CallsFile and appends to ResultsFile, a line at a time, so that what came
// before a crash is there:
//
//	limit 5000 1073741824 4f0c…       in CallsFile: milliseconds, bytes of heap, the mark
//	call 0 FlatIndex [ [ i2 i3 ] [ i0 i1 ] ]
//
//	begin 0                           in ResultsFile: the call is being made
//	result 0 [ i1 ] [ [ i2 i3 ] [ i0 i1 ] ] i1 i2 what it returned, what the arguments then
//	                                  hold; behind the end of argument 1, of 2 elements, was written
//	panic 0 s"integer divide by zero" s"goroutine 7 [running]: …"
//	ended 0                           the goroutine of the call ended, and nothing was returned
//	large 0 i300000000                so many elements were returned
//	wrong 0 s"…"                      the call does not fit the function: the exercise's mistake
//	stop time 0 i5000 i3 s"goroutine 7 [running]: …" the program was ended in call 0, or -1
//	                                  before all, with 3 goroutines; the last such line counts
//	over 2                            all calls were made; goroutines that are still there
//
// In what the program prints, a line of the mark and the call's number stands in
// front of each call, and one of the mark and -1 behind the last.
//
// What the runtime says of a fatal error is in CrashFile. The runner makes
// StopFile when the program has printed too much, and it ends.
package harness

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"workbench/lessons/runner/harness/value"
)

// Folder is the environment variable that names the folder.
const Folder = "COURSE_CHECK_FOLDER"

// The files in it.
const (
	CallsFile   = "calls"
	ResultsFile = "results"
	CrashFile   = "crash"
	StopFile    = "stop"
)

// maxElements is how many elements a call may return, in all, to be looked at.
const maxElements = 1 << 18

// maxStack bounds a goroutine's stack, in bytes: a recursion without an end is
// found out in a moment and not after a gigabyte.
const maxStack = 16 << 20

// Function is one that calls are made of.
type Function struct {
	Name string
	Func any
}

// The check that goes on in this process, if one does.
var check struct {
	folder  string
	calls   []string
	mark    string
	printed *os.File   // where the learner prints, before the learner can change that
	mu      sync.Mutex // of what follows
	results *os.File
	at      int // the call that is being made, or -1
}

// The learner's package imports this one, so that this runs before anything of
// the learner's does: the limits hold for the initial values of variables too.
func init() {
	folder := os.Getenv(Folder)
	if folder == "" {
		return // this is no check, but a program that knows of them
	}
	os.Unsetenv(Folder)
	begin(folder)
}

func begin(folder string) {
	check.folder, check.at, check.printed = folder, -1, os.Stdout
	text, err := os.ReadFile(filepath.Join(folder, CallsFile))
	if err != nil {
		fail(err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, len(text)+1)
	lines.Scan()
	var limit, heap int64
	if _, err := fmt.Sscanf(lines.Text(), "limit %d %d %s", &limit, &heap, &check.mark); err != nil {
		fail(err)
	}
	for lines.Scan() {
		check.calls = append(check.calls, lines.Text())
	}
	if check.results, err = os.OpenFile(filepath.Join(folder, ResultsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		fail(err)
	}
	crash, err := os.OpenFile(filepath.Join(folder, CrashFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fail(err)
	}
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		fail(err)
	}
	crash.Close() // the runtime has its own
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(heap - heap/8) // what nobody needs any more is to be gone before it counts
	bound(heap)
	go watch(limit, heap)
}

// fail ends a program that cannot be a check.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "the check cannot begin:", err)
	os.Exit(9)
}

// write appends a line to the results.
func write(line []byte) {
	check.mu.Lock()
	defer check.mu.Unlock()
	check.results.Write(append(line, '\n'))
}

// Main makes the calls.
func Main(functions ...Function) {
	before := runtime.NumGoroutine()
	for i, line := range check.calls {
		check.mu.Lock()
		check.at = i
		check.mu.Unlock()
		write(word(nil, "begin", i))
		check.printed.WriteString(check.mark + strconv.Itoa(i) + "\n")
		write(one(i, line, functions))
	}
	check.printed.WriteString(check.mark + "-1\n")
	// The goroutine of the last call may be on its way out.
	for range 50 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	write(word(nil, "over", runtime.NumGoroutine()-before))
}

// word begins a line.
func word(b []byte, what string, i int) []byte {
	return strconv.AppendInt(append(append(b, what...), ' '), int64(i), 10)
}

func quoted(b []byte, text string) []byte { return strconv.AppendQuote(append(b, " s"...), text) }

// one makes one call, and returns what is written of it.
func one(i int, line string, functions []Function) []byte {
	f, args, slices, err := prepare(line, functions)
	if err != nil {
		return quoted(word(nil, "wrong", i), err.Error())
	}
	var results []reflect.Value
	var said, stack string
	returned := false
	over := make(chan struct{})
	go func() { // of its own, since a learner's code may end it
		defer close(over)
		defer func() {
			if returned {
				return
			}
			if r := recover(); r != nil {
				said, stack = describe(r), string(debug.Stack())
			}
		}()
		results = f.Call(args)
		returned = true
	}()
	<-over
	switch {
	case said != "":
		return quoted(quoted(word(nil, "panic", i), said), stack)
	case !returned:
		return word(nil, "ended", i)
	}
	many := 0
	for _, r := range append(results, args...) {
		many += elements(r, value.MaxDepth)
	}
	if many > maxElements {
		return append(word(nil, "large", i), " i"+strconv.Itoa(many)...)
	}
	b := append(word(nil, "result", i), " ["...)
	for _, r := range results {
		b = value.Append(append(b, ' '), r)
	}
	b = append(b, " ] ["...)
	for _, a := range args {
		b = value.Append(append(b, ' '), a)
	}
	b = append(b, " ]"...)
	for k := range slices {
		if length, written := slices[k].Written(); written {
			b = append(b, fmt.Sprintf(" i%d i%d", k, length)...)
		}
	}
	return b
}

// prepare reads a call.
func prepare(line string, functions []Function) (f reflect.Value, args []reflect.Value, slices []value.Slices, err error) {
	words := strings.SplitN(line, " ", 4)
	if len(words) < 4 {
		return f, nil, nil, fmt.Errorf("the call is no call: %q", line)
	}
	for _, have := range functions {
		if have.Name == words[2] {
			f = reflect.ValueOf(have.Func)
		}
	}
	if !f.IsValid() {
		return f, nil, nil, fmt.Errorf("no function is called %s", words[2])
	}
	given, _, err := value.Parse(words[3])
	if err != nil {
		return f, nil, nil, err
	}
	if f.Type().IsVariadic() || f.Type().NumIn() != len(given.Items) {
		return f, nil, nil, fmt.Errorf("%s is called with %d arguments", words[2], len(given.Items))
	}
	slices = make([]value.Slices, len(given.Items))
	for i, from := range given.Items {
		to := reflect.New(f.Type().In(i)).Elem()
		if err := value.Set(to, from, &slices[i]); err != nil {
			return f, nil, nil, fmt.Errorf("argument %d of %s: %w", i, words[2], err)
		}
		args = append(args, to)
	}
	return f, args, slices, nil
}

// describe says what a panic was about.
func describe(r any) (said string) {
	defer func() {
		if recover() != nil {
			said = "a value whose String or Error method panics"
		}
	}()
	if said = fmt.Sprint(r); said == "" {
		said = "an empty text"
	}
	if len(said) > 1000 {
		said = strings.ToValidUTF8(said[:1000], "") + "…"
	}
	return said
}

// elements counts what would be written of a value, roughly.
func elements(v reflect.Value, depth int) int {
	if depth == 0 || v.Type() == reflect.TypeFor[error]() {
		return 1
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Slice, reflect.Array, reflect.Struct, reflect.String, reflect.Map, reflect.Pointer, reflect.Interface:
		default:
			return v.Len()
		}
		n := v.Len()
		for i := range v.Len() {
			if n > maxElements {
				break
			}
			n += elements(v.Index(i), depth-1)
		}
		return n
	case reflect.Struct:
		n := 1
		for i := range v.NumField() {
			n += elements(v.Field(i), depth-1)
		}
		return n
	case reflect.String, reflect.Map:
		return 1 + v.Len()
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return elements(v.Elem(), depth-1)
		}
	}
	return 1
}
