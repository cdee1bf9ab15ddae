package worker

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// Build names the program's own file by its contents: a worker of another build
// may speak otherwise. It is read once.
var Build = sync.OnceValues(func() (string, error) {
	file, err := os.Open(ownFile())
	if err != nil {
		return "", err
	}
	defer file.Close()
	if id, ok := linked(file); ok {
		return id, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
})

// linked returns the id that Go's linker wrote into an ELF file, which ends with
// a hash of all of it: reading it takes microseconds, and hashing the file again
// a tenth of a second.
func linked(file io.ReaderAt) (string, bool) {
	f, err := elf.NewFile(file)
	if err != nil {
		return "", false
	}
	section := f.Section(".note.go.buildid")
	if section == nil {
		return "", false
	}
	note, err := section.Data()
	if err != nil || len(note) < 16 {
		return "", false
	}
	// An ELF note: the lengths of name and descriptor, a type, then both. Go's
	// name is "Go\0\0" (cmd/internal/buildid).
	n := f.ByteOrder.Uint32(note[4:])
	if !bytes.Equal(note[12:16], []byte("Go\x00\x00")) || n == 0 || int64(n) > int64(len(note)-16) {
		return "", false
	}
	return string(note[16:][:n]), true
}
