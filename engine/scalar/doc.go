// Package scalar has the elementary functions of the engine, with the same bits
// on every processor. All angles are in radians and all logarithms are natural
// where the name does not say otherwise.
//
// Package math cannot give that: its Exp is assembly on some processors, and where
// it is Go, the language allows x*y + z to be rounded once or twice. The functions
// here are made of operations whose result IEEE 754 fixes, rounded one by one:
// addition, multiplication, division, integer arithmetic on bit patterns. Every
// product stands inside a conversion,
//
//	float64(x*y) + z
//
// which forbids the compiler to fuse it, and so does every argument, x = float64(x),
// since it may be a product of the caller's, brought here by inlining. A test reads
// the source for what does not. No function uses math.FMA: its bits are the same everywhere, but where the
// processor has no such instruction one call takes 15 ns, twice a whole Exp. Where
// a product must be exact, factors are split by their bits instead.
//
// The bits themselves are in testdata: arguments with their results, and the digest
// of 65536 more for each function and for the parts before its last rounding. They
// hold on amd64 with fused multiply-add instructions and without, and on
// arm64.
//
// # Error
//
// An error is the distance from the exact value in units of the last place (ulp) of
// a float64 of its size. A result that is the nearest float64 errs by 0.5 at most;
// the algorithms of package math allow almost 1. Measured against big.Float series at 400000 to
// 800000 arguments of a function (go test -run Accuracy -v -samples 100000), over
// the whole range, subnormal arguments and results included:
//
//	function   largest error   not the nearest   bound held by the tests
//	Exp           0.506          1 of 1900              0.51
//	Exp2          0.506          1 of 1900              0.51
//	Log           0.502          1 of 19000             0.505
//	Log2          0.502          1 of 14000             0.505
//	Sin           0.521          1 of 570               0.525
//	Cos           0.518          1 of 1070              0.525
//	Tanh          0.511          1 of 1300              0.52
//	Pow           0.508          1 of 1340              0.515
//	FMA32         0.5 of float32 none                   exact
//
// Every NaN that comes out is the same quiet one, 7ff8000000000001 (7fc00000 from
// FMA32), since processors disagree on the sign and payload of theirs.
//
// # Methods
//
// Each file says its own: tables with a short Taylor polynomial (Tang), exact
// two-part arguments (Cody and Waite; Dekker), the multiplication by 2/π in
// integers (Payne and Hanek), rounding to odd (Boldo and Melquiond). table.go is
// written by a test from its formulas, and the test holds it to them.
package scalar
