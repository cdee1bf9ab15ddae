// Package scalar has the elementary functions of the engine, with the same bits on
// every processor.
package scalar
