package run

import (
	bytes "encoding/binary"
	"fmt"
	"math/bits"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

var le = bytes.LittleEndian

// access is what is known of a load, store or atomic before it runs.
type access struct {
	kind     AccessKind
	pos      code.Pos
	t        types.Scalar // of an element
	size     uint64       // of an element
	count    int
	width    uint64 // of all
	offset   uint64
	volatile bool
	op       code.AtomicOp
	scope    code.Scope
	observed bool
	number   int // of the form's loads and stores
}

// elements gives the registers of the elements of an access, by their number,
// as 32 or as 64 bits; of one that is not kept both are nil.
type elements func(w *Warp, k int) (*v32, *v64)

func (e elements) value(w *Warp, k, lane int) uint64 {
	x32, x64 := e(w, k)
	if x32 != nil {
		return uint64(x32[lane])
	}
	return x64[lane]
}

// span is where all lanes of an access lie: in one region, of which data begins
// at the pointer base, or in one array of local memory.
type span struct {
	base  uint64
	data  []byte
	words []v32
}

func (s *span) space() code.Space { return code.Space(s.base >> (offsetBits + numberBits)) }

// span sets s, which is nothing yet, to where the active lanes lie; false if that is
// not one place, or not every access is inside it and aligned.
func (w *Warp) span(a *v64, ac *access, s *span) bool {
	mask := w.Active
	limit, ok := w.region(a[first(mask)], ac, s)
	if !ok {
		return false
	}
	low := ac.width - 1
	if mask == every && vectors {
		return inside64(a, s.base, limit, low)
	}
	if mask == every {
		for i := range a {
			if o := a[i] - s.base; o > limit || o&low != 0 {
				return false
			}
		}
		return true
	}
	for m := mask; m != 0; m &= m - 1 {
		if o := a[bits.TrailingZeros32(m)&31] - s.base; o > limit || o&low != 0 {
			return false
		}
	}
	return true
}

// region sets s, which is nothing yet, to the one place that an access at p can be in
// all of, and returns the last offset there at which it may be; false if there is
// none.
func (w *Warp) region(p uint64, ac *access, s *span) (limit uint64, ok bool) {
	key := (p + offsetBias) >> offsetBits
	s.base = key << offsetBits
	size := uint64(0)
	if code.Space(key>>numberBits) == code.Local {
		n := int(key&numberMask) - 1
		if n < 0 || n >= len(w.locals) {
			return 0, false
		}
		l := &w.locals[n]
		size = l.size
		s.words = w.words[l.base:]
	} else {
		s.data = w.find(key).data
		size = uint64(len(s.data))
		if ac.kind != Load && key>>numberBits >= uint64(code.Constant) {
			return 0, false
		}
	}
	if size < ac.width {
		return 0, false
	}
	return size - ac.width, true
}

// admit returns the active lanes that may access where they want to; the
// others are faults.
func (w *Warp) admit(a *v64, ac *access) uint32 {
	good := uint32(0)
	var bad [len(refusals)]uint32
	for m := w.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		r := w.refuse(a[i], ac)
		if r == 0 {
			good |= 1 << i
		} else {
			bad[r] |= 1 << i
		}
	}
	for r, lanes := range bad {
		if lanes == 0 {
			continue
		}
		i := bits.TrailingZeros32(lanes)
		p := Pointer(a[i])
		f := w.fault(refusals[r], ac.pos, lanes)
		f.Pointer, f.Access, f.Width = p, ac.kind, int(ac.width)
		f.Memory, f.Offset = w.Memory(p), p.Offset()
		switch refusals[r] {
		case OutOfBounds:
			if f.Memory == nil {
				f.Detail = fmt.Sprintf("%s of %d bytes at %#x, where there is nothing", ac.kind, ac.width, uint64(p))
			}
		case NullPointer:
			f.Detail = fmt.Sprintf("%s of %d bytes, %d bytes from a null pointer", ac.kind, ac.width, p.Offset())
		case Misaligned:
			f.Detail = fmt.Sprintf("the address is no multiple of %d", ac.width)
		}
		if !w.report(f) {
			return 0
		}
	}
	return good
}

// refusals are the reasons for which an access does not happen; 0 is none.
var refusals = [...]FaultKind{1: OutOfBounds, 2: NullPointer, 3: ReadOnly, 4: Misaligned}

func (w *Warp) refuse(p uint64, ac *access) int {
	key := (p + offsetBias) >> offsetBits
	o := p - key<<offsetBits
	space := code.Space(key >> numberBits)
	if key == 0 {
		return 2
	}
	size := uint64(0)
	if space == code.Local {
		if n := int(key&numberMask) - 1; n >= 0 && n < len(w.locals) {
			size = w.locals[n].size
		}
	} else {
		size = uint64(len(w.find(key).data))
	}
	switch {
	case size < ac.width || o > size-ac.width:
		return 1
	case ac.kind != Load && space >= code.Constant:
		return 3
	case o&(ac.width-1) != 0:
		return 4
	}
	return 0
}

// fault returns a fault of these lanes.
func (w *Warp) fault(kind FaultKind, pos code.Pos, lanes uint32) *Fault {
	g := w.Block.Grid
	f := &Fault{Kind: kind, Pos: pos, Position: g.Program.Position(pos), Kernel: g.Kernel, Block: w.Block.Index, Warp: w.Index, Lanes: lanes}
	if lanes != 0 {
		f.Lane = bits.TrailingZeros32(lanes)
		f.Thread = w.Thread(f.Lane)
	}
	return f
}

// report hands a fault to the observer, and ends the launch if there is none or
// it says so. It reports whether the launch goes on.
func (w *Warp) report(f *Fault) bool {
	if w.observer != nil && w.observer.Fault(w, f) {
		return true
	}
	w.halt(f)
	return false
}

// see shows an access to the observer.
func (w *Warp) see(a *v64, ac *access, mask uint32, values elements) {
	for mask != 0 {
		space := Pointer(a[bits.TrailingZeros32(mask)]).Space()
		here := uint32(0)
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			if Pointer(a[i]).Space() == space {
				here |= 1 << i
			}
		}
		mask &^= here
		w.tell(a, ac, here, space, values)
	}
}

// tell shows an access to one space.
func (w *Warp) tell(a *v64, ac *access, mask uint32, space code.Space, values elements) {
	w.scratch = Access{
		Warp: w, Pos: ac.pos, Kind: ac.kind, Volatile: ac.volatile, Op: ac.op, Scope: ac.scope,
		Space: space, Mask: mask, Addrs: (*[32]uint64)(a), Type: ac.t, Size: int(ac.size), Count: ac.count, values: values,
	}
	w.observer.Access(&w.scratch)
}

// tellAll is tell of all active lanes, which have a pattern. Most of what there is to
// say of an instruction is always the same.
func (w *Warp) tellAll(a *v64, ac *access, space code.Space, values elements, p *Pattern) {
	t := &w.patterns[ac.number].told
	if t.Size == 0 {
		*t = Access{Pos: ac.pos, Kind: ac.kind, Volatile: ac.volatile, Type: ac.t, Size: int(ac.size), Count: ac.count}
	}
	t.Warp, t.Space, t.Mask, t.Addrs, t.Pattern, t.values = w, space, w.Active, (*[32]uint64)(a), p, values
	w.observer.Access(t)
}

// ---- one lane ------------------------------------------------------------------

// get reads an element that admit has admitted.
func (w *Warp) get(p uint64, lane int, t types.Scalar) uint64 {
	key := (p + offsetBias) >> offsetBits
	o := p - key<<offsetBits
	if code.Space(key>>numberBits) == code.Local {
		return getLocal(w.words[w.locals[key&numberMask-1].base:], o, lane, t)
	}
	return getBytes(w.find(key).data, o, t)
}

// put writes one.
func (w *Warp) put(p uint64, lane int, t types.Scalar, x uint64) {
	key := (p + offsetBias) >> offsetBits
	o := p - key<<offsetBits
	if code.Space(key>>numberBits) == code.Local {
		putLocal(w.words[w.locals[key&numberMask-1].base:], o, lane, t, x)
		return
	}
	putBytes(w.find(key).data, o, t, x)
}

func getBytes(data []byte, o uint64, t types.Scalar) uint64 {
	switch t.Size() {
	case 1:
		return extend(t, uint64(data[o]))
	case 2:
		return extend(t, uint64(le.Uint16(data[o:])))
	case 4:
		return uint64(le.Uint32(data[o:]))
	}
	return le.Uint64(data[o:])
}

func putBytes(data []byte, o uint64, t types.Scalar, x uint64) {
	switch t.Size() {
	case 1:
		data[o] = byte(x)
	case 2:
		le.PutUint16(data[o:], uint16(x))
	case 4:
		le.PutUint32(data[o:], uint32(x))
	default:
		le.PutUint64(data[o:], x)
	}
}

func getLocal(words []v32, o uint64, lane int, t types.Scalar) uint64 {
	x := words[o>>2][lane]
	switch t.Size() {
	case 1:
		return extend(t, uint64(x>>(o&3*8)))
	case 2:
		return extend(t, uint64(x>>(o&3*8)))
	case 4:
		return uint64(x)
	}
	return uint64(x) | uint64(words[o>>2+1][lane])<<32
}

func putLocal(words []v32, o uint64, lane int, t types.Scalar, x uint64) {
	word := &words[o>>2][lane]
	switch t.Size() {
	case 1:
		*word = *word&^(0xff<<(o&3*8)) | uint32(uint8(x))<<(o&3*8)
	case 2:
		*word = *word&^(0xffff<<(o&3*8)) | uint32(uint16(x))<<(o&3*8)
	case 4:
		*word = uint32(x)
	default:
		*word = uint32(x)
		words[o>>2+1][lane] = uint32(x >> 32)
	}
}

// ---- 32 lanes ------------------------------------------------------------------

// where is span, and laid where someone observes.
func (w *Warp) where(a *v64, ac *access, s *span) (*Pattern, bool) {
	if ac.observed {
		return w.laid(a, ac, s)
	}
	return nil, w.span(a, ac, s)
}

// load reads elements of every active lane.
func (w *Warp) load(a *v64, ac *access, dst elements) {
	var s span
	p, ok := w.where(a, ac, &s)
	if !ok {
		good := w.admit(a, ac)
		if w.status == ended {
			return
		}
		if ac.observed && good != 0 {
			w.see(a, ac, good, nil)
		}
		for k := 0; k < ac.count; k++ {
			d32, d64 := dst(w, k)
			for m := w.Active; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m)
				x := uint64(0)
				if good>>i&1 != 0 {
					x = w.get(a[i]+uint64(k)*ac.size, i, ac.t)
				}
				if d32 != nil {
					d32[i] = uint32(x)
				} else if d64 != nil {
					d64[i] = x
				}
			}
		}
		return
	}
	if ac.observed {
		w.tellAll(a, ac, s.space(), nil, p)
	}
	for k := 0; k < ac.count; k++ {
		d32, d64 := dst(w, k)
		base := s.base - uint64(k)*ac.size
		switch {
		case d32 == nil && d64 == nil:
		case s.words != nil && ac.size == 4:
			for m := w.Active; m != 0; m &= m - 1 {
				i := first(m)
				d32[i] = s.words[(a[i]-base)>>2][i]
			}
		case s.words != nil && ac.size == 8:
			for m := w.Active; m != 0; m &= m - 1 {
				i := first(m)
				two := s.words[(a[i]-base)>>2:]
				d64[i] = uint64(two[0][i]) | uint64(two[1][i])<<32
			}
		case s.words != nil:
			for m := w.Active; m != 0; m &= m - 1 {
				i := first(m)
				d32[i] = uint32(getLocal(s.words, a[i]-base, i, ac.t))
			}
		case d64 != nil && w.Active == every:
			if vectors {
				gather64(d64, a, &s.data[0], base, uint64(len(s.data)-8))
				continue
			}
			for i := range d64 {
				d64[i] = le.Uint64(s.data[a[i]-base:])
			}
		case d64 != nil:
			for m := w.Active; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & 31
				d64[i] = le.Uint64(s.data[a[i]-base:])
			}
		case ac.size == 4 && w.Active == every:
			if vectors {
				gather32(d32, a, &s.data[0], base, uint64(len(s.data)-4))
				continue
			}
			for i := range d32 {
				d32[i] = le.Uint32(s.data[a[i]-base:])
			}
		case short(ac.t) && w.Active == every:
			for i := range d32 {
				d32[i] = uint32(le.Uint16(s.data[a[i]-base:]))
			}
		default:
			for m := w.Active; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & 31
				d32[i] = uint32(getBytes(s.data, a[i]-base, ac.t))
			}
		}
	}
}

// word is where the active lanes access one word each, at their addresses and
// offset, if it is one region: what is left to be asked is whether every address
// − base is at most limit.
func (w *Warp) word(a *v64, offset uint64, ac *access) (data []byte, base, limit uint64, ok bool) {
	key := (a[first(w.Active)] + offset + offsetBias) >> offsetBits
	data = w.find(key).data
	if uint64(len(data)) < ac.size || ac.kind != Load && key>>numberBits >= uint64(code.Constant) {
		return nil, 0, 0, false
	}
	return data, key<<offsetBits - offset, uint64(len(data)) - ac.size, true
}

// others returns addresses that are those of the active lanes, and in the other
// lanes one of them, so that all may be read.
func (w *Warp) others(a *v64) *v64 {
	t := &w.t64[5]
	splat64(t, a[first(w.Active)])
	blend64(t, a, w.Active)
	return t
}

// few is how many lanes are read one by one rather than all at once.
const few = 6

// loadWord is load of one element of four bytes, when no one observes; to the
// addresses an offset is added. If it returns false it has done nothing that
// counts.
func (w *Warp) loadWord(d *v32, a *v64, offset uint64, ac *access) bool {
	data, base, limit, ok := w.word(a, offset, ac)
	switch {
	case !ok:
		return false
	case vectors && w.Active == every:
		return gather32(d, a, &data[0], base, limit)
	case vectors && bits.OnesCount32(w.Active) > few:
		t := &w.t32[6]
		if !gather32(t, w.others(a), &data[0], base, limit) {
			return false
		}
		blend32(d, t, w.Active)
		return true
	}
	for m := w.Active; m != 0; m &= m - 1 {
		i := first(m)
		o := a[i] - base
		if o > limit || o&3 != 0 {
			return false
		}
		d[i] = le.Uint32(data[o:])
	}
	return true
}

// loadShort is loadWord of two bytes.
func (w *Warp) loadShort(d *v32, a *v64, offset uint64, ac *access) bool {
	data, base, limit, ok := w.word(a, offset, ac)
	if !ok {
		return false
	}
	if w.Active == every {
		for i := range d {
			o := a[i] - base
			if o > limit || o&1 != 0 {
				return false
			}
			d[i] = uint32(le.Uint16(data[o:]))
		}
		return true
	}
	for m := w.Active; m != 0; m &= m - 1 {
		i := first(m)
		o := a[i] - base
		if o > limit || o&1 != 0 {
			return false
		}
		d[i] = uint32(le.Uint16(data[o:]))
	}
	return true
}

// loadWide is loadWord of eight bytes. d may be a, unless it returns false.
func (w *Warp) loadWide(d, a *v64, offset uint64, ac *access) bool {
	data, base, limit, ok := w.word(a, offset, ac)
	switch {
	case !ok:
		return false
	case vectors && w.Active == every:
		return gather64(d, a, &data[0], base, limit)
	case vectors && bits.OnesCount32(w.Active) > few:
		t := &w.t64[4]
		if !gather64(t, w.others(a), &data[0], base, limit) {
			return false
		}
		blend64(d, t, w.Active)
		return true
	}
	t := &w.t64[4]
	for m := w.Active; m != 0; m &= m - 1 {
		i := first(m)
		o := a[i] - base
		if o > limit || o&7 != 0 {
			return false
		}
		t[i] = le.Uint64(data[o:])
	}
	for m := w.Active; m != 0; m &= m - 1 {
		i := first(m)
		d[i] = t[i]
	}
	return true
}

// storeWord is store of one element of four bytes, when no one observes.
func (w *Warp) storeWord(x *v32, a *v64, offset uint64, ac *access) bool {
	data, base, limit, ok := w.word(a, offset, ac)
	switch {
	case !ok:
		return false
	case vectors && w.Active == every:
		return scatter32(x, a, &data[0], base, limit)
	}
	for m := w.Active; m != 0; m &= m - 1 {
		if o := a[first(m)] - base; o > limit || o&3 != 0 {
			return false
		}
	}
	for m := w.Active; m != 0; m &= m - 1 {
		i := first(m)
		le.PutUint32(data[a[i]-base:], x[i])
	}
	return true
}

// storeWide is storeWord of eight bytes.
func (w *Warp) storeWide(x, a *v64, offset uint64, ac *access) bool {
	data, base, limit, ok := w.word(a, offset, ac)
	switch {
	case !ok:
		return false
	case vectors && w.Active == every:
		return scatter64(x, a, &data[0], base, limit)
	}
	for m := w.Active; m != 0; m &= m - 1 {
		if o := a[first(m)] - base; o > limit || o&7 != 0 {
			return false
		}
	}
	for m := w.Active; m != 0; m &= m - 1 {
		i := first(m)
		le.PutUint64(data[a[i]-base:], x[i])
	}
	return true
}

// store writes elements of every active lane.
func (w *Warp) store(a *v64, ac *access, src elements) {
	var s span
	p, ok := w.where(a, ac, &s)
	if !ok {
		good := w.admit(a, ac)
		if w.status == ended || good == 0 {
			return
		}
		if ac.observed {
			w.see(a, ac, good, src)
		}
		for m := good; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			for k := 0; k < ac.count; k++ {
				w.put(a[i]+uint64(k)*ac.size, i, ac.t, src.value(w, k, i))
			}
		}
		return
	}
	if ac.observed {
		w.tellAll(a, ac, s.space(), src, p)
	}
	for k := 0; k < ac.count; k++ {
		x32, x64 := src(w, k)
		base := s.base - uint64(k)*ac.size
		switch {
		case s.words != nil && ac.size == 4:
			for m := w.Active; m != 0; m &= m - 1 {
				i := first(m)
				s.words[(a[i]-base)>>2][i] = x32[i]
			}
		case s.words != nil && ac.size == 8:
			for m := w.Active; m != 0; m &= m - 1 {
				i := first(m)
				two := s.words[(a[i]-base)>>2:]
				two[0][i], two[1][i] = uint32(x64[i]), uint32(x64[i]>>32)
			}
		case s.words != nil:
			for m := w.Active; m != 0; m &= m - 1 {
				i := first(m)
				putLocal(s.words, a[i]-base, i, ac.t, uint64(x32[i]))
			}
		case x64 != nil:
			for m := w.Active; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & 31
				le.PutUint64(s.data[a[i]-base:], x64[i])
			}
		case ac.size == 4 && w.Active == every:
			for i := range x32 {
				le.PutUint32(s.data[a[i]-base:], x32[i])
			}
		default:
			for m := w.Active; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & 31
				putBytes(s.data, a[i]-base, ac.t, uint64(x32[i]))
			}
		}
	}
}
