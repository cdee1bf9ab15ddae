package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// follower follows one file, and says what it was told.
func follower(t *testing.T, path string, o Options, saved func(Save)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done, watched := make(chan struct{}), make(chan struct{})
	o.Ready = func() { close(watched) }
	go func() {
		defer close(done)
		File(ctx, path, 1000, o, saved)
	}()
	t.Cleanup(func() { cancel(); <-done })
	<-watched
}

// means are the two by which a save is noticed, each without the other.
var means = map[string]Options{
	"notices": {Quiet: 10 * time.Millisecond, Poll: time.Hour},
	"polling": {Quiet: 10 * time.Millisecond, Poll: 20 * time.Millisecond, NoNotices: true},
}

func TestFile(t *testing.T) {
	for name, o := range means {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "guard.cu")
			write(t, path, "first")
			saves, by := make(chan Save, 100), make(chan Means, 100)
			o.By = func(m Means) { by <- m }
			follower(t, path, o, func(s Save) { saves <- s })
			if m := <-by; (m == Notices) != (name == "notices") {
				t.Errorf("saves are noticed by %s", m)
			}
			// next waits for a save that holds a text; what was told of one that was half
			// written is passed by.
			next := func(text, what string) {
				t.Helper()
				late := time.After(10 * time.Second)
				for {
					select {
					case s := <-saves:
						if s.Err == nil && string(s.Text) == text || s.Err != nil && text == "" {
							return
						}
					case <-late:
						t.Fatalf("%s was not told", what)
					}
				}
			}
			next("first", "what it held at first")

			write(t, path, "second")
			next("second", "a save")

			later := time.Now().Add(time.Second)
			if err := os.Chtimes(path, later, later); err != nil {
				t.Fatal(err)
			}
			next("second", "a save of the same text")

			write(t, path+"~", "third")
			if err := os.Rename(path+"~", path); err != nil {
				t.Fatal(err)
			}
			next("third", "a file that was renamed into place")

			write(t, path, fmt.Sprintf("%2000d", 1))
			next("", "a file that is too large")

			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			next("", "that the file is missing")
			write(t, path, "fourth")
			next("fourth", "a file that is there again")
		})
	}
}

// A save in the folder of another file is none of this one.
func TestFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "guard.cu")
	write(t, path, "first")
	saves := make(chan Save, 100)
	follower(t, path, Options{Quiet: time.Millisecond, Poll: 5 * time.Millisecond}, func(s Save) { saves <- s })
	<-saves
	for i := range 20 {
		write(t, filepath.Join(dir, "other.cu"), fmt.Sprint(i))
	}
	write(t, path, "second")
	if s := <-saves; string(s.Text) != "second" {
		t.Errorf("told %q, %v", s.Text, s.Err)
	}
}

// However many saves there are, however slow the listener is: the last is told,
// and a listener is never told more often than there were saves.
func TestFileStorm(t *testing.T) {
	const storm = 1000
	for name, o := range means {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "guard.cu")
			write(t, path, "first")
			told := make(chan string, 1) // one, the first, comes before anybody listens
			follower(t, path, o, func(s Save) {
				if s.Err == nil {
					told <- string(s.Text)
				}
			})
			go func() {
				for i := range storm {
					if err := os.WriteFile(path, []byte(fmt.Sprintf("save %d", i+1)), 0o666); err != nil {
						t.Error(err)
					}
				}
			}()
			n := 0
			for text := range told {
				if n++; n > 3*storm { // a save is seen half written at most twice
					t.Fatal("it is told without an end")
				}
				if text == fmt.Sprintf("save %d", storm) {
					return
				}
			}
		})
	}
}
