//go:build !purego

#include "textflag.h"
#include "words_arm64.h"

// The loops are those of vectors_amd64.s, over as many numbers and in the same order, so that
// results agree to the bit: two registers here are one there. R0 counts the numbers that are left,
// less those of one step.

// REPEAT repeats a step of count numbers while R0 is not negative. It and the next two begin with the flags of R0.
#define REPEAT(loop, count, step, after) \
	BLT  after;      \
loop:                    \
	step;            \
	SUBS $count, R0; \
	BGE  loop;       \
after:

// ONCE does a step of four numbers if R0 is not negative.
#define ONCE(step, after) \
	BLT  after;  \
	step;        \
	SUBS $4, R0; \
after:

// ONES does a step for each of the last R0 numbers.
#define ONES(step) \
	BEQ  done;   \
one:                 \
	step;        \
	SUBS $1, R0; \
	BNE  one;    \
done:

// SUM adds up four numbers in two registers, lower and upper, into the first.
#define SUM(lower, upper) \
	FADD2(upper, lower, lower); \
	FADDP2(lower, lower)

// ZERO4 clears four registers.
#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// LOAD8 reads eight numbers at p and moves p on.
#define LOAD8(p, a, b, c, d) VLD1.P 64(p), [a.D2, b.D2, c.D2, d.D2]

// STORE8 writes eight numbers to p and moves p on.
#define STORE8(p, a, b, c, d) VST1.P [a.D2, b.D2, c.D2, d.D2], 64(p)

// FMLA4 adds the products of four pairs of registers, a and b, to c.
#define FMLA4(a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3) \
	VFMLA a0.D2, b0.D2, c0.D2; \
	VFMLA a1.D2, b1.D2, c1.D2; \
	VFMLA a2.D2, b2.D2, c2.D2; \
	VFMLA a3.D2, b3.D2, c3.D2

// ROWS points R9, R10 and R11 to the rows after R8, R3 numbers apart.
#define ROWS \
	ADD R3<<3, R8, R9;  \
	ADD R3<<3, R9, R10; \
	ADD R3<<3, R10, R11

// COEFFICIENTS loads the four coefficients at p.
#define COEFFICIENTS(p) \
	VLD1R.P 8(p), [V0.D2]; \
	VLD1R.P 8(p), [V1.D2]; \
	VLD1R.P 8(p), [V2.D2]; \
	VLD1R   (p), [V3.D2]

// ROWNUMBERS reads a number of each of the four rows.
#define ROWNUMBERS(a0, a1, a2, a3) \
	FMOVD.P 8(R8), a0;  \
	FMOVD.P 8(R9), a1;  \
	FMOVD.P 8(R10), a2; \
	FMOVD.P 8(R11), a3

// RETURNSUMS writes four sums to p.
#define RETURNSUMS(p, s0, s1, s2, s3) \
	FMOVD s0, (p);   \
	FMOVD s1, 8(p);  \
	FMOVD s2, 16(p); \
	FMOVD s3, 24(p)

// DOT16 adds the products of 16 numbers to V0 to V7.
#define DOT16 \
	LOAD8(R1, V16, V17, V18, V19);                                 \
	LOAD8(R1, V20, V21, V22, V23);                                 \
	LOAD8(R2, V24, V25, V26, V27);                                 \
	LOAD8(R2, V28, V29, V30, V31);                                 \
	FMLA4(V24, V25, V26, V27, V16, V17, V18, V19, V0, V1, V2, V3); \
	FMLA4(V28, V29, V30, V31, V20, V21, V22, V23, V4, V5, V6, V7)

// DOT4 adds the products of four numbers to V0 and V1.
#define DOT4 \
	VLD1.P 32(R1), [V16.D2, V17.D2]; \
	VLD1.P 32(R2), [V24.D2, V25.D2]; \
	VFMLA  V24.D2, V16.D2, V0.D2;    \
	VFMLA  V25.D2, V17.D2, V1.D2

// DOT1 adds the product of two numbers to F0.
#define DOT1 \
	FMOVD.P 8(R1), F1; \
	FMOVD.P 8(R2), F2; \
	FMADDD  F2, F0, F1, F0

// func dot(n int, x, y *float64) float64
TEXT ·dot(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  y+16(FP), R2
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	SUBS  $16, R0
	REPEAT(sixteen, 16, DOT16, fours)
	ADDS  $12, R0
	REPEAT(four, 4, DOT4, sum)
	FADD2(2, 0, 0)
	FADD2(3, 1, 1)
	FADD2(6, 4, 4)
	FADD2(7, 5, 5)
	FADD2(4, 0, 0)
	FADD2(5, 1, 1)
	SUM(0, 1)
	ADDS  $4, R0
	ONES(DOT1)
	FMOVD F0, ret+24(FP)
	RET

// AXPY16 computes y += alpha·x for 16 numbers.
#define AXPY16 \
	LOAD8(R1, V16, V17, V18, V19);                                 \
	LOAD8(R1, V20, V21, V22, V23);                                 \
	MOVD R2, R3;                                                   \
	LOAD8(R3, V24, V25, V26, V27);                                 \
	VLD1 (R3), [V28.D2, V29.D2, V30.D2, V31.D2];                   \
	FMLA4(V16, V17, V18, V19, V0, V0, V0, V0, V24, V25, V26, V27); \
	FMLA4(V20, V21, V22, V23, V0, V0, V0, V0, V28, V29, V30, V31); \
	STORE8(R2, V24, V25, V26, V27);                                \
	STORE8(R2, V28, V29, V30, V31)

// AXPY4 computes y += alpha·x for four numbers.
#define AXPY4 \
	VLD1.P 32(R1), [V16.D2, V17.D2]; \
	VLD1   (R2), [V24.D2, V25.D2];   \
	VFMLA  V16.D2, V0.D2, V24.D2;    \
	VFMLA  V17.D2, V0.D2, V25.D2;    \
	VST1.P [V24.D2, V25.D2], 32(R2)

// AXPY1 computes y += alpha·x for a number.
#define AXPY1 \
	FMOVD.P 8(R1), F1;      \
	FMOVD   (R2), F2;       \
	FMADDD  F1, F2, F0, F2; \
	FMOVD.P F2, 8(R2)

// func axpy(n int, alpha float64, x, y *float64)
TEXT ·axpy(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	MOVD  $alpha+8(FP), R3
	VLD1R (R3), [V0.D2]
	MOVD  x+16(FP), R1
	MOVD  y+24(FP), R2
	SUBS  $16, R0
	REPEAT(sixteen, 16, AXPY16, fours)
	ADDS  $12, R0
	REPEAT(four, 4, AXPY4, ones)
	ADDS  $4, R0
	ONES(AXPY1)
	RET

// TWOAXPY8 computes z += alpha·x + beta·y for eight numbers.
#define TWOAXPY8 \
	LOAD8(R1, V16, V17, V18, V19);                                 \
	LOAD8(R2, V20, V21, V22, V23);                                 \
	VLD1 (R3), [V24.D2, V25.D2, V26.D2, V27.D2];                   \
	FMLA4(V16, V17, V18, V19, V0, V0, V0, V0, V24, V25, V26, V27); \
	FMLA4(V20, V21, V22, V23, V1, V1, V1, V1, V24, V25, V26, V27); \
	STORE8(R3, V24, V25, V26, V27)

// TWOAXPY4 computes z += alpha·x + beta·y for four numbers.
#define TWOAXPY4 \
	VLD1.P 32(R1), [V16.D2, V17.D2]; \
	VLD1.P 32(R2), [V20.D2, V21.D2]; \
	VLD1   (R3), [V24.D2, V25.D2];   \
	VFMLA  V16.D2, V0.D2, V24.D2;    \
	VFMLA  V17.D2, V0.D2, V25.D2;    \
	VFMLA  V20.D2, V1.D2, V24.D2;    \
	VFMLA  V21.D2, V1.D2, V25.D2;    \
	VST1.P [V24.D2, V25.D2], 32(R3)

// TWOAXPY1 computes z += alpha·x + beta·y for a number.
#define TWOAXPY1 \
	FMOVD.P 8(R1), F16;        \
	FMOVD.P 8(R2), F20;        \
	FMOVD   (R3), F24;         \
	FMADDD  F16, F24, F0, F24; \
	FMADDD  F20, F24, F1, F24; \
	FMOVD.P F24, 8(R3)

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
	REPEAT(eight, 8, TWOAXPY8, fours)
	ADDS  $4, R0
	ONCE(TWOAXPY4, ones)
	ADDS  $4, R0
	ONES(TWOAXPY1)
	RET

// SCAL8 multiplies eight numbers by V0.
#define SCAL8 \
	VLD1 (R1), [V16.D2, V17.D2, V18.D2, V19.D2]; \
	FMUL2(0, 16, 16);                            \
	FMUL2(0, 17, 17);                            \
	FMUL2(0, 18, 18);                            \
	FMUL2(0, 19, 19);                            \
	STORE8(R1, V16, V17, V18, V19)

// SCAL1 multiplies a number by F0.
#define SCAL1 \
	FMOVD   (R1), F16;    \
	FMULD   F0, F16, F16; \
	FMOVD.P F16, 8(R1)

// func scal(n int, alpha float64, x *float64)
TEXT ·scal(SB), NOSPLIT, $0-24
	MOVD  n+0(FP), R0
	MOVD  $alpha+8(FP), R2
	VLD1R (R2), [V0.D2]
	MOVD  x+16(FP), R1
	SUBS  $8, R0
	REPEAT(eight, 8, SCAL8, ones)
	ADDS  $8, R0
	ONES(SCAL1)
	RET

// DOTROW8 adds the products of eight numbers of a row and those of x, in V24 to V27, to c0 to c3.
#define DOTROW8(row, c0, c1, c2, c3) \
	LOAD8(row, V28, V29, V30, V31); \
	FMLA4(V28, V29, V30, V31, V24, V25, V26, V27, c0, c1, c2, c3)

// DOTROW4 is DOTROW8 for four numbers.
#define DOTROW4(row, c0, c1) \
	VLD1.P 32(row), [V28.D2, V29.D2]; \
	VFMLA  V28.D2, V24.D2, c0.D2;     \
	VFMLA  V29.D2, V25.D2, c1.D2

// FOURDOT8 is DOTROW8 for the four rows.
#define FOURDOT8 \
	LOAD8(R1, V24, V25, V26, V27);  \
	DOTROW8(R8, V0, V1, V2, V3);    \
	DOTROW8(R9, V4, V5, V6, V7);    \
	DOTROW8(R10, V8, V9, V10, V11); \
	DOTROW8(R11, V12, V13, V14, V15)

// FOURDOT4 is DOTROW4 for the four rows.
#define FOURDOT4 \
	VLD1.P 32(R1), [V24.D2, V25.D2]; \
	DOTROW4(R8, V0, V1);             \
	DOTROW4(R9, V4, V5);             \
	DOTROW4(R10, V8, V9);            \
	DOTROW4(R11, V12, V13)

// DOTONE adds the products of x and a number of each row to their sums.
#define DOTONE(x, a0, a1, a2, a3, s0, s1, s2, s3) \
	FMADDD a0, s0, x, s0; \
	FMADDD a1, s1, x, s1; \
	FMADDD a2, s2, x, s2; \
	FMADDD a3, s3, x, s3

// FOURDOT1 is DOTONE for the next number of x.
#define FOURDOT1 \
	FMOVD.P 8(R1), F16;             \
	ROWNUMBERS(F17, F18, F19, F20); \
	DOTONE(F16, F17, F18, F19, F20, F0, F4, F8, F12)

// SUM8 adds up eight numbers in the registers a to d into the first.
#define SUM8(a, b, c, d) \
	FADD2(c, a, a); \
	FADD2(d, b, b); \
	SUM(a, b)

// func dot4(n int, a *float64, lda int, x *float64, sums *[4]float64)
// R8, R9, R10, R11 walk over the rows, whose sums are in V0 to V3, V4 to V7, and so on.
TEXT ·dot4(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD a+8(FP), R8
	MOVD lda+16(FP), R3
	MOVD x+24(FP), R1
	MOVD sums+32(FP), R2
	ROWS
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	SUBS $8, R0
	REPEAT(eight, 8, FOURDOT8, fours)
	ADDS $4, R0
	ONCE(FOURDOT4, sum)
	SUM8(0, 1, 2, 3)
	SUM8(4, 5, 6, 7)
	SUM8(8, 9, 10, 11)
	SUM8(12, 13, 14, 15)
	ADDS $4, R0
	ONES(FOURDOT1)
	RETURNSUMS(R2, F0, F4, F8, F12)
	RET

// AXPYROW8 adds a coefficient times eight numbers of a row to those of y in V24 to V27.
#define AXPYROW8(row, c) \
	LOAD8(row, V28, V29, V30, V31); \
	FMLA4(V28, V29, V30, V31, c, c, c, c, V24, V25, V26, V27)

// AXPYROW4 is AXPYROW8 for four numbers.
#define AXPYROW4(row, c) \
	VLD1.P 32(row), [V28.D2, V29.D2]; \
	VFMLA  V28.D2, c.D2, V24.D2;      \
	VFMLA  V29.D2, c.D2, V25.D2

// FOURAXPY8 is AXPYROW8 for the four rows.
#define FOURAXPY8 \
	VLD1 (R2), [V24.D2, V25.D2, V26.D2, V27.D2]; \
	AXPYROW8(R8, V0);                            \
	AXPYROW8(R9, V1);                            \
	AXPYROW8(R10, V2);                           \
	AXPYROW8(R11, V3);                           \
	STORE8(R2, V24, V25, V26, V27)

// FOURAXPY4 is AXPYROW4 for the four rows.
#define FOURAXPY4 \
	VLD1   (R2), [V24.D2, V25.D2]; \
	AXPYROW4(R8, V0);              \
	AXPYROW4(R9, V1);              \
	AXPYROW4(R10, V2);             \
	AXPYROW4(R11, V3);             \
	VST1.P [V24.D2, V25.D2], 32(R2)

// AXPYONE adds the coefficients in F0 to F3 times a number of each row to y.
#define AXPYONE(y) \
	FMADDD F28, y, F0, y; \
	FMADDD F29, y, F1, y; \
	FMADDD F30, y, F2, y; \
	FMADDD F31, y, F3, y

// FOURAXPY1 is AXPYONE for the next number of y.
#define FOURAXPY1 \
	FMOVD   (R2), F24;              \
	ROWNUMBERS(F28, F29, F30, F31); \
	AXPYONE(F24);                   \
	FMOVD.P F24, 8(R2)

// func axpy4(n int, a *float64, lda int, coefficients *[4]float64, y *float64)
TEXT ·axpy4(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD a+8(FP), R8
	MOVD lda+16(FP), R3
	MOVD coefficients+24(FP), R1
	MOVD y+32(FP), R2
	ROWS
	COEFFICIENTS(R1)
	SUBS $8, R0
	REPEAT(eight, 8, FOURAXPY8, fours)
	ADDS $4, R0
	ONCE(FOURAXPY4, ones)
	ADDS $4, R0
	ONES(FOURAXPY1)
	RET

// DOTAXPYROW4 adds the products of four numbers of a row and those of x, in V24 and V25, to s0 and s1, and a
// coefficient times them to those of y, in V26 and V27.
#define DOTAXPYROW4(row, c, s0, s1) \
	VLD1.P 32(row), [V28.D2, V29.D2]; \
	VFMLA  V28.D2, V24.D2, s0.D2;     \
	VFMLA  V29.D2, V25.D2, s1.D2;     \
	VFMLA  V28.D2, c.D2, V26.D2;      \
	VFMLA  V29.D2, c.D2, V27.D2

// FOURDOTAXPY4 is DOTAXPYROW4 for the four rows.
#define FOURDOTAXPY4 \
	VLD1.P 32(R1), [V24.D2, V25.D2]; \
	VLD1   (R2), [V26.D2, V27.D2];   \
	DOTAXPYROW4(R8, V0, V4, V5);     \
	DOTAXPYROW4(R9, V1, V6, V7);     \
	DOTAXPYROW4(R10, V2, V16, V17);  \
	DOTAXPYROW4(R11, V3, V18, V19);  \
	VST1.P [V26.D2, V27.D2], 32(R2)

// FOURDOTAXPY1 is DOTONE and AXPYONE for the next number of x and y.
#define FOURDOTAXPY1 \
	FMOVD.P 8(R1), F24;                                \
	FMOVD   (R2), F26;                                 \
	ROWNUMBERS(F28, F29, F30, F31);                    \
	DOTONE(F24, F28, F29, F30, F31, F4, F6, F16, F18); \
	AXPYONE(F26);                                      \
	FMOVD.P F26, 8(R2)

// func dotAxpy4(n int, a *float64, lda int, x *float64, sums, coefficients *[4]float64, y *float64)
TEXT ·dotAxpy4(SB), NOSPLIT, $0-56
	MOVD n+0(FP), R0
	MOVD a+8(FP), R8
	MOVD lda+16(FP), R3
	MOVD x+24(FP), R1
	MOVD sums+32(FP), R4
	MOVD coefficients+40(FP), R5
	MOVD y+48(FP), R2
	ROWS
	COEFFICIENTS(R5)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V16, V17, V18, V19)
	SUBS $4, R0
	REPEAT(four, 4, FOURDOTAXPY4, sum)
	SUM(4, 5)
	SUM(6, 7)
	SUM(16, 17)
	SUM(18, 19)
	ADDS $4, R0
	ONES(FOURDOTAXPY1)
	RETURNSUMS(R4, F4, F6, F16, F18)
	RET
