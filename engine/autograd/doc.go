// Package autograd computes tensors and, in reverse, their adjoints.
//
// A Context carries what every operation needs: the run, and so the device,
// that matrix products and reductions go to; the precision they use; whether a
// graph is recorded; and who watches. The same context, or another one over
// another device, is given to Backward: the choice of a device belongs to the
// calls that receive it and is no part of a graph or of a parameter.
//
//	c := autograd.Recording(ctx, run)
//	y := c.Matmul(x, w)          // on the run's device
//	loss := c.MeanAxis(y, 0, false)
//	if err := c.Err(); err != nil { … }
//	err := loss.Backward(c)      // G·Wᵀ and Xᵀ·G on the same device
//
// Matrix products, sums and means run on the device, in the backward pass too.
// Elementwise work, gathers and rearrangements run on the host, in float64, with
// the functions of package scalar.
//
// Operations do not return errors. The first one that fails is kept in the
// context and in every copy of it, later operations do nothing, and Err returns
// it, as with a bufio.Writer. A graph belongs to one goroutine.
package autograd
