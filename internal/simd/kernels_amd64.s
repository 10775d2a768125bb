//go:build !purego

#include "textflag.h"

// In the micro-kernels SI walks over the packed A, BX over the packed B, DI over the rows
// of C, DX is the distance of these in bytes, and CX counts the steps.

// One row of the 8×24 tile: its number of A times the 24 of B in Z24, Z25, Z26. The
// broadcasts take turns in five registers.
#define ROW24(offset, x, c0, c1, c2) \
	VBROADCASTSD offset(SI), x; \
	VFMADD231PD  Z24, x, c0;    \
	VFMADD231PD  Z25, x, c1;    \
	VFMADD231PD  Z26, x, c2

// C = alpha·sums + beta·C for one row.
#define UPDATE24(c0, c1, c2) \
	VMULPD      Z24, c0, c0;      \
	VMULPD      Z24, c1, c1;      \
	VMULPD      Z24, c2, c2;      \
	VFMADD231PD (DI), Z25, c0;    \
	VFMADD231PD 64(DI), Z25, c1;  \
	VFMADD231PD 128(DI), Z25, c2; \
	STORE24(c0, c1, c2)

// C = alpha·sums for one row.
#define OVERWRITE24(c0, c1, c2) \
	VMULPD Z24, c0, c0; \
	VMULPD Z24, c1, c1; \
	VMULPD Z24, c2, c2; \
	STORE24(c0, c1, c2)

#define STORE24(c0, c1, c2) \
	VMOVUPD c0, (DI);    \
	VMOVUPD c1, 64(DI);  \
	VMOVUPD c2, 128(DI); \
	ADDQ    DX, DI

#define ZERO3(c0, c1, c2) \
	VPXORQ c0, c0, c0; \
	VPXORQ c1, c1, c1; \
	VPXORQ c2, c2, c2

// The row of C is in the cache by the time that the sums are ready.
#define PREFETCH24 \
	PREFETCHT0 (R8);    \
	PREFETCHT0 64(R8);  \
	PREFETCHT0 128(R8); \
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
	PREFETCH24
	PREFETCH24
	PREFETCH24
	PREFETCH24
	PREFETCH24
	PREFETCH24
	PREFETCH24
	PREFETCH24
	ZERO3(Z0, Z1, Z2)
	ZERO3(Z3, Z4, Z5)
	ZERO3(Z6, Z7, Z8)
	ZERO3(Z9, Z10, Z11)
	ZERO3(Z12, Z13, Z14)
	ZERO3(Z15, Z16, Z17)
	ZERO3(Z18, Z19, Z20)
	ZERO3(Z21, Z22, Z23)

loop:
	VMOVUPD (BX), Z24
	VMOVUPD 64(BX), Z25
	VMOVUPD 128(BX), Z26
	ROW24(0, Z27, Z0, Z1, Z2)
	ROW24(8, Z28, Z3, Z4, Z5)
	ROW24(16, Z29, Z6, Z7, Z8)
	ROW24(24, Z30, Z9, Z10, Z11)
	ROW24(32, Z31, Z12, Z13, Z14)
	ROW24(40, Z27, Z15, Z16, Z17)
	ROW24(48, Z28, Z18, Z19, Z20)
	ROW24(56, Z29, Z21, Z22, Z23)
	ADDQ $64, SI
	ADDQ $192, BX
	DECQ CX
	JNZ  loop

	VBROADCASTSD alpha+40(FP), Z24
	VBROADCASTSD beta+48(FP), Z25
	MOVQ         beta+48(FP), AX
	SHLQ         $1, AX              // without the sign: ±0 both overwrite
	JZ           overwrite
	UPDATE24(Z0, Z1, Z2)
	UPDATE24(Z3, Z4, Z5)
	UPDATE24(Z6, Z7, Z8)
	UPDATE24(Z9, Z10, Z11)
	UPDATE24(Z12, Z13, Z14)
	UPDATE24(Z15, Z16, Z17)
	UPDATE24(Z18, Z19, Z20)
	UPDATE24(Z21, Z22, Z23)
	VZEROUPPER
	RET

overwrite:
	OVERWRITE24(Z0, Z1, Z2)
	OVERWRITE24(Z3, Z4, Z5)
	OVERWRITE24(Z6, Z7, Z8)
	OVERWRITE24(Z9, Z10, Z11)
	OVERWRITE24(Z12, Z13, Z14)
	OVERWRITE24(Z15, Z16, Z17)
	OVERWRITE24(Z18, Z19, Z20)
	OVERWRITE24(Z21, Z22, Z23)
	VZEROUPPER
	RET

// The same for a 4×12 tile: the 12 numbers of B are in Y12, Y13, Y14.
#define ROW12(offset, c0, c1, c2) \
	VBROADCASTSD offset(SI), Y15; \
	VFMADD231PD  Y12, Y15, c0;    \
	VFMADD231PD  Y13, Y15, c1;    \
	VFMADD231PD  Y14, Y15, c2

#define UPDATE12(c0, c1, c2) \
	VMULPD      Y12, c0, c0;     \
	VMULPD      Y12, c1, c1;     \
	VMULPD      Y12, c2, c2;     \
	VFMADD231PD (DI), Y13, c0;   \
	VFMADD231PD 32(DI), Y13, c1; \
	VFMADD231PD 64(DI), Y13, c2; \
	STORE12(c0, c1, c2)

#define OVERWRITE12(c0, c1, c2) \
	VMULPD Y12, c0, c0; \
	VMULPD Y12, c1, c1; \
	VMULPD Y12, c2, c2; \
	STORE12(c0, c1, c2)

#define STORE12(c0, c1, c2) \
	VMOVUPD c0, (DI);   \
	VMOVUPD c1, 32(DI); \
	VMOVUPD c2, 64(DI); \
	ADDQ    DX, DI

#define ZERO3Y(c0, c1, c2) \
	VXORPD c0, c0, c0; \
	VXORPD c1, c1, c1; \
	VXORPD c2, c2, c2

#define PREFETCH12 \
	PREFETCHT0 (R8);   \
	PREFETCHT0 64(R8); \
	ADDQ       DX, R8

// func kernel4x12(k int, a, b, c *float64, ldc int, alpha, beta float64)
TEXT ·kernel4x12(SB), NOSPLIT, $0-56
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ c+24(FP), DI
	MOVQ ldc+32(FP), DX
	SHLQ $3, DX
	MOVQ DI, R8
	PREFETCH12
	PREFETCH12
	PREFETCH12
	PREFETCH12
	ZERO3Y(Y0, Y1, Y2)
	ZERO3Y(Y3, Y4, Y5)
	ZERO3Y(Y6, Y7, Y8)
	ZERO3Y(Y9, Y10, Y11)

loop:
	VMOVUPD (BX), Y12
	VMOVUPD 32(BX), Y13
	VMOVUPD 64(BX), Y14
	ROW12(0, Y0, Y1, Y2)
	ROW12(8, Y3, Y4, Y5)
	ROW12(16, Y6, Y7, Y8)
	ROW12(24, Y9, Y10, Y11)
	ADDQ $32, SI
	ADDQ $96, BX
	DECQ CX
	JNZ  loop

	VBROADCASTSD alpha+40(FP), Y12
	VBROADCASTSD beta+48(FP), Y13
	MOVQ         beta+48(FP), AX
	SHLQ         $1, AX
	JZ           overwrite
	UPDATE12(Y0, Y1, Y2)
	UPDATE12(Y3, Y4, Y5)
	UPDATE12(Y6, Y7, Y8)
	UPDATE12(Y9, Y10, Y11)
	VZEROUPPER
	RET

overwrite:
	OVERWRITE12(Y0, Y1, Y2)
	OVERWRITE12(Y3, Y4, Y5)
	OVERWRITE12(Y6, Y7, Y8)
	OVERWRITE12(Y9, Y10, Y11)
	VZEROUPPER
	RET

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

row:
	XORQ DX, DX

four:
	VMOVUPD (SI)(DX*1), Y0
	VMOVUPD Y0, (DI)(DX*1)
	ADDQ    $32, DX
	CMPQ    DX, AX
	JLT     four
	ADDQ    R8, SI
	ADDQ    R9, DI
	DECQ    CX
	JNZ     row
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
	VUNPCKLPD  Y1, Y0, Y4            // 00 10 02 12
	VUNPCKHPD  Y1, Y0, Y5            // 01 11 03 13
	VUNPCKLPD  Y3, Y2, Y6            // 20 30 22 32
	VUNPCKHPD  Y3, Y2, Y7            // 21 31 23 33
	VPERM2F128 $0x20, Y6, Y4, Y0     // 00 10 20 30
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2     // 02 12 22 32
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

// x[i] *= T[i, i].
#define SCALE24(offset, c0, c1, c2) \
	VBROADCASTSD offset(SI), Z24; \
	VMULPD       Z24, c0, c0;     \
	VMULPD       Z24, c1, c1;     \
	VMULPD       Z24, c2, c2

// x[i] -= T[i, j]·x[j].
#define SUBTRACT24(offset, x, d0, d1, d2, c0, c1, c2) \
	VBROADCASTSD  offset(SI), x; \
	VFNMADD231PD  d0, x, c0;     \
	VFNMADD231PD  d1, x, c1;     \
	VFNMADD231PD  d2, x, c2

// x[i] += T[i, j]·x[j].
#define ADD24(offset, x, d0, d1, d2, c0, c1, c2) \
	VBROADCASTSD offset(SI), x; \
	VFMADD231PD  d0, x, c0;     \
	VFMADD231PD  d1, x, c1;     \
	VFMADD231PD  d2, x, c2

#define LOAD24(offset, c0, c1, c2) \
	VMOVUPD offset(DI), c0;        \
	VMOVUPD (offset+64)(DI), c1;   \
	VMOVUPD (offset+128)(DI), c2

#define SAVE24(offset, c0, c1, c2) \
	VMOVUPD c0, offset(DI);        \
	VMOVUPD c1, (offset+64)(DI);   \
	VMOVUPD c2, (offset+128)(DI)

// func solve8x24(t, x *float64)
TEXT ·solve8x24(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	LOAD24(0, Z0, Z1, Z2)
	LOAD24(192, Z3, Z4, Z5)
	LOAD24(384, Z6, Z7, Z8)
	LOAD24(576, Z9, Z10, Z11)
	LOAD24(768, Z12, Z13, Z14)
	LOAD24(960, Z15, Z16, Z17)
	LOAD24(1152, Z18, Z19, Z20)
	LOAD24(1344, Z21, Z22, Z23)

	SCALE24(0, Z0, Z1, Z2)
	SUBTRACT24(8, Z27, Z0, Z1, Z2, Z3, Z4, Z5)
	SUBTRACT24(16, Z28, Z0, Z1, Z2, Z6, Z7, Z8)
	SUBTRACT24(24, Z29, Z0, Z1, Z2, Z9, Z10, Z11)
	SUBTRACT24(32, Z30, Z0, Z1, Z2, Z12, Z13, Z14)
	SUBTRACT24(40, Z31, Z0, Z1, Z2, Z15, Z16, Z17)
	SUBTRACT24(48, Z27, Z0, Z1, Z2, Z18, Z19, Z20)
	SUBTRACT24(56, Z28, Z0, Z1, Z2, Z21, Z22, Z23)

	SCALE24(72, Z3, Z4, Z5)
	SUBTRACT24(80, Z29, Z3, Z4, Z5, Z6, Z7, Z8)
	SUBTRACT24(88, Z30, Z3, Z4, Z5, Z9, Z10, Z11)
	SUBTRACT24(96, Z31, Z3, Z4, Z5, Z12, Z13, Z14)
	SUBTRACT24(104, Z27, Z3, Z4, Z5, Z15, Z16, Z17)
	SUBTRACT24(112, Z28, Z3, Z4, Z5, Z18, Z19, Z20)
	SUBTRACT24(120, Z29, Z3, Z4, Z5, Z21, Z22, Z23)

	SCALE24(144, Z6, Z7, Z8)
	SUBTRACT24(152, Z30, Z6, Z7, Z8, Z9, Z10, Z11)
	SUBTRACT24(160, Z31, Z6, Z7, Z8, Z12, Z13, Z14)
	SUBTRACT24(168, Z27, Z6, Z7, Z8, Z15, Z16, Z17)
	SUBTRACT24(176, Z28, Z6, Z7, Z8, Z18, Z19, Z20)
	SUBTRACT24(184, Z29, Z6, Z7, Z8, Z21, Z22, Z23)

	SCALE24(216, Z9, Z10, Z11)
	SUBTRACT24(224, Z30, Z9, Z10, Z11, Z12, Z13, Z14)
	SUBTRACT24(232, Z31, Z9, Z10, Z11, Z15, Z16, Z17)
	SUBTRACT24(240, Z27, Z9, Z10, Z11, Z18, Z19, Z20)
	SUBTRACT24(248, Z28, Z9, Z10, Z11, Z21, Z22, Z23)

	SCALE24(288, Z12, Z13, Z14)
	SUBTRACT24(296, Z29, Z12, Z13, Z14, Z15, Z16, Z17)
	SUBTRACT24(304, Z30, Z12, Z13, Z14, Z18, Z19, Z20)
	SUBTRACT24(312, Z31, Z12, Z13, Z14, Z21, Z22, Z23)

	SCALE24(360, Z15, Z16, Z17)
	SUBTRACT24(368, Z27, Z15, Z16, Z17, Z18, Z19, Z20)
	SUBTRACT24(376, Z28, Z15, Z16, Z17, Z21, Z22, Z23)

	SCALE24(432, Z18, Z19, Z20)
	SUBTRACT24(440, Z29, Z18, Z19, Z20, Z21, Z22, Z23)

	SCALE24(504, Z21, Z22, Z23)

	SAVE24(0, Z0, Z1, Z2)
	SAVE24(192, Z3, Z4, Z5)
	SAVE24(384, Z6, Z7, Z8)
	SAVE24(576, Z9, Z10, Z11)
	SAVE24(768, Z12, Z13, Z14)
	SAVE24(960, Z15, Z16, Z17)
	SAVE24(1152, Z18, Z19, Z20)
	SAVE24(1344, Z21, Z22, Z23)
	VZEROUPPER
	RET

// func multiply8x24(t, x *float64)
TEXT ·multiply8x24(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	LOAD24(0, Z0, Z1, Z2)
	LOAD24(192, Z3, Z4, Z5)
	LOAD24(384, Z6, Z7, Z8)
	LOAD24(576, Z9, Z10, Z11)
	LOAD24(768, Z12, Z13, Z14)
	LOAD24(960, Z15, Z16, Z17)
	LOAD24(1152, Z18, Z19, Z20)
	LOAD24(1344, Z21, Z22, Z23)

	SCALE24(504, Z21, Z22, Z23)
	ADD24(56, Z30, Z0, Z1, Z2, Z21, Z22, Z23)
	ADD24(120, Z31, Z3, Z4, Z5, Z21, Z22, Z23)
	ADD24(184, Z27, Z6, Z7, Z8, Z21, Z22, Z23)
	ADD24(248, Z28, Z9, Z10, Z11, Z21, Z22, Z23)
	ADD24(312, Z29, Z12, Z13, Z14, Z21, Z22, Z23)
	ADD24(376, Z30, Z15, Z16, Z17, Z21, Z22, Z23)
	ADD24(440, Z31, Z18, Z19, Z20, Z21, Z22, Z23)

	SCALE24(432, Z18, Z19, Z20)
	ADD24(48, Z27, Z0, Z1, Z2, Z18, Z19, Z20)
	ADD24(112, Z28, Z3, Z4, Z5, Z18, Z19, Z20)
	ADD24(176, Z29, Z6, Z7, Z8, Z18, Z19, Z20)
	ADD24(240, Z30, Z9, Z10, Z11, Z18, Z19, Z20)
	ADD24(304, Z31, Z12, Z13, Z14, Z18, Z19, Z20)
	ADD24(368, Z27, Z15, Z16, Z17, Z18, Z19, Z20)

	SCALE24(360, Z15, Z16, Z17)
	ADD24(40, Z28, Z0, Z1, Z2, Z15, Z16, Z17)
	ADD24(104, Z29, Z3, Z4, Z5, Z15, Z16, Z17)
	ADD24(168, Z30, Z6, Z7, Z8, Z15, Z16, Z17)
	ADD24(232, Z31, Z9, Z10, Z11, Z15, Z16, Z17)
	ADD24(296, Z27, Z12, Z13, Z14, Z15, Z16, Z17)

	SCALE24(288, Z12, Z13, Z14)
	ADD24(32, Z28, Z0, Z1, Z2, Z12, Z13, Z14)
	ADD24(96, Z29, Z3, Z4, Z5, Z12, Z13, Z14)
	ADD24(160, Z30, Z6, Z7, Z8, Z12, Z13, Z14)
	ADD24(224, Z31, Z9, Z10, Z11, Z12, Z13, Z14)

	SCALE24(216, Z9, Z10, Z11)
	ADD24(24, Z27, Z0, Z1, Z2, Z9, Z10, Z11)
	ADD24(88, Z28, Z3, Z4, Z5, Z9, Z10, Z11)
	ADD24(152, Z29, Z6, Z7, Z8, Z9, Z10, Z11)

	SCALE24(144, Z6, Z7, Z8)
	ADD24(16, Z30, Z0, Z1, Z2, Z6, Z7, Z8)
	ADD24(80, Z31, Z3, Z4, Z5, Z6, Z7, Z8)

	SCALE24(72, Z3, Z4, Z5)
	ADD24(8, Z27, Z0, Z1, Z2, Z3, Z4, Z5)

	SCALE24(0, Z0, Z1, Z2)

	SAVE24(0, Z0, Z1, Z2)
	SAVE24(192, Z3, Z4, Z5)
	SAVE24(384, Z6, Z7, Z8)
	SAVE24(576, Z9, Z10, Z11)
	SAVE24(768, Z12, Z13, Z14)
	SAVE24(960, Z15, Z16, Z17)
	SAVE24(1152, Z18, Z19, Z20)
	SAVE24(1344, Z21, Z22, Z23)
	VZEROUPPER
	RET

#define SCALE12(offset, c0, c1, c2) \
	VBROADCASTSD offset(SI), Y12; \
	VMULPD       Y12, c0, c0;     \
	VMULPD       Y12, c1, c1;     \
	VMULPD       Y12, c2, c2

#define SUBTRACT12(offset, x, d0, d1, d2, c0, c1, c2) \
	VBROADCASTSD  offset(SI), x; \
	VFNMADD231PD  d0, x, c0;     \
	VFNMADD231PD  d1, x, c1;     \
	VFNMADD231PD  d2, x, c2

#define ADD12(offset, x, d0, d1, d2, c0, c1, c2) \
	VBROADCASTSD offset(SI), x; \
	VFMADD231PD  d0, x, c0;     \
	VFMADD231PD  d1, x, c1;     \
	VFMADD231PD  d2, x, c2

#define LOAD12(offset, c0, c1, c2) \
	VMOVUPD offset(DI), c0;      \
	VMOVUPD (offset+32)(DI), c1; \
	VMOVUPD (offset+64)(DI), c2

#define SAVE12(offset, c0, c1, c2) \
	VMOVUPD c0, offset(DI);      \
	VMOVUPD c1, (offset+32)(DI); \
	VMOVUPD c2, (offset+64)(DI)

// func solve4x12(t, x *float64)
TEXT ·solve4x12(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	LOAD12(0, Y0, Y1, Y2)
	LOAD12(96, Y3, Y4, Y5)
	LOAD12(192, Y6, Y7, Y8)
	LOAD12(288, Y9, Y10, Y11)

	SCALE12(0, Y0, Y1, Y2)
	SUBTRACT12(8, Y13, Y0, Y1, Y2, Y3, Y4, Y5)
	SUBTRACT12(16, Y14, Y0, Y1, Y2, Y6, Y7, Y8)
	SUBTRACT12(24, Y15, Y0, Y1, Y2, Y9, Y10, Y11)

	SCALE12(40, Y3, Y4, Y5)
	SUBTRACT12(48, Y13, Y3, Y4, Y5, Y6, Y7, Y8)
	SUBTRACT12(56, Y14, Y3, Y4, Y5, Y9, Y10, Y11)

	SCALE12(80, Y6, Y7, Y8)
	SUBTRACT12(88, Y15, Y6, Y7, Y8, Y9, Y10, Y11)

	SCALE12(120, Y9, Y10, Y11)

	SAVE12(0, Y0, Y1, Y2)
	SAVE12(96, Y3, Y4, Y5)
	SAVE12(192, Y6, Y7, Y8)
	SAVE12(288, Y9, Y10, Y11)
	VZEROUPPER
	RET

// func multiply4x12(t, x *float64)
TEXT ·multiply4x12(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ x+8(FP), DI
	LOAD12(0, Y0, Y1, Y2)
	LOAD12(96, Y3, Y4, Y5)
	LOAD12(192, Y6, Y7, Y8)
	LOAD12(288, Y9, Y10, Y11)

	SCALE12(120, Y9, Y10, Y11)
	ADD12(24, Y13, Y0, Y1, Y2, Y9, Y10, Y11)
	ADD12(56, Y14, Y3, Y4, Y5, Y9, Y10, Y11)
	ADD12(88, Y15, Y6, Y7, Y8, Y9, Y10, Y11)

	SCALE12(80, Y6, Y7, Y8)
	ADD12(16, Y13, Y0, Y1, Y2, Y6, Y7, Y8)
	ADD12(48, Y14, Y3, Y4, Y5, Y6, Y7, Y8)

	SCALE12(40, Y3, Y4, Y5)
	ADD12(8, Y15, Y0, Y1, Y2, Y3, Y4, Y5)

	SCALE12(0, Y0, Y1, Y2)

	SAVE12(0, Y0, Y1, Y2)
	SAVE12(96, Y3, Y4, Y5)
	SAVE12(192, Y6, Y7, Y8)
	SAVE12(288, Y9, Y10, Y11)
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

row:
	XORQ DX, DX

four:
	VMOVUPD     (SI)(DX*1), Y0
	VFMADD231PD (DI)(DX*1), Y1, Y0
	VMOVUPD     Y0, (DI)(DX*1)
	ADDQ        $32, DX
	CMPQ        DX, AX
	JLT         four
	ADDQ        R8, SI
	ADDQ        R9, DI
	DECQ        CX
	JNZ         row
	VZEROUPPER
	RET
