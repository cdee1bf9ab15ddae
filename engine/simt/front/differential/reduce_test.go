package differential_test

// reduce makes a kernel smaller for as long as it still fails: by leaving
// statements out, by putting a part of an expression in its place, or a number.
// The kernel is changed.
func reduce(k *kernelSource, fails func() bool) {
	r := &reduction{fails: fails, tries: 1500}
	for changed := true; changed && r.tries > 0; {
		r.changed = false
		r.lists(k)
		for _, f := range append(append([]*function(nil), k.functions...), k.kernel) {
			r.body(&f.body)
		}
		changed = r.changed
	}
	r.still()
}

type reduction struct {
	fails   func() bool
	tries   int
	changed bool
}

// still reports whether the kernel fails. A tree that cannot be evaluated, or does
// not compile, is not what is looked for.
func (r *reduction) still() (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return r.fails()
}

// put tries a value in place of another.
func put[T any](r *reduction, at *T, to T) bool {
	if r.tries--; r.tries < 0 {
		return false
	}
	old := *at
	*at = to
	if r.still() {
		r.changed = true
		return true
	}
	*at = old
	return false
}

func without[T any](list []T, i int, instead ...T) []T {
	out := append(append([]T(nil), list[:i]...), instead...)
	return append(out, list[i+1:]...)
}

func (r *reduction) lists(k *kernelSource) {
	for i := 0; i < len(k.functions); {
		if !put(r, &k.functions, without(k.functions, i)) {
			i++
		}
	}
	for i := 0; i < len(k.variables); {
		if !put(r, &k.variables, without(k.variables, i)) {
			i++
		}
	}
	for i := 0; i < len(k.structs); {
		if !put(r, &k.structs, without(k.structs, i)) {
			i++
		}
	}
}

func (r *reduction) body(body *[]stmt) {
	for n := len(*body) / 2; n > 1; n /= 2 {
		for i := 0; i+n <= len(*body); {
			if !put(r, body, append(append([]stmt(nil), (*body)[:i]...), (*body)[i+n:]...)) {
				i += n
			}
		}
	}
	for i := 0; i < len(*body); {
		if put(r, body, without(*body, i)) {
			continue
		}
		inner, expressions := within((*body)[i])
		if len(inner) > 0 {
			var all []stmt
			for _, b := range inner {
				all = append(all, *b...)
			}
			if put(r, body, without(*body, i, all...)) {
				continue
			}
		}
		for _, b := range inner {
			r.body(b)
		}
		for _, e := range expressions {
			r.expression(e)
		}
		i++
	}
}

func (r *reduction) expression(at *expr) {
	for again := true; again; {
		again = false
		e := *at
		switch e.(type) {
		case nil, *literal, *name:
			return
		}
		if t := e.typ(); t != nil && t.scalar() {
			for _, x := range []int64{1, 0} {
				if put[expr](r, at, number0(t.kind, x)) {
					return
				}
			}
		}
		for _, part := range operands(e) {
			if *part != nil && (*part).typ() == e.typ() && put(r, at, *part) {
				again = true
				break
			}
		}
	}
	for _, part := range operands(*at) {
		r.expression(part)
	}
}

// within is what a statement contains.
func within(s stmt) (bodies []*[]stmt, expressions []*expr) {
	list := func(args []expr) {
		for i := range args {
			expressions = append(expressions, &args[i])
		}
	}
	switch s := s.(type) {
	case *declaration:
		list(s.init)
	case *expression:
		expressions = append(expressions, &s.x)
	case *branch:
		return []*[]stmt{&s.then, &s.els}, []*expr{&s.c}
	case *loop:
		return []*[]stmt{&s.body}, []*expr{&s.init, &s.c, &s.step}
	case *selection:
		for _, c := range s.cases {
			bodies = append(bodies, &c.body)
		}
		expressions = append(expressions, &s.x)
	case *compound:
		bodies = append(bodies, &s.body)
	case *result:
		expressions = append(expressions, &s.x)
	case *printed:
		list(s.args)
	}
	return bodies, expressions
}

// operands are the expressions right within one.
func operands(e expr) (out []*expr) {
	list := func(args []expr) []*expr {
		for i := range args {
			out = append(out, &args[i])
		}
		return out
	}
	switch e := e.(type) {
	case *index:
		return []*expr{&e.base, &e.at}
	case *member:
		return []*expr{&e.base}
	case *deref:
		return []*expr{&e.p}
	case *address:
		return []*expr{&e.x}
	case *unary:
		return []*expr{&e.x}
	case *operation:
		return []*expr{&e.x, &e.y}
	case *logical:
		return []*expr{&e.x, &e.y}
	case *assign:
		return []*expr{&e.x, &e.y}
	case *increment:
		return []*expr{&e.x}
	case *choice:
		return []*expr{&e.c, &e.x, &e.y}
	case *comma:
		return []*expr{&e.x, &e.y}
	case *cast:
		return []*expr{&e.x}
	case *call:
		return list(e.args)
	case *builtinCall:
		return list(e.args)
	case *aggregate:
		return list(e.args)
	case *together:
		return list(e.args)
	case *atomic:
		return append(list(e.args), &e.x)
	}
	return nil
}
