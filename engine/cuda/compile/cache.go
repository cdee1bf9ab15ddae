package compile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DirVariable names the folder of compiled kernels.
const DirVariable = "COURSE_CUDA_CACHE_DIR"

// Dir returns the folder that compiled kernels are kept in: $COURSE_CUDA_CACHE_DIR,
// or one in the user's folder of caches. "" is none: there is no such folder.
func Dir() string {
	if dir := os.Getenv(DirVariable); dir != "" {
		return dir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "workbench", "kernels")
}

const (
	cacheLimit = 256 << 20 // bytes of the folder; a kernel takes some 10 KB
	entryLimit = 64 << 20  // bytes of one entry: no kernel's image comes near
)

// input is everything that an image depends on. The kernel's symbol is not part
// of it: an image holds all kernels of its source.
type input struct {
	major, minor int
	file, source string
	headers      map[string]string
	options      []string
	expressions  []string
}

type key [sha256.Size]byte

// key is the hash of the input. Each field comes with its length, so that no two
// inputs are written alike.
func (in input) key() key {
	h := sha256.New()
	field := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	field(fmt.Sprintf("NVRTC %d.%d", in.major, in.minor))
	field(in.file)
	field(in.source)
	for _, name := range slices.Sorted(maps.Keys(in.headers)) {
		field(name)
		field(in.headers[name])
	}
	for _, option := range in.options {
		field(option)
	}
	for _, expression := range in.expressions {
		field("names " + expression) // and no option is like that
	}
	return key(h.Sum(nil))
}

// namesKey is that of an entry whose image is what the input's expressions are
// called in its own.
func (in input) namesKey() key {
	k := in.key()
	return key(sha256.Sum256(append([]byte("names of "), k[:]...)))
}

// cache is a folder of compiled kernels, an entry a file. It never fails: what
// cannot be read is compiled again, and what cannot be written is not kept.
// Several processes may use it at once, because an entry appears in one step, as
// a whole, and says by its checksum whether it is one.
type cache struct {
	dir   string // "" keeps nothing
	limit int64  // bytes in all
}

const suffix = ".kernel"

func (c cache) file(k key) string { return filepath.Join(c.dir, hex.EncodeToString(k[:])+suffix) }

func (c cache) load(k key) (image []byte, log string, ok bool) {
	if c.dir == "" {
		return nil, "", false
	}
	name := c.file(k)
	// A pipe of that name would be waited for.
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > entryLimit {
		return nil, "", false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, "", false
	}
	image, log, ok = readEntry(k, data)
	if ok {
		now := time.Now()
		_ = os.Chtimes(name, now, now) // the oldest go first; that it was not noted costs a compilation
	}
	return image, log, ok
}

func (c cache) store(k key, image []byte, log string) {
	entry := writeEntry(k, image, log)
	if c.dir == "" || len(entry) > entryLimit || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(c.dir, "*"+unfinished)
	if err != nil {
		return
	}
	_, err = f.Write(entry)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), c.file(k))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // or a later shrink does
		return
	}
	c.shrink()
}

const (
	unfinished = ".tmp"
	// abandoned is how old a temporary file is before its process is taken to have died.
	abandoned = time.Hour
)

// shrink removes the entries that were not used for the longest time, if all
// together are above the limit, until a quarter of it is free again. Entries that
// another process removes meanwhile are not missed.
func (c cache) shrink() {
	files, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	type entry struct {
		name string
		size int64
		used time.Time
	}
	var entries []entry
	var total int64
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasSuffix(f.Name(), suffix):
			entries = append(entries, entry{f.Name(), info.Size(), info.ModTime()})
			total += info.Size()
		case strings.HasSuffix(f.Name(), unfinished) && time.Since(info.ModTime()) > abandoned:
			_ = os.Remove(filepath.Join(c.dir, f.Name()))
		}
	}
	if total <= c.limit {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name))
	})
	for _, e := range entries {
		if total <= c.limit/4*3 {
			return
		}
		if os.Remove(filepath.Join(c.dir, e.name)) == nil {
			total -= e.size
		}
	}
}

// An entry is
//
//	magic      the form's name and version
//	checksum   SHA-256 of the key and of everything after the checksum
//	log        its length in 8 bytes, and the text
//	image      the rest, at least a byte
//
// The key is part of the checksum, so that an entry under another's name is none.
const magic = "workbench kernel 1\n"

func checksum(k key, body []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(k[:])
	h.Write(body)
	return [sha256.Size]byte(h.Sum(nil))
}

func writeEntry(k key, image []byte, log string) []byte {
	body := binary.LittleEndian.AppendUint64(nil, uint64(len(log)))
	body = append(body, log...)
	body = append(body, image...)
	sum := checksum(k, body)
	return slices.Concat([]byte(magic), sum[:], body)
}

// readEntry returns what an entry holds, if it is the key's and whole.
func readEntry(k key, data []byte) (image []byte, log string, ok bool) {
	data, ok = bytes.CutPrefix(data, []byte(magic))
	if !ok || len(data) < sha256.Size+8 {
		return nil, "", false
	}
	sum, body := data[:sha256.Size], data[sha256.Size:]
	if want := checksum(k, body); !bytes.Equal(sum, want[:]) {
		return nil, "", false
	}
	length, rest := binary.LittleEndian.Uint64(body), body[8:]
	if length >= uint64(len(rest)) {
		return nil, "", false
	}
	return rest[length:], string(rest[:length]), true
}
