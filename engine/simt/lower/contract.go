package lower

import "workbench/engine/simt/code"

// contract finds the products that nvcc computes together with a sum under
// --fmad=true, and makes MulAdd of them. The rules are those that the PTX of NVRTC
// 11.8 shows, and for differences those of the assembler behind it, which fuses
// what is left:
//
//   - a*b + c, c + a*b, a*b − c, c − a*b and the same with −(a*b), in one
//     expression or through variables, and through functions that are inlined.
//   - The product has no other use; or up to four, all of which are sums (and not
//     differences), in one run of code without branches.
//   - The sum follows in the same run of code, or in a branch of an if that
//     follows; an if whose branches are a few operations does not end a run. It does
//     not follow in a loop that the product is outside of. Barriers end nothing.
//   - What does not change in a loop is computed before it: a product of two such
//     values is not fused with a sum in the loop.
//   - Of a*b + c*d the product is fused whose operands come first in the program:
//     the arguments of the kernel in their order, then what is read, in order. Of
//     a*b − c*d it is the first.
//   - Not what says how it rounds (__fmul_rn, __fadd_rn), not through a conversion,
//     a choice (?:) or memory.
//
// Sums are never reordered, and (a + b)*c stays what it is.
func (w *writer) contract() {
	c := &contraction{w: w, now: map[code.Reg]*operand{}, noted: map[*code.Binary]bool{}}
	any := false
	var look func(b code.Block)
	look = func(b code.Block) {
		for _, in := range b {
			if m, ok := in.(*code.Binary); ok && m.Op == code.Mul && m.Type.Float() {
				any = true
			}
			for _, inner := range code.Blocks(in) {
				look(inner)
			}
		}
	}
	if look(w.f.Body); !any {
		return
	}
	for i, p := range w.f.Params {
		if p.Reg != 0 {
			c.now[p.Reg] = &operand{rank: 3 + i}
		}
	}
	c.run = &run{}
	c.base = 1 << 16
	c.block(w.f.Body)
	c.settle()
	for p := range c.noted {
		delete(c.gone, p)
	}
	if len(c.fused) > 0 || len(c.gone) > 0 {
		w.f.Body = c.rewrite(w.f.Body)
	}
}

// An operand is one value that a register has for a time.
type operand struct {
	product *code.Binary // it is the product that this instruction computes,
	negated bool         // or its negative
	of      *operand     // of a negative: the product
	x, y    *operand     // what the product multiplies
	run     *run         // where it was computed
	loops   int          // in how many loops
	sums    []*sum       // the sums that take it
	others  int          // what else does
	meets   []*operand   // what comes together in it, where branches join
	used    bool
	rank    int
	vary    int // the number of loops around the innermost one that changes it
}

// A run is code without branches.
type run struct {
	parent *run // the run in which the branch stands that it begins with
	branch bool // it is a branch of an if, and not of a loop
}

// A sum is an addition or subtraction.
type sum struct {
	in    *code.Binary
	x, y  *operand
	run   *run
	loops int
}

type contraction struct {
	w     *writer
	now   map[code.Reg]*operand
	run   *run
	loops int
	sums  []*sum
	meets []*operand
	fused map[*code.Binary]*fusion
	gone  map[code.Instr]bool
	noted map[*code.Binary]bool // products that a variable of the source holds, which is shown
	base  int
	level []map[code.Reg][]*operand // what the constructs around assign
}

// A fusion is the product that a sum takes.
type fusion struct {
	product *operand
	left    bool
}

func (c *contraction) next() int { c.base++; return c.base }

// value is what a register holds.
func (c *contraction) value(v code.Value) *operand {
	if v.Reg == 0 {
		return &operand{}
	}
	o := c.now[v.Reg]
	if o == nil {
		o = &operand{run: c.run, loops: c.loops, rank: c.base, vary: c.loops}
		c.now[v.Reg] = o
	}
	return o
}

// set gives a register a value.
func (c *contraction) set(r code.Reg, o *operand) {
	c.now[r] = o
	if n := len(c.level); n > 0 {
		c.level[n-1][r] = append(c.level[n-1][r], o)
	}
}

func (c *contraction) block(b code.Block) {
	for _, in := range b {
		c.instr(in)
	}
}

func (c *contraction) instr(in code.Instr) {
	switch i := in.(type) {
	case *code.Stmt, *code.Enter, *code.Leave:
		return
	case *code.Note:
		// Being shown is no use: what is computed must not depend on it.
		if o := c.now[i.X.Reg]; o != nil && o.product != nil && !i.Unset {
			c.noted[o.product] = true
		}
		return
	case *code.Move:
		c.set(i.Dst, c.value(i.X))
		return
	case *code.Unary:
		if i.Op == code.Neg && i.Type.Float() {
			x := c.value(i.X)
			o := &operand{run: c.run, loops: c.loops, rank: x.rank, vary: x.vary}
			if x.product != nil && x.of == nil {
				o.product, o.negated, o.of, o.x, o.y = x.product, true, x, x.x, x.y
				o.run, o.loops = x.run, x.loops
			}
			x.others++
			c.set(i.Dst, o)
			return
		}
	case *code.Binary:
		if i.Type.Float() && !c.w.rounded[i] {
			switch i.Op {
			case code.Mul:
				x, y := c.value(i.X), c.value(i.Y)
				x.others++
				y.others++
				c.set(i.Dst, &operand{product: i, x: x, y: y, run: c.run, loops: c.loops, rank: max(x.rank, y.rank) + 1, vary: max(x.vary, y.vary)})
				return
			case code.Add, code.Sub:
				x, y := c.value(i.X), c.value(i.Y)
				s := &sum{in: i, x: x, y: y, run: c.run, loops: c.loops}
				x.sums = append(x.sums, s)
				y.sums = append(y.sums, s)
				c.sums = append(c.sums, s)
				c.set(i.Dst, &operand{run: c.run, loops: c.loops, rank: max(x.rank, y.rank) + 1, vary: max(x.vary, y.vary)})
				return
			}
		}
	case *code.If:
		c.choice(i)
		return
	case *code.Loop:
		c.loop(i)
		return
	case *code.Region:
		c.region(i)
		return
	}
	values, dst := code.Operands(in)
	rank, vary := 0, 0
	for _, v := range values {
		o := c.value(v)
		o.others++
		rank, vary = max(rank, o.rank), max(vary, o.vary)
	}
	rank++
	switch in.(type) {
	case *code.Load, *code.Atomic, *code.Shuffle, *code.Call, *code.Vote, *code.Match, *code.Reduce, *code.ActiveMask, *code.Undef:
		rank, vary = c.next(), c.loops
	case *code.Special, *code.Intrinsic:
		rank = c.next()
	}
	for _, r := range dst {
		c.set(r, &operand{run: c.run, loops: c.loops, rank: rank, vary: vary})
	}
}

// assigned is what a construct assigns: the registers that have had several
// values when it ends.
func (c *contraction) assigned(inside func()) map[code.Reg][]*operand {
	c.level = append(c.level, map[code.Reg][]*operand{})
	inside()
	n := len(c.level) - 1
	out := c.level[n]
	c.level = c.level[:n]
	if n > 0 {
		for r, list := range out {
			c.level[n-1][r] = append(c.level[n-1][r], list...)
		}
	}
	return out
}

// join gives registers a value in which several meet.
func (c *contraction) join(assigned map[code.Reg][]*operand, before map[code.Reg]*operand) {
	for r, list := range assigned {
		o := &operand{run: c.run, loops: c.loops, rank: c.base, vary: c.loops, meets: list}
		if old := before[r]; old != nil {
			o.meets = append(o.meets, old)
		}
		c.meets = append(c.meets, o)
		c.now[r] = o
	}
}

func (c *contraction) copyOf() map[code.Reg]*operand {
	out := make(map[code.Reg]*operand, len(c.now))
	for r, o := range c.now {
		out[r] = o
	}
	return out
}

func (c *contraction) choice(i *code.If) {
	c.value(i.Cond).others++
	small := few(i.Then) && few(i.Else)
	before := c.copyOf()
	outer := c.run
	branch := func(b code.Block) {
		if !small {
			c.run = &run{parent: outer, branch: true}
			c.base = (c.base>>16 + 1) << 16
		}
		c.block(b)
	}
	assigned := c.assigned(func() {
		branch(i.Then)
		for r := range c.now {
			if _, ok := before[r]; !ok {
				delete(c.now, r)
			}
		}
		for r, o := range before {
			c.now[r] = o
		}
		branch(i.Else)
	})
	c.run = outer
	if !small {
		c.run = &run{}
		c.base = (c.base>>16 + 1) << 16
	}
	c.join(assigned, before)
}

// few reports whether a branch is so little that a compiler computes it in any
// case and chooses afterwards.
func few(b code.Block) bool {
	n := 0
	for _, in := range b {
		switch i := in.(type) {
		case *code.Stmt, *code.Move, *code.Undef, *code.Note, *code.Enter, *code.Leave:
		case *code.Unary, *code.Compare, *code.Select, *code.Convert, *code.Bits:
			n++
		case *code.Binary:
			if i.Op == code.Div || i.Op == code.Rem {
				return false
			}
			n++
		default:
			return false
		}
	}
	return n <= 2
}

func (c *contraction) loop(i *code.Loop) {
	changed := map[code.Reg]bool{}
	code.Writes(i.Cond, changed)
	code.Writes(i.Body, changed)
	code.Writes(i.Step, changed)
	before := c.copyOf()
	c.base = (c.base>>16 + 1) << 16
	// At its beginning what it changes has the value from before, or that of the
	// last round.
	heads := map[code.Reg]*operand{}
	for r := range changed {
		o := &operand{run: c.run, loops: c.loops + 1, rank: c.next(), vary: c.loops + 1}
		if old := before[r]; old != nil {
			o.meets = append(o.meets, old)
		}
		heads[r] = o
		c.meets = append(c.meets, o)
		c.now[r] = o
	}
	c.loops++
	assigned := c.assigned(func() {
		c.run = &run{}
		c.block(i.Cond)
		c.value(i.Test).others++
		c.block(i.Body)
		c.block(i.Step)
	})
	c.loops--
	for r, list := range assigned {
		if heads[r] != nil {
			heads[r].meets = append(heads[r].meets, list...)
		}
	}
	c.run = &run{}
	c.base = (c.base>>16 + 1) << 16
	c.join(assigned, before)
}

func (c *contraction) region(i *code.Region) {
	before := c.copyOf()
	assigned := c.assigned(func() { c.block(i.Body) })
	c.run = &run{}
	c.base = (c.base>>16 + 1) << 16
	c.join(assigned, before)
}

// ---- which --------------------------------------------------------------------------

// settle decides which sums take a product.
func (c *contraction) settle() {
	// A value that meets others, and is used where they have met, has that use too.
	var use func(o *operand)
	use = func(o *operand) {
		if o.used {
			return
		}
		o.used = true
		for _, m := range o.meets {
			m.others++
			use(m)
		}
	}
	for _, o := range c.meets {
		if o.others > 0 || len(o.sums) > 0 {
			use(o)
		}
	}
	c.fused, c.gone = map[*code.Binary]*fusion{}, map[code.Instr]bool{}
	// A product that all its sums can take is gone. One that two of them could take
	// as either side is taken by the first that fits.
	for _, s := range c.sums {
		left, right := c.takes(s, s.x), c.takes(s, s.y)
		if s.x == s.y && left {
			// p + p is a*b + p.
			c.fused[s.in] = &fusion{s.x, true}
			continue
		}
		switch {
		case left && right && s.in.Op == code.Add && s.y.rank < s.x.rank:
			c.fused[s.in] = &fusion{s.y, false}
		case left:
			c.fused[s.in] = &fusion{s.x, true}
		case right:
			c.fused[s.in] = &fusion{s.y, false}
		}
	}
	taken := map[*operand]int{}
	for _, f := range c.fused {
		taken[f.product]++
	}
	for o, n := range taken {
		base := o
		if o.of != nil {
			base = o.of
		}
		if o.of != nil && n == len(o.sums) && o.others == 0 && base.others == 1 && len(base.sums) == 0 {
			c.gone[base.product] = true
			continue
		}
		if o.of == nil && n == len(o.sums) && o.others == 0 && !twice(o) {
			c.gone[o.product] = true
		}
	}
}

// twice reports whether a sum takes a product on both sides: one of them stays.
func twice(o *operand) bool {
	for _, s := range o.sums {
		if s.x == s.y {
			return true
		}
	}
	return false
}

// takes reports whether a sum may take a product.
func (c *contraction) takes(s *sum, o *operand) bool {
	if o.product == nil || c.w.rounded[o.product] {
		return false
	}
	base := o
	if o.of != nil {
		base = o.of
		if base.others != 1 || len(base.sums) > 0 {
			return false // the product itself is used beside its negative
		}
	}
	if o.loops != s.loops || o.vary < s.loops {
		return false
	}
	uses := len(o.sums)
	if s.x == s.y && s.x == o {
		uses = max(uses-1, 1)
	}
	switch {
	case o.others > 0:
		return false
	case uses == 1:
		return o.run == s.run || into(o.run, s.run)
	case uses > 4:
		return false
	}
	for _, t := range o.sums {
		if t.in.Op != code.Add || t.run != o.run {
			return false
		}
	}
	return true
}

// into reports whether a run is a branch that begins in another, and so a place
// that a product with one use is moved to.
func into(from, to *run) bool {
	for n := 0; to != nil && to.branch && n < 100; n++ {
		if to.parent == from {
			return true
		}
		to = to.parent
	}
	return false
}

// ---- how ---------------------------------------------------------------------------

// rewrite replaces the sums and leaves the products out that nobody takes any
// more. A product's operands may have changed before its sum: then they are kept.
func (c *contraction) rewrite(b code.Block) code.Block {
	kept := map[*code.Binary][2]code.Value{}
	need := map[*code.Binary]bool{}
	writers := make([]int, len(c.w.f.Regs)) // how often each register is written
	var count func(b code.Block)
	count = func(b code.Block) {
		for _, in := range b {
			_, dst := code.Operands(in)
			for _, r := range dst {
				writers[r]++
			}
			for _, inner := range code.Blocks(in) {
				count(inner)
			}
		}
	}
	count(b)
	for _, f := range c.fused {
		m := f.product.product
		for _, v := range []code.Value{m.X, m.Y} {
			if v.Reg != 0 && (writers[v.Reg] > 1 || c.w.named[v.Reg]) {
				need[m] = true
			}
		}
	}
	// Where nothing is assigned in between, nothing need be kept.
	var check func(b code.Block)
	check = func(b code.Block) {
		for i, in := range b {
			if m, ok := in.(*code.Binary); ok && need[m] {
				if c.undisturbed(b[i+1:], m) {
					need[m] = false
				}
			}
			for _, inner := range code.Blocks(in) {
				check(inner)
			}
		}
	}
	check(b)

	var rewrite func(b code.Block) code.Block
	rewrite = func(b code.Block) code.Block {
		out := make(code.Block, 0, len(b))
		for _, in := range b {
			switch i := in.(type) {
			case *code.Binary:
				if need[i] {
					var ops [2]code.Value
					for k, v := range []code.Value{i.X, i.Y} {
						ops[k] = v
						if v.Reg != 0 {
							r := c.w.b.Reg(i.Type, "")
							out = append(out, &code.Move{At: i.At, Dst: r, X: v})
							ops[k] = code.R(r)
						}
					}
					kept[i] = ops
				}
				if c.gone[i] {
					continue
				}
				if f := c.fused[i]; f != nil {
					out = append(out, c.muladd(i, f, kept))
					continue
				}
			default:
				code.Rewrite(in, rewrite)
			}
			out = append(out, in)
		}
		return out
	}
	return c.unusedNegatives(rewrite(b))
}

// undisturbed reports whether the operands of a product keep their values up to
// the last sum that takes it, as far as that is in the same block.
func (c *contraction) undisturbed(rest code.Block, m *code.Binary) bool {
	waiting := 0
	for _, f := range c.fused {
		if f.product.product == m {
			waiting++
		}
	}
	for _, in := range rest {
		if b, ok := in.(*code.Binary); ok {
			if f := c.fused[b]; f != nil && f.product.product == m {
				if waiting--; waiting == 0 {
					return true
				}
			}
		}
		if len(code.Blocks(in)) > 0 {
			return false
		}
		_, dst := code.Operands(in)
		for _, r := range dst {
			if r == m.X.Reg || r == m.Y.Reg {
				return false
			}
		}
	}
	return false
}

func (c *contraction) muladd(i *code.Binary, f *fusion, kept map[*code.Binary][2]code.Value) code.Instr {
	m := f.product.product
	x, y := m.X, m.Y
	if ops, ok := kept[m]; ok {
		x, y = ops[0], ops[1]
	}
	out := &code.MulAdd{At: i.At, Type: i.Type, Dst: i.Dst, X: x, Y: y}
	out.NegProduct = f.product.negated
	if f.left {
		out.Z = i.Y
		out.NegAddend = i.Op == code.Sub
	} else {
		out.Z = i.X
		out.NegProduct = f.product.negated != (i.Op == code.Sub)
	}
	return out
}

// unusedNegatives leaves out the negatives of products that are gone.
func (c *contraction) unusedNegatives(b code.Block) code.Block {
	if len(c.gone) == 0 {
		return b
	}
	dead := make([]bool, len(c.w.f.Regs)) // by register, as are the others
	for in := range c.gone {
		dead[in.(*code.Binary).Dst] = true
	}
	reads, writersOf := make([]int, len(c.w.f.Regs)), make([]int, len(c.w.f.Regs))
	var count func(b code.Block)
	count = func(b code.Block) {
		for _, in := range b {
			values, dst := code.Operands(in)
			for _, v := range values {
				reads[v.Reg]++
			}
			for _, r := range dst {
				writersOf[r]++
			}
			for _, inner := range code.Blocks(in) {
				count(inner)
			}
		}
	}
	count(b)
	var clean func(b code.Block) code.Block
	clean = func(b code.Block) code.Block {
		out := b[:0:0]
		for _, in := range b {
			switch i := in.(type) {
			case *code.Unary:
				if i.Op == code.Neg && dead[i.X.Reg] && writersOf[i.X.Reg] == 0 && reads[i.Dst] == 0 {
					writersOf[i.Dst]--
					dead[i.Dst] = true
					continue
				}
			case *code.Move:
				if dead[i.X.Reg] && writersOf[i.X.Reg] == 0 {
					// The product went through a variable, of which nobody reads this value.
					if writersOf[i.Dst]--; writersOf[i.Dst] == 0 {
						dead[i.Dst] = true
					}
					continue
				}
			default:
				code.Rewrite(in, clean)
			}
			out = append(out, in)
		}
		return out
	}
	return clean(b)
}
