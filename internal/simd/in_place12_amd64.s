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

// ROWS1 calls do with a number of A and the three sums of its row, for one row; ROWS2 and so on, for more rows.
#define ROWS1(do) do((R14), Y0, Y1, Y2)

#define ROWS2(do) \
	ROWS1(do); \
	do((R14)(R8*1), Y3, Y4, Y5)

#define ROWS4(do) \
	ROWS2(do);                   \
	do((R14)(R8*2), Y6, Y7, Y8); \
	do((R14)(R9*1), Y9, Y10, Y11)

// The names of in_place_amd64.h.
#define BYTES 32
#define ALPHA Y12
#define BETA Y13
#define B0 Y12
#define B1 Y13
#define B2 Y14
#define NUMBER Y15
#define XOR VXORPD

// TIMES1 adds a number of A times the strip's row of B to the sums of a row, for one register.
#define TIMES1(at, c0, c1, c2) \
	VBROADCASTSD at, NUMBER; \
	VFMADD231PD  B0, NUMBER, c0

// LOADLAST reads the last register of a row of B.
#define LOADLAST(offset, y) \
	VMOVUPD    (AX), y; \
	VMASKMOVPD (offset)(BX), y, y

// READLAST reads the last register of a row of C, and ADDLAST adds it times beta to y.
#define READLAST(offset) VMASKMOVPD (offset)(DI), Y14, Y15
#define ADDLAST(offset, y) VFMADD231PD Y15, BETA, y

// STORELAST writes the last register of a row of C.
#define STORELAST(offset, y) VMASKMOVPD y, Y14, (offset)(DI)

// BEGIN points R14 and BX to the first column of A and the first row of B, and sets CX.
#define BEGIN \
	MOVQ SI, R14;      \
	MOVQ b+40(FP), BX; \
	MOVQ k+8(FP), CX

// FACTORS loads what the rows of C need: alpha, beta, and the mask.
#define FACTORS \
	VBROADCASTSD alpha+80(FP), ALPHA; \
	VBROADCASTSD beta+88(FP), BETA;   \
	VMOVUPD      (AX), Y14

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
	SHLQ $1, R10             // without the sign: ±0 both overwrite

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
