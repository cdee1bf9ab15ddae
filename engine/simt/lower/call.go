package lower

import (
	"strings"

	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/source"
	"workbench/engine/simt/types"
)

// call returns what a call returns: a value, or the place that a reference refers
// to.
func (w *writer) call(e *check.Call) (*value, *place) {
	if e.Func.Intrinsic != "" {
		return w.intrinsic(e), nil
	}
	var this *place
	if e.Func.This != nil && e.This != nil {
		this = w.place(e.This)
	} else if e.This != nil {
		w.discard(e.This)
	}
	return w.callWith(e, this)
}

// callWith calls a function on an object in a place.
func (w *writer) callWith(e *check.Call, this *place) (*value, *place) {
	fn := e.Func
	if len(w.inlined) > 200 {
		w.l.fail(source.Errorf(e.At, fn.Name, "functions call each other more than 200 deep here"))
	}
	if !w.l.written(fn) || w.l.emitted > w.l.limits.Inlined && w.l.sizeOf(fn) > 50 {
		return w.callOut(e, this)
	}
	return w.writeOut(e, this)
}

// writeOut puts a function in the place of its call.
func (w *writer) writeOut(e *check.Call, this *place) (*value, *place) {
	fn := e.Func
	f := w.l.factsOf(fn)
	inner := &frame{fn: fn, facts: f, places: map[*check.Var]*place{}, parent: w.frame, region: -1, known: map[*check.Var]check.Value{}}
	if this != nil {
		if f.memory[fn.This] && !this.memory {
			this = w.spilled(this)
		}
		inner.places[fn.This] = w.stable(this)
	}
	type argument struct {
		v *value
		p *place
	}
	var args []argument
	for i, a := range e.Args {
		if i >= len(fn.Params) {
			w.discard(a)
			continue
		}
		param := fn.Params[i]
		if param.Type.Kind == types.KindReference {
			p := w.place(a)
			if f.memory[param] && !p.memory {
				p = w.spilled(p)
			}
			args = append(args, argument{p: w.stable(p)})
			continue
		}
		v := w.value(a)
		for _, later := range e.Args[i+1:] {
			if effects(later) {
				v = w.fixedAll(v)
				break
			}
		}
		args = append(args, argument{v: v})
	}
	w.mark(e.At)
	saved := w.at
	if fn.BuiltIn && !w.at.IsValid() {
		w.at = e.At
	}
	for i, a := range args {
		param := fn.Params[i]
		if a.p != nil {
			inner.places[param] = a.p
			continue
		}
		inner.places[param] = w.bindValue(param, f, a.v)
	}
	w.inlined = append(w.inlined, fn)
	w.frame = inner
	w.enters(fn)
	if this != nil {
		w.declared(fn.This, inner.places[fn.This], true)
	}
	for i := range args {
		w.declared(fn.Params[i], inner.places[fn.Params[i]], true)
	}

	shape := w.l.shapeOf(stored(fn.Result))
	reference := fn.Result.Kind == types.KindReference
	plain := f.last || f.returns == 0
	if !plain {
		if reference || shape.fits {
			for _, leaf := range shape.leaves {
				inner.results = append(inner.results, w.temp(leaf.t.Scalar()))
			}
		}
	}
	if !shape.fits {
		inner.result = w.local("(result)", fn.Result, 0)
		w.begin(inner.result)
	}
	if plain {
		w.block(fn.Body)
	} else {
		inner.region = len(w.control)
		w.control = append(w.control, control{returnRegion, inner})
		r := &code.Region{At: w.b.At()}
		r.Body = w.b.Block(func() {
			for i := range inner.results {
				if fn.FallsOff() {
					w.emit(&code.Undef{At: w.b.At(), Dst: inner.results[i]})
				}
			}
			w.block(fn.Body)
		})
		w.emit(r)
		w.control = w.control[:len(w.control)-1]
	}
	w.leaves()
	w.frame = inner.parent
	w.inlined = w.inlined[:len(w.inlined)-1]
	w.at = saved
	w.mark(e.At)

	switch {
	case fn.Result.Kind == types.KindVoid:
		return &value{t: fn.Result}, nil
	case reference:
		if inner.ref != nil {
			p := *inner.ref
			p.t = e.T
			return nil, &p
		}
		if len(inner.results) > 0 {
			return nil, &place{t: e.T, memory: true, addr: code.R(inner.results[0]), volatile: e.T.IsVolatile()}
		}
		return nil, &place{t: e.T, memory: true, addr: w.undefined(types.PointerTo(e.T))}
	case inner.result != nil:
		return &value{t: e.T, mem: inner.result}, nil
	case inner.value != nil:
		return inner.value, nil
	case len(inner.results) > 0:
		v := &value{t: e.T}
		for _, r := range inner.results {
			v.leaves = append(v.leaves, code.R(r))
		}
		return v, nil
	}
	v := &value{t: e.T}
	for _, leaf := range shape.leaves {
		v.leaves = append(v.leaves, w.undefined(leaf.t))
	}
	return v, nil
}

// spilled is a copy in memory of what is in registers, for a reference that must
// be an address. Only values that nobody looks at again come here.
func (w *writer) spilled(p *place) *place {
	to := w.local("(temporary)", p.t, 0)
	w.begin(to)
	w.store(to, w.load(p))
	return to
}

// bindValue is the place of a parameter that is a value.
func (w *writer) bindValue(param *check.Var, f *facts, v *value) *place {
	t := param.Type
	if f.memory[param] || v.mem != nil {
		to := w.local(param.Name, t, param.Align)
		w.begin(to)
		w.store(to, v)
		return to
	}
	if !f.assigned[param] {
		// It stays what it is: what the caller has, if that does not change meanwhile.
		if f.writes {
			v = w.fixedAll(v)
		}
		return &place{t: t, vals: v.leaves}
	}
	return w.variable(param, t, v.leaves)
}

// callOut calls a function that stays one.
func (w *writer) callOut(e *check.Call, this *place) (*value, *place) {
	fn := e.Func
	n := w.l.outOfLine(fn)
	call := &code.Call{Function: n}
	var after []func()
	hand := func(p *place) {
		addr, offset, restore := w.address(p)
		if restore != nil {
			after = append(after, restore)
		}
		call.Args = append(call.Args, w.offsetBy(addr, offset))
	}
	if this != nil {
		hand(this)
	}
	for i, a := range e.Args {
		if i >= len(fn.Params) {
			w.discard(a)
			continue
		}
		t := fn.Params[i].Type
		if t.Kind == types.KindReference {
			hand(w.stable(w.place(a)))
			continue
		}
		v := w.value(a)
		if v.mem != nil {
			// The function may change its copy.
			to := w.local("(argument)", t, 0)
			w.begin(to)
			w.copy(to, v.mem)
			call.Args = append(call.Args, w.pointer(to))
			continue
		}
		call.Args = append(call.Args, w.fixedAll(v).leaves...)
	}
	w.mark(e.At)
	shape := w.l.shapeOf(stored(fn.Result))
	var out *place
	if !shape.fits {
		out = w.local("(result)", fn.Result, 0)
		w.begin(out)
		call.Args = append(call.Args, w.pointer(out))
	}
	call.At = w.b.At()
	v := &value{t: e.T}
	for _, leaf := range shape.leaves {
		r := w.temp(leaf.t.Scalar())
		call.Dst = append(call.Dst, r)
		v.leaves = append(v.leaves, code.R(r))
	}
	if !w.hidden() {
		w.b.Emit(&code.Enter{At: w.b.At(), Frame: w.l.frameOf(fn)})
	}
	w.emit(call)
	if !w.hidden() {
		w.b.Emit(&code.Leave{At: w.b.At()})
	}
	for _, restore := range after {
		restore()
	}
	switch {
	case fn.Result.Kind == types.KindReference:
		return nil, &place{t: e.T, memory: true, addr: v.leaves[0], volatile: e.T.IsVolatile()}
	case out != nil:
		return &value{t: e.T, mem: out}, nil
	}
	return v, nil
}

// ---- what the machine does ---------------------------------------------------------

// intrinsic is a call of a function of the machine.
func (w *writer) intrinsic(e *check.Call) *value {
	kind, rest, _ := strings.Cut(e.Func.Intrinsic, ".")
	var args []code.Value
	for i, a := range e.Args {
		if i < len(e.Func.Params) && kind == "math" && e.Func.Params[i].Type.IsPointer() && !strings.HasPrefix(rest, "is_") {
			args = append(args, code.Value{})
			continue
		}
		if kind == "match" && i == 2 {
			args = append(args, code.Value{})
			continue
		}
		v := w.scalar(a)
		if v.Reg != 0 && w.named[v.Reg] {
			for _, later := range e.Args[i+1:] {
				if effects(later) {
					v = w.fixed(v, a.Type().Scalar())
					break
				}
			}
		}
		args = append(args, v)
	}
	w.mark(e.At)
	t := e.T
	s := t.Scalar()
	arg := func(i int) *types.Type { return e.Func.Params[i].Type }
	dst := func(t types.Scalar) code.Reg { return w.temp(t) }
	truth := func(i int) code.Value { return w.convert(types.Bool, arg(i), args[i]) }

	switch kind {
	case "math":
		return w.math(e, rest, args)
	case "unary":
		d := dst(s)
		w.emit(&code.Unary{At: w.b.At(), Op: code.Abs, Type: s, Dst: d, X: args[0]})
		return one(t, code.R(d))
	case "binary":
		ops := map[string]code.BinaryOp{"add": code.Add, "sub": code.Sub, "mul": code.Mul, "div": code.Div, "min": code.Min, "max": code.Max, "mulhi": code.MulHi}
		d := dst(s)
		i := &code.Binary{At: w.b.At(), Op: ops[rest], Type: s, Dst: d, X: args[0], Y: args[1]}
		w.rounded[i] = true
		w.emit(i)
		return one(t, code.R(d))
	case "fma":
		d := dst(s)
		w.emit(&code.FMA{At: w.b.At(), Type: s, Dst: d, X: args[0], Y: args[1], Z: args[2]})
		return one(t, code.R(d))
	case "bits":
		if args[0].Reg == 0 {
			return one(t, code.Value{Bits: sameBits(s, arg(0).Scalar(), args[0].Bits)})
		}
		d := dst(s)
		w.emit(&code.Bits{At: w.b.At(), To: s, From: arg(0).Scalar(), Dst: d, X: args[0]})
		return one(t, code.R(d))
	case "convert":
		return one(t, w.rounding(t, arg(0), args[0], rest))
	case "barrier":
		return w.barrier(e, rest, args)
	case "syncwarp":
		w.emit(&code.SyncWarp{At: w.b.At(), Mask: args[0]})
		return &value{t: t}
	case "fence":
		scopes := map[string]code.Scope{"block": code.BlockScope, "device": code.DeviceScope, "system": code.SystemScope}
		w.emit(&code.Fence{At: w.b.At(), Scope: scopes[rest]})
		return &value{t: t}
	case "vote":
		kinds := map[string]code.VoteKind{"any": code.VoteAny, "all": code.VoteAll, "uni": code.VoteUni, "ballot": code.VoteBallot}
		out := types.Pred
		if rest == "ballot" {
			out = types.U32
		}
		d := dst(out)
		w.emit(&code.Vote{At: w.b.At(), Kind: kinds[rest], Dst: d, X: truth(1), Mask: args[0]})
		if rest == "ballot" {
			return one(t, code.R(d))
		}
		return one(t, w.convert(t, types.Bool, code.R(d)))
	case "activemask":
		d := dst(types.U32)
		w.emit(&code.ActiveMask{At: w.b.At(), Dst: d})
		return one(t, code.R(d))
	case "shuffle":
		kinds := map[string]code.ShuffleKind{"idx": code.ShuffleIndex, "up": code.ShuffleUp, "down": code.ShuffleDown, "xor": code.ShuffleXor}
		d := dst(s)
		lane := w.convert(types.Int, arg(2), args[2])
		w.emit(&code.Shuffle{At: w.b.At(), Kind: kinds[rest], Type: s, Dst: d, X: args[1], Lane: lane, Width: args[3], Mask: args[0]})
		return one(t, code.R(d))
	case "match":
		d := dst(types.U32)
		m := &code.Match{At: w.b.At(), All: rest == "all", Type: arg(1).Scalar(), Dst: d, X: args[1], Mask: args[0]}
		if rest != "all" {
			w.emit(m)
			return one(t, code.R(d))
		}
		m.Same = dst(types.Pred)
		w.emit(m)
		w.storeThrough(e.Args[2], types.Int, w.convert(types.Int, types.Bool, code.R(m.Same)))
		return one(t, code.R(d))
	case "reduce":
		ops := map[string]code.BinaryOp{"add": code.Add, "min": code.Min, "max": code.Max, "and": code.And, "or": code.Or, "xor": code.Xor}
		d := dst(s)
		w.emit(&code.Reduce{At: w.b.At(), Op: ops[rest], Type: s, Dst: d, X: args[1], Mask: args[0]})
		return one(t, code.R(d))
	case "atomic":
		return w.atomic(e, rest, args)
	case "clock":
		v := w.special(code.Clock)
		return one(t, w.convert(t, types.Int, v))
	case "clock64":
		return one(t, w.special(code.Clock64))
	case "globaltimer":
		return one(t, w.special(code.GlobalTimer))
	case "trap":
		w.emit(&code.Trap{At: w.b.At()})
		return &value{t: t}
	}
	panic("BUG: there is no intrinsic " + e.Func.Intrinsic)
}

// sameBits is a constant of one type as another of the same width.
func sameBits(to, from types.Scalar, bits uint64) uint64 {
	if from.Integer() {
		switch from.Size() {
		case 1:
			bits = uint64(uint8(bits))
		case 2:
			bits = uint64(uint16(bits))
		case 4:
			bits = uint64(uint32(bits))
		}
	}
	if to.Integer() {
		return code.Int(to, int64(bits)).Bits
	}
	return bits
}

// rounding is a conversion that says how it rounds.
func (w *writer) rounding(to, from *types.Type, x code.Value, how string) code.Value {
	modes := map[string]code.Rounding{"": code.Default, "rn": code.ToNearest, "rz": code.ToZero, "rd": code.Down, "ru": code.Up}
	ts, fs := to.Scalar(), from.Scalar()
	round := modes[how]
	if ts.Float() && round == code.ToNearest {
		round = code.Default
	}
	if ts == fs {
		return x
	}
	dst := w.temp(ts)
	w.emit(&code.Convert{At: w.b.At(), To: ts, From: fs, Round: round, Dst: dst, X: x})
	return code.R(dst)
}

// math is a function of code.Intrinsics. What it returns beside its value it puts
// where its last parameters point.
func (w *writer) math(e *check.Call, name string, args []code.Value) *value {
	var in []code.Value
	var through []int
	for i := range e.Func.Params {
		if i >= len(e.Args) {
			break
		}
		if e.Func.Params[i].Type.IsPointer() && !strings.HasPrefix(name, "is_") {
			through = append(through, i)
			continue
		}
		in = append(in, args[i])
	}
	s := e.Func.Params[0].Type.Scalar()
	sig := code.Intrinsics[name]
	i := &code.Intrinsic{At: w.b.At(), Name: name, Type: s, Args: in}
	var results []types.Scalar
	for _, r := range sig.Results {
		if r == types.Void {
			r = s
		}
		results = append(results, r)
	}
	for _, r := range results {
		i.Dst = append(i.Dst, w.temp(r))
	}
	w.emit(i)
	out := &value{t: e.T}
	next := 0
	if e.T.Kind != types.KindVoid && len(results) > 0 {
		v := code.R(i.Dst[0])
		if results[0] != e.T.Scalar() {
			v = w.between(e.T, results[0], v)
		}
		out.leaves = []code.Value{v}
		next = 1
	}
	for _, k := range through {
		if next < len(i.Dst) {
			w.storeThrough(e.Args[k], e.Func.Params[k].Type.Elem, code.R(i.Dst[next]))
			next++
		}
	}
	return out
}

// between converts a result to the type that C gives it.
func (w *writer) between(to *types.Type, from types.Scalar, v code.Value) code.Value {
	dst := w.temp(to.Scalar())
	w.emit(&code.Convert{At: w.b.At(), To: to.Scalar(), From: from, Dst: dst, X: v})
	return code.R(dst)
}

// storeThrough writes to what a pointer points to; &x is x itself.
func (w *writer) storeThrough(e check.Expr, t *types.Type, v code.Value) {
	if a, ok := e.(*check.AddrOf); ok && types.Same(a.X.Type(), t) {
		p := w.place(a.X)
		w.mark(e.Pos())
		w.store(p, one(t, v))
		return
	}
	addr := w.scalar(e)
	w.mark(e.Pos())
	w.store(&place{t: t, memory: true, addr: addr}, one(t, v))
}

func (w *writer) barrier(e *check.Call, kind string, args []code.Value) *value {
	kinds := map[string]code.BarrierKind{"": code.BarrierSync, "count": code.BarrierCount, "and": code.BarrierAnd, "or": code.BarrierOr}
	b := &code.Barrier{At: w.b.At(), Kind: kinds[kind]}
	if kind == "" {
		w.emit(b)
		return &value{t: e.T}
	}
	b.X = w.convert(types.Bool, types.Int, args[0])
	b.At = w.b.At()
	b.Dst = w.temp(types.I32)
	w.emit(b)
	return one(e.T, code.R(b.Dst))
}

func (w *writer) atomic(e *check.Call, what string, args []code.Value) *value {
	name, scope, _ := strings.Cut(what, ".")
	ops := map[string]code.AtomicOp{
		"add": code.AtomicAdd, "sub": code.AtomicSub, "exch": code.AtomicExchange, "min": code.AtomicMin, "max": code.AtomicMax,
		"inc": code.AtomicInc, "dec": code.AtomicDec, "and": code.AtomicAnd, "or": code.AtomicOr, "xor": code.AtomicXor, "cas": code.AtomicCAS,
	}
	scopes := map[string]code.Scope{"": code.DeviceScope, "block": code.BlockScope, "system": code.SystemScope}
	s := e.T.Scalar()
	a := &code.Atomic{Op: ops[name], Type: s, Scope: scopes[scope], Addr: args[0], X: args[1]}
	if name == "cas" {
		a.Compare, a.X = args[1], args[2]
	}
	a.Space = w.spaceOf(e.Args[0])
	a.At = w.b.At()
	a.Dst = w.temp(s)
	w.emit(a)
	return one(e.T, code.R(a.Dst))
}

// spaceOf returns the memory that a pointer is known to point into.
func (w *writer) spaceOf(e check.Expr) code.Space {
	for {
		switch x := e.(type) {
		case *check.PtrAdd:
			e = x.X
			continue
		case *check.Convert:
			e = x.X
			continue
		case *check.AddrOf:
			e = x.X
			continue
		case *check.Decay:
			e = x.X
			continue
		case *check.Field:
			e = x.X
			continue
		case *check.Index:
			e = x.X
			continue
		case *check.VarRef:
			switch x.Var.Storage {
			case check.Shared, check.Dynamic:
				return code.Shared
			case check.Global:
				return code.Global
			}
		}
		return code.Generic
	}
}

func (w *writer) register(e *check.Register) *value {
	w.mark(e.At)
	names := map[string]code.SpecialReg{
		"laneid": code.LaneID, "warpid": code.WarpID, "tid.x": code.ThreadX, "tid.y": code.ThreadY, "tid.z": code.ThreadZ,
		"ntid.x": code.BlockDimX, "ntid.y": code.BlockDimY, "ntid.z": code.BlockDimZ, "ctaid.x": code.BlockX, "ctaid.y": code.BlockY, "ctaid.z": code.BlockZ,
		"nctaid.x": code.GridDimX, "nctaid.y": code.GridDimY, "nctaid.z": code.GridDimZ,
		"lanemask_eq": code.LaneMaskEQ, "lanemask_lt": code.LaneMaskLT, "lanemask_le": code.LaneMaskLE, "lanemask_gt": code.LaneMaskGT, "lanemask_ge": code.LaneMaskGE,
		"clock": code.Clock, "clock64": code.Clock64, "globaltimer": code.GlobalTimer, "dynamic_smem_size": code.DynamicSharedBytes,
	}
	which := names[e.Name]
	v := w.special(which)
	if from := which.Type(); from != e.T.Scalar() {
		v = w.between(e.T, from, v)
	}
	return one(e.T, v)
}

func (w *writer) printf(e *check.Printf) *value {
	p := &code.Printf{Format: e.Format}
	for i, a := range e.Args {
		v := w.scalar(a)
		for _, later := range e.Args[i+1:] {
			if effects(later) {
				v = w.fixed(v, a.Type().Scalar())
				break
			}
		}
		p.Args = append(p.Args, code.Printed{Type: a.Type().Scalar(), X: v})
	}
	w.mark(e.At)
	p.At = w.b.At()
	p.Dst = w.temp(types.I32)
	w.emit(p)
	return one(e.T, code.R(p.Dst))
}
