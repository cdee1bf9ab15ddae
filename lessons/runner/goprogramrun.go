package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"workbench/lessons/lesson"
	"workbench/lessons/runner/harness/value"
)

// What a learner's program may do. The first two are told in a verdict.
const (
	heapLimit   = 1 << 30  // bytes of heap and stacks
	outputLimit = 1 << 20  // bytes printed; beyond it the program ends
	outputKept  = 64 << 10 // of them, the first

	// The harness ends the program and says where it was; if it does not, this
	// much later the process is killed.
	grace     = 2 * time.Second
	pipeGrace = 300 * time.Millisecond // for pipes that the program's children keep open

	maxResultsFile = 64 << 20
)

// ran is what came of a program.
type ran struct {
	calls []callRan // as many as there are
	stop  *stopped  // the harness ended it
	crash string    // what the runtime said of its death
	over  bool      // it came to its end
	left  int       // goroutines that were still there

	output string // what it printed, the beginning
	cut    bool   // it printed more

	killed bool // by us, when the harness did not
	exit   int  // its status, -1 of a signal
	took   time.Duration
}

// callRan is what came of one call.
type callRan struct {
	state   string // "" if it was not begun; "begin" if it did not end; as in package harness
	results []value.Value
	args    []value.Value
	beyond  map[int]int // of arguments whose end was written behind: the length
	said    string      // of a panic, of what is wrong with the call
	stack   string
	many    int64 // elements returned, of "large"
}

// stopped is why the harness ended a program, and where it was.
type stopped struct {
	why        string // "time", "memory", "output"
	call       int
	figure     int64 // milliseconds, or bytes
	goroutines int64
	stack      string
}

// capture keeps the beginning of what is written to it, and the end.
type capture struct {
	most  int    // bytes of each
	limit int64  // from which on over is called, once; 0 is none
	over  func() // in the goroutine that copies

	mu    sync.Mutex
	kept  []byte
	tail  []byte // up to twice as much, of which the end counts
	total int64
}

func (b *capture) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := b.most - len(b.kept); room > 0 {
		b.kept = append(b.kept, p[:min(room, len(p))]...)
	}
	b.tail = append(b.tail, p[max(0, len(p)-b.most):]...)
	if len(b.tail) > 2*b.most {
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-b.most:]...)
	}
	before := b.total
	b.total += int64(len(p))
	if b.limit > 0 && before <= b.limit && b.total > b.limit {
		b.over()
	}
	return len(p), nil
}

// run runs the program.
func (j *job) run(ctx context.Context, path string, calls []lesson.Call) (*ran, error) {
	folder, err := os.MkdirTemp(filepath.Dir(path), "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	limit := j.lesson.Limit
	mark := "<" + rand.Text() + ">" // which no program prints by chance
	text := fmt.Appendf(nil, "limit %d %d %s\n", limit.Milliseconds(), heapLimit, mark)
	for i := range calls {
		text = value.Append(fmt.Appendf(text, "call %d %s ", i, calls[i].Function), reflect.ValueOf(calls[i].Args))
		text = append(text, '\n')
	}
	if err := os.WriteFile(filepath.Join(folder, harnessCalls), text, 0o600); err != nil {
		return nil, err
	}
	work := filepath.Join(folder, "work") // where the program is, for files that it makes
	if err := os.Mkdir(work, 0o777); err != nil {
		return nil, err
	}

	limited, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	cmd := exec.CommandContext(limited, path)
	cmd.Dir, cmd.WaitDelay = work, pipeGrace
	cmd.Env = programEnv(folder)
	ownGroup(cmd)
	var late *time.Timer
	out := &capture{most: outputKept, limit: outputLimit, over: func() {
		os.WriteFile(filepath.Join(folder, harnessStop), nil, 0o600) // if that fails, there is the timer
		late = time.AfterFunc(grace, cancel)
	}}
	cmd.Stdout, cmd.Stderr = out, out
	begun := time.Now()
	err = cmd.Run()
	r := &ran{took: time.Since(begun)}
	killGroup(cmd)
	out.mu.Lock()
	r.output, r.cut = string(out.kept), out.total > int64(len(out.kept))
	printed := out.total
	if late != nil {
		late.Stop()
	}
	last := string(out.tail)
	out.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return nil, fmt.Errorf("the exercise's program cannot be run: %w", err)
	}
	r.exit = cmd.ProcessState.ExitCode()
	r.killed = limited.Err() != nil
	if err := r.read(folder, len(calls)); err != nil {
		return nil, err
	}
	if r.stop == nil && r.killed {
		r.stop = &stopped{why: "time", call: r.last(), figure: r.took.Milliseconds()}
		if printed > outputLimit {
			r.stop.why = "output"
		}
	}
	if r.crash != "" {
		r.output, r.crash = parted(r.output, last, r.crash)
	}
	r.output = titled(r.output, mark, calls)
	return r, nil
}

// The harness's names; its package begins a check where it is imported, which the
// course is not.
const (
	harnessFolder  = "COURSE_CHECK_FOLDER"
	harnessCalls   = "calls"
	harnessResults = "results"
	harnessCrash   = "crash"
	harnessStop    = "stop"
)

// programEnv is the environment of a learner's program: where things are, and
// nothing else of the course's.
func programEnv(folder string) []string {
	env := []string{harnessFolder + "=" + folder}
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LANG", "TZ"} {
		if set, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+set)
		}
	}
	return env
}

// What the runtime says before it writes a stack down. Of a fatal error that is
// on the standard error stream alone, and not in CrashFile.
var lastWords = regexp.MustCompile(`(?m)(?:^(?:runtime: |fatal error: |panic: |SIG[A-Z]+: |unexpected fault address |\[signal ).*\n)+`)

// parted takes what the runtime said of its end out of the program's output, of
// which these are the beginning and the end, and completes it: it is in the
// verdict, in other words.
func parted(output, tail, crash string) (printed, said string) {
	said = crash
	stack := strings.TrimSpace(crash)
	if i := strings.LastIndex(tail, stack); i >= 0 {
		words := lastWords.FindAllStringIndex(tail[:i], -1)
		if len(words) > 0 {
			last := words[len(words)-1]
			said = tail[last[0]:i] + stack
			i = last[0]
		}
		if k := strings.LastIndex(output, tail[i:min(len(tail), i+200)]); k >= 0 {
			output = output[:k]
		}
	}
	return output, said
}

// titled puts the names of the calls over what they printed, in place of the marks.
func titled(output, mark string, calls []lesson.Call) string {
	var out strings.Builder
	for k, part := range strings.Split(output, mark) {
		name := ""
		if k > 0 {
			number, printed, whole := strings.Cut(part, "\n")
			i, err := strconv.Atoi(number)
			if !whole || err != nil {
				continue // the end of what was kept
			}
			name, part = "behind the last call", printed
			if i >= 0 && i < len(calls) {
				name = calls[i].Name
			}
		}
		if part == "" {
			continue
		}
		if name != "" {
			out.WriteString(name + ":\n")
		}
		out.WriteString(strings.ToValidUTF8(part, "\uFFFD"))
		if !strings.HasSuffix(part, "\n") {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// last returns the call in which the program was, or -1.
func (r *ran) last() int {
	at := -1
	for i := range r.calls {
		if r.calls[i].state != "" {
			at = i
		}
	}
	return at
}

var errResults = errors.New("the exercise's program wrote results that are none: does it write files of the check?")

// read reads what the harness wrote.
func (r *ran) read(folder string, calls int) error {
	r.calls = make([]callRan, calls)
	crash, err := readSome(filepath.Join(folder, harnessCrash), maxBuildText)
	if err != nil {
		return err
	}
	r.crash = crash
	results, err := readSome(filepath.Join(folder, harnessResults), maxResultsFile)
	if err != nil {
		return err
	}
	whole := strings.LastIndexByte(results, '\n') + 1 // a process that is killed may write half a line
	for line := range strings.Lines(results[:whole]) {
		if !r.take(strings.TrimSuffix(line, "\n")) {
			return errResults
		}
	}
	return nil
}

// readSome reads the beginning of a file; one that is not there is empty.
func readSome(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	return string(text), err
}

// take reads one line, and says whether it could.
func (r *ran) take(line string) bool {
	what, rest, _ := strings.Cut(line, " ")
	if what == "stop" {
		why, rest, _ := strings.Cut(rest, " ")
		number, rest, _ := strings.Cut(rest, " ")
		call, err := strconv.Atoi(number)
		values, ok := readValues(rest)
		if err != nil || !ok || call >= len(r.calls) || len(values) != 3 {
			return false
		}
		r.stop = &stopped{why: why, call: call, figure: values[0].Int, goroutines: values[1].Int, stack: values[2].Text}
		return true
	}
	number, rest, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	if what == "over" {
		r.over, r.left = true, n
		return true
	}
	values, ok := readValues(rest)
	if !ok || n < 0 || n >= len(r.calls) {
		return false
	}
	call := &r.calls[n]
	call.state = what
	switch {
	case what == "begin" || what == "ended":
		return len(values) == 0
	case what == "panic" && len(values) == 2:
		call.said, call.stack = values[0].Text, values[1].Text
	case what == "wrong" && len(values) == 1:
		call.said = values[0].Text
	case what == "large" && len(values) == 1:
		call.many = values[0].Int
	case what == "result" && len(values)%2 == 0 && len(values) >= 2:
		call.results, call.args = values[0].Items, values[1].Items
		call.beyond = map[int]int{}
		for k := 2; k < len(values); k += 2 {
			call.beyond[int(values[k].Int)] = int(values[k+1].Int)
		}
	default:
		return false
	}
	return true
}

func readValues(text string) (values []value.Value, ok bool) {
	for strings.TrimSpace(text) != "" {
		v, rest, err := value.Parse(text)
		if err != nil {
			return nil, false
		}
		values, text = append(values, v), rest
	}
	return values, true
}
