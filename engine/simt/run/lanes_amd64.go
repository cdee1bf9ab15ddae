package run

import "golang.org/x/sys/cpu"

// Vector code of lanes_amd64.s: 32 lanes are four registers of 32 bits, or eight
// of 64. It computes what the Go code of lanes.go computes, to the bit; a test
// holds one against the other.

// vectors says whether the processor has what they need.
var vectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func addF32(d, a, b *v32)

//go:noescape
func subF32(d, a, b *v32)

//go:noescape
func mulF32(d, a, b *v32)

//go:noescape
func divF32(d, a, b *v32)

//go:noescape
func mulAddF32(d, a, b, c *v32)

//go:noescape
func fmaF32(d, a, b, c *v32)

//go:noescape
func addF64(d, a, b *v64)

//go:noescape
func subF64(d, a, b *v64)

//go:noescape
func mulF64(d, a, b *v64)

//go:noescape
func mulAddF64(d, a, b, c *v64)

//go:noescape
func fmaF64(d, a, b, c *v64)

//go:noescape
func add32(d, a, b *v32)

//go:noescape
func sub32(d, a, b *v32)

//go:noescape
func mul32(d, a, b *v32)

//go:noescape
func add64(d, a, b *v64)

//go:noescape
func sub64(d, a, b *v64)

// lessThan32 is a < b of signed numbers whose upper bit is flipped by flip.
//
//go:noescape
func lessThan32(a, b *v32, flip uint32) uint32

//go:noescape
func equalTo32(a, b *v32) uint32

//go:noescape
func lessThan64(a, b *v64) uint32

//go:noescape
func lessF32(a, b *v32) uint32

//go:noescape
func notAboveF32(a, b *v32) uint32

//go:noescape
func equalF32(a, b *v32) uint32

//go:noescape
func fill32(d *v32, x uint32)

//go:noescape
func fill64(d *v64, x uint64)

//go:noescape
func pick32(d, a *v32, mask uint32)

//go:noescape
func pick64(d, a *v64, mask uint32)

// joined64 makes values of their lower and upper halves, halved64 halves of
// values.
//
//go:noescape
func joined64(d *v64, low, high *v32)

//go:noescape
func halved64(low, high *v32, x *v64)

// offset64 is a + c.
//
//go:noescape
func offset64(d, a *v64, c uint64)

// indexed64 is c + x·scale of signed indices, and with base added to it.
//
//go:noescape
func indexed64(d *v64, x *v32, scale int32, c uint64)

//go:noescape
func indexedBase64(d, base *v64, x *v32, scale int32, c uint64)

// unsignedIndexed64 is indexed64 of unsigned indices.
//
//go:noescape
func unsignedIndexed64(d *v64, x *v32, scale uint32, c uint64)

// gather32 reads a word for each lane from data, at a − base. It reads nothing
// and returns false if one of these is above limit or no multiple of 4: data
// has limit + 4 bytes.
//
//go:noescape
func gather32(d *v32, a *v64, data *byte, base, limit uint64) bool

// scatter32 writes words as gather32 reads them, in the order of the lanes.
//
//go:noescape
func scatter32(x *v32, a *v64, data *byte, base, limit uint64) bool

// gather64 and scatter64 are the same for words of eight bytes.
//
//go:noescape
func gather64(d *v64, a *v64, data *byte, base, limit uint64) bool

//go:noescape
func scatter64(x *v64, a *v64, data *byte, base, limit uint64) bool

// inside64 reports whether every a − base is at most limit and has none of the
// bits of low.
//
//go:noescape
func inside64(a *v64, base, limit, low uint64) bool

// apart64 says of which lanes a − base is b.
//
//go:noescape
func apart64(a, b *v64, base uint64) uint32
