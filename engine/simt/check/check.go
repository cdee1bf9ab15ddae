package check

import (
	"workbench/engine/simt/source"
	"workbench/engine/simt/syntax"
	"workbench/engine/simt/types"
)

// Limits bound what checking a source may take.
type Limits struct {
	Nesting   int   // of expressions, and of templates that ask for templates
	Instances int   // of templates, in all
	Steps     int   // of expressions that are computed while compiling
	Memory    int64 // bytes of the variables of a function or a program

	// Incomplete says that headers of the source are not here. A name that nothing
	// has may be of one of them: it is an error where a kernel needs it.
	Incomplete bool
}

// Default are limits that no source met in practice comes near.
var Default = Limits{Nesting: 256, Instances: 20000, Steps: 2_000_000, Memory: 1 << 34}

// A Unit is a checked source.
type Unit struct {
	Kernels []*Func // that are no templates, in the order of their definitions

	c *checker
}

// Check resolves the names of a source and finds the types of its expressions.
// Anything wrong is a *source.Error. Functions that a kernel of the source does
// not need are checked too, but for those of templates and of built-in headers.
func Check(decls []syntax.Decl, limits Limits) (u *Unit, err error) {
	c := &checker{limits: limits, classes: map[*types.Struct]*class{}, enums: map[*types.Enum]*enum{}}
	c.global = newScope(nil)
	c.global.space = true
	c.scope = c.global
	c.order = everything
	u = &Unit{c: c}
	err = c.outermost(func() {
		for _, d := range decls {
			c.declare(d)
		}
		for len(c.queue) > 0 || len(c.later) > 0 {
			if len(c.queue) > 0 {
				f := c.queue[0]
				c.queue = c.queue[1:]
				c.bodyOrRefusal(f)
				continue
			}
			run := c.later[0]
			c.later = c.later[1:]
			run()
		}
		for _, f := range c.kernels {
			u.Kernels = append(u.Kernels, c.use(f, f.pos))
		}
		c.drain()
		c.dispatch()
		c.drain()
		if len(c.kernels) == 0 && !c.templates && c.refused != nil {
			c.fail(c.refused) // nothing is left of the source
		}
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// drain checks the bodies that are still to be checked.
func (c *checker) drain() {
	for len(c.queue) > 0 {
		f := c.queue[0]
		c.queue = c.queue[1:]
		c.bodyOrRefusal(f)
	}
}

// bodyOrRefusal checks a body. What is not supported in it is an error of those who
// need the function.
func (c *checker) bodyOrRefusal(f *Func) {
	err := c.attempt(func() { c.body(f) })
	if err == nil {
		return
	}
	bad, ok := err.(*source.Error)
	if !ok || !c.passable(bad) || f.Result == nil {
		panic(err)
	}
	c.refuseBody(f, bad)
}

// passable reports whether an error matters only where a kernel needs what it is of.
func (c *checker) passable(err *source.Error) bool {
	return err.Unsupported || err.Unknown && c.limits.Incomplete
}

func (c *checker) refuseBody(f *Func, err *source.Error) {
	f.Refused, f.Body, f.state = err, &Block{At: At{f.Pos}}, checked
	c.passOver(err, true)
}

// passOver notes what was passed over: it is the source's error if nothing else is
// left of it, but for a name that nothing has in the host's part.
func (c *checker) passOver(err *source.Error, device bool) {
	if c.refused == nil && err != nil && (err.Unsupported || !err.Unknown || device) {
		c.refused = err
	}
}

// Kernel returns the kernel of that name: "add", "ns::add", or an instance of a
// template, "reduce<256>".
func (u *Unit) Kernel(name *syntax.Name) (f *Func, err error) {
	c := u.c
	err = c.outermost(func() {
		c.scope, c.order, c.depth = c.global, everything, 0
		f = c.kernelNamed(name)
		c.drain()
		c.dispatch()
		c.drain()
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// A checker is a source being checked.
type checker struct {
	limits Limits
	global *scope
	scope  *scope
	order  int // what is declared behind it is not seen
	depth  int

	classes map[*types.Struct]*class
	enums   map[*types.Enum]*enum
	kernels []*function

	// passed are functions that were passed over though others have their names.
	passed map[string]*hostCode

	queue []*Func  // whose bodies are to be checked
	later []func() // checks that wait until everything is declared

	autoAs     *types.Type // what auto stands for
	converting int         // user conversions being tried

	addressed   []*function   // that are used as values
	dispatchers []*dispatcher // of calls through pointers

	refused   *source.Error // the first thing that was passed over
	templates bool          // there are kernels that are templates

	final bool       // what fails now is not to be tried in another way
	fn    *context   // the function being checked
	stack []instance // of templates being instantiated
	count int        // of instances
	steps int        // of evaluation
}

// An instance is a template being instantiated, for messages.
type instance struct {
	pos  source.Pos
	name string
}

// outermost runs f and returns the error that it ends with, whatever it is.
func (c *checker) outermost(f func()) (err error) {
	c.final = false
	defer func() {
		if e := recover(); e != nil {
			bad, ok := e.(*source.Error)
			if !ok {
				panic(e)
			}
			err = bad
		}
	}()
	return c.attempt(f)
}

// attempt runs f and returns the error that it ends with.
func (c *checker) attempt(f func()) (err error) {
	scope, order, depth, fn, stack := c.scope, c.order, c.depth, c.fn, len(c.stack)
	defer func() {
		if e := recover(); e != nil {
			bad, ok := e.(*source.Error)
			if !ok {
				panic(e)
			}
			if c.final {
				panic(e)
			}
			err = bad
			c.scope, c.order, c.depth, c.fn, c.stack = scope, order, depth, fn, c.stack[:stack]
		}
	}()
	f()
	return nil
}

// fail ends checking. Inside of templates it says which.
func (c *checker) fail(e *source.Error) {
	for i, n := len(c.stack)-1, 0; i >= 0 && n < 3; i, n = i-1, n+1 {
		at := c.stack[i]
		if at.name == "" {
			e.Note(at.pos, "it is declared here")
			continue
		}
		if at.pos.File != nil && at.pos.File.BuiltIn {
			continue
		}
		e.Note(at.pos, "in %s, which is asked for here", at.name)
	}
	if e.Pos.File != nil && e.Pos.File.BuiltIn {
		// What is wrong is how a built-in header is used.
		for i := len(c.stack) - 1; i >= 0; i-- {
			if p := c.stack[i].pos; p.File != nil && !p.File.BuiltIn {
				e.Pos = p
				break
			}
		}
	}
	panic(e)
}

func (c *checker) errorf(pos source.Pos, construct, format string, args ...any) {
	c.fail(source.Errorf(pos, construct, format, args...))
}

func (c *checker) refuse(pos source.Pos, construct, instead string) {
	c.fail(source.Errorf(pos, construct, "%s: not supported", construct).With("%s", instead).Refused())
}

// enter counts a level of nesting.
func (c *checker) enter(pos source.Pos) func() {
	if c.depth++; c.depth > 20*c.limits.Nesting {
		c.errorf(pos, "nesting", "this nests too deep to be read")
	}
	return c.leave
}

func (c *checker) leave() { c.depth-- }

// in runs f with another scope.
func (c *checker) in(s *scope, f func()) {
	saved := c.scope
	c.scope = s
	f()
	c.scope = saved
}

// instantiate runs f as the making of an instance.
func (c *checker) instantiate(pos source.Pos, name string, f func()) {
	if len(c.stack) >= c.limits.Nesting {
		c.tooDeep(pos, name)
	}
	if c.count++; c.count > c.limits.Instances {
		c.tooMany(pos)
	}
	c.stack = append(c.stack, instance{pos, name})
	saved := *c
	f()
	c.stack = c.stack[:len(saved.stack)-1]
	c.scope, c.order, c.fn, c.depth = saved.scope, saved.order, saved.fn, saved.depth
}

// tooDeep and tooMany end checking at once: where a template does not fit, another
// may be tried, but not here.
func (c *checker) tooDeep(pos source.Pos, name string) {
	c.final = true
	c.stack = c.stack[:min(len(c.stack), 1)]
	c.fail(source.Errorf(pos, "template", "templates ask for one another more than %d deep, up to %s", c.limits.Nesting, name).With("does the recursion end? A specialisation of the template, or if constexpr, ends it"))
}

func (c *checker) tooMany(pos source.Pos) {
	c.final = true
	c.errorf(pos, "template", "templates make more than %d instances", c.limits.Instances)
}

// A context is what is known of the function being checked.
type context struct {
	fn     *Func
	f      *function
	loops  int
	breaks int  // loops and switches
	auto   bool // the result is that of the first return
	lambda *lambda
}

func (c *checker) kernelNamed(name *syntax.Name) *Func {
	e := c.find(name, true)
	set, ok := e.(*overloads)
	if !ok {
		if h, ok := e.(*hostCode); ok {
			c.unusable(h, source.Pos{})
		}
		if t, ok := e.(*templateID); ok {
			f := c.pickInstance(t, name)
			if !f.decl.Global {
				c.errorf(t.at, name.String(), "%s is no kernel: it needs __global__", name)
			}
			return c.use(f, name.Pos())
		}
		c.errorf(name.Pos(), name.String(), "there is no kernel %s", name)
	}
	var found *function
	for _, f := range set.list {
		if f.decl.Global {
			if found != nil && found != f {
				c.errorf(name.Pos(), name.String(), "there are several kernels %s", name)
			}
			found = f
		}
	}
	if found == nil {
		c.errorf(name.Pos(), name.String(), "%s is no kernel: it needs __global__", name)
	}
	if found.template {
		c.fail(source.Errorf(name.Pos(), name.String(), "%s is a template: its arguments are to be named", name).With("write them in angle brackets: %s<…>", name))
	}
	return c.use(found, name.Pos())
}
