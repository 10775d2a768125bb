//go:build !purego

#include "textflag.h"

// Rows of 48 numbers, twelve registers of four. See band_vectors.go.

// Masks of the last three, two and one of four numbers.
DATA masks<>+0(SB)/8, $0
DATA masks<>+8(SB)/8, $-1
DATA masks<>+16(SB)/8, $-1
DATA masks<>+24(SB)/8, $-1
DATA masks<>+32(SB)/8, $0
DATA masks<>+40(SB)/8, $0
DATA masks<>+48(SB)/8, $-1
DATA masks<>+56(SB)/8, $-1
DATA masks<>+64(SB)/8, $0
DATA masks<>+72(SB)/8, $0
DATA masks<>+80(SB)/8, $0
DATA masks<>+88(SB)/8, $-1
GLOBL masks<>(SB), RODATA|NOPTR, $96

// ROW12 calls do with the offset and the register of each four of the 48 numbers of a row, which are in Y0 to Y11.
#define ROW12(do) \
	do(0, Y0);    \
	do(32, Y1);   \
	do(64, Y2);   \
	do(96, Y3);   \
	do(128, Y4);  \
	do(160, Y5);  \
	do(192, Y6);  \
	do(224, Y7);  \
	do(256, Y8);  \
	do(288, Y9);  \
	do(320, Y10); \
	do(352, Y11)

// PAIRS6 calls do with the offset, a free register and the registers of each four of the 24 numbers of two rows, which
// are in Y0 to Y5 and Y6 to Y11.
#define PAIRS6(do) \
	do(0, Y14, Y0, Y6);    \
	do(32, Y15, Y1, Y7);   \
	do(64, Y14, Y2, Y8);   \
	do(96, Y15, Y3, Y9);   \
	do(128, Y14, Y4, Y10); \
	do(160, Y15, Y5, Y11)

// ZERO clears a register.
#define ZERO(offset, y) VXORPD y, y, y

// LOAD reads four numbers at R8, STORE writes them to DI.
#define LOAD(offset, y) VMOVUPD offset(R8), y
#define STORE(offset, y) VMOVUPD y, offset(DI)

// ADDTIMES adds four numbers at SI times Y12.
#define ADDTIMES(offset, y) VFMADD231PD offset(SI), Y12, y

// func timesColumns(rows int, a *float64, stride int, v, u *float64)
TEXT ·timesColumns(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ stride+16(FP), DX
	SHLQ $3, DX
	MOVQ v+24(FP), R8
	MOVQ u+32(FP), DI
	ROW12(ZERO)

columns:
	VBROADCASTSD (R8), Y12
	ROW12(ADDTIMES)
	ADDQ         $8, R8
	ADDQ         DX, SI
	DECQ         CX
	JNZ          columns

	ROW12(STORE)
	VZEROUPPER
	RET

// func timesRows(rows int, a *float64, stride int, x, w *float64)
TEXT ·timesRows(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ stride+16(FP), DX
	SHLQ $3, DX
	MOVQ x+24(FP), R8
	MOVQ w+32(FP), DI
	ROW12(LOAD)

row:
	VMULPD       0(SI), Y0, Y12
	VMULPD       32(SI), Y1, Y13
	VMULPD       64(SI), Y2, Y14
	VFMADD231PD  96(SI), Y3, Y12
	VFMADD231PD  128(SI), Y4, Y13
	VFMADD231PD  160(SI), Y5, Y14
	VFMADD231PD  192(SI), Y6, Y12
	VFMADD231PD  224(SI), Y7, Y13
	VFMADD231PD  256(SI), Y8, Y14
	VFMADD231PD  288(SI), Y9, Y12
	VFMADD231PD  320(SI), Y10, Y13
	VFMADD231PD  352(SI), Y11, Y14
	VADDPD       Y13, Y12, Y12
	VADDPD       Y14, Y12, Y12
	VEXTRACTF128 $1, Y12, X13
	VADDPD       X13, X12, X12
	VHADDPD      X12, X12, X12
	VMOVSD       X12, (DI)
	ADDQ         $8, DI
	ADDQ         DX, SI
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET

// SUBTRACT2 subtracts Y12 times the first row of right, y, and Y13 times the second, z, from four numbers at SI.
#define SUBTRACT2(offset, t, y, z) \
	VMOVUPD      offset(SI), t; \
	VFNMADD231PD y, Y12, t;     \
	VFNMADD231PD z, Y13, t;     \
	VMOVUPD      t, offset(SI)

// LOADFIRST reads four numbers of the first row of right, LOADSECOND of the second.
#define LOADFIRST(offset, t, y, z) VMOVUPD offset(R10), y
#define LOADSECOND(offset, t, y, z) VMOVUPD (384+offset)(R10), z

// func subtractTwo(rows int, a *float64, stride int, left, right *float64)
// The columns in two halves, whose part of right is in registers.
TEXT ·subtractTwo(SB), NOSPLIT, $0-40
	MOVQ a+8(FP), R9
	MOVQ stride+16(FP), DX
	SHLQ $3, DX
	MOVQ right+32(FP), R10
	MOVQ $2, BX

half:
	MOVQ rows+0(FP), CX
	MOVQ left+24(FP), R8
	MOVQ R9, SI
	PAIRS6(LOADFIRST)
	PAIRS6(LOADSECOND)

pair:
	VBROADCASTSD (R8), Y12
	VBROADCASTSD 8(R8), Y13
	PAIRS6(SUBTRACT2)
	ADDQ         $16, R8
	ADDQ         DX, SI
	DECQ         CX
	JNZ          pair
	ADDQ         $192, R9
	ADDQ         $192, R10
	DECQ         BX
	JNZ          half
	VZEROUPPER
	RET

// ROWS points R10, R11 and R12 to the rows after R9, DX bytes apart.
#define ROWS \
	LEAQ (R9)(DX*1), R10;  \
	LEAQ (R10)(DX*1), R11; \
	LEAQ (R11)(DX*1), R12

// NEXTROWS moves R9, R8 and DI on to the next four rows, whose diagonal begins four columns to the right.
#define NEXTROWS \
	LEAQ 32(R12)(DX*1), R9; \
	ADDQ $32, R8;           \
	ADDQ $32, DI;           \
	DECQ BX

// BROADCAST4 repeats each of the four numbers at p in a register.
#define BROADCAST4(p, a, b, c, d) \
	VBROADCASTSD (p), a;   \
	VBROADCASTSD 8(p), b;  \
	VBROADCASTSD 16(p), c; \
	VBROADCASTSD 24(p), d

// BELOW reads the next row of the square on the diagonal by a mask; x times what the previous row has there is added
// to Y13.
#define BELOW(mask, row, previous, next, x) \
	VMOVUPD     mask, Y14;          \
	VMASKMOVPD  (row), Y14, next;   \
	VANDPD      Y14, previous, Y15; \
	VFMADD231PD Y15, x, Y13

// func symmetricTimes(a *float64, stride int, x, u *float64)
// Four rows at a time: the square on the diagonal by masks, then what is to its right.
TEXT ·symmetricTimes(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), R9
	MOVQ stride+8(FP), DX
	SHLQ $3, DX
	MOVQ x+16(FP), R8
	MOVQ u+24(FP), DI
	MOVQ $11, BX

rows4:
	ROWS
	BROADCAST4(R8, Y8, Y9, Y10, Y11)
	VMOVUPD (R8), Y12
	VMOVUPD (DI), Y13
	VMOVUPD (R9), Y4
	BELOW(masks<>+0(SB), R10, Y4, Y5, Y8)
	BELOW(masks<>+32(SB), R11, Y5, Y6, Y9)
	BELOW(masks<>+64(SB), R12, Y6, Y7, Y10)
	VMOVUPD Y13, (DI)
	VMULPD  Y4, Y12, Y0
	VMULPD  Y5, Y12, Y1
	VMULPD  Y6, Y12, Y2
	VMULPD  Y7, Y12, Y3
	XORQ    AX, AX
	MOVQ    BX, CX
	TESTQ   CX, CX
	JZ      sums

right:
	ADDQ        $32, AX
	VMOVUPD     (R8)(AX*1), Y12
	VMOVUPD     (DI)(AX*1), Y13
	VMOVUPD     (R9)(AX*1), Y4
	VMOVUPD     (R10)(AX*1), Y5
	VMOVUPD     (R11)(AX*1), Y6
	VMOVUPD     (R12)(AX*1), Y7
	VFMADD231PD Y4, Y12, Y0
	VFMADD231PD Y5, Y12, Y1
	VFMADD231PD Y6, Y12, Y2
	VFMADD231PD Y7, Y12, Y3
	VFMADD231PD Y4, Y8, Y13
	VMULPD      Y5, Y9, Y14
	VFMADD231PD Y6, Y10, Y13
	VFMADD231PD Y7, Y11, Y14
	VADDPD      Y14, Y13, Y13
	VMOVUPD     Y13, (DI)(AX*1)
	DECQ        CX
	JNZ         right

sums:
	VHADDPD    Y1, Y0, Y4
	VHADDPD    Y3, Y2, Y5
	VPERM2F128 $0x21, Y5, Y4, Y6
	VBLENDPD   $0xC, Y5, Y4, Y7
	VADDPD     Y7, Y6, Y6
	VADDPD     (DI), Y6, Y6
	VMOVUPD    Y6, (DI)
	NEXTROWS
	JGE        rows4
	VZEROUPPER
	RET

// SUBTRACTPRODUCTS subtracts v times the numbers of w, in Y12, and w times those of v, in Y13, from four numbers of a row.
#define SUBTRACTPRODUCTS(v, w, row) \
	VFNMADD231PD Y12, v, row; \
	VFNMADD231PD Y13, w, row

// SUBTRACTMASKED is SUBTRACTPRODUCTS for the numbers of a row that mask selects.
#define SUBTRACTMASKED(mask, row, v, w) \
	VMASKMOVPD (row), mask, Y14; \
	SUBTRACTPRODUCTS(v, w, Y14); \
	VMASKMOVPD Y14, mask, (row)

// SUBTRACTROWS is SUBTRACTPRODUCTS for two rows, to the right of the diagonal.
#define SUBTRACTROWS(row0, row1, v0, v1, w0, w1) \
	VMOVUPD      (row0)(AX*1), Y14; \
	VMOVUPD      (row1)(AX*1), Y15; \
	VFNMADD231PD Y12, v0, Y14;      \
	VFNMADD231PD Y12, v1, Y15;      \
	VFNMADD231PD Y13, w0, Y14;      \
	VFNMADD231PD Y13, w1, Y15;      \
	VMOVUPD      Y14, (row0)(AX*1); \
	VMOVUPD      Y15, (row1)(AX*1)

// func subtractSymmetric(a *float64, stride int, v, w *float64)
TEXT ·subtractSymmetric(SB), NOSPLIT, $0-32
	MOVQ    a+0(FP), R9
	MOVQ    stride+8(FP), DX
	SHLQ    $3, DX
	MOVQ    v+16(FP), R8
	MOVQ    w+24(FP), DI
	MOVQ    $11, BX
	VMOVUPD masks<>+0(SB), Y8
	VMOVUPD masks<>+32(SB), Y9
	VMOVUPD masks<>+64(SB), Y10

rows4:
	ROWS
	BROADCAST4(R8, Y0, Y1, Y2, Y3)
	BROADCAST4(DI, Y4, Y5, Y6, Y7)
	VMOVUPD (DI), Y12
	VMOVUPD (R8), Y13
	VMOVUPD (R9), Y14
	SUBTRACTPRODUCTS(Y0, Y4, Y14)
	VMOVUPD Y14, (R9)
	SUBTRACTMASKED(Y8, R10, Y1, Y5)
	SUBTRACTMASKED(Y9, R11, Y2, Y6)
	SUBTRACTMASKED(Y10, R12, Y3, Y7)
	XORQ    AX, AX
	MOVQ    BX, CX
	TESTQ   CX, CX
	JZ      next

right:
	ADDQ    $32, AX
	VMOVUPD (DI)(AX*1), Y12
	VMOVUPD (R8)(AX*1), Y13
	SUBTRACTROWS(R9, R10, Y0, Y1, Y4, Y5)
	SUBTRACTROWS(R11, R12, Y2, Y3, Y6, Y7)
	DECQ    CX
	JNZ     right

next:
	NEXTROWS
	JGE rows4
	VZEROUPPER
	RET

// SOLVE computes z = b - lz of four columns, b at SI and l in Y12.
#define SOLVE(offset, t, z, sums) VFNMADD213PD offset(SI), Y12, z

// ADDSQUARE adds z²/d to the sums, 1/d in Y13.
#define ADDSQUARE(offset, t, z, sums) \
	VMULPD      z, Y13, t; \
	VFMADD231PD z, t, sums

// STORESUMS writes four sums to DI.
#define STORESUMS(offset, t, z, sums) VMOVUPD sums, offset(DI)

// func quadColumns(rows int, b *float64, stride int, steps, out *float64)
TEXT ·quadColumns(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), CX
	MOVQ b+8(FP), SI
	MOVQ stride+16(FP), DX
	SHLQ $3, DX
	MOVQ steps+24(FP), R8
	MOVQ out+32(FP), DI
	ROW12(ZERO)

quadratic:
	VBROADCASTSD (R8), Y12
	VBROADCASTSD 8(R8), Y13
	PAIRS6(SOLVE)
	PAIRS6(ADDSQUARE)
	ADDQ         $16, R8
	ADDQ         DX, SI
	DECQ         CX
	JNZ          quadratic

	PAIRS6(STORESUMS)
	VZEROUPPER
	RET
