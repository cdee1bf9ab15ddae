// Package dtype rounds float64 values to the formats that matrix hardware
// represents, and says how far apart two float64 values lie.
//
//	format     bits  exponent  fraction   largest finite   smallest normal   smallest subnormal
//	float32     32      8         23      (2−2^-23)·2^127       2^-126             2^-149
//	float16     16      5         10      65504                 2^-14              2^-24
//	bfloat16    16      8          7      (2−2^-7)·2^127        2^-126             2^-133
//
// The layouts are those of IEEE 754-2019 §3.4 (binary32 and binary16); a
// bfloat16 is the upper half of a binary32. A pattern of sixteen bits reads, from
// the highest bit down, sign, exponent, fraction:
//
//	float16   s eeeee ffffffffff      (−1)^s · 2^(e−15)  · 1.f     e = 0: 2^-14 · 0.f
//	bfloat16  s eeeeeeee fffffff      (−1)^s · 2^(e−127) · 1.f     e = 0: 2^-126 · 0.f
//
// Every conversion starts from float64 and rounds once, to the nearest
// represented value, ties to the one with an even fraction (IEEE 754-2019
// §4.3.1). Going by way of float32 would round twice, and some values would land
// on the wrong side: 1 + 2^-11 + 2^-30 is above the middle between two float16
// neighbours, yet its float32 is that middle.
//
// What every conversion keeps and does at the edges:
//
//   - values below the smallest normal number round to subnormals, and to a zero
//     of the same sign from half the smallest subnormal down;
//   - values from the largest finite number plus half a step on become an infinity
//     of the same sign;
//   - signed zeros and infinities stay what they are;
//   - a NaN stays a NaN with its sign and the upper bits of its payload, and is
//     made quiet, so that no format turns it into an infinity and every
//     processor gives the same bits.
//
// Weights are also kept as blocks of 32 codes of four or eight bits with a scale: Q4
// and Q8 encode a matrix and decode it, exactly.
package dtype
