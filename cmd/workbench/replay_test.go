package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/engine"
)

func TestReplay(t *testing.T) {
	lesson := `{"format":"workbench lesson","version":1,"title":"One product","began":"2026-11-30T10:00:00Z","build":"b"}` + "\n" +
		`{"t":0,"chapter":{"slug":"01-one-product","title":"One product","version":"another"}}` + "\n"
	file := filepath.Join(t.TempDir(), "lesson.jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(lesson + `{"t":5,"news`)
	s := starting(t, "replay", file)
	if status, body := get(t, s.url); status != http.StatusOK || !strings.HasSuffix(s.url, "/chapters/01-one-product") || !strings.Contains(body, `data-as="replay"`) {
		t.Errorf("%s answers %d: %.300s", s.url, status, body)
	}
	if status := s.end(t); status != statusOK {
		t.Errorf("status %d after a stop: %s", status, s.stderr)
	}
	if want := "line 3 is not whole"; !strings.Contains(s.stderr.String(), want) {
		t.Errorf("of a file that was cut off, replay says %q, want %q", s.stderr, want)
	}

	root := courseRoot(t)
	env := map[string]string{"COURSE_ROOT": root, "COURSE_COMMAND": "./course"}
	o := callWith(t.Context(), func(p *program) { p.getenv = func(name string) string { return env[name] } }, "", "replay")
	if o.status != statusUsage || !strings.Contains(o.stderr, "no lesson is kept in ") {
		t.Errorf("with nothing to replay: status %d, %q", o.status, o.stderr)
	}
	kept := filepath.Join(root, ".course", "rooms", "K7QM2X")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"room.json":    `{"version":1,"began":"2026-11-30T10:00:00Z","ended":true,"length":2520000,"chapters":["One product","Rows"]}`,
		"lesson.jsonl": lesson,
	} {
		if err := os.WriteFile(filepath.Join(kept, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = startingIn(t, env, "replay")
	day := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC).Local().Format("2 January 2006, 15:04")
	if want := "K7QM2X  " + day + "; 42 min; “One product”, “Rows”"; !strings.Contains(s.stdout.String(), want) || !strings.HasSuffix(s.url, "/replays") {
		t.Errorf("it prints %q, want %q, and says %s", s.stdout, want, s.url)
	}
	if status, body := get(t, s.url); status != http.StatusOK || !strings.Contains(body, `value="K7QM2X"`) {
		t.Errorf("%s answers %d: %.900s", s.url, status, body)
	}
	s.end(t)
	s = startingIn(t, env, "replay", "k7qm-2x")
	if !strings.HasSuffix(s.url, "/chapters/01-one-product") {
		t.Errorf("by its room's code the lesson is at %s", s.url)
	}
	s.end(t)

	for name, test := range map[string]struct{ text, want string }{
		"changed":         {lesson + `{"t":-5}` + "\n", "line 3: the time"},
		"another chapter": {strings.ReplaceAll(lesson, "01-one-product", "77-nowhere"), "no such chapter"},
	} {
		write(test.text)
		stderr := &locked{}
		p := &program{stdin: strings.NewReader(""), stdout: &locked{}, stderr: stderr, getenv: func(string) string { return "" }, open: engine.Open}
		if status := p.run(t.Context(), []string{"replay", file}); status != statusFailed || !strings.Contains(stderr.String(), file+": ") || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: status %d, %q; want %q", name, status, stderr, test.want)
		}
	}
}
