package lower

import (
	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/source"
	"workbench/engine/simt/types"
)

// A writer writes one function of the register code.
type writer struct {
	l     *lowerer
	b     *code.Builder
	f     *code.Function
	frame *frame

	prologue code.Block // what is computed once, when the function begins
	specials map[code.SpecialReg]code.Value
	addrs    map[addressed]code.Value
	named    map[code.Reg]bool   // registers of variables, which change
	rounded  map[code.Instr]bool // products and sums that are not contracted
	control  []control
	at       source.Pos // where a built-in header's function is called
	inlined  []*check.Func
	depth    int
	owners   map[code.Reg][]owner // the variables that registers hold
}

// addressed is a variable whose address is taken.
type addressed struct {
	space code.Space
	index int
}

// A frame is a function being written out: the variables that it has.
type frame struct {
	fn     *check.Func
	facts  *facts
	places map[*check.Var]*place
	parent *frame

	top     bool                       // the function itself, and none that is written out in it
	results []code.Reg                 // where a return puts its value
	result  *place                     // or what is in memory
	region  int                        // the construct that a return leaves; -1 for none
	value   *value                     // of a function that only returns at its end
	ref     *place                     // and of one that returns a reference
	known   map[*check.Var]check.Value // variables of loops that are written out

	number  int  // of its function's code.Frame
	entered bool // there is an Enter for it
	scope   int  // what is in scope
}

// control is a construct that break or continue may leave.
type control struct {
	kind  controlKind
	frame *frame
}

type controlKind uint8

const (
	loopControl     controlKind = iota
	switchControl               // a region that break leaves
	iterationRegion             // a region that continue leaves
	unrolledRegion              // a region that break leaves, of a loop that is written out
	returnRegion                // a region that return leaves
)

// A place is where a value is: registers, memory, or nowhere but in its constants.
type place struct {
	t    *types.Type
	regs []code.Reg   // of each leaf
	vals []code.Value // of each leaf, of what does not change

	memory   bool
	addr     code.Value
	offset   int64
	space    code.Space
	volatile bool

	inside bool // of memory: it is a part of something larger
	start  bool // of that: the first, by indices that are 0
}

// A value is what an expression computes: its leaves, or an address of memory that
// nobody else changes.
type value struct {
	t      *types.Type
	leaves []code.Value
	mem    *place
}

func (l *lowerer) newWriter(f *code.Function, fn *check.Func) *writer {
	w := &writer{
		l: l, f: f, b: code.NewBuilder(f),
		specials: map[code.SpecialReg]code.Value{}, addrs: map[addressed]code.Value{},
		named: map[code.Reg]bool{}, rounded: map[code.Instr]bool{}, owners: map[code.Reg][]owner{},
	}
	w.frame = &frame{fn: fn, facts: l.factsOf(fn), places: map[*check.Var]*place{}, top: true, region: -1, known: map[*check.Var]check.Value{}}
	if w.frame.facts == nil {
		w.frame.facts = &facts{}
	}
	w.inlined = []*check.Func{fn}
	if l.program.Names != nil {
		w.frame.number = l.frameOf(fn)
	}
	return w
}

// finish completes the function.
func (w *writer) finish() {
	w.f.Body = append(w.prologue, w.f.Body...)
	w.contract()
}

// ended reports whether the body's end cannot be reached.
func (w *writer) ended() bool {
	n := len(w.f.Body)
	if n == 0 {
		return false
	}
	_, ok := w.f.Body[n-1].(*code.Return)
	return ok
}

// emit appends an instruction.
func (w *writer) emit(i code.Instr) {
	if w.l.emitted++; w.l.emitted > w.l.limits.Instructions {
		w.l.fail(source.Errorf(w.frame.fn.Pos, w.frame.fn.Name, "the code of this source has more than %d instructions", w.l.limits.Instructions).With("let fewer loops be unrolled, and call fewer functions that are large"))
	}
	w.b.Emit(i)
	w.wrote(i)
}

// mark sets the place of the source that the next instructions come from. What a
// built-in header does comes from where it is called.
func (w *writer) mark(p source.Pos) {
	if w.at.IsValid() {
		p = w.at
	}
	w.b.Pos = w.l.pos(p)
}

// ---- what is computed once ------------------------------------------------------

// once appends to what the function begins with.
func (w *writer) once(i code.Instr) {
	w.l.emitted++
	w.prologue = append(w.prologue, i)
}

func (w *writer) special(which code.SpecialReg) code.Value {
	switch which {
	case code.Clock, code.Clock64, code.GlobalTimer:
		dst := w.temp(which.Type())
		w.emit(&code.Special{At: w.b.At(), Which: which, Dst: dst})
		return code.R(dst)
	}
	if v, ok := w.specials[which]; ok {
		return v
	}
	dst := w.b.Reg(which.Type(), "")
	w.once(&code.Special{At: w.b.At(), Which: which, Dst: dst})
	w.specials[which] = code.R(dst)
	return code.R(dst)
}

func (w *writer) addressOf(space code.Space, index int) code.Value {
	key := addressed{space, index}
	if v, ok := w.addrs[key]; ok {
		return v
	}
	dst := w.b.Reg(types.Ptr, "")
	w.once(&code.Addr{At: w.b.At(), Dst: dst, Space: space, Index: index})
	w.addrs[key] = code.R(dst)
	return code.R(dst)
}

func (w *writer) temp(t types.Scalar) code.Reg { return w.b.Reg(t, "") }

// undefined is a value that nothing is said of.
func (w *writer) undefined(t *types.Type) code.Value {
	dst := w.temp(t.Scalar())
	w.emit(&code.Undef{At: w.b.At(), Dst: dst})
	return code.R(dst)
}

// ---- parameters ------------------------------------------------------------------

// kernelParams declares the parameters of a kernel, and where they are.
func (w *writer) kernelParams(k *check.Func) {
	for i, p := range k.Params {
		w.mark(p.Pos)
		t := p.Type
		param := code.Param{Name: p.Name, Type: types.Void, Size: int(t.Size()), Align: int(t.Align()), CType: t.Unqualified().String()}
		memory := w.frame.facts.memory[p]
		shape := w.l.shapeOf(t)
		if t.IsScalar() && t.Kind != types.KindBool {
			param.Type = t.Scalar()
			if !memory {
				param.Reg = w.b.Reg(param.Type, p.Name)
			}
		}
		w.f.Params = append(w.f.Params, param)
		in := func() *place {
			return &place{t: t, memory: true, addr: w.addressOf(code.Parameter, i), space: code.Parameter}
		}
		switch {
		case param.Reg != 0:
			w.named[param.Reg] = w.frame.facts.assigned[p]
			w.frame.places[p] = &place{t: t, regs: []code.Reg{param.Reg}}
		case !memory && shape.fits && len(shape.leaves) <= 64:
			// The members are read once.
			v := w.load(in())
			if w.frame.places[p] = w.adopted(p, v); w.frame.places[p] == nil || w.frame.facts.assigned[p] {
				w.frame.places[p] = w.variable(p, t, v.leaves)
			}
		case !w.frame.facts.assigned[p] || t.IsConst():
			w.frame.places[p] = in()
		default:
			to := w.local(p.Name, t, p.Align)
			w.begin(to)
			w.copy(to, in())
			w.frame.places[p] = to
		}
		w.declared(p, w.frame.places[p], true)
	}
}

// functionParams binds the parameters of a function that is called.
func (w *writer) functionParams(fn *check.Func) {
	next := 0
	take := func() code.Reg {
		next++
		return w.f.Params[next-1].Reg
	}
	w.mark(fn.Pos)
	bind := func(p *check.Var) {
		defer func() { w.declared(p, w.frame.places[p], true) }()
		t := p.Type
		if t.Kind == types.KindReference {
			w.frame.places[p] = &place{t: t.Elem, memory: true, addr: code.R(take())}
			return
		}
		shape := w.l.shapeOf(t)
		if !shape.fits {
			// A copy that is the function's own.
			w.frame.places[p] = &place{t: t, memory: true, addr: code.R(take())}
			return
		}
		var regs []code.Reg
		var vals []code.Value
		for range shape.leaves {
			r := take()
			w.named[r] = true
			regs = append(regs, r)
			vals = append(vals, code.R(r))
		}
		if w.frame.facts.memory[p] {
			to := w.local(p.Name, t, 0)
			w.begin(to)
			w.store(to, &value{t: t, leaves: vals})
			w.frame.places[p] = to
			return
		}
		w.frame.places[p] = &place{t: t, regs: regs}
	}
	if fn.This != nil {
		bind(fn.This)
	}
	for _, p := range fn.Params {
		bind(p)
	}
	if s := w.l.shapeOf(stored(fn.Result)); !s.fits {
		w.frame.result = &place{t: fn.Result, memory: true, addr: code.R(take())}
	}
}

// variable makes registers for a variable and puts values into them.
func (w *writer) variable(v *check.Var, t *types.Type, vals []code.Value) *place {
	p := &place{t: t}
	shape := w.l.shapeOf(t)
	for i, leaf := range shape.leaves {
		r := w.b.Reg(leaf.t.Scalar(), w.leafOf(v.Name, t, i))
		w.named[r] = true
		p.regs = append(p.regs, r)
	}
	if vals != nil {
		w.moves(p.regs, vals)
	}
	return p
}

// leafOf names the register of a part of a variable.
func (w *writer) leafOf(name string, t *types.Type, i int) string {
	if name == "" || w.at.IsValid() {
		return name
	}
	for {
		switch t.Kind {
		case types.KindStruct:
			found := false
			for _, f := range t.Struct.Fields {
				n := w.l.count(stored(f.Type))
				if i < n {
					if f.Name != "" {
						name += "." + f.Name
					}
					t, found = f.Type, true
					break
				}
				i -= n
			}
			if !found {
				return name
			}
			continue
		case types.KindArray:
			n := max(w.l.count(t.Elem), 1)
			name += "[" + itoa(i/n) + "]"
			i, t = i%n, t.Elem
			continue
		}
		return name
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// moves puts values into registers, all of them read before any is written.
func (w *writer) moves(regs []code.Reg, vals []code.Value) {
	for i := range regs {
		for _, later := range vals[i+1:] {
			if later.Reg != 0 && later.Reg == regs[i] {
				vals = append([]code.Value(nil), vals...)
				for j := range vals {
					vals[j] = w.fixed(vals[j], w.f.Regs[regs[j]].Type)
				}
				goto write
			}
		}
	}
write:
	for i, r := range regs {
		if vals[i].Reg == r {
			continue
		}
		w.emit(&code.Move{At: w.b.At(), Dst: r, X: vals[i]})
	}
}

// fixed is a value as it is now, whatever is assigned later.
func (w *writer) fixed(v code.Value, t types.Scalar) code.Value {
	if v.Reg == 0 || !w.named[v.Reg] {
		return v
	}
	dst := w.temp(t)
	w.emit(&code.Move{At: w.b.At(), Dst: dst, X: v})
	return code.R(dst)
}

func (w *writer) fixedAll(v *value) *value {
	if v.mem != nil {
		return v
	}
	out := &value{t: v.t}
	shape := w.l.shapeOf(v.t)
	for i, x := range v.leaves {
		out.leaves = append(out.leaves, w.fixed(x, shape.leaves[i].t.Scalar()))
	}
	return out
}

// ---- memory ------------------------------------------------------------------------

// local makes a variable in local memory.
func (w *writer) local(name string, t *types.Type, align int64) *place {
	if name == "" {
		name = "(unnamed)"
	}
	x := describe(name, t)
	x.Align = int(max(align, t.Align()))
	x.Pos = w.b.Pos
	index := len(w.f.Locals)
	w.f.Locals = append(w.f.Locals, x)
	total := int64(0)
	for _, v := range w.f.Locals {
		total += v.Size
	}
	if total > 1<<20 {
		w.l.fail(source.Errorf(w.frame.fn.Pos, w.frame.fn.Name, "the variables of %s take more than a thread's local memory, 524288 bytes", w.inlined[0].Name).With("use memory that the kernel is given"))
	}
	return &place{t: t, memory: true, addr: w.addressOf(code.Local, index), space: code.Local}
}

// begin says that the life of a local variable begins here.
func (w *writer) begin(p *place) {
	for i := range w.f.Locals {
		if v, ok := w.addrs[addressed{code.Local, i}]; ok && v == p.addr {
			w.emit(&code.Begin{At: w.b.At(), Local: i})
		}
	}
}

// part returns a part of a place: leaves from to of registers, or what is offset
// bytes further in memory.
func (p *place) part(t *types.Type, from, to int, offset int64) *place {
	out := *p
	out.t = t
	if p.memory {
		out.offset += offset
		out.volatile = p.volatile || t.IsVolatile()
		return &out
	}
	if p.regs != nil {
		out.regs = p.regs[from:to]
	} else {
		out.vals = p.vals[from:to]
	}
	return &out
}

func (w *writer) field(p *place, index int) *place {
	f := p.t.Struct.Fields[index]
	t := stored(f.Type)
	if p.memory {
		out := p.part(t, 0, 0, f.Offset)
		out.inside, out.start = true, false
		return out
	}
	from, to := w.l.fieldLeaves(p.t, index)
	return p.part(t, from, to, 0)
}

func (w *writer) element(p *place, i int64) *place {
	t := p.t.Elem
	if p.memory {
		out := p.part(t, 0, 0, i*t.Size())
		out.inside, out.start = true, i == 0 && (p.start || !p.inside)
		return out
	}
	n := int64(w.l.count(t))
	return p.part(t, int(i*n), int((i+1)*n), 0)
}

// address returns the address of a place, and an offset to add to it. What is in
// registers is put into memory; restore, if not nil, takes it back.
func (w *writer) address(p *place) (addr code.Value, offset int64, restore func()) {
	if p.memory {
		return p.addr, p.offset, nil
	}
	to := w.local("(temporary)", p.t, 0)
	w.begin(to)
	w.store(to, w.load(p))
	if p.regs == nil {
		return to.addr, 0, nil
	}
	return to.addr, 0, func() { w.moves(p.regs, w.load(to).leaves) }
}

// pointer returns the address of a place as one value.
func (w *writer) pointer(p *place) code.Value {
	addr, offset, _ := w.address(p)
	return w.offsetBy(addr, offset)
}

func (w *writer) offsetBy(addr code.Value, offset int64) code.Value {
	if offset == 0 {
		return addr
	}
	if addr.Reg == 0 {
		return code.Value{Bits: addr.Bits + uint64(offset)}
	}
	dst := w.temp(types.Ptr)
	w.emit(&code.Index{At: w.b.At(), Dst: dst, Base: addr, Index: code.Value{}, IndexType: types.I32, Scale: 1, Offset: offset})
	return code.R(dst)
}

// load returns the value in a place.
func (w *writer) load(p *place) *value {
	v := &value{t: p.t}
	if !p.memory {
		if p.regs == nil {
			v.leaves = p.vals
			return v
		}
		for _, r := range p.regs {
			v.leaves = append(v.leaves, code.R(r))
		}
		return v
	}
	if !w.l.shapeOf(p.t).fits {
		// A copy, so that nobody changes it.
		to := w.local("(temporary)", p.t, 0)
		w.begin(to)
		w.copy(to, p)
		v.mem = to
		return v
	}
	w.loadLeaves(p, p.t, 0, &v.leaves)
	return v
}

// loadLeaves reads what is in memory, with as few and as wide accesses as its
// alignment allows.
func (w *writer) loadLeaves(p *place, t *types.Type, at int64, out *[]code.Value) {
	switch t.Kind {
	case types.KindArray:
		for i := range t.Len {
			w.loadLeaves(p, t.Elem, at+i*t.Elem.Size(), out)
		}
		return
	case types.KindStruct:
		if elem, n := w.vector(t); n > 0 {
			count := int(t.Size() / elem.Size())
			for i := 0; i < count; i += n {
				var regs []code.Reg
				for range n {
					regs = append(regs, w.temp(elem.Element()))
				}
				w.emit(&code.Load{At: w.b.At(), Type: elem.Element(), Space: p.space, Dst: regs, Addr: p.addr, Offset: p.offset + at + int64(i)*elem.Size(), Volatile: p.volatile || t.IsVolatile()})
				for _, r := range regs {
					*out = append(*out, w.fromMemory(elem, code.R(r)))
				}
			}
			return
		}
		for _, f := range t.Struct.Fields {
			if f.Type.Kind == types.KindStruct && f.Type.Struct.Empty() {
				continue
			}
			w.loadLeaves(p, stored(f.Type), at+f.Offset, out)
		}
		return
	}
	dst := w.temp(t.Element())
	w.emit(&code.Load{At: w.b.At(), Type: t.Element(), Space: p.space, Dst: []code.Reg{dst}, Addr: p.addr, Offset: p.offset + at, Volatile: p.volatile || t.IsVolatile()})
	*out = append(*out, w.fromMemory(t, code.R(dst)))
}

// vector returns the type of the elements and how many an access takes, for a
// struct that is all of one type and aligned to more than one of them.
func (w *writer) vector(t *types.Type) (*types.Type, int) {
	s := t.Struct
	if s.Union || len(s.Fields) == 0 || s.Empty() {
		return nil, 0
	}
	shape := w.l.shapeOf(t)
	if !shape.fits {
		return nil, 0
	}
	elem := shape.leaves[0].t
	size := elem.Size()
	n := min(s.Align, 16) / size
	if n < 2 || n > 8 || n&(n-1) != 0 || n == 8 && size > 2 || int64(len(shape.leaves))*size != s.Size || s.Size%(n*size) != 0 {
		return nil, 0
	}
	for i, l := range shape.leaves {
		if !types.Identical(l.t, elem) || l.offset != int64(i)*size {
			return nil, 0
		}
	}
	return elem, int(n)
}

// fromMemory turns an element of memory into what a register holds.
func (w *writer) fromMemory(t *types.Type, v code.Value) code.Value {
	if t.Scalar() != types.Pred {
		return v
	}
	dst := w.temp(types.Pred)
	w.emit(&code.Convert{At: w.b.At(), To: types.Pred, From: types.U8, Dst: dst, X: v})
	return code.R(dst)
}

func (w *writer) toMemory(t *types.Type, v code.Value) code.Value {
	if t.Scalar() != types.Pred || v.Reg == 0 {
		return v
	}
	dst := w.temp(types.U8)
	w.emit(&code.Convert{At: w.b.At(), To: types.U8, From: types.Pred, Dst: dst, X: v})
	return code.R(dst)
}

// store writes a value to a place.
func (w *writer) store(p *place, v *value) {
	if !p.memory {
		w.moves(p.regs, v.leaves)
		return
	}
	if v.mem != nil {
		w.copy(p, v.mem)
		return
	}
	leaves := v.leaves
	w.storeLeaves(p, p.t, 0, &leaves)
}

func (w *writer) storeLeaves(p *place, t *types.Type, at int64, leaves *[]code.Value) {
	take := func(t *types.Type) code.Value {
		v := (*leaves)[0]
		*leaves = (*leaves)[1:]
		return w.toMemory(t, v)
	}
	switch t.Kind {
	case types.KindArray:
		for i := range t.Len {
			w.storeLeaves(p, t.Elem, at+i*t.Elem.Size(), leaves)
		}
		return
	case types.KindStruct:
		if elem, n := w.vector(t); n > 0 {
			count := int(t.Size() / elem.Size())
			for i := 0; i < count; i += n {
				var src []code.Value
				for range n {
					src = append(src, take(elem))
				}
				w.emit(&code.Store{At: w.b.At(), Type: elem.Element(), Space: p.space, Addr: p.addr, Offset: p.offset + at + int64(i)*elem.Size(), Src: src, Volatile: p.volatile || t.IsVolatile()})
			}
			return
		}
		for _, f := range t.Struct.Fields {
			if f.Type.Kind == types.KindStruct && f.Type.Struct.Empty() {
				continue
			}
			w.storeLeaves(p, stored(f.Type), at+f.Offset, leaves)
		}
		return
	}
	w.emit(&code.Store{At: w.b.At(), Type: t.Element(), Space: p.space, Addr: p.addr, Offset: p.offset + at, Src: []code.Value{take(t)}, Volatile: p.volatile || t.IsVolatile()})
}

// copy copies memory that is too large, or too mixed, for registers: a union, or
// a large array in a struct.
func (w *writer) copy(to, from *place) {
	t := to.t
	if w.l.shapeOf(t).fits {
		w.store(to, w.load(from))
		return
	}
	elem := types.U8
	size := int64(1)
	for _, wide := range []types.Scalar{types.U64, types.U32, types.U16} {
		if n := int64(wide.Size()); t.Align()%n == 0 && t.Size()%n == 0 && to.offset%n == 0 && from.offset%n == 0 {
			elem, size = wide, n
			break
		}
	}
	w.repeat(t.Size()/size, func(i code.Value, known int64) {
		a, b := *from, *to
		if known >= 0 {
			a.offset += known * size
			b.offset += known * size
		} else {
			a.addr = w.b.Index(a.addr, types.I64, i, size, 0)
			b.addr = w.b.Index(b.addr, types.I64, i, size, 0)
		}
		v := w.b.Load(elem, a.space, a.addr, a.offset)
		w.emit(&code.Store{At: w.b.At(), Type: elem, Space: b.space, Addr: b.addr, Offset: b.offset, Src: []code.Value{v}})
	})
}

// repeat writes a loop of n rounds, or the rounds one after the other if they are
// few, when known is the number of each.
func (w *writer) repeat(n int64, write func(i code.Value, known int64)) {
	if n <= 16 {
		for i := range n {
			write(code.Value{}, i)
		}
		return
	}
	i := w.temp(types.I64)
	w.emit(&code.Move{At: w.b.At(), Dst: i, X: code.Value{}})
	loop := &code.Loop{At: w.b.At()}
	loop.Cond = w.b.Block(func() { loop.Test = w.b.Compare(code.LT, types.I64, code.R(i), code.Int(types.I64, n)) })
	loop.Body = w.b.Block(func() { write(code.R(i), -1) })
	loop.Step = w.b.Block(func() {
		w.emit(&code.Binary{At: w.b.At(), Op: code.Add, Type: types.I64, Dst: i, X: code.R(i), Y: code.Int(types.I64, 1)})
	})
	w.emit(loop)
}

// clear sets a place to zero.
func (w *writer) clear(p *place) {
	shape := w.l.shapeOf(p.t)
	if shape.fits && (!p.memory || len(shape.leaves) <= 16) {
		w.store(p, w.zero(p.t))
		return
	}
	t := p.t
	if t.Kind == types.KindArray {
		w.repeat(t.Len, func(i code.Value, known int64) {
			elem := w.element(p, max(known, 0))
			if known < 0 {
				elem.addr = w.b.Index(p.addr, types.I64, i, t.Elem.Size(), 0)
				elem.offset = p.offset
			}
			w.clear(elem)
		})
		return
	}
	if t.Kind == types.KindStruct && !t.Struct.Union {
		for i := range t.Struct.Fields {
			if w.l.count(stored(t.Struct.Fields[i].Type)) > 0 || !w.l.shapeOf(stored(t.Struct.Fields[i].Type)).fits {
				w.clear(w.field(p, i))
			}
		}
		return
	}
	w.repeat(t.Size(), func(i code.Value, known int64) {
		to := *p
		if known >= 0 {
			to.offset += known
		} else {
			to.addr = w.b.Index(to.addr, types.I64, i, 1, 0)
		}
		w.emit(&code.Store{At: w.b.At(), Type: types.U8, Space: to.space, Addr: to.addr, Offset: to.offset, Src: []code.Value{{}}})
	})
}

func (w *writer) zero(t *types.Type) *value {
	return &value{t: t, leaves: make([]code.Value, w.l.count(t))}
}
