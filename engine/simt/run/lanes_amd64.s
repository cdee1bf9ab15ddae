#include "textflag.h"

// Operations on 32 lanes, one vector at a time. d may be any of the operands,
// since each vector is read before it is written and no other is touched.

// The NaN that arithmetic gives is a GPU's.
DATA nan32<>+0(SB)/4, $0x7fffffff
GLOBL nan32<>(SB), RODATA, $4
DATA nan64<>+0(SB)/8, $0xfff8000000000000
GLOBL nan64<>(SB), RODATA, $8

// The offsets of four neighbours, of four bytes and of eight.
DATA steps<>+0(SB)/8, $0
DATA steps<>+8(SB)/8, $4
DATA steps<>+16(SB)/8, $8
DATA steps<>+24(SB)/8, $12
GLOBL steps<>(SB), RODATA, $32
DATA strides<>+0(SB)/8, $0
DATA strides<>+8(SB)/8, $8
DATA strides<>+16(SB)/8, $16
DATA strides<>+24(SB)/8, $24
GLOBL strides<>(SB), RODATA, $32

// A bit for each of eight, or four, lanes.
DATA bits32<>+0(SB)/4, $1
DATA bits32<>+4(SB)/4, $2
DATA bits32<>+8(SB)/4, $4
DATA bits32<>+12(SB)/4, $8
DATA bits32<>+16(SB)/4, $16
DATA bits32<>+20(SB)/4, $32
DATA bits32<>+24(SB)/4, $64
DATA bits32<>+28(SB)/4, $128
GLOBL bits32<>(SB), RODATA, $32
DATA bits64<>+0(SB)/8, $1
DATA bits64<>+8(SB)/8, $2
DATA bits64<>+16(SB)/8, $4
DATA bits64<>+24(SB)/8, $8
GLOBL bits64<>(SB), RODATA, $32

// quiet makes every NaN of v the one in Y15.
#define QUIET_PS(v) \
	VCMPPS $3, v, v, Y14 \
	VBLENDVPS Y14, Y15, v, v

#define QUIET_PD(v) \
	VCMPPD $3, v, v, Y14 \
	VBLENDVPD Y14, Y15, v, v

#define LOAD_DAB \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DX

#define LOAD_DABC \
	LOAD_DAB \
	MOVQ c+24(FP), CX

#define FLOAT32(op, at) \
	VMOVUPS at(SI), Y0 \
	op at(DX), Y0, Y0 \
	QUIET_PS(Y0) \
	VMOVUPS Y0, at(DI)

#define BINARY_F32(name, op) \
TEXT name(SB), NOSPLIT, $0-24 \
	LOAD_DAB \
	VBROADCASTSS nan32<>(SB), Y15 \
	FLOAT32(op, 0) \
	FLOAT32(op, 32) \
	FLOAT32(op, 64) \
	FLOAT32(op, 96) \
	VZEROUPPER \
	RET

BINARY_F32(·addF32, VADDPS)
BINARY_F32(·subF32, VSUBPS)
BINARY_F32(·mulF32, VMULPS)
BINARY_F32(·divF32, VDIVPS)

#define SEPARATE32(at) \
	VMOVUPS at(SI), Y0 \
	VMULPS at(DX), Y0, Y0 \
	VADDPS at(CX), Y0, Y0 \
	QUIET_PS(Y0) \
	VMOVUPS Y0, at(DI)

// func mulAddF32(d, a, b, c *v32)
TEXT ·mulAddF32(SB), NOSPLIT, $0-32
	LOAD_DABC
	VBROADCASTSS nan32<>(SB), Y15
	SEPARATE32(0)
	SEPARATE32(32)
	SEPARATE32(64)
	SEPARATE32(96)
	VZEROUPPER
	RET

#define FUSED32(at) \
	VMOVUPS at(SI), Y0 \
	VMOVUPS at(CX), Y1 \
	VFMADD231PS at(DX), Y0, Y1 \
	QUIET_PS(Y1) \
	VMOVUPS Y1, at(DI)

// func fmaF32(d, a, b, c *v32)
TEXT ·fmaF32(SB), NOSPLIT, $0-32
	LOAD_DABC
	VBROADCASTSS nan32<>(SB), Y15
	FUSED32(0)
	FUSED32(32)
	FUSED32(64)
	FUSED32(96)
	VZEROUPPER
	RET

#define FLOAT64(op, at) \
	VMOVUPD at(SI), Y0 \
	op at(DX), Y0, Y0 \
	QUIET_PD(Y0) \
	VMOVUPD Y0, at(DI)

#define EIGHT(m) \
	m(0) \
	m(32) \
	m(64) \
	m(96) \
	m(128) \
	m(160) \
	m(192) \
	m(224)

#define EIGHT_OP(m, op) \
	m(op, 0) \
	m(op, 32) \
	m(op, 64) \
	m(op, 96) \
	m(op, 128) \
	m(op, 160) \
	m(op, 192) \
	m(op, 224)

#define BINARY_F64(name, op) \
TEXT name(SB), NOSPLIT, $0-24 \
	LOAD_DAB \
	VBROADCASTSD nan64<>(SB), Y15 \
	EIGHT_OP(FLOAT64, op) \
	VZEROUPPER \
	RET

BINARY_F64(·addF64, VADDPD)
BINARY_F64(·subF64, VSUBPD)
BINARY_F64(·mulF64, VMULPD)

#define SEPARATE64(at) \
	VMOVUPD at(SI), Y0 \
	VMULPD at(DX), Y0, Y0 \
	VADDPD at(CX), Y0, Y0 \
	QUIET_PD(Y0) \
	VMOVUPD Y0, at(DI)

// func mulAddF64(d, a, b, c *v64)
TEXT ·mulAddF64(SB), NOSPLIT, $0-32
	LOAD_DABC
	VBROADCASTSD nan64<>(SB), Y15
	EIGHT(SEPARATE64)
	VZEROUPPER
	RET

#define FUSED64(at) \
	VMOVUPD at(SI), Y0 \
	VMOVUPD at(CX), Y1 \
	VFMADD231PD at(DX), Y0, Y1 \
	QUIET_PD(Y1) \
	VMOVUPD Y1, at(DI)

// func fmaF64(d, a, b, c *v64)
TEXT ·fmaF64(SB), NOSPLIT, $0-32
	LOAD_DABC
	VBROADCASTSD nan64<>(SB), Y15
	EIGHT(FUSED64)
	VZEROUPPER
	RET

#define INTEGER(op, at) \
	VMOVDQU at(SI), Y0 \
	op at(DX), Y0, Y0 \
	VMOVDQU Y0, at(DI)

#define BINARY_32(name, op) \
TEXT name(SB), NOSPLIT, $0-24 \
	LOAD_DAB \
	INTEGER(op, 0) \
	INTEGER(op, 32) \
	INTEGER(op, 64) \
	INTEGER(op, 96) \
	VZEROUPPER \
	RET

BINARY_32(·add32, VPADDD)
BINARY_32(·sub32, VPSUBD)
BINARY_32(·mul32, VPMULLD)

#define BINARY_64(name, op) \
TEXT name(SB), NOSPLIT, $0-24 \
	LOAD_DAB \
	EIGHT_OP(INTEGER, op) \
	VZEROUPPER \
	RET

BINARY_64(·add64, VPADDQ)
BINARY_64(·sub64, VPSUBQ)

// ---- comparisons: the lanes' sign bits are collected in AX --------------------

#define COLLECT(v, shift) \
	VMOVMSKPS v, R8 \
	SHLL $shift, R8 \
	ORL R8, AX

#define LESS(at, shift) \
	VPXOR at(SI), Y15, Y0 \
	VPXOR at(DX), Y15, Y1 \
	VPCMPGTD Y0, Y1, Y0 \
	COLLECT(Y0, shift)

// func lessThan32(a, b *v32, flip uint32) uint32
TEXT ·lessThan32(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DX
	MOVL flip+16(FP), R9
	VMOVD R9, X15
	VPBROADCASTD X15, Y15
	XORL AX, AX
	LESS(0, 0)
	LESS(32, 8)
	LESS(64, 16)
	LESS(96, 24)
	VZEROUPPER
	MOVL AX, ret+24(FP)
	RET

#define EQUAL(at, shift) \
	VMOVDQU at(SI), Y0 \
	VPCMPEQD at(DX), Y0, Y0 \
	COLLECT(Y0, shift)

// func equalTo32(a, b *v32) uint32
TEXT ·equalTo32(SB), NOSPLIT, $0-20
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DX
	XORL AX, AX
	EQUAL(0, 0)
	EQUAL(32, 8)
	EQUAL(64, 16)
	EQUAL(96, 24)
	VZEROUPPER
	MOVL AX, ret+16(FP)
	RET

#define LESS64(at, shift) \
	VMOVDQU at(DX), Y0 \
	VPCMPGTQ at(SI), Y0, Y0 \
	VMOVMSKPD Y0, R8 \
	SHLL $shift, R8 \
	ORL R8, AX

// func lessThan64(a, b *v64) uint32
TEXT ·lessThan64(SB), NOSPLIT, $0-20
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DX
	XORL AX, AX
	LESS64(0, 0)
	LESS64(32, 4)
	LESS64(64, 8)
	LESS64(96, 12)
	LESS64(128, 16)
	LESS64(160, 20)
	LESS64(192, 24)
	LESS64(224, 28)
	VZEROUPPER
	MOVL AX, ret+16(FP)
	RET

#define APART64(at, shift) \
	VMOVDQU at(SI), Y0 \
	VPSUBQ Y15, Y0, Y0 \
	VPCMPEQQ at(DX), Y0, Y0 \
	VMOVMSKPD Y0, R8 \
	SHLL $shift, R8 \
	ORL R8, AX

// func apart64(a, b *v64, base uint64) uint32
TEXT ·apart64(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DX
	VPBROADCASTQ base+16(FP), Y15
	XORL AX, AX
	APART64(0, 0)
	APART64(32, 4)
	APART64(64, 8)
	APART64(96, 12)
	APART64(128, 16)
	APART64(160, 20)
	APART64(192, 24)
	APART64(224, 28)
	VZEROUPPER
	MOVL AX, ret+24(FP)
	RET

#define COMPARE(how, at, shift) \
	VMOVUPS at(SI), Y0 \
	VCMPPS how, at(DX), Y0, Y0 \
	COLLECT(Y0, shift)

#define COMPARE_F32(name, how) \
TEXT name(SB), NOSPLIT, $0-20 \
	MOVQ a+0(FP), SI \
	MOVQ b+8(FP), DX \
	XORL AX, AX \
	COMPARE(how, 0, 0) \
	COMPARE(how, 32, 8) \
	COMPARE(how, 64, 16) \
	COMPARE(how, 96, 24) \
	VZEROUPPER \
	MOVL AX, ret+16(FP) \
	RET

// Ordered and quiet: with a NaN none holds.
COMPARE_F32(·lessF32, $0x11)
COMPARE_F32(·notAboveF32, $0x12)
COMPARE_F32(·equalF32, $0x00)

// ---- moving values --------------------------------------------------------------

// func fill32(d *v32, x uint32)
TEXT ·fill32(SB), NOSPLIT, $0-12
	MOVQ d+0(FP), DI
	MOVL x+8(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	VMOVDQU Y0, (DI)
	VMOVDQU Y0, 32(DI)
	VMOVDQU Y0, 64(DI)
	VMOVDQU Y0, 96(DI)
	VZEROUPPER
	RET

#define FILL(at) \
	VMOVDQU Y0, at(DI)

// func fill64(d *v64, x uint64)
TEXT ·fill64(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	VPBROADCASTQ x+8(FP), Y0
	EIGHT(FILL)
	VZEROUPPER
	RET

// A vector of the mask's bits, one for each lane, says which to write.
#define PICK32(at) \
	VPAND Y15, Y14, Y0 \
	VPCMPEQD Y15, Y0, Y0 \
	VMOVDQU at(SI), Y1 \
	VPMASKMOVD Y1, Y0, at(DI) \
	VPSRLD $8, Y14, Y14

// func pick32(d, a *v32, mask uint32)
TEXT ·pick32(SB), NOSPLIT, $0-20
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVL mask+16(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	VMOVDQU bits32<>(SB), Y15
	PICK32(0)
	PICK32(32)
	PICK32(64)
	PICK32(96)
	VZEROUPPER
	RET

#define PICK64(at) \
	VPAND Y15, Y14, Y0 \
	VPCMPEQQ Y15, Y0, Y0 \
	VMOVDQU at(SI), Y1 \
	VPMASKMOVQ Y1, Y0, at(DI) \
	VPSRLQ $4, Y14, Y14

// func pick64(d, a *v64, mask uint32)
TEXT ·pick64(SB), NOSPLIT, $0-20
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVL mask+16(FP), AX
	VMOVQ AX, X14
	VPBROADCASTQ X14, Y14
	VMOVDQU bits64<>(SB), Y15
	EIGHT(PICK64)
	VZEROUPPER
	RET

#define JOIN(from, to) \
	VPMOVZXDQ from(SI), Y0 \
	VPMOVZXDQ from(DX), Y1 \
	VPSLLQ $32, Y1, Y1 \
	VPOR Y1, Y0, Y0 \
	VMOVDQU Y0, to(DI)

// func joined64(d *v64, low, high *v32)
TEXT ·joined64(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ low+8(FP), SI
	MOVQ high+16(FP), DX
	JOIN(0, 0)
	JOIN(16, 32)
	JOIN(32, 64)
	JOIN(48, 96)
	JOIN(64, 128)
	JOIN(80, 160)
	JOIN(96, 192)
	JOIN(112, 224)
	VZEROUPPER
	RET

// Of eight values the even words are the lower halves, the odd ones the upper.
#define HALVE(from, to) \
	VMOVUPS from(SI), Y0 \
	VMOVUPS (from+32)(SI), Y1 \
	VSHUFPS $0x88, Y1, Y0, Y2 \
	VSHUFPS $0xdd, Y1, Y0, Y3 \
	VPERMQ $0xd8, Y2, Y2 \
	VPERMQ $0xd8, Y3, Y3 \
	VMOVUPS Y2, to(DI) \
	VMOVUPS Y3, to(DX)

// func halved64(low, high *v32, x *v64)
TEXT ·halved64(SB), NOSPLIT, $0-24
	MOVQ low+0(FP), DI
	MOVQ high+8(FP), DX
	MOVQ x+16(FP), SI
	HALVE(0, 0)
	HALVE(64, 32)
	HALVE(128, 64)
	HALVE(192, 96)
	VZEROUPPER
	RET

// ---- addresses --------------------------------------------------------------------

#define OFFSET(at) \
	VPADDQ at(SI), Y15, Y0 \
	VMOVDQU Y0, at(DI)

// func offset64(d, a *v64, c uint64)
TEXT ·offset64(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	VPBROADCASTQ c+16(FP), Y15
	EIGHT(OFFSET)
	VZEROUPPER
	RET

// Four indices at from become addresses at to.
#define INDEXED(from, to) \
	VPMOVSXDQ from(SI), Y0 \
	VPMULDQ Y14, Y0, Y0 \
	VPADDQ Y15, Y0, Y0 \
	VMOVDQU Y0, to(DI)

// func indexed64(d *v64, x *v32, scale int32, c uint64)
TEXT ·indexed64(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ x+8(FP), SI
	MOVLQSX scale+16(FP), AX
	VMOVQ AX, X14
	VPBROADCASTQ X14, Y14
	VPBROADCASTQ c+24(FP), Y15
	INDEXED(0, 0)
	INDEXED(16, 32)
	INDEXED(32, 64)
	INDEXED(48, 96)
	INDEXED(64, 128)
	INDEXED(80, 160)
	INDEXED(96, 192)
	INDEXED(112, 224)
	VZEROUPPER
	RET

#define INDEXED_BASE(from, to) \
	VPMOVSXDQ from(SI), Y0 \
	VPMULDQ Y14, Y0, Y0 \
	VPADDQ Y15, Y0, Y0 \
	VPADDQ to(DX), Y0, Y0 \
	VMOVDQU Y0, to(DI)

// func indexedBase64(d, base *v64, x *v32, scale int32, c uint64)
TEXT ·indexedBase64(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ base+8(FP), DX
	MOVQ x+16(FP), SI
	MOVLQSX scale+24(FP), AX
	VMOVQ AX, X14
	VPBROADCASTQ X14, Y14
	VPBROADCASTQ c+32(FP), Y15
	INDEXED_BASE(0, 0)
	INDEXED_BASE(16, 32)
	INDEXED_BASE(32, 64)
	INDEXED_BASE(48, 96)
	INDEXED_BASE(64, 128)
	INDEXED_BASE(80, 160)
	INDEXED_BASE(96, 192)
	INDEXED_BASE(112, 224)
	VZEROUPPER
	RET

#define UNSIGNED(from, to) \
	VPMOVZXDQ from(SI), Y0 \
	VPMULUDQ Y14, Y0, Y0 \
	VPADDQ Y15, Y0, Y0 \
	VMOVDQU Y0, to(DI)

// func unsignedIndexed64(d *v64, x *v32, scale uint32, c uint64)
TEXT ·unsignedIndexed64(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ x+8(FP), SI
	MOVL scale+16(FP), AX
	VMOVQ AX, X14
	VPBROADCASTQ X14, Y14
	VPBROADCASTQ c+24(FP), Y15
	UNSIGNED(0, 0)
	UNSIGNED(16, 32)
	UNSIGNED(32, 64)
	UNSIGNED(48, 96)
	UNSIGNED(64, 128)
	UNSIGNED(80, 160)
	UNSIGNED(96, 192)
	UNSIGNED(112, 224)
	VZEROUPPER
	RET

// ---- memory ---------------------------------------------------------------------

// CHECK collects in Y13 what is wrong with four addresses: Y12 is the base, Y11
// the limit and Y10 the sign bit, which makes an unsigned comparison of a signed
// one, Y9 has the bits that must be 0.
#define CHECK(at) \
	VMOVDQU at(SI), Y0 \
	VPSUBQ Y12, Y0, Y0 \
	VPXOR Y10, Y0, Y1 \
	VPCMPGTQ Y11, Y1, Y1 \
	VPAND Y9, Y0, Y0 \
	VPOR Y0, Y1, Y1 \
	VPOR Y1, Y13, Y13

// The base is in R9, the limit in R10 and the low bits in DX. With data − base in
// R8, an address is where its element is.
#define PREPARE \
	VMOVQ R9, X12 \
	VPBROADCASTQ X12, Y12 \
	MOVQ $0x8000000000000000, AX \
	VMOVQ AX, X10 \
	VPBROADCASTQ X10, Y10 \
	VMOVQ R10, X11 \
	VPBROADCASTQ X11, Y11 \
	VPXOR Y10, Y11, Y11 \
	VMOVQ DX, X9 \
	VPBROADCASTQ X9, Y9 \
	VPXOR Y13, Y13, Y13 \
	EIGHT(CHECK) \
	SUBQ R9, R8

// func gather32(d *v32, a *v64, data *byte, base, limit uint64) bool
TEXT ·gather32(SB), NOSPLIT, $0-41
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ data+16(FP), R8
	MOVQ base+24(FP), R9
	MOVQ limit+32(FP), R10
	MOVL $3, DX
	PREPARE
	VPTEST Y13, Y13
	JNZ refused
	VMOVDQU steps<>(SB), Y8
	VPXOR Y7, Y7, Y7
	MOVQ $8, CX

	// Four at a time: often they are neighbours, or all the same.
four:
	MOVQ (SI), AX
	VPBROADCASTQ (SI), Y0
	VMOVDQU (SI), Y1
	VPSUBQ Y0, Y1, Y1
	VPXOR Y8, Y1, Y2
	VPTEST Y2, Y2
	JNZ apart
	VMOVDQU (R8)(AX*1), X3
	VMOVDQU X3, (DI)
	JMP next

apart:
	VPTEST Y1, Y1
	JNZ each
	VPBROADCASTD (R8)(AX*1), X3
	VMOVDQU X3, (DI)
	JMP next

each:
	MOVL (R8)(AX*1), BX
	MOVL BX, (DI)
	MOVQ 8(SI), AX
	MOVL (R8)(AX*1), BX
	MOVL BX, 4(DI)
	MOVQ 16(SI), AX
	MOVL (R8)(AX*1), BX
	MOVL BX, 8(DI)
	MOVQ 24(SI), AX
	MOVL (R8)(AX*1), BX
	MOVL BX, 12(DI)

next:
	ADDQ $32, SI
	ADDQ $16, DI
	DECQ CX
	JNZ four
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET

refused:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET

// func scatter32(x *v32, a *v64, data *byte, base, limit uint64) bool
TEXT ·scatter32(SB), NOSPLIT, $0-41
	MOVQ x+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ data+16(FP), R8
	MOVQ base+24(FP), R9
	MOVQ limit+32(FP), R10
	MOVL $3, DX
	PREPARE
	VPTEST Y13, Y13
	JNZ refused
	MOVQ $8, CX

four:
	MOVQ (SI), AX
	MOVL (DI), BX
	MOVL BX, (R8)(AX*1)
	MOVQ 8(SI), AX
	MOVL 4(DI), BX
	MOVL BX, (R8)(AX*1)
	MOVQ 16(SI), AX
	MOVL 8(DI), BX
	MOVL BX, (R8)(AX*1)
	MOVQ 24(SI), AX
	MOVL 12(DI), BX
	MOVL BX, (R8)(AX*1)
	ADDQ $32, SI
	ADDQ $16, DI
	DECQ CX
	JNZ four
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET

refused:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET

// func inside64(a *v64, base, limit, low uint64) bool
TEXT ·inside64(SB), NOSPLIT, $0-33
	MOVQ a+0(FP), SI
	MOVQ base+8(FP), R9
	MOVQ limit+16(FP), R10
	MOVQ low+24(FP), DX
	PREPARE
	VPTEST Y13, Y13
	SETEQ ret+32(FP)
	VZEROUPPER
	RET

// func gather64(d *v64, a *v64, data *byte, base, limit uint64) bool
TEXT ·gather64(SB), NOSPLIT, $0-41
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ data+16(FP), R8
	MOVQ base+24(FP), R9
	MOVQ limit+32(FP), R10
	MOVL $7, DX
	PREPARE
	VPTEST Y13, Y13
	JNZ refused
	VMOVDQU strides<>(SB), Y8
	MOVQ $8, CX

four:
	MOVQ (SI), AX
	VPBROADCASTQ (SI), Y0
	VMOVDQU (SI), Y1
	VPSUBQ Y0, Y1, Y1
	VPXOR Y8, Y1, Y2
	VPTEST Y2, Y2
	JNZ each
	VMOVDQU (R8)(AX*1), Y3
	VMOVDQU Y3, (DI)
	JMP next

	// d may be a: four addresses are read before their places are written.
each:
	MOVQ 8(SI), BX
	MOVQ 16(SI), R11
	MOVQ 24(SI), R12
	MOVQ (R8)(AX*1), AX
	MOVQ (R8)(BX*1), BX
	MOVQ (R8)(R11*1), R11
	MOVQ (R8)(R12*1), R12
	MOVQ AX, (DI)
	MOVQ BX, 8(DI)
	MOVQ R11, 16(DI)
	MOVQ R12, 24(DI)

next:
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ four
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET

refused:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET

// func scatter64(x *v64, a *v64, data *byte, base, limit uint64) bool
TEXT ·scatter64(SB), NOSPLIT, $0-41
	MOVQ x+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ data+16(FP), R8
	MOVQ base+24(FP), R9
	MOVQ limit+32(FP), R10
	MOVL $7, DX
	PREPARE
	VPTEST Y13, Y13
	JNZ refused
	MOVQ $32, CX

one:
	MOVQ (SI), AX
	MOVQ (DI), BX
	MOVQ BX, (R8)(AX*1)
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ CX
	JNZ one
	VZEROUPPER
	MOVB $1, ret+40(FP)
	RET

refused:
	VZEROUPPER
	MOVB $0, ret+40(FP)
	RET
