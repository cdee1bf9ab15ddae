package lower

import (
	"workbench/engine/simt/check"
	"workbench/engine/simt/types"
)

// A leaf is a number or pointer in a struct or array.
type leaf struct {
	t      *types.Type
	offset int64
}

// maxLeaves is how many registers a value may take; what has more is in memory.
const maxLeaves = 256

// A shape is how a type is made of registers.
type shape struct {
	leaves []leaf
	fits   bool // it can be registers at all
}

// shapeOf returns the leaves of a type, in the order of their offsets.
func (l *lowerer) shapeOf(t *types.Type) *shape {
	if t.IsScalar() {
		if s := l.scalars[t.Kind]; s != nil && t.Kind != types.KindEnum {
			return s
		}
		s := &shape{leaves: []leaf{{t.Unqualified(), 0}}, fits: true}
		if t.Kind != types.KindEnum && t.Kind != types.KindPointer && t.Kind != types.KindReference {
			l.scalars[t.Kind] = s
		}
		return s
	}
	if t.Kind == types.KindStruct {
		if s := l.structs[t.Struct]; s != nil {
			return s
		}
		s := &shape{fits: true}
		s.add(t, 0)
		l.structs[t.Struct] = s
		return s
	}
	s := &shape{fits: true}
	s.add(t, 0)
	return s
}

func (s *shape) add(t *types.Type, at int64) {
	switch {
	case !s.fits:
	case t.IsScalar():
		s.leaves = append(s.leaves, leaf{t.Unqualified(), at})
	case t.Kind == types.KindArray:
		if t.Len < 0 || t.Len > maxLeaves {
			s.fits = false
			break
		}
		for i := range t.Len {
			s.add(t.Elem, at+i*t.Elem.Size())
		}
	case t.Kind == types.KindStruct && !t.Struct.Union:
		for _, f := range t.Struct.Fields {
			s.add(f.Type, at+f.Offset)
		}
	case t.Kind == types.KindVoid:
	default:
		s.fits = false
	}
	if len(s.leaves) > maxLeaves {
		s.fits = false
	}
	if !s.fits {
		s.leaves = nil
	}
}

// count returns how many leaves a type that fits has.
func (l *lowerer) count(t *types.Type) int { return len(l.shapeOf(t).leaves) }

// fieldLeaves returns which leaves of a struct its field is.
func (l *lowerer) fieldLeaves(t *types.Type, index int) (from, to int) {
	for i, f := range t.Struct.Fields {
		n := l.count(stored(f.Type))
		if i == index {
			return from, from + n
		}
		from += n
	}
	return from, from
}

// stored is the type that memory holds for a field: a pointer for a reference.
func stored(t *types.Type) *types.Type {
	if t.Kind == types.KindReference {
		return types.PointerTo(t.Elem)
	}
	return t
}

// constantLeaves returns the leaves of a constant.
func (l *lowerer) constantLeaves(t *types.Type, v check.Value, out []uint64) []uint64 {
	switch t.Kind {
	case types.KindArray:
		for i := range t.Len {
			var p check.Value
			if int(i) < len(v.Parts) {
				p = v.Parts[i]
			}
			out = l.constantLeaves(t.Elem, p, out)
		}
		return out
	case types.KindStruct:
		for i, f := range t.Struct.Fields {
			var p check.Value
			if i < len(v.Parts) {
				p = v.Parts[i]
			}
			out = l.constantLeaves(stored(f.Type), p, out)
		}
		return out
	}
	return append(out, check.Bits(t, v))
}
