package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const (
	// kernelInstructions is what a launch on the emulator may execute, each
	// instruction for a warp. The exercises' own take some thousand; an endless loop
	// has spent it within a second.
	kernelInstructions = 1 << 22

	// kernelMemory is the memory of a case, in bytes, with what a kernel declares.
	kernelMemory = 256 << 20

	// mostOutput is what is kept of what kernels print, in bytes.
	mostOutput = 64 << 10

	// mostFindings bounds what is said about one case.
	mostFindings = 4
)

// unused is memory that nothing is written to, and that takes none for that
// reason. The collector counts it, so that it begins when there is as much again in
// use: a check is over by then.
const unused = 64 << 20

// checkCUDA runs a kernel on each case, the small ones first, until one fails.
func (c *Course) checkCUDA(ctx context.Context, j *job, check *lesson.CUDA) error {
	defer runtime.KeepAlive(make([]byte, unused))
	on, done, err := c.launcher(ctx, j)
	if err != nil {
		return err
	}
	defer done()
	g := &grading{job: j, check: check, on: on, cases: check.Cases()}
	if g.starter, err = c.starter(j.lesson); err != nil {
		return err
	}
	slices.SortStableFunc(g.cases, func(a, b lesson.Case) int { return cmp.Compare(extent(&a), extent(&b)) })
	for i := range g.cases {
		j.verdict.Cases = append(j.verdict.Cases, lesson.CaseRun{Name: g.cases[i].Name})
	}
	limited, end := context.WithTimeout(ctx, j.lesson.Limit)
	defer end()
	err = g.run(limited)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	g.tellOutput()
	return err
}

// launcher opens what runs the exercise's kernels, and says so in the verdict. The
// caller must call done.
func (c *Course) launcher(ctx context.Context, j *job) (on launch.Launcher, done func(), err error) {
	limit := fmt.Sprintf("%g s for all cases", j.lesson.Limit.Seconds())
	if j.spec.Kind == device.Emulator {
		j.verdict.Limits = fmt.Sprintf("%s, %d million instructions for a launch, %d MiB of memory, %d KiB of output", limit, kernelInstructions>>20, kernelMemory>>20, mostOutput>>10)
		return c.Emulator(launch.Watch{Instructions: kernelInstructions, Memory: kernelMemory}), func() {}, nil
	}
	j.verdict.Limits = fmt.Sprintf("%s and the compiler, %d KiB of output", limit, mostOutput>>10)
	d, err := c.Open(ctx, j.spec.String())
	if err != nil {
		return nil, nil, err
	}
	on, ok := d.(launch.Launcher)
	if !ok {
		d.Close()
		return nil, nil, &DeviceError{j.lesson.ID, j.spec.String(), "it runs no kernels of one's own"}
	}
	return on, func() { d.Close() }, nil
}

// grading is a check of a kernel in progress.
type grading struct {
	*job
	check *lesson.CUDA
	on    launch.Launcher
	cases []lesson.Case

	starter []byte // as the file was handed out

	printed []string // by case that printed something

	wrong bool // a result was: how it came about is of no interest any more
}

// watched says whether the launcher sees every access.
func (g *grading) watched() bool { return g.spec.Kind == device.Emulator }

// run runs the cases. One that fails ends it, unless what it shows could be many
// things: then the larger ones are run for one that shows more.
func (g *grading) run(ctx context.Context) error {
	said := 0
	g.progress(Phase{Doing: "compiling", Of: len(g.cases)})
	for i := range g.cases {
		c := &g.cases[i]
		if i > 0 {
			g.progress(Phase{Doing: "running", Case: c.Name, Done: i, Of: len(g.cases)})
		}
		findings, err := g.try(ctx, i)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(findings, unbuilt) {
			g.verdict.Findings = findings
			return nil
		}
		for k := range findings {
			findings[k].Case = c.Name
		}
		g.verdict.Cases[i].Ran = true
		g.verdict.Cases[i].Passed = len(findings) == 0
		if len(findings) > 0 && said > 0 && ctx.Err() != nil {
			return nil // it was for the first that the time was given
		}
		if says := saying(findings, said); says > said {
			said, g.verdict.Findings, g.wrong = says, findings, true
		}
		if said == aCause {
			return nil
		}
	}
	return nil
}

// unbuilt says whether a finding is of a file from which no case can run.
func unbuilt(f lesson.Finding) bool { return f.Kind == lesson.Compile || f.Kind == lesson.Signature }

// How much a finding says.
const (
	aNumber  = 1 + iota // that a number is wrong
	aSuspect            // what could be a part of something larger
	aCause
)

// saying is how much the findings of a case say together, behind smaller ones that
// said so much. Few threads and few elements show little: a race of neighbours may be
// one of all warps where there are more, a wrong last element the first of a tile, and
// nothing was written perhaps in this shape alone.
func saying(findings []lesson.Finding, said int) int {
	most := 0
	for _, f := range findings {
		says := aCause
		switch {
		case f.Kind == lesson.FindingKind(launch.Race) && strings.Contains(f.Next, "__syncwarp"),
			f.Kind == lesson.LastTile,
			f.Kind == lesson.NothingWritten && said == aSuspect,
			f.Kind == lesson.KnownMistake && f.Values != nil && f.Values.Count == 1,
			f.Kind == lesson.PartUnwritten && strings.Contains(f.Text, ofThose):
			says = aSuspect
		case !telling(f):
			says = aNumber
		}
		most = max(most, says)
	}
	return most
}

// try runs a case, and says what is wrong.
func (g *grading) try(ctx context.Context, index int) ([]lesson.Finding, error) {
	c := &g.cases[index]
	m := g.place(c)
	clock := time.Now()
	results, err := g.on.Sequence(ctx, m.launches)
	g.account(results, time.Since(clock), index == 0)
	g.keepOutput(c.Name, results)
	for i, r := range results {
		switch {
		case r.Log == "":
		case g.watched():
			g.note("%s: %s", c.Name, r.Log)
		case i == 0 && index == 0: // it is compiled once
			g.note("the compiler says: %s", strings.TrimSpace(bounded(r.Log)))
		}
	}

	var findings []lesson.Finding
	ended := err != nil
	for _, r := range results {
		g.verdict.Device = g.spec.String()
		if !g.watched() {
			g.verdict.Device += ": " + r.Device
		}
		for i := range r.Reports {
			findings = merged(findings, g.reported(&r.Reports[i]))
		}
		ended = ended || r.Ended
	}
	if err != nil {
		f, err := g.failed(ctx, err)
		if err != nil {
			return nil, err
		}
		findings = append(f, outOfTime(findings, f)...)
	}
	if !ended {
		reported := len(findings) > 0
		stopped := slices.ContainsFunc(findings, func(f lesson.Finding) bool { return f.Kind == lesson.FindingKind(launch.Assert) })
		for _, f := range g.held(c, m, results) {
			if !reported || !stopped && beside(f.Kind) {
				findings = append(findings, f)
			}
		}
	}
	if len(findings) == 0 && g.watched() && !g.wrong {
		findings = g.measured(c, results, index == len(g.cases)-1)
	}
	if len(findings) == 0 && !g.watched() && index == len(g.cases)-1 {
		g.note("races, and reads outside of an array, are not looked for on a GPU; that nothing was written %d bytes in front of an array or behind it was looked at", fence)
		if g.check.Measured != nil {
			g.note("the exercise also asks how the result is reached, which the emulator counts and a GPU does not: check it there too")
		}
	}
	if more := len(findings) - mostFindings; more > 0 {
		findings = findings[:mostFindings]
		g.note("%d more things are wrong in the same case; mend these first", more)
	}
	return findings, nil
}

// outOfTime takes a report of an endless loop away where it was the time that ended
// the kernel, which on a busy machine may be over before a loop has begun. The line
// that it was in is told with the limit.
func outOfTime(findings, limit []lesson.Finding) []lesson.Finding {
	if len(limit) == 0 || limit[0].Kind != lesson.TimeLimit {
		return findings
	}
	return slices.DeleteFunc(findings, func(f lesson.Finding) bool {
		if f.Kind != lesson.FindingKind(launch.EndlessLoop) {
			return false
		}
		limit[0].Line, limit[0].Column, limit[0].Source, limit[0].Detail = f.Line, f.Column, f.Source, f.Detail
		return true
	})
}

// beside says whether a result is worth a word beside what the emulator reports:
// wrong numbers come from a race, but what nobody writes is a matter of its own.
func beside(k lesson.FindingKind) bool {
	switch k {
	case lesson.NothingWritten, lesson.PartUnwritten, lesson.KnownMistake, lesson.InputChanged:
		return true
	}
	return false
}

// merged adds a finding, to the one before it if that is of the same kind and line:
// a line that is wrong for what it writes is so for what it reads, and a compiler's
// second error in a line comes from the first.
func merged(findings []lesson.Finding, f lesson.Finding) []lesson.Finding {
	if n := len(findings); n > 0 && f.Line > 0 && findings[n-1].Kind == f.Kind && findings[n-1].Line == f.Line {
		findings[n-1].Detail += "\nalso: " + f.Text + "\n" + f.Detail
		return findings
	}
	return append(findings, f)
}

func (g *grading) note(format string, args ...any) {
	g.verdict.Notes = append(g.verdict.Notes, fmt.Sprintf(format, args...))
}

// account adds what a case took. The first one includes the compiler.
func (g *grading) account(results []*launch.Result, elapsed time.Duration, first bool) {
	var ran time.Duration
	for _, r := range results {
		ran += time.Duration(r.Cost.CopyInNS + r.Cost.KernelNS + r.Cost.CopyOutNS)
	}
	if first {
		g.verdict.Building = max(elapsed-ran, 0)
		elapsed = min(ran, elapsed)
	}
	g.verdict.Running += elapsed
}

// measured holds what a case's launches did against what the exercise allows, and
// after the last case says what it was.
func (g *grading) measured(c *lesson.Case, results []*launch.Result, last bool) []lesson.Finding {
	var m []*launch.Measurement
	for _, r := range results {
		if r.Measurement != nil {
			m = append(m, r.Measurement)
		}
	}
	if g.check.Measured != nil && len(m) == len(results) {
		if f := g.check.Measured(c, m); f != nil {
			lines := strings.Split(string(g.source), "\n")
			if f.Line > 0 && f.Line <= len(lines) && f.Source == "" {
				f.Source = strings.TrimSuffix(lines[f.Line-1], "\r")
			}
			return []lesson.Finding{*f}
		}
	}
	if text := figures(m); last && text != "" {
		g.note("in %s: %s", c.Name, text)
	}
	return nil
}

// figures says in a line what launches did to memory.
func figures(list []*launch.Measurement) string {
	var all launch.Counts
	for _, m := range list {
		all.Add(m.Counts)
	}
	memory := all.Loads
	memory.Add(all.Stores)
	memory.Add(all.Atomics)
	shared := all.SharedLoads
	shared.Add(all.SharedStores)
	shared.Add(all.SharedAtomics)
	var parts []string
	if memory.Requests > 0 {
		parts = append(parts, fmt.Sprintf("%s to memory moved %.1f sectors of 32 bytes each", count(memory.Requests, "request"), float64(memory.Sectors)/float64(memory.Requests)))
	}
	if shared.Requests > 0 {
		parts = append(parts, fmt.Sprintf("%s to shared memory had %s", count(shared.Requests, "request"), count(shared.Conflicts, "bank conflict")))
	}
	if all.Instructions > 0 {
		parts = append(parts, fmt.Sprintf("%.0f of 32 lanes were at work on average", float64(all.LaneInstructions)/float64(all.Instructions)))
	}
	return strings.Join(parts, ", ")
}

// count writes 1 request, or 3 requests.
func count[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// keepOutput keeps what a case printed.
func (g *grading) keepOutput(name string, results []*launch.Result) {
	var text strings.Builder
	for _, r := range results {
		text.WriteString(r.Output)
	}
	if text.Len() == 0 {
		return
	}
	out := strings.ToValidUTF8(text.String(), "\uFFFD")
	if !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	g.printed = append(g.printed, name+":\n"+out)
}

// tellOutput puts into the verdict what was printed. If it is too much, what the
// last case printed first is what is kept: it is the one that failed.
func (g *grading) tellOutput() {
	room, from := mostOutput, len(g.printed)
	for from > 0 && room > 0 {
		from--
		if n := len(g.printed[from]); n > room {
			text := g.printed[from]
			for room > 0 && text[room]&0xc0 == 0x80 { // within a rune
				room--
			}
			g.printed[from] = text[:room]
			g.verdict.Cut = true
		}
		room -= len(g.printed[from])
	}
	g.verdict.Cut = g.verdict.Cut || from > 0
	g.verdict.Output = strings.Join(g.printed[from:], "")
	if g.verdict.Cut {
		g.note("the kernel printed more than the %d KiB that are kept", mostOutput>>10)
	}
}

// failed says what a launch's error is in the learner's words. An error that is
// nobody's here comes back.
func (g *grading) failed(ctx context.Context, err error) ([]lesson.Finding, error) {
	var (
		compile *launch.CompileError
		args    *launch.ArgumentError
		fault   *device.FaultError
		memory  *device.MemoryError
	)
	switch {
	case errors.As(err, &compile):
		return g.uncompiled(compile), nil
	case errors.As(err, &args):
		return []lesson.Finding{g.refused(args)}, nil
	case errors.As(err, &fault) && fault.Fault != device.TimeLimit && ctx.Err() == nil:
		return []lesson.Finding{g.faulted(fault)}, nil
	case errors.As(err, &memory):
		return []lesson.Finding{{
			Kind: lesson.MemoryLimit,
			Text: sentence(capital("the " + memory.Cause())),
			Next: "look for an array that is declared larger than it has to be",
		}}, nil
	case fault != nil, ctx.Err() != nil:
		return []lesson.Finding{{
			Kind: lesson.TimeLimit,
			Text: fmt.Sprintf("The kernel took longer than the %g s that all cases have together, and was ended.", g.lesson.Limit.Seconds()),
			Next: "look for a loop that does not end for some thread, or for one that does far more than it has to",
		}}, nil
	}
	return nil, err
}
