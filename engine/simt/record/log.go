package record

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

// A log is records one behind the other: a byte that says what it is, one for the
// warp, two for its length, and then, little-endian:
//
//	step     pos 4, scope 4, active 4, live 4
//	release
//	end
//	note     up 1, form 1, var 2, leaf 2, mask 4, and the values
//	declare  number 4, memory 4, mask 4
//	enter    pos 4, frame 4, mask 4
//	leave
//	access   pos 4, kind 1, space 1, type 1, count 1, form 1, mask 4, the addresses, and for each lane the bytes it moves
//	after    type 1, form 1, mask 4, the addresses, and for each lane the bytes that are there now
//	barrier  pos 4, mask 4
//	live     live 4
//	text     what was printed
//	exchange pos 4, kind 1, gives 1, gets 1, mask 4, and for each lane the lane whose value it got 1, and the bits it gave and got
//
// Masks are of lanes; lists have one entry for each lane of the mask, ascending.
const (
	recStep = 1 + iota
	recRelease
	recEnd
	recNote
	recDeclare
	recEnter
	recLeave
	recAccess
	recAfter
	recBarrier
	recLive
	recText
	recExchange
)

// Forms of a note's values, and of addresses.
const (
	formUnset  = iota
	formOne    // 8 bytes for all lanes
	formPred   // a mask
	formList32 // 4 bytes for each lane
	formList64 // 8
	formEven   // a value for the first lane of the warp and what each further one has more: 8 and 8
	formMemory = 0x80
)

var le = binary.LittleEndian

// Bytes of records, and of those of further contents what they have without them.
const (
	header      = 4
	stepBytes   = header + 16
	noteBytes   = header + 10
	accessBytes = header + 13
	afterBytes  = header + 6
	exchBytes   = header + 11
	maxText     = 32 << 10 // of what is printed, in one record
)

const every = 1<<32 - 1 // lanes

// begin appends a record's header.
func begin(log []byte, kind byte, warp int) []byte { return append(log, kind, byte(warp), 0, 0) }

// finish enters the length of the record that begins at start.
func finish(log []byte, start int) { le.PutUint16(log[start+2:], uint16(len(log)-start)) }

func length(rec []byte) int { return int(le.Uint16(rec[2:])) }

// wideForm returns how values of 64 bits of the lanes of a mask are written.
func wideForm(log []byte, x *[32]uint64, mask uint32) ([]byte, byte) {
	first := bits.TrailingZeros32(mask) & 31
	step := uint64(0)
	if rest := mask & (mask - 1); rest != 0 {
		second := bits.TrailingZeros32(rest) & 31
		step = x[second] - x[first]
		if n := uint64(second - first); n > 1 {
			step = uint64(int64(step) / int64(n))
		}
	}
	base := x[first] - step*uint64(first)
	if mask == every {
		differ, want := uint64(0), base
		for _, v := range x {
			differ |= v ^ want
			want += step
		}
		if differ == 0 {
			log = le.AppendUint64(log, base)
			return le.AppendUint64(log, step), formEven
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		k := bits.TrailingZeros32(m) & 31
		if x[k] != base+step*uint64(k) {
			for m := mask; m != 0; m &= m - 1 {
				log = le.AppendUint64(log, x[bits.TrailingZeros32(m)&31])
			}
			return log, formList64
		}
	}
	log = le.AppendUint64(log, base)
	return le.AppendUint64(log, step), formEven
}

// narrowForm is wideForm of 32 bits.
func narrowForm(log []byte, x *[32]uint32, mask uint32) ([]byte, byte) {
	first := bits.TrailingZeros32(mask) & 31
	one := x[first]
	if mask == every {
		differ := uint32(0)
		for _, v := range x {
			differ |= v ^ one
		}
		if differ == 0 {
			return le.AppendUint64(log, uint64(one)), formOne
		}
		at := len(log)
		log = slices.Grow(log, 128)[:at+128]
		to := log[at:]
		for i, v := range x {
			le.PutUint32(to[4*i:], v)
		}
		return log, formList32
	}
	for m := mask; m != 0; m &= m - 1 {
		if x[bits.TrailingZeros32(m)&31] != one {
			for m := mask; m != 0; m &= m - 1 {
				log = le.AppendUint32(log, x[bits.TrailingZeros32(m)&31])
			}
			return log, formList32
		}
	}
	return le.AppendUint64(log, uint64(one)), formOne
}

// readForm calls see with the value of each lane, and returns what follows.
func readForm(form byte, data []byte, mask uint32, see func(lane int, x uint64)) []byte {
	switch form &^ formMemory {
	case formOne:
		x := le.Uint64(data)
		lanes(mask, func(lane int) { see(lane, x) })
		return data[8:]
	case formPred:
		x := le.Uint32(data)
		lanes(mask, func(lane int) { see(lane, uint64(x>>lane&1)) })
		return data[4:]
	case formList32:
		lanes(mask, func(lane int) {
			see(lane, uint64(le.Uint32(data)))
			data = data[4:]
		})
	case formList64:
		lanes(mask, func(lane int) {
			see(lane, le.Uint64(data))
			data = data[8:]
		})
	case formEven:
		base, step := le.Uint64(data), le.Uint64(data[8:])
		lanes(mask, func(lane int) { see(lane, base+step*uint64(lane)) })
		return data[16:]
	}
	return data
}

// noted is a note record.
type noted struct {
	up, slot, leaf int
	form           byte
	mask           uint32
	values         []byte
}

func readNote(rec []byte) noted {
	return noted{
		up: int(rec[4]), form: rec[5], slot: int(le.Uint16(rec[6:])), leaf: int(le.Uint16(rec[8:])), mask: le.Uint32(rec[10:]), values: rec[14:length(rec)],
	}
}

// access is an access or after record.
type access struct {
	pos   code.Pos
	kind  run.AccessKind
	space code.Space
	t     types.Scalar
	count int
	mask  uint32
	addrs [32]run.Pointer
	bytes []byte // width for each lane of mask
}

func (a *access) width() int { return a.t.Size() * a.count }

func readAccess(rec []byte, a *access) {
	*a = access{
		pos: code.Pos(le.Uint32(rec[4:])), kind: run.AccessKind(rec[8]), space: code.Space(rec[9]), t: types.Scalar(rec[10]), count: int(rec[11]),
		mask: le.Uint32(rec[13:]),
	}
	a.bytes = readForm(rec[12], rec[17:length(rec)], a.mask, func(lane int, x uint64) { a.addrs[lane] = run.Pointer(x) })
}

func readAfter(rec []byte, a *access) {
	*a = access{t: types.Scalar(rec[4]), count: 1, mask: le.Uint32(rec[6:])}
	a.bytes = readForm(rec[5], rec[10:length(rec)], a.mask, func(lane int, x uint64) { a.addrs[lane] = run.Pointer(x) })
}

// bits returns element k of the n-th lane of the mask.
func (a *access) bits(n, k int) uint64 {
	size := a.t.Size()
	b := a.bytes[(n*a.count+k)*size:]
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(le.Uint16(b))
	case 4:
		return uint64(le.Uint32(b))
	}
	return le.Uint64(b)
}

func putBits(b []byte, size int, x uint64) {
	switch size {
	case 1:
		b[0] = byte(x)
	case 2:
		le.PutUint16(b, uint16(x))
	case 4:
		le.PutUint32(b, uint32(x))
	default:
		le.PutUint64(b, x)
	}
}

// apply makes of a state what a record says.
func (t *tape) apply(s *state, rec []byte) {
	index := int(rec[1])
	w := &s.warps[index]
	switch rec[0] {
	case recStep:
		s.step++
		w.step = s.step
		w.pos, w.scope, w.active, w.live = code.Pos(le.Uint32(rec[4:])), int32(le.Uint32(rec[8:])), le.Uint32(rec[12:]), le.Uint32(rec[16:])
		f := &w.frames[len(w.frames)-1]
		f.pos, f.scope = w.pos, w.scope
		if w.active == every {
			for i := range w.lanes {
				w.lanes[i] = w.pos
			}
			return
		}
		for m := w.active; m != 0; m &= m - 1 {
			w.lanes[bits.TrailingZeros32(m)&31] = w.pos
		}
	case recRelease:
		s.step++
		s.phase++
		for i := range s.warps {
			s.warps[i].waiting = 0
		}
	case recEnd:
		s.step++
	case recNote:
		t.note(s, w, readNote(rec))
	case recDeclare:
		t.declare(s, w, int(le.Uint32(rec[4:])), int32(le.Uint32(rec[8:])), le.Uint32(rec[12:]))
	case recEnter:
		pos := code.Pos(le.Uint32(rec[4:]))
		t.push(s, w, frame{frame: int32(le.Uint32(rec[8:])), call: pos, pos: pos, lanes: le.Uint32(rec[12:])})
	case recLeave:
		t.pop(s, w)
	case recAccess:
		if run.AccessKind(rec[8]) != run.Store || code.Space(rec[9]) == code.Global {
			return
		}
		if t.storedRow(s, w, index, rec) {
			return
		}
		readAccess(rec, &s.scratch)
		if s.scratch.space == code.Shared && s.scratch.width() == 4 && s.scratch.count == 1 {
			t.storedWords(s, w, index)
			return
		}
		t.stored(s, w, index)
	case recAfter:
		readAfter(rec, &s.scratch)
		t.stored(s, w, index)
	case recBarrier:
		w.waiting |= le.Uint32(rec[8:])
	case recLive:
		w.live = le.Uint32(rec[4:])
		w.active &= w.live
	}
}

// stored writes what scratch says is stored.
func (t *tape) stored(s *state, w *warp, index int) {
	a, n, size := &s.scratch, 0, s.scratch.t.Size()
	lanes(a.mask, func(lane int) {
		for k := range a.count {
			t.store(s, w, index, lane, a.addrs[lane]+run.Pointer(k*size), size, a.bits(n, k))
		}
		n++
	})
}

// storedRow is stored of a word for each lane, one behind the other in shared
// memory, if that is what the record says.
func (t *tape) storedRow(s *state, w *warp, index int, rec []byte) bool {
	if code.Space(rec[9]) != code.Shared || rec[12] != formEven || le.Uint32(rec[13:]) != every || length(rec) != 33+128 || le.Uint64(rec[25:]) != 4 {
		return false
	}
	p := run.Pointer(le.Uint64(rec[17:]))
	o, n := p.Offset(), p.Number()
	if n >= len(t.sharedOf) || t.sharedOf[n] < 0 || o < 0 || o&3 != 0 {
		return false
	}
	k := t.sharedOf[n]
	to := &s.slabs[k]
	if t.shared[k].grain != 4 || o+128 > int64(len(to.data)) {
		return false
	}
	copy(to.data[o:o+128], rec[33:])
	owners, steps := to.owners[o/4:o/4+32], to.steps[o/4:o/4+32]
	first := uint16(32*index + 1)
	for i := range owners {
		owners[i] = first + uint16(i)
	}
	for i := range steps {
		steps[i] = w.step
	}
	return true
}

// storedWords is stored of words of shared memory that are at multiples of 4.
func (t *tape) storedWords(s *state, w *warp, index int) {
	a := &s.scratch
	values := a.bytes
	for m := a.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		p := a.addrs[lane]
		o, n := p.Offset(), p.Number()
		if n < len(t.sharedOf) && t.sharedOf[n] >= 0 {
			k := t.sharedOf[n]
			if to := &s.slabs[k]; t.shared[k].grain == 4 && o >= 0 && o+4 <= int64(len(to.data)) && o&3 == 0 {
				copy(to.data[o:o+4], values)
				to.owners[o/4] = uint16(32*index + lane + 1)
				to.steps[o/4] = w.step
			} else {
				t.store(s, w, index, lane, p, 4, uint64(le.Uint32(values)))
			}
		}
		values = values[4:]
	}
}

// note gives a variable its value.
func (t *tape) note(s *state, w *warp, n noted) {
	at := len(w.frames) - 1 - n.up
	if at < 0 || w.frames[at].data == nil {
		return
	}
	f := &w.frames[at]
	l := &t.layouts[f.frame]
	if n.slot >= len(l.vars) {
		return
	}
	v := &l.vars[n.slot]
	if n.form&formMemory != 0 {
		if !v.address.wide {
			return
		}
		for _, c := range v.leaves {
			f.data[c.mask] &^= n.mask
		}
		f.data[v.address.mask] |= n.mask
		readForm(n.form, n.values, n.mask, func(lane int, x uint64) { v.address.set(f.data, lane, x) })
		return
	}
	if n.leaf >= len(v.leaves) {
		return
	}
	if v.address.wide {
		f.data[v.address.mask] &^= n.mask
	}
	c := v.leaves[n.leaf]
	if n.form == formUnset {
		f.data[c.mask] &^= n.mask
		return
	}
	f.data[c.mask] |= n.mask
	if n.form == formOne && !c.wide {
		x := uint32(le.Uint64(n.values))
		for m := n.mask; m != 0; m &= m - 1 {
			f.data[c.at+bits.TrailingZeros32(m)&31] = x
		}
		return
	}
	if n.form == formList32 && !c.wide {
		values, to := n.values, f.data[c.at:c.at+32]
		if n.mask == every && len(values) >= 128 {
			for i := range to {
				to[i] = le.Uint32(values[4*i:])
			}
			return
		}
		for m := n.mask; m != 0; m &= m - 1 {
			to[bits.TrailingZeros32(m)&31] = le.Uint32(values)
			values = values[4:]
		}
		return
	}
	readForm(n.form, n.values, n.mask, func(lane int, x uint64) { c.set(f.data, lane, x) })
}

// posOf returns the position of a step.
func posOf(step []byte) code.Pos { return code.Pos(le.Uint32(step[4:])) }
