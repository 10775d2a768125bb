//go:build !purego

#include "textflag.h"

// Rows of 48 numbers, 24 registers of two. See band_vectors.go. The loops are those of band_amd64.s,
// and each number goes through the same operations in the same order, so that results agree to the
// bit: two registers here are one there.

// FMUL Vd.2D, Vn.2D, Vm.2D
#define FMUL2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))

// FADDP Dd, Vn.2D
#define FADDP2(n, d) WORD $(0x7E70D800 | (n)<<5 | (d))

// ROW48 calls do with the registers of the 48 numbers of a row, which are in V0 to V23, eight numbers at a time.
#define ROW48(do) \
	do(V0, V1, V2, V3);     \
	do(V4, V5, V6, V7);     \
	do(V8, V9, V10, V11);   \
	do(V12, V13, V14, V15); \
	do(V16, V17, V18, V19); \
	do(V20, V21, V22, V23)

// ZERO clears a register, ZERO4 four.
#define ZERO(x) VEOR x.B16, x.B16, x.B16
#define ZERO4(a, b, c, d) \
	ZERO(a); \
	ZERO(b); \
	ZERO(c); \
	ZERO(d)

// LOAD8 reads eight numbers at p and moves p on, STORE8 writes them.
#define LOAD8(p, a, b, c, d) VLD1.P 64(p), [a.D2, b.D2, c.D2, d.D2]
#define STORE8(p, a, b, c, d) VST1.P [a.D2, b.D2, c.D2, d.D2], 64(p)

// LOADR3 is LOAD8 at R3, STORER4 is STORE8 to R4.
#define LOADR3(a, b, c, d) LOAD8(R3, a, b, c, d)
#define STORER4(a, b, c, d) STORE8(R4, a, b, c, d)

// MULTIPLY2 adds a0 and a1 times x0 and x1 to c0 and c1 by fma = VFMLA, and subtracts them by VFMLS.
#define MULTIPLY2(fma, a0, a1, x0, x1, c0, c1) \
	fma a0.D2, x0.D2, c0.D2; \
	fma a1.D2, x1.D2, c1.D2

// ADDTIMES adds eight numbers at R5 times V24.
#define ADDTIMES(c0, c1, c2, c3) \
	LOAD8(R5, V28, V29, V30, V31);                \
	MULTIPLY2(VFMLA, V28, V29, V24, V24, c0, c1); \
	MULTIPLY2(VFMLA, V30, V31, V24, V24, c2, c3)

// func timesColumns(rows int, a *float64, stride int, v, u *float64)
TEXT ·timesColumns(SB), NOSPLIT, $0-40
	MOVD rows+0(FP), R0
	MOVD a+8(FP), R1
	MOVD stride+16(FP), R2
	LSL  $3, R2
	MOVD v+24(FP), R3
	MOVD u+32(FP), R4
	ROW48(ZERO4)

columns:
	VLD1R.P 8(R3), [V24.D2]
	MOVD    R1, R5
	ROW48(ADDTIMES)
	ADD     R2, R1
	SUBS    $1, R0
	BNE     columns

	ROW48(STORER4)
	RET

// ADDROW adds four numbers at R5 times those of x, in x0 and x1, to c0 and c1.
#define ADDROW(x0, x1, c0, c1) \
	VLD1.P 32(R5), [V30.D2, V31.D2]; \
	MULTIPLY2(VFMLA, V30, V31, x0, x1, c0, c1)

// func timesRows(rows int, a *float64, stride int, x, w *float64)
// The sums are in V24 to V29.
TEXT ·timesRows(SB), NOSPLIT, $0-40
	MOVD rows+0(FP), R0
	MOVD a+8(FP), R1
	MOVD stride+16(FP), R2
	LSL  $3, R2
	MOVD x+24(FP), R3
	MOVD w+32(FP), R4
	ROW48(LOADR3)

row:
	MOVD    R1, R5
	VLD1.P  64(R5), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P  32(R5), [V28.D2, V29.D2]
	FMUL2(0, 24, 24)
	FMUL2(1, 25, 25)
	FMUL2(2, 26, 26)
	FMUL2(3, 27, 27)
	FMUL2(4, 28, 28)
	FMUL2(5, 29, 29)
	ADDROW(V6, V7, V24, V25)
	ADDROW(V8, V9, V26, V27)
	ADDROW(V10, V11, V28, V29)
	ADDROW(V12, V13, V24, V25)
	ADDROW(V14, V15, V26, V27)
	ADDROW(V16, V17, V28, V29)
	ADDROW(V18, V19, V24, V25)
	ADDROW(V20, V21, V26, V27)
	ADDROW(V22, V23, V28, V29)
	FADD2(26, 24, 24)
	FADD2(27, 25, 25)
	FADD2(28, 24, 24)
	FADD2(29, 25, 25)
	FADD2(25, 24, 24)
	FADDP2(24, 24)
	FMOVD.P F24, 8(R4)
	ADD     R2, R1
	SUBS    $1, R0
	BNE     row
	RET

// SUBTRACT8 subtracts y times V24 and z times V25 from eight numbers at R5.
#define SUBTRACT8(y0, y1, y2, y3, z0, z1, z2, z3) \
	VLD1 (R5), [V28.D2, V29.D2, V30.D2, V31.D2];  \
	MULTIPLY2(VFMLS, y0, y1, V24, V24, V28, V29); \
	MULTIPLY2(VFMLS, y2, y3, V24, V24, V30, V31); \
	MULTIPLY2(VFMLS, z0, z1, V25, V25, V28, V29); \
	MULTIPLY2(VFMLS, z2, z3, V25, V25, V30, V31); \
	STORE8(R5, V28, V29, V30, V31)

// func subtractTwo(rows int, a *float64, stride int, left, right *float64)
// The columns in two halves, whose part of right is in registers.
TEXT ·subtractTwo(SB), NOSPLIT, $0-40
	MOVD a+8(FP), R1
	MOVD stride+16(FP), R2
	LSL  $3, R2
	MOVD right+32(FP), R4
	ADD  $384, R4, R6
	MOVD $2, R7

half:
	MOVD rows+0(FP), R0
	MOVD left+24(FP), R3
	MOVD R1, R8
	LOAD8(R4, V0, V1, V2, V3)
	LOAD8(R4, V4, V5, V6, V7)
	LOAD8(R4, V8, V9, V10, V11)
	LOAD8(R6, V12, V13, V14, V15)
	LOAD8(R6, V16, V17, V18, V19)
	LOAD8(R6, V20, V21, V22, V23)

pair:
	VLD1R.P 8(R3), [V24.D2]
	VLD1R.P 8(R3), [V25.D2]
	MOVD    R8, R5
	SUBTRACT8(V0, V1, V2, V3, V12, V13, V14, V15)
	SUBTRACT8(V4, V5, V6, V7, V16, V17, V18, V19)
	SUBTRACT8(V8, V9, V10, V11, V20, V21, V22, V23)
	ADD     R2, R8
	SUBS    $1, R0
	BNE     pair
	ADD     $192, R1
	SUBS    $1, R7
	BNE     half
	RET

// ROWS points R10, R11 and R12 to the rows after R9, R2 bytes apart.
#define ROWS \
	ADD R2, R9, R10;  \
	ADD R2, R10, R11; \
	ADD R2, R11, R12

// NEXTROWS points R9 to the next four rows, whose diagonal begins four columns to the right: R12 is behind the last row.
#define NEXTROWS \
	ADD  R2, R12, R9; \
	LSL  $5, R7, R5;  \
	SUB  R5, R9;      \
	SUBS $1, R7

// BROADCAST4 repeats each of the four numbers at p in a register, q being a copy of p.
#define BROADCAST4(p, q, a, b, c, d) \
	MOVD    p, q;         \
	VLD1R.P 8(q), [a.D2]; \
	VLD1R.P 8(q), [b.D2]; \
	VLD1R.P 8(q), [c.D2]; \
	VLD1R   (q), [d.D2]

// DOTROW reads four numbers of a row into a0 and a1, and adds them times those of x, in V12 and V13, to c0 and c1.
#define DOTROW(row, a0, a1, c0, c1) \
	VLD1.P 32(row), [a0.D2, a1.D2]; \
	MULTIPLY2(VFMLA, a0, a1, V12, V13, c0, c1)

// ADDCOLUMNS adds a0 and a1 times x to the four numbers of u in V14 and V15.
#define ADDCOLUMNS(a0, a1, x) MULTIPLY2(VFMLA, a0, a1, x, x, V14, V15)

// INTERLEAVE puts the first numbers of a and b into c, and the second into d.
#define INTERLEAVE(a, b, c, d) \
	VZIP1 b.D2, a.D2, c.D2; \
	VZIP2 b.D2, a.D2, d.D2

// func symmetricTimes(a *float64, stride int, x, u *float64)
// Four rows at a time: the square on the diagonal by a mask, then what is to its right. R9 to R12
// walk over the rows, R3 and R4 over x and u; V0 to V7 are the sums of the rows, V8 to V11 their
// numbers of x. V26 is 0, and V27 keeps of two numbers the second.
TEXT ·symmetricTimes(SB), NOSPLIT, $0-32
	MOVD a+0(FP), R9
	MOVD stride+8(FP), R2
	LSL  $3, R2
	MOVD x+16(FP), R3
	MOVD u+24(FP), R4
	MOVD $11, R7
	ZERO(V26)
	ZERO(V27)
	MOVD $-1, R5
	VMOV R5, V27.D[1]

rows4:
	ROWS
	BROADCAST4(R3, R5, V8, V9, V10, V11)
	VLD1.P 32(R3), [V12.D2, V13.D2]
	VLD1   (R4), [V14.D2, V15.D2]
	VLD1.P 32(R9), [V16.D2, V17.D2]
	VLD1.P 32(R10), [V18.D2, V19.D2]
	VAND   V27.B16, V18.B16, V18.B16
	ADD    $16, R11
	VLD1.P 16(R11), [V20.D2]
	ADD    $16, R12
	VLD1.P 16(R12), [V21.D2]
	VAND   V27.B16, V21.B16, V21.B16
	VAND   V27.B16, V16.B16, V22.B16
	VAND   V27.B16, V20.B16, V23.B16
	ADDCOLUMNS(V22, V17, V8)
	ADDCOLUMNS(V26, V19, V9)
	ADDCOLUMNS(V26, V23, V10)
	FMUL2(16, 12, 0)
	FMUL2(17, 13, 1)
	FMUL2(18, 12, 2)
	FMUL2(19, 13, 3)
	FMUL2(26, 12, 4)
	FMUL2(20, 13, 5)
	FMUL2(26, 12, 6)
	FMUL2(21, 13, 7)
	VST1   [V14.D2, V15.D2], (R4)
	MOVD   R3, R5
	ADD    $32, R4, R6
	MOVD   R7, R0
	CBZ    R0, sums

right:
	VLD1.P 32(R5), [V12.D2, V13.D2]
	VLD1   (R6), [V14.D2, V15.D2]
	DOTROW(R9, V16, V17, V0, V1)
	DOTROW(R10, V18, V19, V2, V3)
	DOTROW(R11, V20, V21, V4, V5)
	DOTROW(R12, V22, V23, V6, V7)
	ADDCOLUMNS(V16, V17, V8)
	FMUL2(18, 9, 24)
	FMUL2(19, 9, 25)
	ADDCOLUMNS(V20, V21, V10)
	MULTIPLY2(VFMLA, V22, V23, V11, V11, V24, V25)
	FADD2(24, 14, 14)
	FADD2(25, 15, 15)
	VST1.P [V14.D2, V15.D2], 32(R6)
	SUBS   $1, R0
	BNE    right

sums:
	INTERLEAVE(V0, V2, V16, V17)
	INTERLEAVE(V1, V3, V18, V19)
	INTERLEAVE(V4, V6, V20, V21)
	INTERLEAVE(V5, V7, V22, V23)
	VLD1   (R4), [V14.D2, V15.D2]
	FADD2(17, 16, 16)
	FADD2(19, 18, 18)
	FADD2(21, 20, 20)
	FADD2(23, 22, 22)
	FADD2(18, 16, 16)
	FADD2(22, 20, 20)
	FADD2(16, 14, 14)
	FADD2(20, 15, 15)
	VST1.P [V14.D2, V15.D2], 32(R4)
	NEXTROWS
	BGE    rows4
	RET

// SUBTRACTPRODUCTS subtracts v times the numbers of w, in V12 and V13, and w times those of v, in V14 and V15, from the four
// in V16 and V17.
#define SUBTRACTPRODUCTS(v, w) \
	MULTIPLY2(VFMLS, V12, V13, v, v, V16, V17); \
	MULTIPLY2(VFMLS, V14, V15, w, w, V16, V17)

// SUBTRACTROW is SUBTRACTPRODUCTS for four numbers of a row.
#define SUBTRACTROW(row, v, w) \
	VLD1   (row), [V16.D2, V17.D2]; \
	SUBTRACTPRODUCTS(v, w);         \
	VST1.P [V16.D2, V17.D2], 32(row)

// func subtractSymmetric(a *float64, stride int, v, w *float64)
// The registers are those of symmetricTimes, V0 to V3 and V4 to V7 the rows' numbers of v and w.
// Nothing is written below the diagonal.
TEXT ·subtractSymmetric(SB), NOSPLIT, $0-32
	MOVD a+0(FP), R9
	MOVD stride+8(FP), R2
	LSL  $3, R2
	MOVD v+16(FP), R3
	MOVD w+24(FP), R4
	MOVD $11, R7

rows4:
	ROWS
	BROADCAST4(R3, R5, V0, V1, V2, V3)
	BROADCAST4(R4, R6, V4, V5, V6, V7)
	VLD1.P 32(R3), [V14.D2, V15.D2]
	VLD1.P 32(R4), [V12.D2, V13.D2]
	SUBTRACTROW(R9, V0, V4)

	VLD1   (R10), [V16.D2, V17.D2]
	SUBTRACTPRODUCTS(V1, V5)
	ADD    $8, R10
	VST1   V16.D[1], (R10)
	ADD    $8, R10
	VST1.P [V17.D2], 16(R10)

	ADD    $16, R11
	VLD1   (R11), [V17.D2]
	VFMLS  V13.D2, V2.D2, V17.D2
	VFMLS  V15.D2, V6.D2, V17.D2
	VST1.P [V17.D2], 16(R11)

	ADD     $24, R12
	FMOVD   (R12), F17
	FMSUBD  F7, F17, F3, F17
	FMSUBD  F3, F17, F7, F17
	FMOVD.P F17, 8(R12)

	MOVD R3, R5
	MOVD R4, R6
	MOVD R7, R0
	CBZ  R0, next

right:
	VLD1.P 32(R5), [V14.D2, V15.D2]
	VLD1.P 32(R6), [V12.D2, V13.D2]
	SUBTRACTROW(R9, V0, V4)
	SUBTRACTROW(R10, V1, V5)
	SUBTRACTROW(R11, V2, V6)
	SUBTRACTROW(R12, V3, V7)
	SUBS   $1, R0
	BNE    right

next:
	NEXTROWS
	BGE rows4
	RET

// QUAD4 computes z = b - lz of four columns, in z0 and z1 (n0 and n1 by number), with b at R5 and l in V24, and adds
// z²/d to s0 and s1, 1/d in V25.
#define QUAD4(z0, z1, n0, n1, s0, s1) \
	VLD1.P 32(R5), [V28.D2, V29.D2];              \
	MULTIPLY2(VFMLS, z0, z1, V24, V24, V28, V29); \
	VMOV   V28.B16, z0.B16;                       \
	VMOV   V29.B16, z1.B16;                       \
	FMUL2(n0, 25, 30);                            \
	FMUL2(n1, 25, 31);                            \
	MULTIPLY2(VFMLA, z0, z1, V30, V31, s0, s1)

// func quadColumns(rows int, b *float64, stride int, steps, out *float64)
TEXT ·quadColumns(SB), NOSPLIT, $0-40
	MOVD rows+0(FP), R0
	MOVD b+8(FP), R1
	MOVD stride+16(FP), R2
	LSL  $3, R2
	MOVD steps+24(FP), R3
	MOVD out+32(FP), R4
	ROW48(ZERO4)

quadratic:
	VLD1R.P 8(R3), [V24.D2]
	VLD1R.P 8(R3), [V25.D2]
	MOVD    R1, R5
	QUAD4(V0, V1, 0, 1, V12, V13)
	QUAD4(V2, V3, 2, 3, V14, V15)
	QUAD4(V4, V5, 4, 5, V16, V17)
	QUAD4(V6, V7, 6, 7, V18, V19)
	QUAD4(V8, V9, 8, 9, V20, V21)
	QUAD4(V10, V11, 10, 11, V22, V23)
	ADD     R2, R1
	SUBS    $1, R0
	BNE     quadratic

	STORE8(R4, V12, V13, V14, V15)
	STORE8(R4, V16, V17, V18, V19)
	STORE8(R4, V20, V21, V22, V23)
	RET
