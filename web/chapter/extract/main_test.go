package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"workbench/web/quote"
)

// Every extract that chapters show is what its source says now.
func TestExtractsAreLive(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := extracts(root)
	if err != nil {
		t.Fatal(err)
	}
	const mend = "run: go generate ./chapters"
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(root, "chapters", quote.Folder, name))
		if err != nil {
			t.Errorf("%s is quoted and not extracted: %s", name, mend)
			continue
		}
		if !bytes.Equal(got, text) {
			t.Errorf("%s is not what its source says: %s", name, mend)
		}
	}
	there, _ := filepath.Glob(filepath.Join(root, "chapters", quote.Folder, "*.txt"))
	for _, file := range there {
		if _, ok := want[filepath.Base(file)]; !ok {
			t.Errorf("%s is quoted by no chapter: %s", filepath.Base(file), mend)
		}
	}
}

// tree makes a small repository with one chapter that quotes one region.
func tree(t *testing.T, code string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module x\n",
		"a/code.go": code,
		"chapters/01-one/chapter.md": "---\ntitle: t\nsummary: s\noutcomes: [o]\n---\n\n" +
			"```quote\nfile: a/code.go\nregion: r\n```\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestWrite(t *testing.T) {
	root := tree(t, "package a\n\n// region:r\nfunc F() {}\n// endregion:r\n")
	stale := filepath.Join(root, "chapters", quote.Folder, "old.go-gone.txt")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(root); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "chapters", quote.Folder, "a-code.go-r.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), "source: a/code.go\nregion: r\nline: 4\n\nfunc F() {}\n"; got != want {
		t.Errorf("extract is %q, want %q", got, want)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("an extract that no chapter quotes was left")
	}
}

func TestWriteNamesWhatIsMissing(t *testing.T) {
	err := write(tree(t, "package a\n"))
	if err == nil || !strings.Contains(err.Error(), "a/code.go has no region r") || !strings.Contains(err.Error(), "01-one") {
		t.Errorf("write = %v, want it to name the chapter, the file and the region", err)
	}
}
