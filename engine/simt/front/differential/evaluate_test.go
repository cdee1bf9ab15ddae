package differential_test

import (
	"encoding/binary"
	"fmt"
	"iter"
	"strings"
)

// An evaluation runs a kernel's tree one thread at a time, in the plainest way:
// every variable is bytes, every operation works on one value. Threads go on until
// they come to something that they do together, and stop there until all have come.
type evaluation struct {
	k       *kernelSource
	regions [][]byte // what pointers point into, by the number in their upper bits
	globals map[*variable]place
	buffers []place
	printed []string
	byZero  map[int]bool // the lines that divided an integer by zero
	steps   int
	visits  []visit
}

// A visit is a thread's at a planted statement, behind so many meetings.
type visit struct{ bid, tid, meetings int }

// A place is where a value is.
type place struct {
	region int
	off    int
}

func (p place) pointer() uint64 { return uint64(p.region)<<40 + uint64(p.off) }

func at(pointer uint64) place { return place{int(pointer >> 40), int(pointer & (1<<40 - 1))} }

// A value is a scalar or pointer, or the bytes of a struct.
type value struct {
	bits uint64
	mem  []byte
}

// A thread of the kernel.
type thread struct {
	*evaluation
	tid, bid int
	shared   map[*variable]place
	yield    func(*request) bool
	meetings int
	depth    int
}

// A request is what a thread waits with for the others.
type request struct {
	what  any // the node that they do together
	args  []uint64
	reply uint64
}

type frame struct {
	f      *function
	n      int
	vars   map[*variable]place
	result value
}

const stepLimit = 3_000_000

// tooLong ends an evaluation that takes longer than a test should, or has calls
// that nest too deep; stopped ends a thread that nobody waits for any more.
type (
	tooLong struct{}
	stopped struct{}
)

func (m *evaluation) region(size int) place {
	m.regions = append(m.regions, make([]byte, size))
	return place{len(m.regions) - 1, 0}
}

// evaluate runs a kernel on copies of its buffers, and returns what they are then.
func evaluate(k *kernelSource) (m *evaluation, ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, long := e.(tooLong); !long {
				panic(e)
			}
		}
	}()
	m = &evaluation{k: k, regions: [][]byte{nil}, globals: map[*variable]place{}, byZero: map[int]bool{}}
	for _, b := range k.buffers {
		var p place
		if b != nil {
			p = m.region(len(b.data))
			copy(m.regions[p.region], b.data)
		}
		m.buffers = append(m.buffers, p)
	}
	for _, v := range k.variables {
		if v.space == constantSpace {
			m.globals[v] = m.region(v.t.size)
			copy(m.regions[m.globals[v].region], v.init)
		}
	}
	for bid := range k.grid {
		m.block(bid)
	}
	return m, true
}

type running struct {
	next func() (*request, bool)
	stop func()
	at   *request
	over bool
}

// block runs the threads of a block from one meeting to the next.
func (m *evaluation) block(bid int) {
	shared := map[*variable]place{}
	for _, v := range m.k.variables {
		if v.space == sharedSpace {
			shared[v] = m.region(max(v.t.size, m.k.dynamic))
		}
	}
	threads := make([]*running, m.k.block)
	for tid := range threads {
		r := &running{}
		r.next, r.stop = iter.Pull(func(yield func(*request) bool) {
			t := &thread{evaluation: m, tid: tid, bid: bid, shared: shared, yield: yield}
			t.kernel()
		})
		defer r.stop()
		threads[tid] = r
	}
	for {
		var waiting []*running
		for _, r := range threads {
			if r.at == nil && !r.over {
				at, on := r.next()
				r.at, r.over = at, !on
			}
			if !r.over {
				waiting = append(waiting, r)
			}
		}
		if len(waiting) == 0 {
			return
		}
		met := false
		for w := 0; w < len(threads); w += 32 {
			warp := threads[w:min(w+32, len(threads))]
			var lanes []*running
			for _, r := range warp {
				if !r.over {
					lanes = append(lanes, r)
				}
			}
			if len(lanes) == 0 || ofBlock(lanes[0].at.what) {
				continue
			}
			same(lanes)
			exchange(warp)
			met = true
			for _, r := range lanes {
				r.at = nil
			}
		}
		if met {
			continue
		}
		same(waiting)
		count := uint64(0)
		for _, r := range waiting {
			if len(r.at.args) > 0 {
				count += truth(r.at.args[0] != 0)
			}
		}
		for _, r := range waiting {
			if e, ok := r.at.what.(*together); ok {
				switch e.op {
				case "__syncthreads_count":
					r.at.reply = count
				case "__syncthreads_and":
					r.at.reply = truth(count == uint64(len(waiting)))
				case "__syncthreads_or":
					r.at.reply = truth(count > 0)
				}
			}
			r.at = nil
		}
	}
}

func ofBlock(what any) bool {
	switch w := what.(type) {
	case *barrier:
		return true
	case *together:
		return w.block
	}
	return false
}

// same holds threads to have come to the same place: the generator's promise.
func same(list []*running) {
	for _, r := range list {
		if r.at.what != list[0].at.what {
			panic(fmt.Sprintf("threads meet at different places: %T and %T", r.at.what, list[0].at.what))
		}
	}
}

// exchange is what the lanes of a warp do together.
func exchange(warp []*running) {
	var first *request
	ballot, all, least, most, sum, xor := uint64(0), uint64(0), ^uint64(0), uint64(0), uint64(0), uint64(0)
	for lane, r := range warp {
		if r.over {
			continue
		}
		first = r.at
		all |= 1 << lane
		if len(r.at.args) > 0 {
			x := r.at.args[0]
			ballot |= truth(x != 0) << lane
			least, most, sum, xor = min(least, x), max(most, x), sum+x, xor^x
		}
	}
	e, ok := first.what.(*together)
	if !ok {
		return // __syncwarp
	}
	for lane, r := range warp {
		if r.over {
			continue
		}
		a := r.at.args
		reply := uint64(0)
		switch e.op {
		case "__ballot_sync":
			reply = ballot
		case "__any_sync":
			reply = truth(ballot != 0)
		case "__all_sync":
			reply = truth(ballot == all)
		case "__activemask":
			reply = all
		case "__reduce_add_sync":
			reply = extend(e.t.kind, sum)
		case "__reduce_xor_sync":
			reply = xor
		case "__reduce_min_sync":
			reply = least
		case "__reduce_max_sync":
			reply = most
		case "__match_any_sync":
			for other, o := range warp {
				if !o.over && o.at.args[0] == a[0] {
					reply |= 1 << other
				}
			}
		default:
			width := 32
			if len(a) > 2 {
				width = int(a[2])
			}
			group := lane / width * width
			n, from := int(int32(a[1])), 0
			switch e.op {
			case "__shfl_sync":
				from = group + n&(width-1)
			case "__shfl_up_sync":
				if from = lane - n; from < group {
					from = lane
				}
			case "__shfl_down_sync":
				if from = lane + n; from >= group+width {
					from = lane
				}
			case "__shfl_xor_sync":
				// Beyond the group it may go to groups before it, and to itself otherwise.
				if from = lane ^ n; from >= group+width {
					from = lane
				}
			default:
				panic(e.op)
			}
			reply = warp[from].at.args[0]
		}
		r.at.reply = reply
	}
}

// meet waits for the others.
func (t *thread) meet(what any, args ...uint64) uint64 {
	t.meetings++
	r := &request{what: what, args: args}
	if !t.yield(r) {
		panic(stopped{})
	}
	return r.reply
}

func (t *thread) kernel() {
	defer func() {
		if e := recover(); e != nil && e != any(stopped{}) {
			panic(e)
		}
	}()
	f := &frame{f: t.k.kernel, n: t.k.kernel.n, vars: map[*variable]place{}}
	for i, v := range t.k.kernel.params {
		p := t.region(v.t.size)
		x := value{bits: t.k.scalars[i]}
		if t.k.buffers[i] != nil {
			x.bits = t.buffers[i].pointer()
		}
		t.store(p, v.t, x)
		f.vars[v] = p
	}
	t.block(f, t.k.kernel.body)
}

func (t *thread) load(p place, c *ctype) value {
	m := t.regions[p.region][p.off : p.off+c.size]
	if c.fields != nil {
		return value{mem: append([]byte(nil), m...)}
	}
	var b [8]byte
	copy(b[:], m)
	return value{bits: extend(c.kind, binary.LittleEndian.Uint64(b[:]))}
}

func (t *thread) store(p place, c *ctype, x value) {
	m := t.regions[p.region][p.off : p.off+c.size]
	if c.fields != nil {
		copy(m, x.mem)
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x.bits)
	copy(m, b[:c.size])
}

// place is where an lvalue is.
func (t *thread) place(f *frame, e expr) place {
	switch e := e.(type) {
	case *name:
		if p, ok := f.vars[e.v]; ok {
			return p
		}
		if p, ok := t.shared[e.v]; ok {
			return p
		}
		if p, ok := t.globals[e.v]; ok {
			return p
		}
		panic("no variable " + e.v.name)
	case *index:
		var base place
		if e.base.typ().elem != nil {
			base = t.place(f, e.base)
		} else {
			base = at(t.eval(f, e.base).bits)
		}
		i := int(int64(t.eval(f, e.at).bits))
		return place{base.region, base.off + i*e.typ().size}
	case *member:
		if e.arrow {
			base := at(t.eval(f, e.base).bits)
			return place{base.region, base.off + e.f.offset}
		}
		base := t.place(f, e.base)
		return place{base.region, base.off + e.f.offset}
	case *deref:
		return at(t.eval(f, e.p).bits)
	case *assign, *increment:
		t.eval(f, e)
		switch e := e.(type) {
		case *assign:
			return t.place(f, e.x)
		case *increment:
			return t.place(f, e.x)
		}
	}
	// The member of a value that has no place of its own.
	p := t.region(e.typ().size)
	t.store(p, e.typ(), t.eval(f, e))
	return p
}

// as is a scalar's value in another kind.
func (t *thread) as(f *frame, e expr, to *ctype) value {
	x := t.eval(f, e)
	if to.scalar() && e.typ().scalar() {
		x.bits = convert(to.kind, e.typ().kind, x.bits)
	}
	return x
}

func (t *thread) holds(f *frame, e expr) bool { return t.as(f, e, scalarTypes[boolean]).bits != 0 }

// operate is x op y for values of two kinds, as one of kind k.
func (t *thread) operate(op string, k, kx, ky kind, x, y uint64, line int) uint64 {
	x = convert(k, kx, x)
	if op == "<<" || op == ">>" {
		y = uint64(uint32(convert(ky.promoted(), ky, y)))
	} else {
		y = convert(k, ky, y)
	}
	z, byZero := arithmetic(op, k, x, y)
	if byZero {
		t.byZero[line] = true
	}
	return z
}

func (t *thread) eval(f *frame, e expr) value {
	if t.steps++; t.steps > stepLimit {
		panic(tooLong{})
	}
	switch e := e.(type) {
	case *literal:
		return value{bits: e.bits}
	case *name, *index, *member, *deref:
		p := t.place(f, e)
		if e.typ().elem != nil {
			return value{bits: p.pointer()}
		}
		return t.load(p, e.typ())
	case *address:
		return value{bits: t.place(f, e.x).pointer()}
	case *unary:
		from, k := e.x.typ().kind, e.typ().kind
		if e.op == "!" {
			return value{bits: truth(!t.holds(f, e.x))}
		}
		x := convert(k, from, t.eval(f, e.x).bits)
		switch {
		case e.op == "-" && k.floating():
			x ^= 1 << (8*k.size() - 1)
		case e.op == "-":
			x = extend(k, -x)
		case e.op == "~":
			x = extend(k, ^x)
		}
		return value{bits: x}
	case *operation:
		return value{bits: t.operation(f, e)}
	case *logical:
		x := t.holds(f, e.x)
		if x == (e.op == "||") {
			return value{bits: truth(x)}
		}
		return value{bits: truth(t.holds(f, e.y))}
	case *assign:
		return t.assign(f, e)
	case *increment:
		p, c := t.place(f, e.x), e.x.typ()
		old := t.load(p, c)
		var now value
		switch {
		case c.ptr != nil:
			now.bits = old.bits + uint64(e.by*c.ptr.size)
		case c.kind == boolean:
			now.bits = 1
		default:
			k := common(c.kind, integer)
			now.bits = convert(c.kind, k, t.operate("+", k, c.kind, integer, old.bits, uint64(int64(e.by)), 0))
		}
		t.store(p, c, now)
		if e.before {
			return now
		}
		return old
	case *choice:
		if t.holds(f, e.c) {
			return t.as(f, e.x, e.typ())
		}
		return t.as(f, e.y, e.typ())
	case *comma:
		t.eval(f, e.x)
		return t.eval(f, e.y)
	case *cast:
		return t.as(f, e.x, e.t)
	case *call:
		return t.call(f, e)
	case *builtinCall:
		var args []uint64
		for i, a := range e.args {
			args = append(args, t.as(f, a, scalarTypes[e.b.args[i]]).bits)
		}
		return value{bits: e.b.called(args)}
	case *aggregate:
		p := t.region(e.t.size)
		for i, a := range e.args {
			fd := e.t.fields[i]
			t.store(place{p.region, fd.offset}, fd.t, t.as(f, a, fd.t))
		}
		return t.load(p, e.t)
	case *sizeOf:
		return value{bits: uint64(e.t.size)}
	case *special:
		return value{bits: map[string]uint64{
			"threadIdx.x": uint64(t.tid), "blockIdx.x": uint64(t.bid), "blockDim.x": uint64(t.k.block), "gridDim.x": uint64(t.k.grid),
			"threadIdx.y": 0, "blockDim.y": 1, "warpSize": 32,
		}[e.name]}
	case *parameter:
		return value{bits: uint64(f.n)}
	case *together:
		var args []uint64
		for i, a := range e.args {
			to := e.t
			if i > 0 || strings.HasSuffix(e.op, "_any_sync") && !strings.HasPrefix(e.op, "__match") || e.op == "__all_sync" || e.op == "__ballot_sync" || e.block {
				to = scalarTypes[integer]
			}
			if strings.HasPrefix(e.op, "__match") {
				to = a.typ()
			}
			args = append(args, t.as(f, a, to).bits)
		}
		return value{bits: t.meet(e, args...)}
	case *atomic:
		return t.atomic(f, e)
	}
	panic(fmt.Sprintf("%T", e))
}

func (t *thread) operation(f *frame, e *operation) uint64 {
	x, y := t.eval(f, e.x).bits, t.eval(f, e.y).bits
	tx, ty := e.x.typ(), e.y.typ()
	if tx.ptr != nil || tx.elem != nil {
		switch {
		case ty.ptr != nil && e.op == "-":
			return uint64((int64(x) - int64(y)) / int64(tx.ptr.size))
		case ty.ptr != nil:
			return truth(compared(e.op, ullong, x, y))
		case e.op == "-":
			return x - y*uint64(e.typ().ptr.size)
		}
		return x + y*uint64(e.typ().ptr.size)
	}
	k := common(tx.kind, ty.kind)
	switch e.op {
	case "==", "!=", "<", "<=", ">", ">=":
		return truth(compared(e.op, k, convert(k, tx.kind, x), convert(k, ty.kind, y)))
	case "<<", ">>":
		k = tx.kind.promoted()
	}
	return t.operate(e.op, k, tx.kind, ty.kind, x, y, e.line)
}

func (t *thread) assign(f *frame, e *assign) value {
	// The right side comes first.
	c := e.x.typ()
	var x value
	if e.op == "" {
		x = t.as(f, e.y, c)
		t.store(t.place(f, e.x), c, x)
		return x
	}
	y, ty := t.eval(f, e.y), e.y.typ()
	p := t.place(f, e.x)
	old := t.load(p, c)
	if c.ptr != nil {
		n := int64(y.bits) * int64(c.ptr.size)
		if e.op == "-" {
			n = -n
		}
		x.bits = old.bits + uint64(n)
	} else {
		k := common(c.kind, ty.kind)
		if e.op == "<<" || e.op == ">>" {
			k = c.kind.promoted()
		}
		x.bits = convert(c.kind, k, t.operate(e.op, k, c.kind, ty.kind, old.bits, y.bits, e.line))
	}
	t.store(p, c, x)
	return x
}

func (t *thread) call(f *frame, e *call) value {
	if t.depth++; t.depth > 30 {
		panic(tooLong{})
	}
	defer func() { t.depth-- }()
	inner := &frame{f: e.f, n: e.n, vars: map[*variable]place{}}
	for i, v := range e.f.params {
		if v.ref {
			inner.vars[v] = t.place(f, e.args[i])
			continue
		}
		p := t.region(v.t.size)
		t.store(p, v.t, t.as(f, e.args[i], v.t))
		inner.vars[v] = p
	}
	t.block(inner, e.f.body)
	return inner.result
}

func (t *thread) atomic(f *frame, e *atomic) value {
	c := e.x.typ()
	p := t.place(f, e.x)
	var args []uint64
	for _, a := range e.args {
		args = append(args, t.as(f, a, c).bits)
	}
	old := t.load(p, c)
	x, y := old.bits, args[0]
	switch e.op {
	case "atomicAdd":
		x, _ = arithmetic("+", c.kind, x, y)
	case "atomicSub":
		x, _ = arithmetic("-", c.kind, x, y)
	case "atomicAnd":
		x &= y
	case "atomicOr":
		x |= y
	case "atomicXor":
		x ^= y
	case "atomicMin":
		if compared("<", c.kind, y, x) {
			x = y
		}
	case "atomicMax":
		if compared(">", c.kind, y, x) {
			x = y
		}
	case "atomicExch":
		x = y
	case "atomicCAS":
		if x == y {
			x = args[1]
		}
	case "atomicInc":
		if x >= y {
			x = 0
		} else {
			x++
		}
	case "atomicDec":
		if x == 0 || x > y {
			x = y
		} else {
			x--
		}
	default:
		panic(e.op)
	}
	t.store(p, c, value{bits: x})
	return old
}
