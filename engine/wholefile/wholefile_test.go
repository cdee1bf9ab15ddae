package wholefile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"workbench/engine/wholefile"
)

// Who reads while the file is written again and again sees one of the texts, whole.
func TestWholeAtAnyTime(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	texts := [][]byte{bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), 100)}
	write := func(text []byte) {
		if err := wholefile.Write(name, text, 0o640); err != nil {
			t.Error(err)
		}
	}
	write(texts[0])
	over := make(chan bool)
	go func() {
		defer close(over)
		for i := range 20 {
			write(texts[i%2])
		}
	}()
	for reading := true; reading; {
		select {
		case <-over:
			reading = false
		default:
		}
		got, err := os.ReadFile(name)
		if err != nil && runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		if err == nil && !bytes.Equal(got, texts[0]) && !bytes.Equal(got, texts[1]) {
			t.Fatalf("a reader sees %d bytes that begin %.10q", len(got), got)
		}
	}
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}

// What cannot be written leaves nothing behind, and what was there as it was.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(name, "in it"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(name, []byte("text"), 0o644); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := wholefile.Write(filepath.Join(dir, "none", "file"), []byte("text"), 0o644); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("in a folder that is not there: %v", err)
	}
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 1 || all[0].Name() != "taken" || !all[0].IsDir() {
		t.Errorf("there are %v, %v", all, err)
	}
}
