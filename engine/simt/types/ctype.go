package types

import (
	"fmt"
	"strings"
)

// Kind is the sort of a C type.
type Kind uint8

const (
	KindVoid Kind = iota
	KindBool
	KindChar // signed, as on the hosts that CUDA has
	KindSChar
	KindUChar
	KindShort
	KindUShort
	KindInt
	KindUInt
	KindLong // 64 bits
	KindULong
	KindLongLong
	KindULongLong
	KindHalf
	KindBFloat16
	KindFloat
	KindDouble
	KindNullptr
	KindPointer
	KindReference
	KindArray
	KindStruct // and union
	KindEnum
	KindFunction
)

var kinds = [...]struct {
	name   string
	scalar Scalar // in a register
}{
	KindVoid:      {"void", Void},
	KindBool:      {"bool", Pred},
	KindChar:      {"char", I8},
	KindSChar:     {"signed char", I8},
	KindUChar:     {"unsigned char", U8},
	KindShort:     {"short", I16},
	KindUShort:    {"unsigned short", U16},
	KindInt:       {"int", I32},
	KindUInt:      {"unsigned int", U32},
	KindLong:      {"long", I64},
	KindULong:     {"unsigned long", U64},
	KindLongLong:  {"long long", I64},
	KindULongLong: {"unsigned long long", U64},
	KindHalf:      {"__half", F16},
	KindBFloat16:  {"__nv_bfloat16", BF16},
	KindFloat:     {"float", F32},
	KindDouble:    {"double", F64},
	KindNullptr:   {"std::nullptr_t", Ptr},
	KindPointer:   {"pointer", Ptr},
	KindReference: {"reference", Ptr},
	KindArray:     {"array", Void},
	KindStruct:    {"struct", Void},
	KindEnum:      {"enum", Void},
	KindFunction:  {"function", Void},
}

// A Type is a type of C++. Types are not changed after they are made; two that
// are Identical may be two values.
type Type struct {
	Kind            Kind
	Const, Volatile bool

	Elem   *Type   // of a pointer, a reference and an array; the result of a function
	Len    int64   // of an array; -1 where it is not known
	RValue bool    // of a reference: &&
	Params []*Type // of a function

	Struct *Struct
	Enum   *Enum
}

// The types that need nothing else.
var (
	VoidType  = &Type{Kind: KindVoid}
	Bool      = &Type{Kind: KindBool}
	Char      = &Type{Kind: KindChar}
	SChar     = &Type{Kind: KindSChar}
	UChar     = &Type{Kind: KindUChar}
	Short     = &Type{Kind: KindShort}
	UShort    = &Type{Kind: KindUShort}
	Int       = &Type{Kind: KindInt}
	UInt      = &Type{Kind: KindUInt}
	Long      = &Type{Kind: KindLong}
	ULong     = &Type{Kind: KindULong}
	LongLong  = &Type{Kind: KindLongLong}
	ULongLong = &Type{Kind: KindULongLong}
	Half      = &Type{Kind: KindHalf}
	BFloat16  = &Type{Kind: KindBFloat16}
	Float     = &Type{Kind: KindFloat}
	Double    = &Type{Kind: KindDouble}
	Nullptr   = &Type{Kind: KindNullptr}
	basics    = []*Type{VoidType, Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LongLong, ULongLong, Half, BFloat16, Float, Double, Nullptr} // by kind
)

// Basic returns the type of that name, in the form that String gives it; nil if
// there is none.
func Basic(name string) *Type {
	for _, t := range basics {
		if kinds[t.Kind].name == name {
			return t
		}
	}
	return nil
}

// PointerTo returns elem*.
func PointerTo(elem *Type) *Type { return &Type{Kind: KindPointer, Elem: elem} }

// ReferenceTo returns elem& or elem&&. A reference to a reference is one to what
// that refers to.
func ReferenceTo(elem *Type, rvalue bool) *Type {
	if elem.Kind == KindReference {
		return &Type{Kind: KindReference, Elem: elem.Elem, RValue: elem.RValue && rvalue}
	}
	return &Type{Kind: KindReference, Elem: elem, RValue: rvalue}
}

// ArrayOf returns elem[n].
func ArrayOf(elem *Type, n int64) *Type { return &Type{Kind: KindArray, Elem: elem, Len: n} }

// FunctionOf returns the type of a function.
func FunctionOf(result *Type, params []*Type) *Type {
	return &Type{Kind: KindFunction, Elem: result, Params: params}
}

// Qualify returns t with const and volatile added. Those of an array are its
// elements'; references and functions have none.
func (t *Type) Qualify(isConst, isVolatile bool) *Type {
	switch {
	case t.Kind == KindReference || t.Kind == KindFunction || (t.Const || !isConst) && (t.Volatile || !isVolatile):
		return t
	case t.Kind == KindArray:
		return ArrayOf(t.Elem.Qualify(isConst, isVolatile), t.Len)
	}
	q := *t
	q.Const = t.Const || isConst
	q.Volatile = t.Volatile || isVolatile
	return &q
}

// Unqualified returns t without const and volatile of its own; an array without
// those of its elements.
func (t *Type) Unqualified() *Type {
	if t.Kind == KindArray {
		if e := t.Elem.Unqualified(); e != t.Elem {
			return ArrayOf(e, t.Len)
		}
		return t
	}
	if !t.Const && !t.Volatile {
		return t
	}
	if int(t.Kind) < len(basics) {
		return basics[t.Kind]
	}
	q := *t
	q.Const, q.Volatile = false, false
	return &q
}

// IsConst reports whether a value of t cannot be assigned to; an array's element
// decides for it.
func (t *Type) IsConst() bool {
	for t.Kind == KindArray {
		t = t.Elem
	}
	return t.Const
}

// IsVolatile is the same for volatile.
func (t *Type) IsVolatile() bool {
	for t.Kind == KindArray {
		t = t.Elem
	}
	return t.Volatile
}

// Referred returns what a reference refers to, and any other type as it is.
func (t *Type) Referred() *Type {
	if t.Kind == KindReference {
		return t.Elem
	}
	return t
}

// Innermost returns the type of the elements of an array of any rank.
func (t *Type) Innermost() *Type {
	for t.Kind == KindArray {
		t = t.Elem
	}
	return t
}

// Identical reports whether x and y are the same type, const and volatile too.
func Identical(x, y *Type) bool {
	if x == y {
		return true
	}
	if x.Kind != y.Kind || x.Const != y.Const || x.Volatile != y.Volatile {
		return false
	}
	switch x.Kind {
	case KindPointer:
		return Identical(x.Elem, y.Elem)
	case KindReference:
		return x.RValue == y.RValue && Identical(x.Elem, y.Elem)
	case KindArray:
		return x.Len == y.Len && Identical(x.Elem, y.Elem)
	case KindStruct:
		return x.Struct == y.Struct
	case KindEnum:
		return x.Enum == y.Enum
	case KindFunction:
		if len(x.Params) != len(y.Params) || !Identical(x.Elem, y.Elem) {
			return false
		}
		for i := range x.Params {
			if !Identical(x.Params[i], y.Params[i]) {
				return false
			}
		}
	}
	return true
}

// Same reports whether x and y are identical but for their own const and
// volatile.
func Same(x, y *Type) bool { return Identical(x.Unqualified(), y.Unqualified()) }

// Integer reports whether t is bool, a character or an integer, and no enum.
func (t *Type) Integer() bool { return t.Kind >= KindBool && t.Kind <= KindULongLong }

// Floating reports whether t is a floating-point type.
func (t *Type) Floating() bool { return t.Kind >= KindHalf && t.Kind <= KindDouble }

// HalfWidth reports whether t is __half or __nv_bfloat16.
func (t *Type) HalfWidth() bool { return t.Kind == KindHalf || t.Kind == KindBFloat16 }

// Arithmetic reports whether t is a number.
func (t *Type) Arithmetic() bool { return t.Integer() || t.Floating() }

// IsPointer reports whether t is a pointer.
func (t *Type) IsPointer() bool { return t.Kind == KindPointer }

// IsScalar reports whether a value of t is one value in a register.
func (t *Type) IsScalar() bool {
	return t.Arithmetic() || t.Kind == KindEnum || t.Kind == KindPointer || t.Kind == KindNullptr || t.Kind == KindReference
}

// Signed reports whether t is an integer or an enum with a sign.
func (t *Type) Signed() bool {
	if t.Kind == KindEnum {
		return t.Enum.Base.Signed()
	}
	return t.Integer() && kinds[t.Kind].scalar.Signed()
}

// Scalar returns what a register holds a value of t as; Void if no register can.
func (t *Type) Scalar() Scalar {
	if t.Kind == KindEnum {
		return t.Enum.Base.Scalar()
	}
	return kinds[t.Kind].scalar
}

// Element returns what memory holds a value of t as: a bool as a u8.
func (t *Type) Element() Scalar {
	if s := t.Scalar(); s != Pred {
		return s
	}
	return U8
}

// Size returns the bytes of a value of t, 0 where it has none.
func (t *Type) Size() int64 {
	switch t.Kind {
	case KindArray:
		return max(t.Len, 0) * t.Elem.Size()
	case KindStruct:
		return t.Struct.Size
	case KindVoid, KindFunction:
		return 0
	}
	return int64(t.Element().Size())
}

// Align returns the alignment of t in bytes, at least 1.
func (t *Type) Align() int64 {
	switch t.Kind {
	case KindArray:
		return t.Elem.Align()
	case KindStruct:
		return max(t.Struct.Align, 1)
	}
	return max(t.Size(), 1)
}

// Complete reports whether the size of t is known.
func (t *Type) Complete() bool {
	switch t.Kind {
	case KindVoid, KindFunction:
		return false
	case KindArray:
		return t.Len >= 0 && t.Elem.Complete()
	case KindStruct:
		return t.Struct.Complete
	}
	return true
}

// String writes t as C++ does: const float *, int [4][2].
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b, "", 0)
	return b.String()
}

// write puts t around a declarator.
func (t *Type) write(b *strings.Builder, inner string, depth int) {
	if depth > 50 {
		b.WriteString("…")
		return
	}
	switch t.Kind {
	case KindPointer, KindReference:
		op := "*"
		if t.Kind == KindReference {
			if op = "&"; t.RValue {
				op = "&&"
			}
		}
		inner = op + t.suffix() + inner
		if t.Elem.Kind == KindArray || t.Elem.Kind == KindFunction {
			inner = "(" + inner + ")"
		}
		t.Elem.write(b, inner, depth+1)
		return
	case KindArray:
		length := ""
		if t.Len >= 0 {
			length = fmt.Sprint(t.Len)
		}
		t.Elem.write(b, inner+"["+length+"]", depth+1)
		return
	case KindFunction:
		var params []string
		for _, p := range t.Params {
			params = append(params, p.String())
		}
		t.Elem.write(b, inner+"("+strings.Join(params, ", ")+")", depth+1)
		return
	}
	if t.Const {
		b.WriteString("const ")
	}
	if t.Volatile {
		b.WriteString("volatile ")
	}
	switch t.Kind {
	case KindStruct:
		b.WriteString(t.Struct.Name)
	case KindEnum:
		b.WriteString(t.Enum.Name)
	default:
		b.WriteString(kinds[t.Kind].name)
	}
	if inner != "" {
		b.WriteString(" " + inner)
	}
}

// suffix writes the qualifiers of a pointer.
func (t *Type) suffix() string {
	s := ""
	if t.Const {
		s += "const"
	}
	if t.Volatile {
		if s != "" {
			s += " "
		}
		s += "volatile"
	}
	return s
}
