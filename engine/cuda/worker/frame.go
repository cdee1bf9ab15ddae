package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// protocol is the version of what is said over the descriptors. Program and
// worker are the same file, so that a difference means that it was replaced.
const protocol = 2

const (
	headerBytes = 24
	mostMeta    = 8 << 20
	inlineBelow = 64 << 10 // bytes of a body that travels in its frame; from there on it is in shared memory
)

// kind says what a frame is.
type kind uint8

const (
	kindHello   kind = 1 + iota // worker: the GPU is open
	kindProduct                 // program: multiply
	kindLaunch                  // program: run kernels, one after the other
	kindResult                  // worker: a product's statistics and cells
	kindRan                     // worker: what came of them
	kindFailure                 // worker: why there is no result, or no GPU
	kindLast    = kindFailure
)

// Flags of a frame.
const (
	flagCheck  = 1 << iota // a request: first see whether the device is in order
	flagShared             // a request: its operands are in shared memory
	flagLast   = flagShared
)

// frame is one message. Meta and body lie in the reader's buffer, until the next
// frame is read.
type frame struct {
	kind   kind
	flags  uint8
	number uint64
	meta   []byte
	body   []byte
}

// A frameError is what cannot be a frame of the other side. After it nothing
// else of that stream can be trusted.
type frameError struct{ reason string }

func (e *frameError) Error() string { return "malformed frame: " + e.reason }

func malformed(format string, args ...any) error {
	return &frameError{fmt.Sprintf(format, args...)}
}

// errOtherProtocol is a frame of another version of the program.
var errOtherProtocol = errors.New("a frame of another version of the program")

// frameReader reads frames. A read that is interrupted, by a deadline, loses
// nothing: the next call goes on with what had arrived.
type frameReader struct {
	source io.Reader
	buffer []byte
	from   int // first byte not yet returned
	to     int // end of what was read
	last   int // length of the frame that was returned last
}

func newFrameReader(source io.Reader) *frameReader {
	return &frameReader{source: source, buffer: make([]byte, headerBytes+inlineBelow)}
}

// next returns the next frame. The end of the stream between two frames is
// io.EOF, within one io.ErrUnexpectedEOF.
func (r *frameReader) next() (frame, error) {
	r.from, r.last = r.from+r.last, 0
	if err := r.need(headerBytes); err != nil {
		return frame{}, err
	}
	h := r.buffer[r.from:r.to]
	if string(h[:3]) != "WBF" {
		return frame{}, malformed("it begins with % x", h[:4])
	}
	if h[3] != protocol {
		return frame{}, errOtherProtocol
	}
	f := frame{kind: kind(h[4]), flags: h[5], number: binary.LittleEndian.Uint64(h[8:])}
	meta, body := binary.LittleEndian.Uint32(h[16:]), binary.LittleEndian.Uint32(h[20:])
	switch {
	case f.kind < kindHello || f.kind > kindLast:
		return frame{}, malformed("its kind is %d", f.kind)
	case f.flags >= flagLast<<1 || h[6] != 0 || h[7] != 0:
		return frame{}, malformed("its flags are % x", h[5:8])
	case meta > mostMeta:
		return frame{}, malformed("it announces %d bytes of metadata, and %d is the most", meta, mostMeta)
	case body >= inlineBelow:
		return frame{}, malformed("it announces a body of %d bytes, and %d go through shared memory", body, inlineBelow)
	}
	whole := headerBytes + int(meta) + int(body)
	if err := r.need(whole); err != nil {
		return frame{}, err
	}
	rest := r.buffer[r.from+headerBytes : r.from+whole]
	f.meta, f.body = rest[:meta:meta], rest[meta:]
	r.last = whole
	return f, nil
}

// need reads until n bytes are in the buffer.
func (r *frameReader) need(n int) error {
	if r.from == r.to {
		r.from, r.to = 0, 0
	}
	if r.from+n > len(r.buffer) {
		unread := r.buffer[r.from:r.to]
		if n > len(r.buffer) {
			r.buffer = make([]byte, n)
		}
		r.from, r.to = 0, copy(r.buffer, unread)
	}
	for r.to-r.from < n {
		got, err := r.source.Read(r.buffer[r.to:])
		r.to += got
		if r.to-r.from >= n {
			return nil
		}
		if err == io.EOF && r.to > r.from {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// frameBuilder is a frame that is being made. It is reused: a frame is written
// before the next one begins.
type frameBuilder struct {
	bytes []byte
	meta  int // bytes of metadata, once the body has begun
}

// begin starts a frame. Its metadata is appended to bytes.
func (b *frameBuilder) begin(k kind, flags uint8, number uint64) {
	b.bytes = append(b.bytes[:0], 'W', 'B', 'F', protocol, byte(k), flags, 0, 0)
	b.bytes = binary.LittleEndian.AppendUint64(b.bytes, number)
	b.bytes = append(b.bytes, make([]byte, 8)...)
	b.meta = -1
}

// body ends the metadata and returns room for a body of n bytes.
func (b *frameBuilder) body(n int) []byte {
	b.meta = len(b.bytes) - headerBytes
	b.bytes = append(b.bytes, make([]byte, n)...)
	return b.bytes[headerBytes+b.meta:]
}

// finish returns the frame to write.
func (b *frameBuilder) finish() ([]byte, error) {
	if b.meta < 0 {
		b.meta = len(b.bytes) - headerBytes
	}
	body := len(b.bytes) - headerBytes - b.meta
	if b.meta > mostMeta {
		return nil, fmt.Errorf("what is to be said has %d bytes, and %d is the most", b.meta, mostMeta)
	}
	if body >= inlineBelow {
		panic(fmt.Sprintf("BUG: a body of %d bytes in a frame", body))
	}
	binary.LittleEndian.PutUint32(b.bytes[16:], uint32(b.meta))
	binary.LittleEndian.PutUint32(b.bytes[20:], uint32(body))
	return b.bytes, nil
}
