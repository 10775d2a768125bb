//go:build !purego

#include "textflag.h"

// All of these are bound by memory once the data are beyond the first cache, so that AVX2
// is enough. The loops go over steps of 16, 8 or 4 numbers; a scalar loop does the rest.
// CX counts the numbers that are left, less those of one step.
//
// A step that is the same for four numbers and for one takes the instructions move and fma and the
// registers as arguments; bytes is the size of its numbers.

// REPEAT repeats a step of count numbers while CX is not negative. It and the next two begin with the flags of CX.
#define REPEAT(loop, count, step, after) \
	JLT  after;      \
loop:                    \
	step;            \
	SUBQ $count, CX; \
	JGE  loop;       \
after:

// ONCE does a step of four numbers if CX is not negative.
#define ONCE(step, after) \
	JLT  after;  \
	step;        \
	SUBQ $4, CX; \
after:

// ONES does a step for each of the last CX numbers.
#define ONES(step) \
	JZ   done; \
one:               \
	step;      \
	DECQ CX;   \
	JNZ  one;  \
done:

// ADVANCE2 moves the pointers p and q on.
#define ADVANCE2(bytes, p, q) \
	ADDQ $bytes, p; \
	ADDQ $bytes, q

// ADVANCEROWS moves the pointer p and those to the four rows on.
#define ADVANCEROWS(bytes, p) \
	ADDQ $bytes, p;   \
	ADDQ $bytes, R8;  \
	ADDQ $bytes, R9;  \
	ADDQ $bytes, R10; \
	ADDQ $bytes, R11

// ROWS points R9, R10 and R11 to the rows after R8, DX numbers apart.
#define ROWS \
	LEAQ (R8)(DX*8), R9;  \
	LEAQ (R9)(DX*8), R10; \
	LEAQ (R10)(DX*8), R11

// ZERO clears four registers.
#define ZERO(a, b, c, d) \
	VXORPD a, a, a; \
	VXORPD b, b, b; \
	VXORPD c, c, c; \
	VXORPD d, d, d

// COEFFICIENTS loads the four coefficients at p.
#define COEFFICIENTS(p) \
	VBROADCASTSD (p), Y0;   \
	VBROADCASTSD 8(p), Y1;  \
	VBROADCASTSD 16(p), Y2; \
	VBROADCASTSD 24(p), Y3

// RETURNSUMS writes four sums to DI.
#define RETURNSUMS(s0, s1, s2, s3) \
	VMOVSD s0, (DI);   \
	VMOVSD s1, 8(DI);  \
	VMOVSD s2, 16(DI); \
	VMOVSD s3, 24(DI)

// SUM adds up the four numbers of y, x being its lower half, into the first of x. t is
// overwritten.
#define SUM(y, x, t) \
	VEXTRACTF128 $1, y, t; \
	VADDPD       t, x, x;  \
	VHADDPD      x, x, x

// LOAD16 reads 16 numbers at p.
#define LOAD16(p, a, b, c, d) \
	VMOVUPD (p), a;   \
	VMOVUPD 32(p), b; \
	VMOVUPD 64(p), c; \
	VMOVUPD 96(p), d

// STORE16 writes 16 numbers to DI.
#define STORE16(a, b, c, d) \
	VMOVUPD a, (DI);   \
	VMOVUPD b, 32(DI); \
	VMOVUPD c, 64(DI); \
	VMOVUPD d, 96(DI)

// DOT16 adds the products of 16 numbers to Y0, Y1, Y2, Y3.
#define DOT16 \
	LOAD16(SI, Y4, Y5, Y6, Y7); \
	VFMADD231PD (DI), Y4, Y0;   \
	VFMADD231PD 32(DI), Y5, Y1; \
	VFMADD231PD 64(DI), Y6, Y2; \
	VFMADD231PD 96(DI), Y7, Y3; \
	ADVANCE2(128, SI, DI)

// DOT adds products to sum.
#define DOT(move, fma, bytes, x, sum) \
	move (SI), x;      \
	fma  (DI), x, sum; \
	ADVANCE2(bytes, SI, DI)

// func dot(n int, x, y *float64) float64
TEXT ·dot(SB), NOSPLIT, $0-32
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), SI
	MOVQ   y+16(FP), DI
	ZERO(Y0, Y1, Y2, Y3)
	SUBQ   $16, CX
	REPEAT(sixteen, 16, DOT16, fours)
	ADDQ   $12, CX
	REPEAT(four, 4, DOT(VMOVUPD, VFMADD231PD, 32, Y4, Y0), sum)
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	SUM(Y0, X0, X1)
	ADDQ   $4, CX
	ONES(DOT(VMOVSD, VFMADD231SD, 8, X1, X0))
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// AXPY16 computes y += alpha·x for 16 numbers.
#define AXPY16 \
	LOAD16(DI, Y1, Y2, Y3, Y4); \
	VFMADD231PD (SI), Y0, Y1;   \
	VFMADD231PD 32(SI), Y0, Y2; \
	VFMADD231PD 64(SI), Y0, Y3; \
	VFMADD231PD 96(SI), Y0, Y4; \
	STORE16(Y1, Y2, Y3, Y4);    \
	ADVANCE2(128, SI, DI)

// AXPY computes y += alpha·x.
#define AXPY(move, fma, bytes, alpha, y) \
	move (DI), y;        \
	fma  (SI), alpha, y; \
	move y, (DI);        \
	ADVANCE2(bytes, SI, DI)

// func axpy(n int, alpha float64, x, y *float64)
TEXT ·axpy(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         y+24(FP), DI
	SUBQ         $16, CX
	REPEAT(sixteen, 16, AXPY16, fours)
	ADDQ         $12, CX
	REPEAT(four, 4, AXPY(VMOVUPD, VFMADD231PD, 32, Y0, Y1), ones)
	ADDQ         $4, CX
	ONES(AXPY(VMOVSD, VFMADD231SD, 8, X0, X1))
	VZEROUPPER
	RET

// TWOAXPY8 computes z += alpha·x + beta·y for eight numbers.
#define TWOAXPY8 \
	VMOVUPD     (DI), Y2;       \
	VMOVUPD     32(DI), Y3;     \
	VFMADD231PD (SI), Y0, Y2;   \
	VFMADD231PD 32(SI), Y0, Y3; \
	VFMADD231PD (BX), Y1, Y2;   \
	VFMADD231PD 32(BX), Y1, Y3; \
	VMOVUPD     Y2, (DI);       \
	VMOVUPD     Y3, 32(DI);     \
	ADDQ        $64, SI;        \
	ADVANCE2(64, BX, DI)

// TWOAXPY computes z += alpha·x + beta·y.
#define TWOAXPY(move, fma, bytes, alpha, beta, z) \
	move (DI), z;        \
	fma  (SI), alpha, z; \
	fma  (BX), beta, z;  \
	move z, (DI);        \
	ADDQ $bytes, SI;     \
	ADVANCE2(bytes, BX, DI)

// func axpy2(n int, alpha float64, x *float64, beta float64, y, z *float64)
TEXT ·axpy2(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ         x+16(FP), SI
	VBROADCASTSD beta+24(FP), Y1
	MOVQ         y+32(FP), BX
	MOVQ         z+40(FP), DI
	SUBQ         $8, CX
	REPEAT(eight, 8, TWOAXPY8, fours)
	ADDQ         $4, CX
	ONCE(TWOAXPY(VMOVUPD, VFMADD231PD, 32, Y0, Y1, Y2), ones)
	ADDQ         $4, CX
	ONES(TWOAXPY(VMOVSD, VFMADD231SD, 8, X0, X1, X2))
	VZEROUPPER
	RET

// SCAL16 multiplies 16 numbers by Y0.
#define SCAL16 \
	VMULPD (DI), Y0, Y1;     \
	VMULPD 32(DI), Y0, Y2;   \
	VMULPD 64(DI), Y0, Y3;   \
	VMULPD 96(DI), Y0, Y4;   \
	STORE16(Y1, Y2, Y3, Y4); \
	ADDQ   $128, DI

// SCAL multiplies numbers by alpha.
#define SCAL(move, multiply, bytes, alpha, x) \
	multiply (DI), alpha, x; \
	move     x, (DI);        \
	ADDQ     $bytes, DI

// func scal(n int, alpha float64, x *float64)
TEXT ·scal(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), CX
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ         x+16(FP), DI
	SUBQ         $16, CX
	REPEAT(sixteen, 16, SCAL16, fours)
	ADDQ         $12, CX
	REPEAT(four, 4, SCAL(VMOVUPD, VMULPD, 32, Y0, Y1), ones)
	ADDQ         $4, CX
	ONES(SCAL(VMOVSD, VMULSD, 8, X0, X1))
	VZEROUPPER
	RET

// DOTROWS adds the products of x and numbers of the four rows to their sums.
#define DOTROWS(fma, offset, x, s0, s1, s2, s3) \
	fma offset(R8), x, s0;  \
	fma offset(R9), x, s1;  \
	fma offset(R10), x, s2; \
	fma offset(R11), x, s3

// FOURDOT8 is DOTROWS for eight numbers of a row, whose sums are in two registers.
#define FOURDOT8 \
	VMOVUPD (SI), Y8;                             \
	VMOVUPD 32(SI), Y9;                           \
	DOTROWS(VFMADD231PD, 0, Y8, Y0, Y1, Y2, Y3);  \
	DOTROWS(VFMADD231PD, 32, Y9, Y4, Y5, Y6, Y7); \
	ADVANCEROWS(64, SI)

// FOURDOT is DOTROWS for the numbers at SI.
#define FOURDOT(move, fma, bytes, x, s0, s1, s2, s3) \
	move (SI), x;                       \
	DOTROWS(fma, 0, x, s0, s1, s2, s3); \
	ADVANCEROWS(bytes, SI)

// func dot4(n int, a *float64, lda int, x *float64, sums *[4]float64)
// R8, R9, R10, R11 walk over the rows.
TEXT ·dot4(SB), NOSPLIT, $0-40
	MOVQ   n+0(FP), CX
	MOVQ   a+8(FP), R8
	MOVQ   lda+16(FP), DX
	MOVQ   x+24(FP), SI
	MOVQ   sums+32(FP), DI
	ROWS
	ZERO(Y0, Y1, Y2, Y3)
	ZERO(Y4, Y5, Y6, Y7)
	SUBQ   $8, CX
	REPEAT(eight, 8, FOURDOT8, fours)
	ADDQ   $4, CX
	ONCE(FOURDOT(VMOVUPD, VFMADD231PD, 32, Y8, Y0, Y1, Y2, Y3), sum)
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	SUM(Y0, X0, X4)
	SUM(Y1, X1, X5)
	SUM(Y2, X2, X6)
	SUM(Y3, X3, X7)
	ADDQ   $4, CX
	ONES(FOURDOT(VMOVSD, VFMADD231SD, 8, X8, X0, X1, X2, X3))
	RETURNSUMS(X0, X1, X2, X3)
	VZEROUPPER
	RET

// AXPYROW8 adds a coefficient times eight numbers of a row to Y4 and Y5.
#define AXPYROW8(row, c) \
	VFMADD231PD (row), c, Y4; \
	VFMADD231PD 32(row), c, Y5

// FOURAXPY8 adds the coefficients times eight numbers of the four rows to y.
#define FOURAXPY8 \
	VMOVUPD (DI), Y4;   \
	VMOVUPD 32(DI), Y5; \
	AXPYROW8(R8, Y0);   \
	AXPYROW8(R9, Y1);   \
	AXPYROW8(R10, Y2);  \
	AXPYROW8(R11, Y3);  \
	VMOVUPD Y4, (DI);   \
	VMOVUPD Y5, 32(DI); \
	ADVANCEROWS(64, DI)

// FOURAXPY adds the coefficients times numbers of the four rows to y.
#define FOURAXPY(move, fma, bytes, c0, c1, c2, c3, y) \
	move (DI), y;      \
	fma  (R8), c0, y;  \
	fma  (R9), c1, y;  \
	fma  (R10), c2, y; \
	fma  (R11), c3, y; \
	move y, (DI);      \
	ADVANCEROWS(bytes, DI)

// func axpy4(n int, a *float64, lda int, coefficients *[4]float64, y *float64)
TEXT ·axpy4(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ a+8(FP), R8
	MOVQ lda+16(FP), DX
	MOVQ coefficients+24(FP), SI
	MOVQ y+32(FP), DI
	ROWS
	COEFFICIENTS(SI)
	SUBQ $8, CX
	REPEAT(eight, 8, FOURAXPY8, fours)
	ADDQ $4, CX
	ONCE(FOURAXPY(VMOVUPD, VFMADD231PD, 32, Y0, Y1, Y2, Y3, Y4), ones)
	ADDQ $4, CX
	ONES(FOURAXPY(VMOVSD, VFMADD231SD, 8, X0, X1, X2, X3, X4))
	VZEROUPPER
	RET

// FOURDOTAXPY is FOURDOT and FOURAXPY, which read the numbers a of the four rows once.
#define FOURDOTAXPY(move, fma, bytes, c0, c1, c2, c3, s0, s1, s2, s3, x, y, a0, a1, a2, a3) \
	move (SI), x;    \
	move (DI), y;    \
	move (R8), a0;   \
	move (R9), a1;   \
	move (R10), a2;  \
	move (R11), a3;  \
	fma  a0, x, s0;  \
	fma  a1, x, s1;  \
	fma  a2, x, s2;  \
	fma  a3, x, s3;  \
	fma  a0, c0, y;  \
	fma  a1, c1, y;  \
	fma  a2, c2, y;  \
	fma  a3, c3, y;  \
	move y, (DI);    \
	ADDQ $bytes, SI; \
	ADVANCEROWS(bytes, DI)

// FOURDOTAXPY4 and FOURDOTAXPY1 are FOURDOTAXPY for four numbers and for one.
#define FOURDOTAXPY4 FOURDOTAXPY(VMOVUPD, VFMADD231PD, 32, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13)
#define FOURDOTAXPY1 FOURDOTAXPY(VMOVSD, VFMADD231SD, 8, X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13)

// func dotAxpy4(n int, a *float64, lda int, x *float64, sums, coefficients *[4]float64, y *float64)
TEXT ·dotAxpy4(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ a+8(FP), R8
	MOVQ lda+16(FP), DX
	MOVQ x+24(FP), SI
	MOVQ coefficients+40(FP), BX
	MOVQ y+48(FP), DI
	ROWS
	COEFFICIENTS(BX)
	ZERO(Y4, Y5, Y6, Y7)
	SUBQ $4, CX
	REPEAT(four, 4, FOURDOTAXPY4, sum)
	SUM(Y4, X4, X8)
	SUM(Y5, X5, X9)
	SUM(Y6, X6, X10)
	SUM(Y7, X7, X11)
	ADDQ $4, CX
	ONES(FOURDOTAXPY1)
	MOVQ sums+32(FP), DI
	RETURNSUMS(X4, X5, X6, X7)
	VZEROUPPER
	RET
