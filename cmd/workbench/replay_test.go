package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
