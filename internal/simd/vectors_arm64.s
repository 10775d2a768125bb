//go:build !purego

#include "textflag.h"

// The loops are those of vectors_amd64.s, over as many numbers and in the same order, so that
// results agree to the bit: two registers here are one there. R0 counts the numbers that are left.

// FMUL Vd.2D, Vn.2D, Vm.2D
#define FMUL2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))

// FADDP Dd, Vn.2D
#define FADDP2(n, d) WORD $(0x7E70D800 | (n)<<5 | (d))

// The sum of four numbers in two registers, lower and upper, into the first.
#define SUM(lower, upper) \
	FADD2(upper, lower, lower); \
	FADDP2(lower, lower)

#define ZERO(x) VEOR x.B16, x.B16, x.B16

// func dot(n int, x, y *float64) float64
TEXT ·dot(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	SUBS $16, R0
	BLT  fours

sixteen:
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1.P 64(R2), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 64(R2), [V28.D2, V29.D2, V30.D2, V31.D2]
	VFMLA  V24.D2, V16.D2, V0.D2
	VFMLA  V25.D2, V17.D2, V1.D2
	VFMLA  V26.D2, V18.D2, V2.D2
	VFMLA  V27.D2, V19.D2, V3.D2
	VFMLA  V28.D2, V20.D2, V4.D2
	VFMLA  V29.D2, V21.D2, V5.D2
	VFMLA  V30.D2, V22.D2, V6.D2
	VFMLA  V31.D2, V23.D2, V7.D2
	SUBS   $16, R0
	BGE    sixteen

fours:
	ADDS $12, R0
	BLT  sum

four:
	VLD1.P 32(R1), [V16.D2, V17.D2]
	VLD1.P 32(R2), [V24.D2, V25.D2]
	VFMLA  V24.D2, V16.D2, V0.D2
	VFMLA  V25.D2, V17.D2, V1.D2
	SUBS   $4, R0
	BGE    four

sum:
	FADD2(2, 0, 0)
	FADD2(3, 1, 1)
	FADD2(6, 4, 4)
	FADD2(7, 5, 5)
	FADD2(4, 0, 0)
	FADD2(5, 1, 1)
	SUM(0, 1)
	ADDS $4, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F1
	FMOVD.P 8(R2), F2
	FMADDD  F2, F0, F1, F0
	SUBS    $1, R0
	BNE     one

done:
	FMOVD F0, ret+24(FP)
	RET

// func axpy(n int, alpha float64, x, y *float64)
TEXT ·axpy(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	MOVD  $alpha+8(FP), R3
	VLD1R (R3), [V0.D2]
	MOVD  x+16(FP), R1
	MOVD  y+24(FP), R2
	SUBS  $16, R0
	BLT   fours

sixteen:
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	MOVD   R2, R3
	VLD1.P 64(R3), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1   (R3), [V28.D2, V29.D2, V30.D2, V31.D2]
	VFMLA  V16.D2, V0.D2, V24.D2
	VFMLA  V17.D2, V0.D2, V25.D2
	VFMLA  V18.D2, V0.D2, V26.D2
	VFMLA  V19.D2, V0.D2, V27.D2
	VFMLA  V20.D2, V0.D2, V28.D2
	VFMLA  V21.D2, V0.D2, V29.D2
	VFMLA  V22.D2, V0.D2, V30.D2
	VFMLA  V23.D2, V0.D2, V31.D2
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R2)
	VST1.P [V28.D2, V29.D2, V30.D2, V31.D2], 64(R2)
	SUBS   $16, R0
	BGE    sixteen

fours:
	ADDS $12, R0
	BLT  ones

four:
	VLD1.P 32(R1), [V16.D2, V17.D2]
	VLD1   (R2), [V24.D2, V25.D2]
	VFMLA  V16.D2, V0.D2, V24.D2
	VFMLA  V17.D2, V0.D2, V25.D2
	VST1.P [V24.D2, V25.D2], 32(R2)
	SUBS   $4, R0
	BGE    four

ones:
	ADDS $4, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F1
	FMOVD   (R2), F2
	FMADDD  F1, F2, F0, F2
	FMOVD.P F2, 8(R2)
	SUBS    $1, R0
	BNE     one

done:
	RET

// func axpy2(n int, alpha float64, x *float64, beta float64, y, z *float64)
TEXT ·axpy2(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R0
	MOVD  $alpha+8(FP), R4
	VLD1R (R4), [V0.D2]
	MOVD  x+16(FP), R1
	MOVD  $beta+24(FP), R4
	VLD1R (R4), [V1.D2]
	MOVD  y+32(FP), R2
	MOVD  z+40(FP), R3
	SUBS  $8, R0
	BLT   fours

eight:
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R2), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1   (R3), [V24.D2, V25.D2, V26.D2, V27.D2]
	VFMLA  V16.D2, V0.D2, V24.D2
	VFMLA  V17.D2, V0.D2, V25.D2
	VFMLA  V18.D2, V0.D2, V26.D2
	VFMLA  V19.D2, V0.D2, V27.D2
	VFMLA  V20.D2, V1.D2, V24.D2
	VFMLA  V21.D2, V1.D2, V25.D2
	VFMLA  V22.D2, V1.D2, V26.D2
	VFMLA  V23.D2, V1.D2, V27.D2
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R3)
	SUBS   $8, R0
	BGE    eight

fours:
	ADDS $4, R0
	BLT  ones

	VLD1.P 32(R1), [V16.D2, V17.D2]
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1   (R3), [V24.D2, V25.D2]
	VFMLA  V16.D2, V0.D2, V24.D2
	VFMLA  V17.D2, V0.D2, V25.D2
	VFMLA  V20.D2, V1.D2, V24.D2
	VFMLA  V21.D2, V1.D2, V25.D2
	VST1.P [V24.D2, V25.D2], 32(R3)
	SUBS   $4, R0

ones:
	ADDS $4, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F16
	FMOVD.P 8(R2), F20
	FMOVD   (R3), F24
	FMADDD  F16, F24, F0, F24
	FMADDD  F20, F24, F1, F24
	FMOVD.P F24, 8(R3)
	SUBS    $1, R0
	BNE     one

done:
	RET

// func scal(n int, alpha float64, x *float64)
TEXT ·scal(SB), NOSPLIT, $0-24
	MOVD  n+0(FP), R0
	MOVD  $alpha+8(FP), R2
	VLD1R (R2), [V0.D2]
	MOVD  x+16(FP), R1
	SUBS  $8, R0
	BLT   ones

eight:
	VLD1   (R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	FMUL2(0, 16, 16)
	FMUL2(0, 17, 17)
	FMUL2(0, 18, 18)
	FMUL2(0, 19, 19)
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R1)
	SUBS   $8, R0
	BGE    eight

ones:
	ADDS $8, R0
	BEQ  done

one:
	FMOVD   (R1), F16
	FMULD   F0, F16, F16
	FMOVD.P F16, 8(R1)
	SUBS    $1, R0
	BNE     one

done:
	RET

// Eight numbers of a row, at r, times those of x in V24 to V27.
#define DOTROW(r, c0, c1, c2, c3) \
	VLD1.P 64(r), [V28.D2, V29.D2, V30.D2, V31.D2]; \
	VFMLA  V28.D2, V24.D2, c0.D2;                      \
	VFMLA  V29.D2, V25.D2, c1.D2;                      \
	VFMLA  V30.D2, V26.D2, c2.D2;                      \
	VFMLA  V31.D2, V27.D2, c3.D2

// Four of them.
#define DOTHALF(r, c0, c1) \
	VLD1.P 32(r), [V28.D2, V29.D2]; \
	VFMLA  V28.D2, V24.D2, c0.D2;    \
	VFMLA  V29.D2, V25.D2, c1.D2

// func dot4(n int, a *float64, lda int, x *float64, sums *[4]float64)
// R8, R9, R10, R11 walk over the rows, whose sums are in V0 to V3, V4 to V7, and so on.
TEXT ·dot4(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD a+8(FP), R8
	MOVD lda+16(FP), R3
	MOVD x+24(FP), R1
	MOVD sums+32(FP), R2
	ADD  R3<<3, R8, R9
	ADD  R3<<3, R9, R10
	ADD  R3<<3, R10, R11
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	ZERO(V8)
	ZERO(V9)
	ZERO(V10)
	ZERO(V11)
	ZERO(V12)
	ZERO(V13)
	ZERO(V14)
	ZERO(V15)
	SUBS $8, R0
	BLT  fours

eight:
	VLD1.P 64(R1), [V24.D2, V25.D2, V26.D2, V27.D2]
	DOTROW(R8, V0, V1, V2, V3)
	DOTROW(R9, V4, V5, V6, V7)
	DOTROW(R10, V8, V9, V10, V11)
	DOTROW(R11, V12, V13, V14, V15)
	SUBS   $8, R0
	BGE    eight

fours:
	ADDS $4, R0
	BLT  sum

	VLD1.P 32(R1), [V24.D2, V25.D2]
	DOTHALF(R8, V0, V1)
	DOTHALF(R9, V4, V5)
	DOTHALF(R10, V8, V9)
	DOTHALF(R11, V12, V13)
	SUBS   $4, R0

sum:
	FADD2(2, 0, 0)
	FADD2(3, 1, 1)
	SUM(0, 1)
	FADD2(6, 4, 4)
	FADD2(7, 5, 5)
	SUM(4, 5)
	FADD2(10, 8, 8)
	FADD2(11, 9, 9)
	SUM(8, 9)
	FADD2(14, 12, 12)
	FADD2(15, 13, 13)
	SUM(12, 13)
	ADDS $4, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F16
	FMOVD.P 8(R8), F17
	FMOVD.P 8(R9), F18
	FMOVD.P 8(R10), F19
	FMOVD.P 8(R11), F20
	FMADDD  F17, F0, F16, F0
	FMADDD  F18, F4, F16, F4
	FMADDD  F19, F8, F16, F8
	FMADDD  F20, F12, F16, F12
	SUBS    $1, R0
	BNE     one

done:
	FMOVD F0, (R2)
	FMOVD F4, 8(R2)
	FMOVD F8, 16(R2)
	FMOVD F12, 24(R2)
	RET

// Eight numbers of a row, at r, times a coefficient, added to those of y in V24 to V27.
#define AXPYROW(r, c) \
	VLD1.P 64(r), [V28.D2, V29.D2, V30.D2, V31.D2]; \
	VFMLA  V28.D2, c.D2, V24.D2;                       \
	VFMLA  V29.D2, c.D2, V25.D2;                       \
	VFMLA  V30.D2, c.D2, V26.D2;                       \
	VFMLA  V31.D2, c.D2, V27.D2

// Four of them.
#define AXPYHALF(r, c) \
	VLD1.P 32(r), [V28.D2, V29.D2]; \
	VFMLA  V28.D2, c.D2, V24.D2;     \
	VFMLA  V29.D2, c.D2, V25.D2

// func axpy4(n int, a *float64, lda int, coefficients *[4]float64, y *float64)
TEXT ·axpy4(SB), NOSPLIT, $0-40
	MOVD    n+0(FP), R0
	MOVD    a+8(FP), R8
	MOVD    lda+16(FP), R3
	MOVD    coefficients+24(FP), R1
	MOVD    y+32(FP), R2
	ADD     R3<<3, R8, R9
	ADD     R3<<3, R9, R10
	ADD     R3<<3, R10, R11
	VLD1R.P 8(R1), [V0.D2]
	VLD1R.P 8(R1), [V1.D2]
	VLD1R.P 8(R1), [V2.D2]
	VLD1R   (R1), [V3.D2]
	SUBS    $8, R0
	BLT     fours

eight:
	VLD1   (R2), [V24.D2, V25.D2, V26.D2, V27.D2]
	AXPYROW(R8, V0)
	AXPYROW(R9, V1)
	AXPYROW(R10, V2)
	AXPYROW(R11, V3)
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R2)
	SUBS   $8, R0
	BGE    eight

fours:
	ADDS $4, R0
	BLT  ones

	VLD1   (R2), [V24.D2, V25.D2]
	AXPYHALF(R8, V0)
	AXPYHALF(R9, V1)
	AXPYHALF(R10, V2)
	AXPYHALF(R11, V3)
	VST1.P [V24.D2, V25.D2], 32(R2)
	SUBS   $4, R0

ones:
	ADDS $4, R0
	BEQ  done

one:
	FMOVD   (R2), F24
	FMOVD.P 8(R8), F28
	FMOVD.P 8(R9), F29
	FMOVD.P 8(R10), F30
	FMOVD.P 8(R11), F31
	FMADDD  F28, F24, F0, F24
	FMADDD  F29, F24, F1, F24
	FMADDD  F30, F24, F2, F24
	FMADDD  F31, F24, F3, F24
	FMOVD.P F24, 8(R2)
	SUBS    $1, R0
	BNE     one

done:
	RET

// Four numbers of a row, at r, times those of x in V24 and V25, and times a coefficient added to those
// of y in V26 and V27.
#define BOTH(r, c, c0, c1) \
	VLD1.P 32(r), [V28.D2, V29.D2]; \
	VFMLA  V28.D2, V24.D2, c0.D2;    \
	VFMLA  V29.D2, V25.D2, c1.D2;    \
	VFMLA  V28.D2, c.D2, V26.D2;     \
	VFMLA  V29.D2, c.D2, V27.D2

// func dotAxpy4(n int, a *float64, lda int, x *float64, sums, coefficients *[4]float64, y *float64)
TEXT ·dotAxpy4(SB), NOSPLIT, $0-56
	MOVD    n+0(FP), R0
	MOVD    a+8(FP), R8
	MOVD    lda+16(FP), R3
	MOVD    x+24(FP), R1
	MOVD    sums+32(FP), R4
	MOVD    coefficients+40(FP), R5
	MOVD    y+48(FP), R2
	ADD     R3<<3, R8, R9
	ADD     R3<<3, R9, R10
	ADD     R3<<3, R10, R11
	VLD1R.P 8(R5), [V0.D2]
	VLD1R.P 8(R5), [V1.D2]
	VLD1R.P 8(R5), [V2.D2]
	VLD1R   (R5), [V3.D2]
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	ZERO(V16)
	ZERO(V17)
	ZERO(V18)
	ZERO(V19)
	SUBS    $4, R0
	BLT     sum

four:
	VLD1.P 32(R1), [V24.D2, V25.D2]
	VLD1   (R2), [V26.D2, V27.D2]
	BOTH(R8, V0, V4, V5)
	BOTH(R9, V1, V6, V7)
	BOTH(R10, V2, V16, V17)
	BOTH(R11, V3, V18, V19)
	VST1.P [V26.D2, V27.D2], 32(R2)
	SUBS   $4, R0
	BGE    four

sum:
	SUM(4, 5)
	SUM(6, 7)
	SUM(16, 17)
	SUM(18, 19)
	ADDS $4, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F24
	FMOVD   (R2), F26
	FMOVD.P 8(R8), F28
	FMOVD.P 8(R9), F29
	FMOVD.P 8(R10), F30
	FMOVD.P 8(R11), F31
	FMADDD  F28, F4, F24, F4
	FMADDD  F29, F6, F24, F6
	FMADDD  F30, F16, F24, F16
	FMADDD  F31, F18, F24, F18
	FMADDD  F28, F26, F0, F26
	FMADDD  F29, F26, F1, F26
	FMADDD  F30, F26, F2, F26
	FMADDD  F31, F26, F3, F26
	FMOVD.P F26, 8(R2)
	SUBS    $1, R0
	BNE     one

done:
	FMOVD F4, (R4)
	FMOVD F6, 8(R4)
	FMOVD F16, 16(R4)
	FMOVD F18, 24(R4)
	RET
