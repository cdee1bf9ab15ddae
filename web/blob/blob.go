// Package blob serves bytes that do not change: with a validator, so that a
// browser asks once and is told "not modified" after; and compressed, once,
// for browsers that take it.
package blob

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Cache-Control of a blob whose address names its version, of any other, and of one
// that nobody may keep.
const (
	forever    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
	never      = "no-store"
)

// leastGain is the size from which compression is worth its overhead.
const leastGain = 1024

// A Blob is bytes of a type. It may be used by several goroutines.
type Blob struct {
	kind    string
	raw     func() []byte
	version func() string
	packed  func() []byte // compressed, or nil if that gains nothing
}

// New returns a blob of the given Content-Type. Body is called once, when the
// bytes are first needed.
func New(kind string, body func() []byte) *Blob {
	b := &Blob{kind: kind, raw: sync.OnceValue(body)}
	b.version = sync.OnceValue(func() string {
		sum := sha256.Sum256(b.raw())
		return hex.EncodeToString(sum[:8])
	})
	b.packed = sync.OnceValue(func() []byte { return compress(b.kind, b.raw()) })
	return b
}

// Version returns a short name of the bytes: other bytes have another one.
func (b *Blob) Version() string { return b.version() }

// Bytes returns the bytes themselves.
func (b *Blob) Bytes() []byte { return b.raw() }

// Prepare makes what Serve would make when it is first needed.
func (b *Blob) Prepare() {
	b.version()
	b.packed()
}

// compress returns the bytes compressed, or nil where that gains nothing.
func compress(kind string, raw []byte) []byte {
	if len(raw) < leastGain || !compressible(kind) {
		return nil
	}
	var out bytes.Buffer
	// The fastest level: a page of a megabyte takes some milliseconds and
	// shrinks to a fifth. The best one takes four times as long for a tenth less.
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(raw)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil || out.Len() >= len(raw) {
		return nil
	}
	return out.Bytes()
}

func compressible(kind string) bool {
	base, _, _ := strings.Cut(kind, ";")
	return strings.HasPrefix(base, "text/") || base == "image/svg+xml" || base == "application/json"
}

// Serve answers with the blob and a status. Who asks keeps it, and asks whether it
// is still the same.
func (b *Blob) Serve(w http.ResponseWriter, r *http.Request, status int) {
	b.serve(w, r, status, revalidate)
}

// ServeOnce is Serve for what has a secret in it: nobody keeps it.
func (b *Blob) ServeOnce(w http.ResponseWriter, r *http.Request, status int) {
	b.serve(w, r, status, never)
}

func (b *Blob) serve(w http.ResponseWriter, r *http.Request, status int, keep string) {
	h := w.Header()
	h.Set("Content-Type", b.kind)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", keep)
	body := b.raw()
	tag := `"` + b.Version() + `"`
	if accepts(r.Header.Get("Accept-Encoding")) {
		if packed := b.packed(); packed != nil {
			body, tag = packed, `"`+b.Version()+`-gzip"`
			h.Set("Content-Encoding", "gzip")
		}
	}
	if status == http.StatusOK && keep != never {
		h.Set("ETag", tag)
		if matches(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		// The client may have gone; there is nobody left to tell.
		_, _ = w.Write(body)
	}
}

// accepts reports whether an Accept-Encoding header takes gzip.
func accepts(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(item), ";")
		if name != "gzip" && name != "*" {
			continue
		}
		q := strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		if n, err := strconv.ParseFloat(q, 64); err == nil && n == 0 {
			return false
		}
		return true
	}
	return false
}

// matches reports whether an If-None-Match header names the tag.
func matches(header, tag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		item = strings.TrimPrefix(strings.TrimSpace(item), "W/")
		if item == tag || item == "*" {
			return true
		}
	}
	return false
}
