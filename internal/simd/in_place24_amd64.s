//go:build !purego

#include "textflag.h"
#include "in_place_amd64.h"

// Products of small factors, which are read where they are, with AVX-512: blocks of eight rows, strips of up to
// 24 columns. The registers are those of in_place_amd64.h; R15 walks over the columns of the fifth row, K1
// is the mask of a strip's last register, Z24 is alpha and Z25 beta.

// ROWS8 passes do a number of A and the three sums of the row, for each of eight rows.
#define ROWS8(do) \
	do((R14), Z0, Z1, Z2);          \
	do((R14)(R8*1), Z3, Z4, Z5);    \
	do((R14)(R8*2), Z6, Z7, Z8);    \
	do((R14)(R9*1), Z9, Z10, Z11);  \
	do((R15), Z12, Z13, Z14);       \
	do((R15)(R8*1), Z15, Z16, Z17); \
	do((R15)(R8*2), Z18, Z19, Z20); \
	do((R15)(R9*1), Z21, Z22, Z23)

#define ROWS4(do) \
	do((R14), Z0, Z1, Z2);       \
	do((R14)(R8*1), Z3, Z4, Z5); \
	do((R14)(R8*2), Z6, Z7, Z8); \
	do((R14)(R9*1), Z9, Z10, Z11)

#define ROWS2(do) \
	do((R14), Z0, Z1, Z2); \
	do((R14)(R8*1), Z3, Z4, Z5)

#define ROWS1(do) do((R14), Z0, Z1, Z2)

// TIMES1 adds a number of A times the strip's row of B in Z26, Z27, Z28.
#define TIMES1(at, c0, c1, c2) VFMADD231PD.BCST at, Z26, c0

// TIMES2 is TIMES1 for two registers.
#define TIMES2(at, c0, c1, c2) \
	VBROADCASTSD at, Z29;       \
	VFMADD231PD  Z26, Z29, c0; \
	VFMADD231PD  Z27, Z29, c1

// TIMES3 is TIMES1 for three registers.
#define TIMES3(at, c0, c1, c2) \
	VBROADCASTSD at, Z29;       \
	VFMADD231PD  Z26, Z29, c0; \
	VFMADD231PD  Z27, Z29, c1; \
	VFMADD231PD  Z28, Z29, c2

// LOADB1 loads the strip's row of B, one register wide.
#define LOADB1 VMOVUPD.Z (BX), K1, Z26

// LOADB2 is LOADB1 for two registers.
#define LOADB2 \
	VMOVUPD   (BX), Z26; \
	VMOVUPD.Z 64(BX), K1, Z27

// LOADB3 is LOADB1 for three registers.
#define LOADB3 \
	VMOVUPD   (BX), Z26;   \
	VMOVUPD   64(BX), Z27; \
	VMOVUPD.Z 128(BX), K1, Z28

// ZERO clears the sums of a row.
#define ZERO(at, c0, c1, c2) \
	VPXORQ c0, c0, c0; \
	VPXORQ c1, c1, c1; \
	VPXORQ c2, c2, c2

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

// WRITE1 computes C = alpha·sums of a row one register wide.
#define WRITE1(at, c0, c1, c2) \
	VMULPD  Z24, c0, c0;   \
	VMOVUPD c0, K1, (DI);  \
	ADDQ    DX, DI

// WRITE2 is WRITE1 for two registers.
#define WRITE2(at, c0, c1, c2) \
	VMULPD  Z24, c0, c0;    \
	VMULPD  Z24, c1, c1;    \
	VMOVUPD c0, (DI);       \
	VMOVUPD c1, K1, 64(DI); \
	ADDQ    DX, DI

// WRITE3 is WRITE1 for three registers.
#define WRITE3(at, c0, c1, c2) \
	VMULPD  Z24, c0, c0;     \
	VMULPD  Z24, c1, c1;     \
	VMULPD  Z24, c2, c2;     \
	VMOVUPD c0, (DI);        \
	VMOVUPD c1, 64(DI);      \
	VMOVUPD c2, K1, 128(DI); \
	ADDQ    DX, DI

// UPDATE1 computes C = alpha·sums + beta·C of a row one register wide.
#define UPDATE1(at, c0, c1, c2) \
	VMULPD      Z24, c0, c0;       \
	VFMADD231PD (DI), Z25, K1, c0; \
	VMOVUPD     c0, K1, (DI);      \
	ADDQ        DX, DI

// UPDATE2 is UPDATE1 for two registers.
#define UPDATE2(at, c0, c1, c2) \
	VMULPD      Z24, c0, c0;         \
	VMULPD      Z24, c1, c1;         \
	VFMADD231PD (DI), Z25, c0;       \
	VFMADD231PD 64(DI), Z25, K1, c1; \
	VMOVUPD     c0, (DI);            \
	VMOVUPD     c1, K1, 64(DI);      \
	ADDQ        DX, DI

// UPDATE3 is UPDATE1 for three registers.
#define UPDATE3(at, c0, c1, c2) \
	VMULPD      Z24, c0, c0;          \
	VMULPD      Z24, c1, c1;          \
	VMULPD      Z24, c2, c2;          \
	VFMADD231PD (DI), Z25, c0;        \
	VFMADD231PD 64(DI), Z25, c1;      \
	VFMADD231PD 128(DI), Z25, K1, c2; \
	VMOVUPD     c0, (DI);             \
	VMOVUPD     c1, 64(DI);           \
	VMOVUPD     c2, K1, 128(DI);      \
	ADDQ        DX, DI

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
	VBROADCASTSD alpha+80(FP), Z24
	VBROADCASTSD beta+88(FP), Z25
	MOVQ         beta+88(FP), R10
	SHLQ         $1, R10              // without the sign: ±0 both overwrite

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
