//go:build !purego

#include "textflag.h"

// In the micro-kernels SI walks over the packed A, BX over the packed B, DI over the rows
// of C, DX is the distance of these in bytes, and CX counts the steps.
//
// A row of a tile is three registers c0, c1, c2: 24 numbers with AVX-512, 12 with AVX2. A macro with
// 24 or 12 in its name serves that width; the others serve both, and bytes is the size of a register.

// ROWS8 calls do for each of the eight rows of the 8×24 tile, with the number of the row, a register for a broadcast
// (five of them take turns) and the row.
#define ROWS8(do) \
	do(0, Z27, Z0, Z1, Z2);    \
	do(1, Z28, Z3, Z4, Z5);    \
	do(2, Z29, Z6, Z7, Z8);    \
	do(3, Z30, Z9, Z10, Z11);  \
	do(4, Z31, Z12, Z13, Z14); \
	do(5, Z27, Z15, Z16, Z17); \
	do(6, Z28, Z18, Z19, Z20); \
	do(7, Z29, Z21, Z22, Z23)

// ROWS4 is ROWS8 for the 4×12 tile.
#define ROWS4(do) \
	do(0, Y15, Y0, Y1, Y2); \
	do(1, Y15, Y3, Y4, Y5); \
	do(2, Y15, Y6, Y7, Y8); \
	do(3, Y15, Y9, Y10, Y11)

// ADD adds the number at SI + offset times d0, d1, d2 to a row.
#define ADD(offset, x, d0, d1, d2, c0, c1, c2) \
	VBROADCASTSD offset(SI), x; \
	VFMADD231PD  d0, x, c0;     \
	VFMADD231PD  d1, x, c1;     \
	VFMADD231PD  d2, x, c2

// SUBTRACT subtracts the number at SI + offset times d0, d1, d2 from a row.
#define SUBTRACT(offset, x, d0, d1, d2, c0, c1, c2) \
	VBROADCASTSD offset(SI), x; \
	VFNMADD231PD d0, x, c0;     \
	VFNMADD231PD d1, x, c1;     \
	VFNMADD231PD d2, x, c2

// TIMES multiplies a row by x.
#define TIMES(x, c0, c1, c2) \
	VMULPD x, c0, c0; \
	VMULPD x, c1, c1; \
	VMULPD x, c2, c2

// SCALE multiplies a row by the number at SI + offset.
#define SCALE(offset, x, c0, c1, c2) \
	VBROADCASTSD offset(SI), x; \
	TIMES(x, c0, c1, c2)

// ZERO clears a row by xor, the instruction for its registers.
#define ZERO(xor, c0, c1, c2) \
	xor c0, c0, c0; \
	xor c1, c1, c1; \
	xor c2, c2, c2

// LOAD reads a row at DI + offset.
#define LOAD(offset, bytes, c0, c1, c2) \
	VMOVUPD (offset)(DI), c0;       \
	VMOVUPD (offset+bytes)(DI), c1; \
	VMOVUPD (offset+2*bytes)(DI), c2

// SAVE writes a row at DI + offset.
#define SAVE(offset, bytes, c0, c1, c2) \
	VMOVUPD c0, (offset)(DI);       \
	VMOVUPD c1, (offset+bytes)(DI); \
	VMOVUPD c2, (offset+2*bytes)(DI)

// OVERWRITE computes C = alpha·sums for a row.
#define OVERWRITE(bytes, alpha, c0, c1, c2) \
	TIMES(alpha, c0, c1, c2);   \
	SAVE(0, bytes, c0, c1, c2); \
	ADDQ DX, DI

// UPDATE computes C = alpha·sums + beta·C for a row.
#define UPDATE(bytes, alpha, beta, c0, c1, c2) \
	TIMES(alpha, c0, c1, c2);            \
	VFMADD231PD (DI), beta, c0;          \
	VFMADD231PD bytes(DI), beta, c1;     \
	VFMADD231PD (2*bytes)(DI), beta, c2; \
	SAVE(0, bytes, c0, c1, c2);          \
	ADDQ        DX, DI

// ROWS8 and ROWS4 call these for row i of a tile. PRODUCTS adds its number of A times the numbers of B;
// PREFETCH brings the row of C into the cache by the time that the sums are ready.
#define PRODUCTS24(i, x, c0, c1, c2) ADD((8*i), x, Z24, Z25, Z26, c0, c1, c2)
#define PRODUCTS12(i, x, c0, c1, c2) ADD((8*i), x, Y12, Y13, Y14, c0, c1, c2)
#define ZERO24(i, x, c0, c1, c2) ZERO(VPXORQ, c0, c1, c2)
#define ZERO12(i, x, c0, c1, c2) ZERO(VXORPD, c0, c1, c2)
#define LOAD24(i, x, c0, c1, c2) LOAD(192*i, 64, c0, c1, c2)
#define LOAD12(i, x, c0, c1, c2) LOAD(96*i, 32, c0, c1, c2)
#define SAVE24(i, x, c0, c1, c2) SAVE(192*i, 64, c0, c1, c2)
#define SAVE12(i, x, c0, c1, c2) SAVE(96*i, 32, c0, c1, c2)
#define OVERWRITE24(i, x, c0, c1, c2) OVERWRITE(64, Z24, c0, c1, c2)
#define OVERWRITE12(i, x, c0, c1, c2) OVERWRITE(32, Y12, c0, c1, c2)
#define UPDATE24(i, x, c0, c1, c2) UPDATE(64, Z24, Z25, c0, c1, c2)
#define UPDATE12(i, x, c0, c1, c2) UPDATE(32, Y12, Y13, c0, c1, c2)
#define PREFETCH24(i, x, c0, c1, c2) \
	PREFETCHT0 (R8);    \
	PREFETCHT0 64(R8);  \
	PREFETCHT0 128(R8); \
	ADDQ       DX, R8
#define PREFETCH12(i, x, c0, c1, c2) \
	PREFETCHT0 (R8);   \
	PREFETCHT0 64(R8); \
	ADDQ       DX, R8

// func kernel8x24(k int, a, b, c *float64, ldc int, alpha, beta float64)
TEXT ·kernel8x24(SB), NOSPLIT, $0-56
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ c+24(FP), DI
	MOVQ ldc+32(FP), DX
	SHLQ $3, DX
	MOVQ DI, R8
	ROWS8(PREFETCH24)
	ROWS8(ZERO24)

loop:
	VMOVUPD (BX), Z24
	VMOVUPD 64(BX), Z25
	VMOVUPD 128(BX), Z26
	ROWS8(PRODUCTS24)
	ADDQ    $64, SI
	ADDQ    $192, BX
	DECQ    CX
	JNZ     loop

	VBROADCASTSD alpha+40(FP), Z24
	VBROADCASTSD beta+48(FP), Z25
	MOVQ         beta+48(FP), AX
	SHLQ         $1, AX            // without the sign: ±0 both overwrite
	JZ           overwrite
	ROWS8(UPDATE24)
	VZEROUPPER
	RET

overwrite:
	ROWS8(OVERWRITE24)
	VZEROUPPER
	RET

// func kernel4x12(k int, a, b, c *float64, ldc int, alpha, beta float64)
TEXT ·kernel4x12(SB), NOSPLIT, $0-56
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ c+24(FP), DI
	MOVQ ldc+32(FP), DX
	SHLQ $3, DX
	MOVQ DI, R8
	ROWS4(PREFETCH12)
	ROWS4(ZERO12)

loop:
	VMOVUPD (BX), Y12
	VMOVUPD 32(BX), Y13
	VMOVUPD 64(BX), Y14
	ROWS4(PRODUCTS12)
	ADDQ    $32, SI
	ADDQ    $96, BX
	DECQ    CX
	JNZ     loop

	VBROADCASTSD alpha+40(FP), Y12
	VBROADCASTSD beta+48(FP), Y13
	MOVQ         beta+48(FP), AX
	SHLQ         $1, AX            // without the sign: ±0 both overwrite
	JZ           overwrite
	ROWS4(UPDATE12)
	VZEROUPPER
	RET

overwrite:
	ROWS4(OVERWRITE12)
	VZEROUPPER
	RET

// EACHFOUR calls do for every four numbers of CX rows, AX bytes wide: those of src are at SI + DX, those of
// dst at DI + DX, the rows R8 and R9 bytes apart.
#define EACHFOUR(do) \
row:                  \
	XORQ DX, DX;  \
four:                 \
	do;           \
	ADDQ $32, DX; \
	CMPQ DX, AX;  \
	JLT  four;    \
	ADDQ R8, SI;  \
	ADDQ R9, DI;  \
	DECQ CX;      \
	JNZ  row

// COPY copies four numbers.
#define COPY \
	VMOVUPD (SI)(DX*1), Y0; \
	VMOVUPD Y0, (DI)(DX*1)

// ADDTO computes dst = src + beta·dst for four numbers, beta in Y1.
#define ADDTO \
	VMOVUPD     (SI)(DX*1), Y0;     \
	VFMADD231PD (DI)(DX*1), Y1, Y0; \
	VMOVUPD     Y0, (DI)(DX*1)

// func copyRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int)
TEXT ·copyRows(SB), NOSPLIT, $0-48
	MOVQ rows+0(FP), CX
	MOVQ width+8(FP), AX
	MOVQ src+16(FP), SI
	MOVQ srcRow+24(FP), R8
	MOVQ dst+32(FP), DI
	MOVQ dstRow+40(FP), R9
	SHLQ $3, AX
	SHLQ $3, R8
	SHLQ $3, R9
	EACHFOUR(COPY)
	VZEROUPPER
	RET

// func addRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int, beta float64)
TEXT ·addRows(SB), NOSPLIT, $0-56
	MOVQ         rows+0(FP), CX
	MOVQ         width+8(FP), AX
	MOVQ         src+16(FP), SI
	MOVQ         srcRow+24(FP), R8
	MOVQ         dst+32(FP), DI
	MOVQ         dstRow+40(FP), R9
	VBROADCASTSD beta+48(FP), Y1
	SHLQ         $3, AX
	SHLQ         $3, R8
	SHLQ         $3, R9
	EACHFOUR(ADDTO)
	VZEROUPPER
	RET

// func transposeBlocks(blocks int, src *float64, srcRow, srcStep int, dst *float64, dstRow, dstStep int)
TEXT ·transposeBlocks(SB), NOSPLIT, $0-56
	MOVQ blocks+0(FP), CX
	MOVQ src+8(FP), SI
	MOVQ srcRow+16(FP), R8
	MOVQ srcStep+24(FP), R9
	MOVQ dst+32(FP), DI
	MOVQ dstRow+40(FP), R10
	MOVQ dstStep+48(FP), R11
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R10
	SHLQ $3, R11
	LEAQ (R8)(R8*2), R12
	LEAQ (R10)(R10*2), R13

block:
	VMOVUPD    (SI), Y0
	VMOVUPD    (SI)(R8*1), Y1
	VMOVUPD    (SI)(R8*2), Y2
	VMOVUPD    (SI)(R12*1), Y3
	VUNPCKLPD  Y1, Y0, Y4        // 00 10 02 12
	VUNPCKHPD  Y1, Y0, Y5        // 01 11 03 13
	VUNPCKLPD  Y3, Y2, Y6        // 20 30 22 32
	VUNPCKHPD  Y3, Y2, Y7        // 21 31 23 33
	VPERM2F128 $0x20, Y6, Y4, Y0 // 00 10 20 30
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2 // 02 12 22 32
	VPERM2F128 $0x31, Y7, Y5, Y3
	VMOVUPD    Y0, (DI)
	VMOVUPD    Y1, (DI)(R10*1)
	VMOVUPD    Y2, (DI)(R10*2)
	VMOVUPD    Y3, (DI)(R13*1)
	ADDQ       R9, SI
	ADDQ       R11, DI
	DECQ       CX
	JNZ        block
	VZEROUPPER
	RET

// The triangle kernels hold all rows of a panel of X in registers. SI points to the packed
// triangle T: element (i, j) at T[j*rows+i].
//
// The solution goes down: x[j] *= T[j, j], and x[i] -= T[i, j]·x[j] for each row i below. The product goes
// up: x[i] *= T[i, i], and x[i] += T[i, j]·x[j] for each row j above.

// func solve8x24(t, x *float64)
TEXT ·solve8x24(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	ROWS8(LOAD24)

	SCALE(0, Z24, Z0, Z1, Z2)
	SUBTRACT(8, Z27, Z0, Z1, Z2, Z3, Z4, Z5)
	SUBTRACT(16, Z28, Z0, Z1, Z2, Z6, Z7, Z8)
	SUBTRACT(24, Z29, Z0, Z1, Z2, Z9, Z10, Z11)
	SUBTRACT(32, Z30, Z0, Z1, Z2, Z12, Z13, Z14)
	SUBTRACT(40, Z31, Z0, Z1, Z2, Z15, Z16, Z17)
	SUBTRACT(48, Z27, Z0, Z1, Z2, Z18, Z19, Z20)
	SUBTRACT(56, Z28, Z0, Z1, Z2, Z21, Z22, Z23)

	SCALE(72, Z24, Z3, Z4, Z5)
	SUBTRACT(80, Z29, Z3, Z4, Z5, Z6, Z7, Z8)
	SUBTRACT(88, Z30, Z3, Z4, Z5, Z9, Z10, Z11)
	SUBTRACT(96, Z31, Z3, Z4, Z5, Z12, Z13, Z14)
	SUBTRACT(104, Z27, Z3, Z4, Z5, Z15, Z16, Z17)
	SUBTRACT(112, Z28, Z3, Z4, Z5, Z18, Z19, Z20)
	SUBTRACT(120, Z29, Z3, Z4, Z5, Z21, Z22, Z23)

	SCALE(144, Z24, Z6, Z7, Z8)
	SUBTRACT(152, Z30, Z6, Z7, Z8, Z9, Z10, Z11)
	SUBTRACT(160, Z31, Z6, Z7, Z8, Z12, Z13, Z14)
	SUBTRACT(168, Z27, Z6, Z7, Z8, Z15, Z16, Z17)
	SUBTRACT(176, Z28, Z6, Z7, Z8, Z18, Z19, Z20)
	SUBTRACT(184, Z29, Z6, Z7, Z8, Z21, Z22, Z23)

	SCALE(216, Z24, Z9, Z10, Z11)
	SUBTRACT(224, Z30, Z9, Z10, Z11, Z12, Z13, Z14)
	SUBTRACT(232, Z31, Z9, Z10, Z11, Z15, Z16, Z17)
	SUBTRACT(240, Z27, Z9, Z10, Z11, Z18, Z19, Z20)
	SUBTRACT(248, Z28, Z9, Z10, Z11, Z21, Z22, Z23)

	SCALE(288, Z24, Z12, Z13, Z14)
	SUBTRACT(296, Z29, Z12, Z13, Z14, Z15, Z16, Z17)
	SUBTRACT(304, Z30, Z12, Z13, Z14, Z18, Z19, Z20)
	SUBTRACT(312, Z31, Z12, Z13, Z14, Z21, Z22, Z23)

	SCALE(360, Z24, Z15, Z16, Z17)
	SUBTRACT(368, Z27, Z15, Z16, Z17, Z18, Z19, Z20)
	SUBTRACT(376, Z28, Z15, Z16, Z17, Z21, Z22, Z23)

	SCALE(432, Z24, Z18, Z19, Z20)
	SUBTRACT(440, Z29, Z18, Z19, Z20, Z21, Z22, Z23)

	SCALE(504, Z24, Z21, Z22, Z23)

	ROWS8(SAVE24)
	VZEROUPPER
	RET

// func multiply8x24(t, x *float64)
TEXT ·multiply8x24(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	ROWS8(LOAD24)

	SCALE(504, Z24, Z21, Z22, Z23)
	ADD(56, Z30, Z0, Z1, Z2, Z21, Z22, Z23)
	ADD(120, Z31, Z3, Z4, Z5, Z21, Z22, Z23)
	ADD(184, Z27, Z6, Z7, Z8, Z21, Z22, Z23)
	ADD(248, Z28, Z9, Z10, Z11, Z21, Z22, Z23)
	ADD(312, Z29, Z12, Z13, Z14, Z21, Z22, Z23)
	ADD(376, Z30, Z15, Z16, Z17, Z21, Z22, Z23)
	ADD(440, Z31, Z18, Z19, Z20, Z21, Z22, Z23)

	SCALE(432, Z24, Z18, Z19, Z20)
	ADD(48, Z27, Z0, Z1, Z2, Z18, Z19, Z20)
	ADD(112, Z28, Z3, Z4, Z5, Z18, Z19, Z20)
	ADD(176, Z29, Z6, Z7, Z8, Z18, Z19, Z20)
	ADD(240, Z30, Z9, Z10, Z11, Z18, Z19, Z20)
	ADD(304, Z31, Z12, Z13, Z14, Z18, Z19, Z20)
	ADD(368, Z27, Z15, Z16, Z17, Z18, Z19, Z20)

	SCALE(360, Z24, Z15, Z16, Z17)
	ADD(40, Z28, Z0, Z1, Z2, Z15, Z16, Z17)
	ADD(104, Z29, Z3, Z4, Z5, Z15, Z16, Z17)
	ADD(168, Z30, Z6, Z7, Z8, Z15, Z16, Z17)
	ADD(232, Z31, Z9, Z10, Z11, Z15, Z16, Z17)
	ADD(296, Z27, Z12, Z13, Z14, Z15, Z16, Z17)

	SCALE(288, Z24, Z12, Z13, Z14)
	ADD(32, Z28, Z0, Z1, Z2, Z12, Z13, Z14)
	ADD(96, Z29, Z3, Z4, Z5, Z12, Z13, Z14)
	ADD(160, Z30, Z6, Z7, Z8, Z12, Z13, Z14)
	ADD(224, Z31, Z9, Z10, Z11, Z12, Z13, Z14)

	SCALE(216, Z24, Z9, Z10, Z11)
	ADD(24, Z27, Z0, Z1, Z2, Z9, Z10, Z11)
	ADD(88, Z28, Z3, Z4, Z5, Z9, Z10, Z11)
	ADD(152, Z29, Z6, Z7, Z8, Z9, Z10, Z11)

	SCALE(144, Z24, Z6, Z7, Z8)
	ADD(16, Z30, Z0, Z1, Z2, Z6, Z7, Z8)
	ADD(80, Z31, Z3, Z4, Z5, Z6, Z7, Z8)

	SCALE(72, Z24, Z3, Z4, Z5)
	ADD(8, Z27, Z0, Z1, Z2, Z3, Z4, Z5)

	SCALE(0, Z24, Z0, Z1, Z2)

	ROWS8(SAVE24)
	VZEROUPPER
	RET

// func solve4x12(t, x *float64)
TEXT ·solve4x12(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	ROWS4(LOAD12)

	SCALE(0, Y12, Y0, Y1, Y2)
	SUBTRACT(8, Y13, Y0, Y1, Y2, Y3, Y4, Y5)
	SUBTRACT(16, Y14, Y0, Y1, Y2, Y6, Y7, Y8)
	SUBTRACT(24, Y15, Y0, Y1, Y2, Y9, Y10, Y11)

	SCALE(40, Y12, Y3, Y4, Y5)
	SUBTRACT(48, Y13, Y3, Y4, Y5, Y6, Y7, Y8)
	SUBTRACT(56, Y14, Y3, Y4, Y5, Y9, Y10, Y11)

	SCALE(80, Y12, Y6, Y7, Y8)
	SUBTRACT(88, Y15, Y6, Y7, Y8, Y9, Y10, Y11)

	SCALE(120, Y12, Y9, Y10, Y11)

	ROWS4(SAVE12)
	VZEROUPPER
	RET

// func multiply4x12(t, x *float64)
TEXT ·multiply4x12(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	ROWS4(LOAD12)

	SCALE(120, Y12, Y9, Y10, Y11)
	ADD(24, Y13, Y0, Y1, Y2, Y9, Y10, Y11)
	ADD(56, Y14, Y3, Y4, Y5, Y9, Y10, Y11)
	ADD(88, Y15, Y6, Y7, Y8, Y9, Y10, Y11)

	SCALE(80, Y12, Y6, Y7, Y8)
	ADD(16, Y13, Y0, Y1, Y2, Y6, Y7, Y8)
	ADD(48, Y14, Y3, Y4, Y5, Y6, Y7, Y8)

	SCALE(40, Y12, Y3, Y4, Y5)
	ADD(8, Y15, Y0, Y1, Y2, Y3, Y4, Y5)

	SCALE(0, Y12, Y0, Y1, Y2)

	ROWS4(SAVE12)
	VZEROUPPER
	RET
