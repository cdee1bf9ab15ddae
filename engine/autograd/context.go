package autograd

import (
	"context"
	"errors"

	"workbench/engine/device"
)

// Context is the setting of a computation. It is a value: In, As and the With
// methods return changed copies that share the first error.
type Context struct {
	ctx       context.Context
	run       *device.Run
	record    bool
	precision device.Precision
	watch     func(Event)
	section   string
	label     string
	first     *firstError
}

type firstError struct{ err error }

// Recording returns a context that records a graph for Backward.
func Recording(ctx context.Context, run *device.Run) Context {
	return Context{ctx: ctx, run: run, record: true, first: &firstError{}}
}

// NoGrad returns a context that computes values alone. The device is used all
// the same.
func NoGrad(ctx context.Context, run *device.Run) Context {
	return Context{ctx: ctx, run: run, first: &firstError{}}
}

// WithPrecision returns a context whose products and reductions use p. Each
// node remembers it, and its adjoints use it too.
func (c Context) WithPrecision(p device.Precision) Context {
	c.precision = p
	return c
}

// WithWatch returns a context that reports every operation, forward and
// backward, to watch, in order and before the next one starts.
func (c Context) WithWatch(watch func(Event)) Context {
	c.watch = watch
	return c
}

// In returns a context whose operations belong to a section, as watchers see it.
func (c Context) In(section string) Context {
	c.section = section
	return c
}

// As returns a context whose operations' outputs have a name, for watchers. It
// is meant for one call: c.As("queries").Matmul(x, w).
func (c Context) As(label string) Context {
	c.label = label
	return c
}

// Records reports whether the context records a graph.
func (c Context) Records() bool { return c.record }

// Run returns the run that products and reductions go to.
func (c Context) Run() *device.Run { return c.run }

// Precision returns the precision of products and reductions.
func (c Context) Precision() device.Precision { return c.precision }

// Err returns the first error of the context and its copies. That of a
// cancellation is its cause, as context.Cause returns it.
func (c Context) Err() error { return c.first.err }

// Fail keeps err as the context's error if it is the first.
func (c Context) Fail(err error) {
	if c.first.err == nil {
		c.first.err = err
	}
}

// stopped reports whether an operation must do nothing: the context has failed
// or is cancelled, or an operand is missing because of that.
func (c Context) stopped(operands ...*Node) bool {
	if c.first.err != nil {
		return true
	}
	if err := c.ctx.Err(); err != nil {
		c.Fail(context.Cause(c.ctx))
		return true
	}
	for _, n := range operands {
		if n == nil {
			c.Fail(errors.New("autograd: an operand is nil"))
			return true
		}
	}
	return false
}
