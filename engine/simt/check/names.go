package check

import (
	"fmt"
	"strings"

	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// A templateID is a template of functions with arguments: reduce<256>.
type templateID struct {
	set  *overloads
	args []syntax.Arg
	at   source.Pos
}

// find returns what a name stands for. Where there is nothing it fails, unless
// optional, when it returns nil.
func (c *checker) find(n *syntax.Name, must bool) entity {
	var in *scope
	if n.Global {
		in = c.global
	}
	for i := range n.Parts {
		part := &n.Parts[i]
		var e entity
		if in == nil {
			e = c.scope.lookup(part.Ident, c.order)
			if e == nil && part.Ident == c.selfName() {
				e = c.scope.enclosing().self()
			}
		} else {
			e = in.own(part.Ident, c.order, nil)
			if e == nil && in.class != nil && in.class.name == part.Ident {
				e = in.class.self()
			}
		}
		if _, ok := e.(*ambiguous); ok {
			c.errorf(part.Pos(), part.Ident, "several namespaces in use here have a %s", part.Ident)
		}
		if e == nil {
			if !must {
				return nil
			}
			c.notFound(n, i, in)
		}
		if part.HasArgs {
			e = c.withArgs(e, part)
		}
		if i == len(n.Parts)-1 {
			return e
		}
		in = c.scopeOf(e, part)
	}
	return nil
}

func (c *checker) selfName() string {
	if cl := c.scope.enclosing(); cl != nil {
		return cl.name
	}
	return ""
}

// withArgs applies the arguments of a template.
func (c *checker) withArgs(e entity, part *syntax.Part) entity {
	switch x := e.(type) {
	case *classTemplate:
		cl := c.classInstance(x, part.Args, part.Pos())
		return &typeName{cl.typ, cl}
	case *typeName:
		if x.class != nil && x.class.template != nil {
			// The name of a template in itself.
			cl := c.classInstance(x.class.template, part.Args, part.Pos())
			return &typeName{cl.typ, cl}
		}
	case *aliasTemplate:
		t := c.aliasInstance(x, part.Args, part.Pos())
		return &typeName{t, c.classOf(t)}
	case *varTemplate:
		return c.varInstance(x, part.Args, part.Pos())
	case *overloads:
		return &templateID{x, part.Args, part.Pos()}
	case *hostCode:
		c.unusable(x, part.Pos())
	}
	c.errorf(part.Pos(), part.Ident, "%s is no template: it takes no arguments in < >", part.Ident)
	return nil
}

// scopeOf returns the scope that a name before :: opens.
func (c *checker) scopeOf(e entity, part *syntax.Part) *scope {
	switch x := e.(type) {
	case *namespace:
		return x.scope
	case *typeName:
		if x.typ.Kind == types.KindEnum {
			return c.enums[x.typ.Enum].scope
		}
		if cl := c.classOf(x.typ); cl != nil {
			c.complete(cl, part.Pos())
			return cl.scope
		}
		c.errorf(part.Pos(), part.Ident, "%s is %s: it has no members", part.Ident, x.typ)
	case *classTemplate:
		c.fail(source.Errorf(part.Pos(), part.Ident, "%s is a template: its arguments are missing", part.Ident).With("write them in angle brackets: %s<…>", part.Ident))
	case *hostCode:
		c.unusable(x, part.Pos())
	}
	c.errorf(part.Pos(), part.Ident, "%s is no namespace and no type: nothing can be in it", part.Ident)
	return nil
}

// notFound reports a name that nothing has.
func (c *checker) notFound(n *syntax.Name, i int, in *scope) {
	part := n.Parts[i]
	if in != nil && (in.class != nil || in != c.global) {
		where := "here"
		if i > 0 {
			where = "in " + n.Parts[i-1].Ident
		}
		err := source.Errorf(part.Pos(), n.String(), "there is no %s %s", part.Ident, where).Missing()
		if h, ok := stdHeaders[part.Ident]; ok && i == 1 && n.Parts[0].Ident == "std" {
			err.With("%s", h)
		} else if i == 1 && n.Parts[0].Ident == "std" {
			err.With("of the namespace std there are min, max, swap and the functions of math.h")
		} else if instead, ok := ofGroups[part.Ident]; ok && i == 1 {
			err.With("%s", instead).Refused()
		}
		c.fail(err)
	}
	err := source.Errorf(part.Pos(), part.Ident, "there is no %s here", part.Ident).Missing()
	if later := c.scope.lookup(part.Ident, everything); later != nil {
		err = source.Errorf(part.Pos(), part.Ident, "%s is used before it is declared", part.Ident).With("move its declaration up, or declare it in front")
		if o, ok := later.(*overloads); ok {
			err.Note(o.list[0].pos, "it is declared here")
		}
	} else if instead, ok := insteadOf[part.Ident]; ok {
		err.With("%s", instead).Refused()
	} else if strings.HasPrefix(part.Ident, "cuda") || strings.HasPrefix(part.Ident, "cu") && len(part.Ident) > 2 && part.Ident[2] >= 'A' && part.Ident[2] <= 'Z' {
		err.With("it belongs to the host's program, which is not part of a kernel's file")
	} else if near := c.near(part.Ident); near != "" {
		err.With("is %s meant?", near)
	}
	c.fail(err)
}

// near returns a name in sight that differs from name by one letter, or "".
func (c *checker) near(name string) string {
	if len(name) < 3 {
		return ""
	}
	for s := c.scope; s != nil; s = s.parent {
		if best := nearest(name, s.names); best != "" {
			return best
		}
	}
	return ""
}

// nearest returns the name that differs least from name, "" if all differ by more
// than a letter.
func nearest(name string, names map[string]entity) string {
	best := ""
	for other := range names {
		if oneOff(name, other) && other != name && (best == "" || closer(name, other, best)) {
			best = other
		}
	}
	return best
}

// closer reports whether x is the likelier one to be meant by name: but for
// capitals the same, then with as many letters, and then by the alphabet, so that it
// is always the same.
func closer(name, x, y string) bool {
	if strings.EqualFold(x, name) != strings.EqualFold(y, name) {
		return strings.EqualFold(x, name)
	}
	if (len(x) == len(name)) != (len(y) == len(name)) {
		return len(x) == len(name)
	}
	return x < y
}

// oneOff reports whether one inserted, deleted, changed or exchanged letter makes
// x of y, or only capitals differ.
func oneOff(x, y string) bool {
	if strings.EqualFold(x, y) {
		return true
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) == len(y) {
		if x[i+1:] == y[i+1:] {
			return true
		}
		return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && x[i+2:] == y[i+2:]
	}
	return x[i:] == y[i+1:]
}

// insteadOf says of names that kernels know from elsewhere what there is.
var insteadOf = map[string]string{
	"__shfl": "lanes have no common step: use __shfl_sync(0xffffffff, x, lane)", "__shfl_up": "use __shfl_up_sync(0xffffffff, x, delta)",
	"__shfl_down": "use __shfl_down_sync(0xffffffff, x, delta)", "__shfl_xor": "use __shfl_xor_sync(0xffffffff, x, lanes)",
	"__any": "use __any_sync(0xffffffff, p)", "__all": "use __all_sync(0xffffffff, p)", "__ballot": "use __ballot_sync(0xffffffff, p)",
	"malloc": "memory from the heap is not supported: use memory that the kernel is given, or a local array", "free": "memory from the heap is not supported",
	"uchar": "use unsigned char, or typedef unsigned char uchar;", "uint8": "use uint8_t", "byte": "use unsigned char", "u8": "use unsigned char", "u32": "use unsigned int", "f32": "use float",
	"half_t": "use __half", "bfloat16": "use __nv_bfloat16",
	"tex1D": "textures are not supported: read a buffer", "tex1Dfetch": "textures are not supported: read a buffer", "tex2D": "textures are not supported: read a buffer", "tex3D": "textures are not supported: read a buffer",
	"texture": "textures are not supported: read a buffer", "cudaTextureObject_t": "textures are not supported: read a buffer", "surf2Dread": "surfaces are not supported: read a buffer", "surf2Dwrite": "surfaces are not supported: write to a buffer",
	"wmma": "matrix fragments are not supported: write the product with shared memory", "nvcuda": "matrix fragments are not supported: write the product with shared memory",
	"curand": "random numbers are not supported: compute them from the thread's number, or hand the kernel a buffer of them", "curandState": "random numbers are not supported: hand the kernel a buffer of them",
	"curand_init": "random numbers are not supported: hand the kernel a buffer of them", "curand_uniform": "random numbers are not supported: hand the kernel a buffer of them",
	"__pipeline_memcpy_async": "copy with an assignment", "__pipeline_commit": "copy with an assignment and wait with __syncthreads()", "__pipeline_wait_prior": "copy with an assignment and wait with __syncthreads()",
	"cooperative_groups": "#include <cooperative_groups.h>", "cg": "#include <cooperative_groups.h> and write namespace cg = cooperative_groups;",
	"thrust": "write it as a loop over threads", "cub": "write it with shared memory and __shfl_down_sync", "cute": "write it with shared memory", "cutlass": "write it with shared memory",
	"cout": "use printf", "endl": "use printf with \\n", "fprintf": "use printf", "puts": "use printf", "putchar": "use printf", "sprintf": "use printf", "snprintf": "use printf", "exit": "return, or __trap() to end the launch", "abort": "use __trap()",
	"rand": "there is no rand in a kernel: compute it from the thread's number, or hand the kernel a buffer", "srand": "there is no rand in a kernel",
	"j0f": "Bessel functions are not supported", "j1f": "Bessel functions are not supported", "y0f": "Bessel functions are not supported", "y1f": "Bessel functions are not supported", "jnf": "Bessel functions are not supported",
	"__cvta_generic_to_shared": "assembly that needs it is not supported: use pointers as they are",
	"cudaMemcpyAsync":          "copy with a loop", "assertion": "use assert", "true_type": "#include <type_traits>",
	"__func": "use __func__",
}

// ofGroups says of names of cooperative_groups that nothing here has what there is
// instead.
var ofGroups = map[string]string{
	"memcpy_async": "asynchronous copies are not supported: copy with a loop and wait with sync()", "wait": "asynchronous copies are not supported: copy with a loop and wait with sync()",
	"wait_prior":   "asynchronous copies are not supported: copy with a loop and wait with sync()",
	"this_cluster": "clusters of blocks are not supported: use blocks, and global memory between them", "this_multi_grid": "groups of several GPUs are not supported",
}

// stdHeaders says which header has a name of std.
var stdHeaders = map[string]string{
	"numeric_limits": "#include <limits>", "is_same": "#include <type_traits>", "is_same_v": "#include <type_traits>", "enable_if": "#include <type_traits>", "enable_if_t": "#include <type_traits>",
	"conditional": "#include <type_traits>", "conditional_t": "#include <type_traits>", "is_integral": "#include <type_traits>", "is_floating_point": "#include <type_traits>",
	"vector": "use an array, or a buffer that the kernel is given", "string": "kernels have char arrays only", "array": "use an array", "cout": "use printf", "endl": "use printf with \\n",
	"function": "take a struct with operator() as a template parameter", "tuple": "use a struct", "pair": "use a struct", "optional": "use a struct", "unique_ptr": "use a plain pointer",
	"complex": "use float2 and write the arithmetic out", "sort": "write the sort as a kernel", "thread": "threads are those of the launch",
}

// ---- types -----------------------------------------------------------------------

// typeOf returns the type that is written.
func (c *checker) typeOf(t syntax.Type) *types.Type {
	defer c.enter(t.Pos())()
	switch t := t.(type) {
	case *syntax.Basic:
		if b := types.Basic(t.Name); b != nil {
			return b
		}
	case *syntax.Named:
		return c.namedType(t.Name)
	case *syntax.Qualified:
		return c.typeOf(t.Elem).Qualify(t.Const, t.Volatile)
	case *syntax.Pointer:
		elem := c.typeOf(t.Elem)
		if elem.Kind == types.KindReference {
			c.errorf(t.Pos(), "pointer to a reference", "there are no pointers to references")
		}
		return types.PointerTo(elem)
	case *syntax.Reference:
		elem := c.typeOf(t.Elem)
		if elem.Kind == types.KindVoid {
			c.errorf(t.Pos(), "reference to void", "there are no references to void")
		}
		if elem.Kind == types.KindFunction {
			c.refuse(t.Pos(), "reference to a function", "take a struct with operator() as a template parameter")
		}
		return types.ReferenceTo(elem, t.RValue)
	case *syntax.Array:
		elem := c.typeOf(t.Elem)
		n := int64(-1)
		if t.Len != nil {
			n = c.arrayLen(t.Len)
		}
		return c.arrayOf(elem, n, t.Pos())
	case *syntax.Function:
		var params []*types.Type
		for _, p := range t.Params {
			params = append(params, c.paramType(p).Unqualified())
		}
		return types.FunctionOf(c.typeOf(t.Result), params)
	case *syntax.Auto:
		if c.autoAs != nil {
			return c.autoAs
		}
		c.errorf(t.Pos(), "auto", "auto cannot stand here: nothing says which type it is")
	case *syntax.Decltype:
		return c.decltype(t.X)
	case *syntax.Defined:
		for s := c.scope; s != nil; s = s.parent {
			if found := s.decls[t.Decl]; found != nil {
				return found
			}
		}
		c.declare(t.Decl)
		if found := c.scope.decls[t.Decl]; found != nil {
			return found
		}
	case *syntax.PackType:
		c.refuse(t.Pos(), "pack of template parameters", "write an overload or a template for each number of arguments")
	}
	c.errorf(t.Pos(), "type", "this type is not known")
	return nil
}

// arrayOf returns elem[n] if there can be such a thing.
func (c *checker) arrayOf(elem *types.Type, n int64, pos source.Pos) *types.Type {
	switch {
	case elem.Kind == types.KindReference:
		c.errorf(pos, "array of references", "there are no arrays of references")
	case elem.Kind == types.KindVoid, elem.Kind == types.KindFunction:
		c.errorf(pos, "array", "there are no arrays of %s", elem)
	case elem.Kind == types.KindArray && elem.Len < 0:
		c.errorf(pos, "array", "only the first length of an array can be left out")
	}
	if elem.Kind == types.KindStruct {
		c.complete(c.classOf(elem), pos)
		if !elem.Struct.Complete {
			c.errorf(pos, "array", "%s is declared but not defined: its size is not known", elem)
		}
	}
	if n > 0 && elem.Size() > 0 && n > types.MaxSize/elem.Size() {
		c.errorf(pos, "array", "this array has more than %d bytes", int64(types.MaxSize))
	}
	return types.ArrayOf(elem, n)
}

// arrayLen returns the length of an array that an expression gives.
func (c *checker) arrayLen(x syntax.Expr) int64 {
	e := c.value(x)
	t := e.Type()
	if !t.Integer() && t.Kind != types.KindEnum {
		c.errorf(x.Pos(), "array", "the length of an array is an integer, not %s", t)
	}
	v, ok := c.constant(e)
	if !ok {
		c.fail(source.Errorf(x.Pos(), "array", "the length of an array must be known when the kernel is compiled").With("use constexpr int, a #define, a template parameter, or extern __shared__ for a length that the launch gives"))
	}
	n := int64(v.Bits)
	if t.Signed() && n < 0 || n == 0 {
		c.errorf(x.Pos(), "array", "an array of %d elements is not possible", n)
	}
	if n < 0 || n > types.MaxSize {
		c.errorf(x.Pos(), "array", "this array has more than %d elements", int64(types.MaxSize))
	}
	return n
}

func (c *checker) namedType(n *syntax.Name) *types.Type {
	switch e := c.find(n, true).(type) {
	case *typeName:
		return e.typ
	case *classTemplate:
		c.fail(source.Errorf(n.Pos(), n.String(), "%s is a template: its arguments are missing", n).With("write them in angle brackets: %s<…>", n))
	case *aliasTemplate:
		c.fail(source.Errorf(n.Pos(), n.String(), "%s is a template: its arguments are missing", n).With("write them in angle brackets: %s<…>", n))
	case *hostCode:
		c.unusable(e, n.Pos())
		c.fail(source.Errorf(n.Pos(), n.String(), "%s belongs to the host's program", n).Note(e.pos, "it was passed over here"))
	}
	err := source.Errorf(n.Pos(), n.String(), "%s is no type", n)
	if len(n.Parts) > 1 && !n.Typename {
		err.With("if it depends on a template parameter write typename in front")
	}
	c.fail(err)
	return nil
}

// decltype returns the type of an expression as it was declared.
func (c *checker) decltype(x syntax.Expr) *types.Type {
	if id, ok := x.(*syntax.Ident); ok {
		switch e := c.find(id.Name, true).(type) {
		case *Var:
			c.settle(e)
			return e.Type
		case *constant:
			return e.typ
		}
	}
	e := c.expr(x)
	t := e.Type()
	if e.Place() {
		if m, ok := x.(*syntax.Member); ok && m != nil {
			return t
		}
		return types.ReferenceTo(t, false)
	}
	return t
}

// requireComplete fails for a type whose size is not known.
func (c *checker) requireComplete(t *types.Type, pos source.Pos, what string) {
	inner := t.Innermost()
	if inner.Kind == types.KindStruct {
		c.complete(c.classOf(inner), pos)
	}
	switch {
	case t.Kind == types.KindVoid:
		c.errorf(pos, what, "%s cannot be void", what)
	case t.Kind == types.KindFunction:
		c.errorf(pos, what, "%s cannot be a function", what)
	case inner.Kind == types.KindStruct && !inner.Struct.Complete:
		c.errorf(pos, what, "%s is of type %s, which is not defined here yet", what, inner)
	}
}

// classOf returns the struct that a type is, or nil.
func (c *checker) classOf(t *types.Type) *class {
	if t != nil && t.Kind == types.KindStruct {
		return c.classes[t.Struct]
	}
	return nil
}

// typeKey names a type so that different ones have different keys.
func typeKey(t *types.Type) string {
	switch t.Kind {
	case types.KindPointer:
		return qualKey(t) + "*" + typeKey(t.Elem)
	case types.KindReference:
		return fmt.Sprintf("&%t%s", t.RValue, typeKey(t.Elem))
	case types.KindArray:
		return fmt.Sprintf("[%d]%s", t.Len, typeKey(t.Elem))
	case types.KindStruct:
		return fmt.Sprintf("%ss%p", qualKey(t), t.Struct)
	case types.KindEnum:
		return fmt.Sprintf("%se%p", qualKey(t), t.Enum)
	case types.KindFunction:
		s := "("
		for _, p := range t.Params {
			s += typeKey(p) + ","
		}
		return s + ")" + typeKey(t.Elem)
	}
	return fmt.Sprintf("%s%d", qualKey(t), t.Kind)
}

func qualKey(t *types.Type) string {
	s := ""
	if t.Const {
		s = "c"
	}
	if t.Volatile {
		s += "v"
	}
	return s
}
