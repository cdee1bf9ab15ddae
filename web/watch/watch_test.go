package watch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// start watches a new folder with one file in it.
func start(t *testing.T, o Options) (dir string, changed <-chan struct{}) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "01-one", "chapter.md"), "before")
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{}, 100)
	done := make(chan struct{})
	watched := make(chan struct{})
	o.Ready = func() { close(watched) }
	go func() {
		defer close(done)
		Folder(ctx, dir, o, func() { told <- struct{}{} })
	}()
	t.Cleanup(func() { cancel(); <-done })
	<-watched
	return dir, told
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, changed <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(5 * time.Second):
		t.Fatalf("%s was not noticed", what)
	}
}

func TestFolder(t *testing.T) {
	for name, o := range map[string]Options{
		// Without polling, so that only the notices can tell.
		"notices": {Quiet: 10 * time.Millisecond, Poll: time.Hour},
		"polling": {Quiet: 10 * time.Millisecond, Poll: 20 * time.Millisecond, NoNotices: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, changed := start(t, o)
			write(t, filepath.Join(dir, "01-one", "chapter.md"), "after, and longer")
			expect(t, changed, "a saved file")

			write(t, filepath.Join(dir, "02-two", "chapter.md"), "new")
			expect(t, changed, "a new folder")
			for len(changed) > 0 {
				<-changed
			}
			time.Sleep(30 * time.Millisecond)
			write(t, filepath.Join(dir, "02-two", "chapter.md"), "new, and saved again")
			expect(t, changed, "a file in a new folder")

			temporary := filepath.Join(dir, "01-one", "chapter.md~")
			write(t, temporary, "renamed over the old one")
			if err := os.Rename(temporary, filepath.Join(dir, "01-one", "chapter.md")); err != nil {
				t.Fatal(err)
			}
			expect(t, changed, "a file that was renamed into place")

			if err := os.RemoveAll(filepath.Join(dir, "02-two")); err != nil {
				t.Fatal(err)
			}
			expect(t, changed, "a removed folder")
		})
	}
}

// Many writes in a row are told a few times, not once each.
func TestFolderWaitsForQuiet(t *testing.T) {
	dir, changed := start(t, Options{Quiet: 100 * time.Millisecond, Poll: time.Hour})
	for i := range 50 {
		write(t, filepath.Join(dir, "01-one", "chapter.md"), string(rune('a'+i%26)))
	}
	expect(t, changed, "the first save")
	time.Sleep(300 * time.Millisecond)
	if n := len(changed); n > 2 {
		t.Errorf("50 writes in a row were told %d times more", n)
	}
}
