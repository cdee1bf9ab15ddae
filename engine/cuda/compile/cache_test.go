package compile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var testKey = key(sha256.Sum256([]byte("a key")))

func TestEntry(t *testing.T) {
	for _, c := range []struct{ image, log string }{
		{"image", ""}, {"i", "a log\nof lines\n"}, {strings.Repeat("\x00", 1000), "é"},
	} {
		image, log, ok := readEntry(testKey, writeEntry(testKey, []byte(c.image), c.log))
		if !ok || string(image) != c.image || log != c.log {
			t.Errorf("%q, %q, %t: want %q, %q", image, log, ok, c.image, c.log)
		}
	}
	if _, _, ok := readEntry(testKey, writeEntry(testKey, nil, "log")); ok {
		t.Error("an entry without an image is one")
	}
}

// Whatever happens to a file's bytes, it is compiled again and put right.
func TestCorruptEntries(t *testing.T) {
	c := cache{dir: t.TempDir(), limit: cacheLimit}
	image, log := []byte("the image\x00"), "the log"
	c.store(testKey, image, log)
	whole, err := os.ReadFile(c.file(testKey))
	if err != nil {
		t.Fatal(err)
	}
	spoiled := map[string][]byte{
		"more at its end": append(bytes.Clone(whole), 0),
		"twice":           append(bytes.Clone(whole), whole...),
		"another key's":   writeEntry(key{1}, image, log),
	}
	for i := range whole {
		spoiled[fmt.Sprintf("cut to %d bytes", i)] = whole[:i]
		for _, bit := range []byte{1, 0x80} {
			changed := bytes.Clone(whole)
			changed[i] ^= bit
			spoiled[fmt.Sprintf("byte %d, bit %#x", i, bit)] = changed
		}
	}
	for name, data := range spoiled {
		if err := os.WriteFile(c.file(testKey), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, ok := c.load(testKey); ok {
			t.Errorf("%s: read as %q", name, got)
		}
	}
	c.store(testKey, image, log)
	if got, gotLog, ok := c.load(testKey); !ok || !bytes.Equal(got, image) || gotLog != log {
		t.Errorf("stored again: %q, %q, %t", got, gotLog, ok)
	}
	if files, err := os.ReadDir(c.dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want one file", files, err)
	}
}

// What is not a file is neither read nor waited for.
func TestNoFile(t *testing.T) {
	c := cache{dir: t.TempDir(), limit: cacheLimit}
	if err := os.Mkdir(c.file(testKey), 0o700); err != nil {
		t.Fatal(err)
	}
	c.store(testKey, []byte("image"), "")
	if _, _, ok := c.load(testKey); ok {
		t.Error("a folder was read")
	}
	if files, err := os.ReadDir(c.dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want the folder and no temporary file", files, err)
	}
}

func TestLimit(t *testing.T) {
	size := int64(len(writeEntry(testKey, make([]byte, 1000), "")))
	c := cache{dir: t.TempDir(), limit: 10 * size}
	numbered := func(i int) key { return key(sha256.Sum256(fmt.Append(nil, i))) }
	start := time.Now().Add(-time.Hour / 2)
	for i := range 10 {
		c.store(numbered(i), make([]byte, 1000), "")
		used := start.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(c.file(numbered(i)), used, used); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if _, err := os.Stat(c.file(numbered(i))); err != nil {
			t.Fatalf("at the limit and not above: %v", err)
		}
	}
	// Others' files are not the cache's to remove; what a process left behind is.
	other, left, fresh := filepath.Join(c.dir, "notes.txt"), filepath.Join(c.dir, "1"+unfinished), filepath.Join(c.dir, "2"+unfinished)
	for _, name := range []string{other, left, fresh} {
		if err := os.WriteFile(name, make([]byte, 5000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if old := time.Now().Add(-2 * abandoned); os.Chtimes(left, old, old) != nil || os.Chtimes(other, old, old) != nil {
		t.Fatal("no times can be set")
	}

	if _, _, ok := c.load(numbered(0)); !ok { // so that it is the newest
		t.Fatal("entry 0 is gone")
	}
	c.store(numbered(10), make([]byte, 1000), "")
	// 11 entries: down to three quarters of ten, which is seven.
	for i, want := range []bool{true, false, false, false, false, true, true, true, true, true, true} {
		if _, err := os.Stat(c.file(numbered(i))); (err == nil) != want {
			t.Errorf("entry %d is kept: %t, want %t", i, err == nil, want)
		}
	}
	for name, want := range map[string]bool{other: true, fresh: true, left: false} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s is kept: %t, want %t", filepath.Base(name), err == nil, want)
		}
	}
}

// hammer stores and loads a few keys in a cache that is always too small, and
// spoils entries. Each image says which key it belongs to: one that does not is a
// fault, and one that is missing is not.
func hammer(dir string, seed, rounds int) error {
	c := cache{dir: dir, limit: 20_000}
	for i := range rounds {
		n := (seed*7 + i*3) % 11
		k := key(sha256.Sum256(fmt.Append(nil, n)))
		want := strings.Repeat(fmt.Sprintf("image %d;", n), 400+n)
		if image, log, ok := c.load(k); ok && (string(image) != want || log != fmt.Sprint("log ", n)) {
			return fmt.Errorf("round %d: key %d gave %.40q, log %q", i, n, image, log)
		}
		switch i % 13 {
		case 5:
			_ = os.WriteFile(c.file(k), []byte(magic), 0o600)
		case 9:
			_ = os.Truncate(c.file(k), 100)
		default:
			c.store(k, []byte(want), fmt.Sprint("log ", n))
		}
	}
	return nil
}

const hammerVariable = "COMPILE_TEST_HAMMER"

func TestRaces(t *testing.T) {
	const rounds = 300
	if dir := os.Getenv(hammerVariable); dir != "" {
		if err := hammer(dir, os.Getpid(), rounds); err != nil {
			t.Error(err)
		}
		return
	}
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			other := exec.Command(os.Args[0], "-test.run=^TestRaces$")
			other.Env = append(os.Environ(), hammerVariable+"="+dir)
			if out, err := other.CombinedOutput(); err != nil {
				t.Errorf("another process: %v\n%s", err, out)
			}
		})
	}
	for g := range 4 {
		wait.Go(func() {
			if err := hammer(dir, g, rounds); err != nil {
				t.Errorf("goroutine %d: %v", g, err)
			}
		})
	}
	wait.Wait()

	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), unfinished) {
			t.Errorf("%s was left behind", f.Name())
		}
	}
	if err := hammer(dir, 1, 12); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// An entry that is read is one that was written.
func FuzzReadEntry(f *testing.F) {
	f.Add(writeEntry(testKey, []byte("image"), "log"))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		image, log, ok := readEntry(testKey, data)
		if ok && (len(image) == 0 || !bytes.Equal(writeEntry(testKey, image, log), data)) {
			t.Errorf("%q is read as image %q and log %q", data, image, log)
		}
		// The same with a checksum that is right, to reach what lies behind it.
		body := bytes.TrimPrefix(data, []byte(magic))
		sum := checksum(testKey, body)
		sealed := append(append([]byte(magic), sum[:]...), body...)
		image, log, ok = readEntry(testKey, sealed)
		if ok && (len(image) == 0 || !bytes.Equal(writeEntry(testKey, image, log), sealed)) {
			t.Errorf("%q, sealed, is read as image %q and log %q", body, image, log)
		}
	})
}
