//go:build !amd64

package run

// There is no vector code for this processor.
const vectors = false

var (
	addF32, subF32, mulF32, divF32 binary32
	addF64, subF64, mulF64         binary64
	mulAddF32, fmaF32              ternary32
	mulAddF64, fmaF64              ternary64
	add32, sub32, mul32            binary32
	add64, sub64                   binary64
	lessF32, notAboveF32, equalF32 test32
	equalTo32                      test32
	lessThan64                     test64

	lessThan32          func(a, b *v32, flip uint32) uint32
	fill32              func(d *v32, x uint32)
	fill64              func(d *v64, x uint64)
	pick32              func(d, a *v32, mask uint32)
	pick64              func(d, a *v64, mask uint32)
	joined64            func(d *v64, low, high *v32)
	halved64            func(low, high *v32, x *v64)
	offset64            func(d, a *v64, c uint64)
	indexed64           func(d *v64, x *v32, scale int32, c uint64)
	indexedBase64       func(d, base *v64, x *v32, scale int32, c uint64)
	unsignedIndexed64   func(d *v64, x *v32, scale uint32, c uint64)
	gather32, scatter32 func(d *v32, a *v64, data *byte, base, limit uint64) bool
	gather64, scatter64 func(d *v64, a *v64, data *byte, base, limit uint64) bool
	inside64            func(a *v64, base, limit, low uint64) bool
	apart64             func(a, b *v64, base uint64) uint32
)
