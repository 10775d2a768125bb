//go:build !purego

#include "textflag.h"
#include "in_place_amd64.h"

// Products of small factors, which are read where they are, with AVX2: blocks of four rows, strips of up to
// twelve columns. The registers are those of in_place_amd64.h; AX points to the mask of a strip's last register.

// The mask of the first n of four numbers begins 8n bytes before the zeros.
DATA firsts<>+0(SB)/8, $-1
DATA firsts<>+8(SB)/8, $-1
DATA firsts<>+16(SB)/8, $-1
DATA firsts<>+24(SB)/8, $-1
DATA firsts<>+32(SB)/8, $0
DATA firsts<>+40(SB)/8, $0
DATA firsts<>+48(SB)/8, $0
GLOBL firsts<>(SB), RODATA|NOPTR, $56

// ROWS4 passes do a number of A and the three sums of the row, for each of four rows.
#define ROWS4(do) \
	do((R14), Y0, Y1, Y2);       \
	do((R14)(R8*1), Y3, Y4, Y5); \
	do((R14)(R8*2), Y6, Y7, Y8); \
	do((R14)(R9*1), Y9, Y10, Y11)

#define ROWS2(do) \
	do((R14), Y0, Y1, Y2); \
	do((R14)(R8*1), Y3, Y4, Y5)

#define ROWS1(do) do((R14), Y0, Y1, Y2)

// TIMES1 adds a number of A times the strip's row of B in Y12, Y13, Y14.
#define TIMES1(at, c0, c1, c2) \
	VBROADCASTSD at, Y15; \
	VFMADD231PD  Y12, Y15, c0

// TIMES2 is TIMES1 for two registers.
#define TIMES2(at, c0, c1, c2) \
	VBROADCASTSD at, Y15;       \
	VFMADD231PD  Y12, Y15, c0; \
	VFMADD231PD  Y13, Y15, c1

// TIMES3 is TIMES1 for three registers.
#define TIMES3(at, c0, c1, c2) \
	VBROADCASTSD at, Y15;       \
	VFMADD231PD  Y12, Y15, c0; \
	VFMADD231PD  Y13, Y15, c1; \
	VFMADD231PD  Y14, Y15, c2

// LOADB1 loads the strip's row of B, one register wide.
#define LOADB1 \
	VMOVUPD    (AX), Y12; \
	VMASKMOVPD (BX), Y12, Y12

// LOADB2 is LOADB1 for two registers.
#define LOADB2 \
	VMOVUPD    (BX), Y12; \
	VMOVUPD    (AX), Y13; \
	VMASKMOVPD 32(BX), Y13, Y13

// LOADB3 is LOADB1 for three registers.
#define LOADB3 \
	VMOVUPD    (BX), Y12;   \
	VMOVUPD    32(BX), Y13; \
	VMOVUPD    (AX), Y14;   \
	VMASKMOVPD 64(BX), Y14, Y14

// ZERO clears the sums of a row.
#define ZERO(at, c0, c1, c2) \
	VXORPD c0, c0, c0; \
	VXORPD c1, c1, c1; \
	VXORPD c2, c2, c2

// BEGIN points R14 and BX to the first column of A and the first row of B, and sets CX.
#define BEGIN \
	MOVQ SI, R14;      \
	MOVQ b+40(FP), BX; \
	MOVQ k+8(FP), CX

// FACTORS loads what the rows of C need: alpha, beta, and the mask.
#define FACTORS \
	VBROADCASTSD alpha+80(FP), Y12; \
	VBROADCASTSD beta+88(FP), Y13;  \
	VMOVUPD      (AX), Y14

// WRITE1 computes C = alpha·sums of a row one register wide.
#define WRITE1(at, c0, c1, c2) \
	VMULPD     Y12, c0, c0;   \
	VMASKMOVPD c0, Y14, (DI); \
	ADDQ       DX, DI

// WRITE2 is WRITE1 for two registers.
#define WRITE2(at, c0, c1, c2) \
	VMULPD     Y12, c0, c0;     \
	VMULPD     Y12, c1, c1;     \
	VMOVUPD    c0, (DI);        \
	VMASKMOVPD c1, Y14, 32(DI); \
	ADDQ       DX, DI

// WRITE3 is WRITE1 for three registers.
#define WRITE3(at, c0, c1, c2) \
	VMULPD     Y12, c0, c0;     \
	VMULPD     Y12, c1, c1;     \
	VMULPD     Y12, c2, c2;     \
	VMOVUPD    c0, (DI);        \
	VMOVUPD    c1, 32(DI);      \
	VMASKMOVPD c2, Y14, 64(DI); \
	ADDQ       DX, DI

// UPDATE1 computes C = alpha·sums + beta·C of a row one register wide.
#define UPDATE1(at, c0, c1, c2) \
	VMULPD      Y12, c0, c0;    \
	VMASKMOVPD  (DI), Y14, Y15; \
	VFMADD231PD Y15, Y13, c0;   \
	VMASKMOVPD  c0, Y14, (DI);  \
	ADDQ        DX, DI

// UPDATE2 is UPDATE1 for two registers.
#define UPDATE2(at, c0, c1, c2) \
	VMULPD      Y12, c0, c0;      \
	VMULPD      Y12, c1, c1;      \
	VMASKMOVPD  32(DI), Y14, Y15; \
	VFMADD231PD (DI), Y13, c0;    \
	VFMADD231PD Y15, Y13, c1;     \
	VMOVUPD     c0, (DI);         \
	VMASKMOVPD  c1, Y14, 32(DI);  \
	ADDQ        DX, DI

// UPDATE3 is UPDATE1 for three registers.
#define UPDATE3(at, c0, c1, c2) \
	VMULPD      Y12, c0, c0;      \
	VMULPD      Y12, c1, c1;      \
	VMULPD      Y12, c2, c2;      \
	VMASKMOVPD  64(DI), Y14, Y15; \
	VFMADD231PD (DI), Y13, c0;    \
	VFMADD231PD 32(DI), Y13, c1;  \
	VFMADD231PD Y15, Y13, c2;     \
	VMOVUPD     c0, (DI);         \
	VMOVUPD     c1, 32(DI);       \
	VMASKMOVPD  c2, Y14, 64(DI);  \
	ADDQ        DX, DI

// EIGHTS does nothing: there are no blocks of eight rows.
#define EIGHTS(again, load, times, update, write, loop, overwrite, next, fewer)

// AGAIN computes another block of four rows.
#define AGAIN(block) JMP block

// func inPlace12(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64)
TEXT ·inPlace12(SB), NOSPLIT, $0-96
	MOVQ rows+0(FP), R11
	MOVQ a+16(FP), SI
	MOVQ aRow+24(FP), R8
	MOVQ aColumn+32(FP), R12
	MOVQ ldb+48(FP), R13
	MOVQ c+56(FP), DI
	MOVQ ldc+64(FP), DX
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	SHLQ $3, R12
	SHLQ $3, R13
	SHLQ $3, DX
	MOVQ beta+88(FP), R10
	SHLQ $1, R10            // without the sign: ±0 both overwrite

	// AX is the mask of the last register: 1 to 4 numbers.
	MOVQ width+72(FP), BX
	LEAQ -1(BX), CX
	ANDQ $3, CX
	NEGQ CX
	LEAQ firsts<>+24(SB), AX
	LEAQ (AX)(CX*8), AX
	CMPQ BX, $8
	JGT  three
	CMPQ BX, $4
	JGT  two

	STRIPS
	VZEROUPPER
	RET
