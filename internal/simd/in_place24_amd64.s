//go:build !purego

#include "textflag.h"
#include "in_place_amd64.h"

// Products of small factors, which are read where they are, with AVX-512: blocks of eight rows, strips of up to
// 24 columns. The registers are those of in_place_amd64.h; R15 walks over the columns of the fifth row, K1
// is the mask of a strip's last register.

// ROWS1 calls do with a number of A and the three sums of its row, for one row; ROWS2 and so on, for more rows.
#define ROWS1(do) do((R14), Z0, Z1, Z2)

#define ROWS2(do) \
	ROWS1(do); \
	do((R14)(R8*1), Z3, Z4, Z5)

#define ROWS4(do) \
	ROWS2(do);                   \
	do((R14)(R8*2), Z6, Z7, Z8); \
	do((R14)(R9*1), Z9, Z10, Z11)

#define ROWS8(do) \
	ROWS4(do);                      \
	do((R15), Z12, Z13, Z14);       \
	do((R15)(R8*1), Z15, Z16, Z17); \
	do((R15)(R8*2), Z18, Z19, Z20); \
	do((R15)(R9*1), Z21, Z22, Z23)

// The names of in_place_amd64.h.
#define BYTES 64
#define ALPHA Z24
#define BETA Z25
#define B0 Z26
#define B1 Z27
#define B2 Z28
#define NUMBER Z29
#define XOR VPXORQ

// TIMES1 adds a number of A times the strip's row of B to the sums of a row, for one register.
#define TIMES1(at, c0, c1, c2) VFMADD231PD.BCST at, B0, c0

// LOADLAST reads the last register of a row of B.
#define LOADLAST(offset, z) VMOVUPD.Z (offset)(BX), K1, z

// ADDLAST adds the last register of a row of C times beta to z: there is nothing to read before.
#define READLAST(offset)
#define ADDLAST(offset, z) VFMADD231PD (offset)(DI), BETA, K1, z

// STORELAST writes the last register of a row of C.
#define STORELAST(offset, z) VMOVUPD z, K1, (offset)(DI)

// STEP8 ends a step of a block of eight rows.
#define STEP8 \
	ADDQ R12, R15; \
	STEP

// BEGIN points R14, R15 and BX to the first columns of A and the first row of B, and sets CX.
#define BEGIN \
	MOVQ SI, R14;         \
	LEAQ (SI)(R8*4), R15; \
	MOVQ b+40(FP), BX;    \
	MOVQ k+8(FP), CX

// FACTORS has nothing to load: alpha, beta and the mask have registers of their own.
#define FACTORS

// EIGHTS computes blocks of eight rows while so many are left.
#define EIGHTS(again, load, times, update, write, loop, overwrite, next, fewer) \
	BLOCK(8, ROWS8, STEP8, load, times, update, write, loop, overwrite, next, fewer); \
	JMP again

// AGAIN does nothing: behind the blocks of eight rows there is one of four at most.
#define AGAIN(block)

// func inPlace24(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64)
TEXT ·inPlace24(SB), NOSPLIT, $0-96
	MOVQ         rows+0(FP), R11
	MOVQ         a+16(FP), SI
	MOVQ         aRow+24(FP), R8
	MOVQ         aColumn+32(FP), R12
	MOVQ         ldb+48(FP), R13
	MOVQ         c+56(FP), DI
	MOVQ         ldc+64(FP), DX
	SHLQ         $3, R8
	LEAQ         (R8)(R8*2), R9
	SHLQ         $3, R12
	SHLQ         $3, R13
	SHLQ         $3, DX
	VBROADCASTSD alpha+80(FP), ALPHA
	VBROADCASTSD beta+88(FP), BETA
	MOVQ         beta+88(FP), R10
	SHLQ         $1, R10             // without the sign: ±0 both overwrite

	// The mask of the last register: 1 to 8 numbers.
	MOVQ  width+72(FP), AX
	MOVQ  AX, CX
	DECQ  CX
	ANDQ  $7, CX
	MOVQ  $2, BX
	SHLQ  CX, BX
	DECQ  BX
	KMOVW BX, K1
	CMPQ  AX, $16
	JGT   three
	CMPQ  AX, $8
	JGT   two

	STRIPS
	VZEROUPPER
	RET
