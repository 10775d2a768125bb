//go:build !purego

#include "textflag.h"
#include "words_arm64.h"

// In the micro-kernel R1 walks over the packed A, R2 over the packed B, R3 over the rows of C, R4 is
// the distance of these in bytes, and R0 counts the steps. The sums are in V0 to V23, six registers
// for a row; V24 to V29 have the twelve numbers of B.

// ROWS calls do for each of the four rows of the tile, with a register for a number of A and the sums of the row.
#define ROWS(do) \
	do(V30, V0, V1, V2, V3, V4, V5);       \
	do(V31, V6, V7, V8, V9, V10, V11);     \
	do(V30, V12, V13, V14, V15, V16, V17); \
	do(V31, V18, V19, V20, V21, V22, V23)

// ZERO12 clears a row.
#define ZERO12(x, c0, c1, c2, c3, c4, c5) \
	VEOR c0.B16, c0.B16, c0.B16; \
	VEOR c1.B16, c1.B16, c1.B16; \
	VEOR c2.B16, c2.B16, c2.B16; \
	VEOR c3.B16, c3.B16, c3.B16; \
	VEOR c4.B16, c4.B16, c4.B16; \
	VEOR c5.B16, c5.B16, c5.B16

// MULTIPLY12 adds x times a row d to a row c by fma = VFMLA, and subtracts it by VFMLS.
#define MULTIPLY12(fma, x, d0, d1, d2, d3, d4, d5, c0, c1, c2, c3, c4, c5) \
	fma d0.D2, x.D2, c0.D2; \
	fma d1.D2, x.D2, c1.D2; \
	fma d2.D2, x.D2, c2.D2; \
	fma d3.D2, x.D2, c3.D2; \
	fma d4.D2, x.D2, c4.D2; \
	fma d5.D2, x.D2, c5.D2

// PRODUCTS12 adds the next number of A, in x, times the twelve of B to a row.
#define PRODUCTS12(x, c0, c1, c2, c3, c4, c5) \
	VLD1R.P 8(R1), [x.D2]; \
	MULTIPLY12(VFMLA, x, V24, V25, V26, V27, V28, V29, c0, c1, c2, c3, c4, c5)

// SCALE6 multiplies six registers by another one, all by number.
#define SCALE6(by, first) \
	FMUL2(by, first, first);     \
	FMUL2(by, first+1, first+1); \
	FMUL2(by, first+2, first+2); \
	FMUL2(by, first+3, first+3); \
	FMUL2(by, first+4, first+4); \
	FMUL2(by, first+5, first+5)

// UPDATE12 computes C = sums + beta·C for a row, beta in V25.
#define UPDATE12(x, c0, c1, c2, c3, c4, c5) \
	MOVD   R3, R5;                                                                \
	VLD1.P 64(R5), [V26.D2, V27.D2, V28.D2, V29.D2];                              \
	VLD1   (R5), [V30.D2, V31.D2];                                                \
	MULTIPLY12(VFMLA, V25, V26, V27, V28, V29, V30, V31, c0, c1, c2, c3, c4, c5); \
	STORE12(x, c0, c1, c2, c3, c4, c5)

// STORE12 writes a row of C.
#define STORE12(x, c0, c1, c2, c3, c4, c5) \
	MOVD   R3, R5;                               \
	VST1.P [c0.D2, c1.D2, c2.D2, c3.D2], 64(R5); \
	VST1   [c4.D2, c5.D2], (R5);                 \
	ADD    R4, R3

// func kernel4x12(k int, a, b, c *float64, ldc int, alpha, beta float64)
TEXT ·kernel4x12(SB), NOSPLIT, $0-56
	MOVD k+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD c+24(FP), R3
	MOVD ldc+32(FP), R4
	LSL  $3, R4
	ROWS(ZERO12)

loop:
	VLD1.P 64(R2), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 32(R2), [V28.D2, V29.D2]
	ROWS(PRODUCTS12)
	SUBS   $1, R0
	BNE    loop

	MOVD  $alpha+40(FP), R6
	VLD1R (R6), [V24.D2]
	SCALE6(24, 0)
	SCALE6(24, 6)
	SCALE6(24, 12)
	SCALE6(24, 18)
	MOVD  beta+48(FP), R7
	LSL   $1, R7
	CBZ   R7, overwrite
	MOVD  $beta+48(FP), R6
	VLD1R (R6), [V25.D2]
	ROWS(UPDATE12)
	RET

overwrite:
	ROWS(STORE12)
	RET

// EACHFOUR calls do for every four numbers of R0 rows, R1 numbers wide: those of src at R7, those of
// dst at R8, the rows at R2 and R4, R3 and R5 bytes apart.
#define EACHFOUR(do) \
row:                 \
	MOVD R1, R6; \
	MOVD R2, R7; \
	MOVD R4, R8; \
four:                \
	do;          \
	SUBS $4, R6; \
	BGT  four;   \
	ADD  R3, R2; \
	ADD  R5, R4; \
	SUBS $1, R0; \
	BNE  row

// COPY copies four numbers.
#define COPY \
	VLD1.P 32(R7), [V0.D2, V1.D2]; \
	VST1.P [V0.D2, V1.D2], 32(R8)

// ADDTO computes dst = src + beta·dst for four numbers, beta in V4.
#define ADDTO \
	VLD1.P 32(R7), [V0.D2, V1.D2]; \
	VLD1   (R8), [V2.D2, V3.D2];   \
	VFMLA  V2.D2, V4.D2, V0.D2;    \
	VFMLA  V3.D2, V4.D2, V1.D2;    \
	VST1.P [V0.D2, V1.D2], 32(R8)

// func copyRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int)
TEXT ·copyRows(SB), NOSPLIT, $0-48
	MOVD rows+0(FP), R0
	MOVD width+8(FP), R1
	MOVD src+16(FP), R2
	MOVD srcRow+24(FP), R3
	MOVD dst+32(FP), R4
	MOVD dstRow+40(FP), R5
	LSL  $3, R3
	LSL  $3, R5
	EACHFOUR(COPY)
	RET

// func addRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int, beta float64)
TEXT ·addRows(SB), NOSPLIT, $0-56
	MOVD  rows+0(FP), R0
	MOVD  width+8(FP), R1
	MOVD  src+16(FP), R2
	MOVD  srcRow+24(FP), R3
	MOVD  dst+32(FP), R4
	MOVD  dstRow+40(FP), R5
	MOVD  $beta+48(FP), R6
	VLD1R (R6), [V4.D2]
	LSL   $3, R3
	LSL   $3, R5
	EACHFOUR(ADDTO)
	RET

// func transposeBlocks(blocks int, src *float64, srcRow, srcStep int, dst *float64, dstRow, dstStep int)
TEXT ·transposeBlocks(SB), NOSPLIT, $0-56
	MOVD blocks+0(FP), R0
	MOVD src+8(FP), R1
	MOVD srcRow+16(FP), R2
	MOVD srcStep+24(FP), R3
	MOVD dst+32(FP), R4
	MOVD dstRow+40(FP), R5
	MOVD dstStep+48(FP), R6
	LSL  $3, R2
	LSL  $3, R3
	LSL  $3, R5
	LSL  $3, R6

block:
	MOVD  R1, R7
	VLD1  (R7), [V0.D2, V1.D2]   // 00 01, 02 03
	ADD   R2, R7
	VLD1  (R7), [V2.D2, V3.D2]
	ADD   R2, R7
	VLD1  (R7), [V4.D2, V5.D2]
	ADD   R2, R7
	VLD1  (R7), [V6.D2, V7.D2]
	VZIP1 V2.D2, V0.D2, V16.D2   // 00 10
	VZIP1 V6.D2, V4.D2, V17.D2   // 20 30
	VZIP2 V2.D2, V0.D2, V18.D2   // 01 11
	VZIP2 V6.D2, V4.D2, V19.D2
	VZIP1 V3.D2, V1.D2, V20.D2   // 02 12
	VZIP1 V7.D2, V5.D2, V21.D2
	VZIP2 V3.D2, V1.D2, V22.D2
	VZIP2 V7.D2, V5.D2, V23.D2
	MOVD  R4, R8
	VST1  [V16.D2, V17.D2], (R8)
	ADD   R5, R8
	VST1  [V18.D2, V19.D2], (R8)
	ADD   R5, R8
	VST1  [V20.D2, V21.D2], (R8)
	ADD   R5, R8
	VST1  [V22.D2, V23.D2], (R8)
	ADD   R3, R1
	ADD   R6, R4
	SUBS  $1, R0
	BNE   block
	RET

// The triangle kernels hold all rows of a panel of X in V0 to V23. R0 points to the packed triangle
// T: element (i, j) at T[4j+i].

// ELEMENT loads the number of T at an offset into both halves of a register.
#define ELEMENT(offset, x) \
	ADD   $offset, R0, R5; \
	VLD1R (R5), [x.D2]

// ADD12 adds the number of T at an offset times a row d to a row c.
#define ADD12(offset, d0, d1, d2, d3, d4, d5, c0, c1, c2, c3, c4, c5) \
	ELEMENT(offset, V24); \
	MULTIPLY12(VFMLA, V24, d0, d1, d2, d3, d4, d5, c0, c1, c2, c3, c4, c5)

// SUBTRACT12 subtracts it.
#define SUBTRACT12(offset, d0, d1, d2, d3, d4, d5, c0, c1, c2, c3, c4, c5) \
	ELEMENT(offset, V24); \
	MULTIPLY12(VFMLS, V24, d0, d1, d2, d3, d4, d5, c0, c1, c2, c3, c4, c5)

// SCALE12 multiplies the row from a numbered register on by the number of T at an offset.
#define SCALE12(offset, first) \
	ELEMENT(offset, V24); \
	SCALE6(24, first)

// PANEL calls do with the registers of the panel, eight numbers at a time.
#define PANEL(do) \
	do(V0, V1, V2, V3);     \
	do(V4, V5, V6, V7);     \
	do(V8, V9, V10, V11);   \
	do(V12, V13, V14, V15); \
	do(V16, V17, V18, V19); \
	do(V20, V21, V22, V23)

// LOAD8 reads eight numbers at R6, SAVE8 writes them.
#define LOAD8(a, b, c, d) VLD1.P 64(R6), [a.D2, b.D2, c.D2, d.D2]
#define SAVE8(a, b, c, d) VST1.P [a.D2, b.D2, c.D2, d.D2], 64(R6)

// func solve4x12(t, x *float64)
TEXT ·solve4x12(SB), NOSPLIT, $0-16
	MOVD t+0(FP), R0
	MOVD x+8(FP), R1
	MOVD R1, R6
	PANEL(LOAD8)
	SCALE12(0, 0)
	SUBTRACT12(8, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11)
	SUBTRACT12(16, V0, V1, V2, V3, V4, V5, V12, V13, V14, V15, V16, V17)
	SUBTRACT12(24, V0, V1, V2, V3, V4, V5, V18, V19, V20, V21, V22, V23)

	SCALE12(40, 6)
	SUBTRACT12(48, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17)
	SUBTRACT12(56, V6, V7, V8, V9, V10, V11, V18, V19, V20, V21, V22, V23)

	SCALE12(80, 12)
	SUBTRACT12(88, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23)

	SCALE12(120, 18)
	MOVD R1, R6
	PANEL(SAVE8)
	RET

// func multiply4x12(t, x *float64)
TEXT ·multiply4x12(SB), NOSPLIT, $0-16
	MOVD t+0(FP), R0
	MOVD x+8(FP), R1
	MOVD R1, R6
	PANEL(LOAD8)
	SCALE12(120, 18)
	ADD12(24, V0, V1, V2, V3, V4, V5, V18, V19, V20, V21, V22, V23)
	ADD12(56, V6, V7, V8, V9, V10, V11, V18, V19, V20, V21, V22, V23)
	ADD12(88, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23)

	SCALE12(80, 12)
	ADD12(16, V0, V1, V2, V3, V4, V5, V12, V13, V14, V15, V16, V17)
	ADD12(48, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17)

	SCALE12(40, 6)
	ADD12(8, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11)

	SCALE12(0, 0)
	MOVD R1, R6
	PANEL(SAVE8)
	RET
