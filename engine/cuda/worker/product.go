package worker

import (
	"encoding/binary"

	"workbench/engine/cuda/session"
	"workbench/engine/device"
)

// A product's metadata is fixed fields, since the smallest product is what the
// course sends most and JSON would take as long as the rest of it:
//
//	0   B, M, K, N
//	32  precision, contract, options, five zeros
//	40  bytes of shared memory there are, 0 for none
//
// Operands lie one after the other, left then right, in the body or at the
// beginning of shared memory; each begins at a multiple of 64 bytes there. The
// result follows them in shared memory, or is the body of the reply.
const productMeta = 48

// Options of a product.
const (
	optionLibrary = 1 << iota
	optionMean
	optionLast = optionMean
)

// align is the alignment of what lies in shared memory: a cache line.
const align = 64

func aligned(n int) int { return (n + align - 1) / align * align }

// place is where a product's operands and its result travel.
type place struct {
	left, right, out int  // bytes
	operands         bool // in shared memory
	result           bool // in shared memory
}

// placeOf decides by the sizes alone, so that both sides come to the same.
func placeOf(p session.Product) (place, error) {
	left, right, out, err := p.Sizes()
	if err != nil {
		return place{}, err
	}
	at := place{left: left, right: right, out: out}
	at.operands = left >= inlineBelow || right >= inlineBelow || left+right >= inlineBelow
	at.result = out >= inlineBelow
	return at, nil
}

// shared returns how much shared memory is needed, or -1 if that cannot be
// counted.
func (at place) shared() int {
	n := 0
	for _, part := range at.parts() {
		n += part
		if n < 0 || n > mostShared {
			return -1
		}
	}
	return n
}

// parts are the lengths of left, right and result in shared memory, with what
// separates them.
func (at place) parts() [3]int {
	var n [3]int
	round := func(bytes int) int { return min(bytes, mostShared) + align - 1 } // no overflow
	if at.operands {
		n[0], n[1] = round(at.left)/align*align, round(at.right)/align*align
	}
	if at.result {
		n[2] = at.out
	}
	return n
}

// split cuts shared memory into the operands and the result; what travels
// elsewhere is nil.
func (at place) split(memory []byte) (left, right, out []byte) {
	parts := at.parts()
	if at.operands {
		left, right = memory[:at.left], memory[parts[0]:][:at.right]
	}
	if at.result {
		out = memory[parts[0]+parts[1]:][:at.out]
	}
	return left, right, out
}

// product begins the frame of a product; its operands follow.
func (b *frameBuilder) product(number uint64, flags uint8, p session.Product, at place, memory int) {
	if at.operands {
		flags |= flagShared
	}
	b.begin(kindProduct, flags, number)
	for _, n := range [...]int{p.B, p.M, p.K, p.N} {
		b.bytes = binary.LittleEndian.AppendUint64(b.bytes, uint64(n))
	}
	var options byte
	if p.Library {
		options |= optionLibrary
	}
	if p.Mean {
		options |= optionMean
	}
	b.bytes = append(b.bytes, byte(p.Precision), byte(p.Contract), options, 0, 0, 0, 0, 0)
	b.bytes = binary.LittleEndian.AppendUint64(b.bytes, uint64(memory))
}

// readProduct reads and checks the frame of a product. Memory is how many bytes
// of shared memory the program says there are.
func readProduct(f frame) (p session.Product, at place, memory int, err error) {
	fail := func(err error) (session.Product, place, int, error) { return session.Product{}, place{}, 0, err }
	if len(f.meta) != productMeta {
		return fail(malformed("a product's metadata has %d bytes instead of %d", len(f.meta), productMeta))
	}
	for i, n := range [...]*int{&p.B, &p.M, &p.K, &p.N} {
		*n = int(int64(binary.LittleEndian.Uint64(f.meta[8*i:])))
	}
	options := f.meta[34]
	if options >= optionLast<<1 || string(f.meta[35:40]) != "\x00\x00\x00\x00\x00" {
		return fail(malformed("a product's options are % x", f.meta[34:40]))
	}
	p.Precision, p.Contract = device.Precision(f.meta[32]), device.Contract(f.meta[33])
	p.Library, p.Mean = options&optionLibrary != 0, options&optionMean != 0
	if at, err = placeOf(p); err != nil {
		return fail(malformed("%v", err))
	}
	body := at.left + at.right
	if at.operands {
		body = 0
	}
	if len(f.body) != body || at.operands != (f.flags&flagShared != 0) {
		return fail(malformed("a product with operands of %d and %d bytes has a body of %d", at.left, at.right, len(f.body)))
	}
	given := binary.LittleEndian.Uint64(f.meta[40:])
	if needed := at.shared(); needed < 0 || given > mostShared || uint64(needed) > given {
		return fail(malformed("a product that needs %d bytes of shared memory is given %d", needed, given))
	}
	return p, at, int(given), nil
}

// resultMeta is the length of a result's metadata: seven counters.
const resultMeta = 7 * 8

// result begins the frame of a product's result; its cells follow, unless they
// are in shared memory, and setStats goes back to the counters.
func (b *frameBuilder) result(number uint64) {
	b.begin(kindResult, 0, number)
	b.bytes = append(b.bytes, make([]byte, resultMeta)...)
}

func (b *frameBuilder) setStats(s device.Stats) {
	for i, n := range [...]int64{s.Requests, s.Launches, s.BytesIn, s.BytesOut, s.CopyInNS, s.KernelNS, s.CopyOutNS} {
		binary.LittleEndian.PutUint64(b.bytes[headerBytes+8*i:], uint64(n))
	}
}

// readResult reads the frame of a product's result.
func readResult(f frame, at place) (device.Stats, error) {
	body := at.out
	if at.result {
		body = 0
	}
	if f.kind != kindResult || len(f.meta) != resultMeta || len(f.body) != body {
		return device.Stats{}, malformed("kind %d with %d bytes of metadata and %d of a result that has %d", f.kind, len(f.meta), len(f.body), at.out)
	}
	var s device.Stats
	for i, n := range [...]*int64{&s.Requests, &s.Launches, &s.BytesIn, &s.BytesOut, &s.CopyInNS, &s.KernelNS, &s.CopyOutNS} {
		if *n = int64(binary.LittleEndian.Uint64(f.meta[8*i:])); *n < 0 {
			return device.Stats{}, malformed("a counter of %d", *n)
		}
	}
	return s, nil
}
