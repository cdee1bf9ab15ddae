package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// reported is a report of the emulator as a finding.
func (g *grading) reported(report *launch.Report) lesson.Finding {
	r := *report
	if r.Kind == launch.EndlessLoop {
		r.Cause, _, _ = strings.Cut(r.Cause, " A kernel that only takes long") // nobody raises an exercise's limits
	}
	f := lesson.Finding{Kind: lesson.FindingKind(r.Kind), Text: sentence(capital(subject(&r) + r.Message)), Next: r.Cause}
	// The rest of the report is where it was: lines of the source, and threads.
	r.Cause = ""
	_, text, _ := strings.Cut(r.Text(), "\n")
	f.Detail = strings.TrimRight(text, "\n")
	if r.File == g.lesson.File() && r.Line > 0 {
		f.Line, f.Source = r.Line, r.Source
		f.Column = 1 + utf8.RuneCountInString(r.Source[:min(max(r.Column-1, 0), len(r.Source))])
	}
	if f.Next == "" {
		f.Next = "look at the line, with the thread that is named in mind"
	}
	return f
}

// subject says who it was, of a report that begins with what they did.
func subject(r *launch.Report) string {
	for _, verb := range []string{"reads ", "writes ", "updates ", "divides "} {
		if strings.HasPrefix(r.Message, verb) {
			return fmt.Sprintf("thread %v of block %v ", r.Thread, r.Block)
		}
	}
	return ""
}

// sentence closes a message with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// uncompiled are a compiler's errors, one finding for each line, with the notes that
// belong to it.
func (g *grading) uncompiled(e *launch.CompileError) []lesson.Finding {
	var findings []lesson.Finding
	for i := 0; i < len(e.Diagnostics); {
		d := e.Diagnostics[i]
		end := i + 1
		for end < len(e.Diagnostics) && e.Diagnostics[end].Severity == "note" {
			end++
		}
		if d.Severity == "error" {
			findings = merged(findings, g.diagnosed(e.File, e.Diagnostics[i:end]))
		}
		i = end
	}
	if len(findings) == 0 {
		findings = []lesson.Finding{{Kind: lesson.Compile, Text: "The file does not compile.", Next: "read what the compiler says", Detail: bounded(e.Log)}}
	}
	return findings
}

// diagnosed is one error and its notes.
func (g *grading) diagnosed(file string, of []launch.Diagnostic) lesson.Finding {
	d := of[0]
	f := lesson.Finding{Kind: lesson.Compile, Text: sentence(capital(d.Message)), Next: d.Instead}
	if d.File == "" {
		f.Line, f.Column, f.Source = d.Line, d.Column, d.Source
	}
	// Of the whole text, the first lines say that the file does not compile, and where
	// and why.
	shown := slices.Clone(of)
	shown[0].Instead = ""
	text := (&launch.CompileError{File: file, Diagnostics: shown}).Error()
	for range 2 {
		_, text, _ = strings.Cut(text, "\n")
	}
	f.Detail = bounded(text)
	if f.Next == "" {
		f.Next = "look at what stands at the mark, and at the end of the line before"
	}
	return f
}

// bounded cuts a text that nobody reads to its end.
func bounded(s string) string {
	const most = 4 << 10
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "\n(cut)"
}

// refused is a launch that does not fit the learner's kernel.
func (g *grading) refused(e *launch.ArgumentError) lesson.Finding {
	file := g.lesson.File()
	f := lesson.Finding{Kind: lesson.Signature, Detail: e.Error()}
	starter := signature(string(g.starter), e.Symbol)
	f.Line, f.Source = signatureLine(string(g.source), e.Symbol)
	back := "give its first line back the form in which it was handed out"
	if starter != "" {
		back += ": " + starter
	}
	switch {
	case e.Field == "symbol" || e.Field == "kernel":
		f.Text = fmt.Sprintf("%s has no kernel %s, which is what the exercise launches.", file, e.Symbol)
		f.Next = fmt.Sprintf("a kernel is a __global__ function; write %s with this name", e.Symbol)
		if starter != "" {
			f.Next = "write it as it was handed out: " + starter
		}
	case e.Field == "args":
		f.Text = fmt.Sprintf("The kernel %s takes another number of parameters than it is given: %s.", e.Symbol, e.Reason)
		f.Next = back
	case strings.HasPrefix(e.Field, "args["):
		f.Text = fmt.Sprintf("A parameter of the kernel %s has another type than what it is given: %s.", e.Symbol, e.Reason)
		f.Next = back
	case e.Field == "block" && strings.Contains(e.Reason, "local memory"):
		f.Kind = lesson.MemoryLimit
		f.Text = fmt.Sprintf("The kernel %s has more variables than there is memory for: %s.", e.Symbol, e.Reason)
		f.Next = "look for an array that is declared larger than it has to be: each thread has one of its own"
	default:
		f.Text = fmt.Sprintf("The kernel %s cannot be launched as the exercise does: %s: %s.", e.Symbol, e.Field, e.Reason)
		f.Next = back
	}
	return f
}

// signatureOf finds the declaration of a kernel.
func signatureOf(symbol string) *regexp.Regexp {
	return regexp.MustCompile(`__global__[^;{}()]*(\([^)]*\)[^;{}()]*)?\b` + regexp.QuoteMeta(symbol) + `\s*\([^)]*\)`)
}

// signature returns the declaration of a kernel, "" if there is none.
func signature(source, symbol string) string {
	return strings.Join(strings.Fields(signatureOf(symbol).FindString(source)), " ")
}

// signatureLine returns the line on which a kernel is declared, from 1.
func signatureLine(source, symbol string) (int, string) {
	at := signatureOf(symbol).FindStringIndex(source)
	if at == nil {
		return 0, ""
	}
	line := 1 + strings.Count(source[:at[0]], "\n")
	return line, strings.Split(source, "\n")[line-1]
}

// faulted is a kernel that a device ended.
func (g *grading) faulted(e *device.FaultError) lesson.Finding {
	f := lesson.Finding{
		Kind: lesson.DeviceFault, Detail: e.Error(),
		Next: "check the exercise without --device: the emulator names the line, the thread and the element",
	}
	switch e.Fault {
	case device.IllegalAddress:
		f.Text = "The GPU ended the kernel: it read or wrote memory that is not its own."
	case device.LaunchFailure:
		f.Text = "The GPU ended the kernel, or could not begin it."
	case device.WorkerEnded:
		f.Text = "The process that runs kernels on the GPU ended while this one ran."
	default:
		f.Text = "The GPU refused the kernel: " + sentence(e.Detail)
	}
	if slices.Contains(g.lesson.Devices, device.Emulator) {
		return f
	}
	f.Next = e.Next
	return f
}
