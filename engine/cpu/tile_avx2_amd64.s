#include "textflag.h"

// Tiles of 6 rows by 2 vectors of 32 bytes: 12 of the 16 registers hold the
// running sums of C, Y12 and Y13 one row of the right side. That leaves
// two, Y14 for one element of the left side in every lane and Y15 for a product
// that is rounded on its own; 4 rows by 3 vectors would leave none for it.
//
//	SI left, interleaved by 6   DI row of the right side   R11 bytes to its next
//	CX steps left               R8 row of C                R9 bytes to its next

#define ARGUMENTS(shift) \
	MOVQ k+0(FP), CX       \
	MOVQ a_base+8(FP), SI  \
	MOVQ b_base+32(FP), DI \
	MOVQ step+56(FP), R11  \
	SHLQ $shift, R11       \
	MOVQ c_base+64(FP), R8 \
	MOVQ stride+88(FP), R9 \
	SHLQ $shift, R9

// The chains continue from what C holds.
#define LOAD_ROW(s0, s1) \
	VMOVUPD (R8), s0   \
	VMOVUPD 32(R8), s1 \
	ADDQ    R9, R8

#define LOAD \
	MOVQ R8, R10 \
	LOAD_ROW(Y0, Y1)   \
	LOAD_ROW(Y2, Y3)   \
	LOAD_ROW(Y4, Y5)   \
	LOAD_ROW(Y6, Y7)   \
	LOAD_ROW(Y8, Y9)   \
	LOAD_ROW(Y10, Y11) \
	MOVQ R10, R8

#define STORE_ROW(s0, s1) \
	VMOVUPD s0, (R8)   \
	VMOVUPD s1, 32(R8) \
	ADDQ    R9, R8

#define STORE \
	STORE_ROW(Y0, Y1)   \
	STORE_ROW(Y2, Y3)   \
	STORE_ROW(Y4, Y5)   \
	STORE_ROW(Y6, Y7)   \
	STORE_ROW(Y8, Y9)   \
	STORE_ROW(Y10, Y11) \
	VZEROUPPER

#define RIGHT \
	VMOVUPD (DI), Y12   \
	VMOVUPD 32(DI), Y13

// One step of one row in float64: the product is rounded before it is added …
#define SEPARATE64(at, s0, s1) \
	VBROADCASTSD at(SI), Y14 \
	VMULPD Y12, Y14, Y15     \
	VMULPD Y13, Y14, Y14     \
	VADDPD Y15, s0, s0       \
	VADDPD Y14, s1, s1

// … or not.
#define FUSED64(at, s0, s1) \
	VBROADCASTSD at(SI), Y14 \
	VFMADD231PD Y12, Y14, s0 \
	VFMADD231PD Y13, Y14, s1

#define SEPARATE32(at, s0, s1) \
	VBROADCASTSS at(SI), Y14 \
	VMULPS Y12, Y14, Y15     \
	VMULPS Y13, Y14, Y14     \
	VADDPS Y15, s0, s0       \
	VADDPS Y14, s1, s1

#define FUSED32(at, s0, s1) \
	VBROADCASTSS at(SI), Y14 \
	VFMADD231PS Y12, Y14, s0 \
	VFMADD231PS Y13, Y14, s1

#define STEP64(row) \
	RIGHT \
	row(0, Y0, Y1)    \
	row(8, Y2, Y3)    \
	row(16, Y4, Y5)   \
	row(24, Y6, Y7)   \
	row(32, Y8, Y9)   \
	row(40, Y10, Y11) \
	ADDQ $48, SI \
	ADDQ R11, DI

#define STEP32(row) \
	RIGHT \
	row(0, Y0, Y1)    \
	row(4, Y2, Y3)    \
	row(8, Y4, Y5)    \
	row(12, Y6, Y7)   \
	row(16, Y8, Y9)   \
	row(20, Y10, Y11) \
	ADDQ $24, SI \
	ADDQ R11, DI

// func separate64AVX2(k int, a, b []float64, step int, c []float64, stride int)
TEXT ·separate64AVX2(SB), NOSPLIT, $0-96
	ARGUMENTS(3)
	LOAD
loop:
	STEP64(SEPARATE64)
	DECQ CX
	JNZ  loop
	STORE
	RET

// func fused64AVX2(k int, a, b []float64, step int, c []float64, stride int)
TEXT ·fused64AVX2(SB), NOSPLIT, $0-96
	ARGUMENTS(3)
	LOAD
loop:
	STEP64(FUSED64)
	DECQ CX
	JNZ  loop
	STORE
	RET

// func separate32AVX2(k int, a, b []float32, step int, c []float32, stride int)
TEXT ·separate32AVX2(SB), NOSPLIT, $0-96
	ARGUMENTS(2)
	LOAD
loop:
	STEP32(SEPARATE32)
	DECQ CX
	JNZ  loop
	STORE
	RET

// func fused32AVX2(k int, a, b []float32, step int, c []float32, stride int)
TEXT ·fused32AVX2(SB), NOSPLIT, $0-96
	ARGUMENTS(2)
	LOAD
loop:
	STEP32(FUSED32)
	DECQ CX
	JNZ  loop
	STORE
	RET
