package types

// A Struct is a struct, class or union. Two are different even if they are
// written alike.
type Struct struct {
	Name     string
	Union    bool
	Fields   []Field // in the order of their offsets; those of a union all at 0
	Size     int64
	Align    int64
	Complete bool // Fields, Size and Align are known
}

// A Field is a member that every value of a struct has.
type Field struct {
	Name   string // "" for a struct without a name in another, whose fields are the other's
	Type   *Type
	Offset int64
	Base   bool // it is a struct that this one is derived from
}

// An Enum is a type of named integers.
type Enum struct {
	Name   string
	Base   *Type // the integer it is stored as
	Scoped bool  // enum class: it does not become an integer by itself
}

// StructOf returns the type of a struct.
func StructOf(s *Struct) *Type { return &Type{Kind: KindStruct, Struct: s} }

// EnumOf returns the type of an enum.
func EnumOf(e *Enum) *Type { return &Type{Kind: KindEnum, Enum: e} }

// MaxSize is more than any value has bytes.
const MaxSize = 1 << 38

// Lay gives the fields their offsets, as the compilers for 64-bit hosts and for
// GPUs do, and s its size. align is what the source asks for, 0 if nothing. It
// reports false for a struct that is too large.
func (s *Struct) Lay(align int64) bool {
	var at int64
	s.Align = max(align, 1)
	for i := range s.Fields {
		f := &s.Fields[i]
		a := f.Type.Align()
		s.Align = max(s.Align, a)
		size := f.Type.Size()
		if f.Base && f.Type.Kind == KindStruct && f.Type.Struct.Empty() {
			size = 0 // what is empty takes no room in what is derived from it
		}
		if s.Union {
			f.Offset = 0
			at = max(at, size)
			continue
		}
		at = (at + a - 1) / a * a
		f.Offset = at
		if at += size; at > MaxSize {
			return false
		}
	}
	s.Size = (max(at, 1) + s.Align - 1) / s.Align * s.Align
	s.Complete = true
	return s.Size <= MaxSize
}

// Empty reports whether s has no fields.
func (s *Struct) Empty() bool {
	for _, f := range s.Fields {
		if !f.Base || f.Type.Kind != KindStruct || !f.Type.Struct.Empty() {
			return false
		}
	}
	return true
}

// Field returns the index of the field of that name, or -1.
func (s *Struct) Field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name && name != "" {
			return i
		}
	}
	return -1
}
