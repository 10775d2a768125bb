//go:build !purego

#include "textflag.h"

// Products of small factors, which are read where they are. SI is the first row of A of a block, R8
// and R9 are the distance of its rows and three times that in bytes, R12 is that of its columns; R14 walks
// over the columns, R15 over the same of the fifth row. BX walks over the rows of B, R13 apart; DI is
// the first row of a block of C, DX the distance of these. R11 counts the rows that are left, CX the steps.
//
// A strip of B is one, two or three registers wide; of the last of these a mask says which numbers are
// the strip's. Each element goes through the operations of the packed kernels, in their order.

#define ROWS8(multiply) \
	multiply((R14), Z0, Z1, Z2);          \
	multiply((R14)(R8*1), Z3, Z4, Z5);    \
	multiply((R14)(R8*2), Z6, Z7, Z8);    \
	multiply((R14)(R9*1), Z9, Z10, Z11);  \
	multiply((R15), Z12, Z13, Z14);       \
	multiply((R15)(R8*1), Z15, Z16, Z17); \
	multiply((R15)(R8*2), Z18, Z19, Z20); \
	multiply((R15)(R9*1), Z21, Z22, Z23); \
	ADDQ R12, R15

#define ROWS4(multiply) \
	multiply((R14), Z0, Z1, Z2);       \
	multiply((R14)(R8*1), Z3, Z4, Z5); \
	multiply((R14)(R8*2), Z6, Z7, Z8); \
	multiply((R14)(R9*1), Z9, Z10, Z11)

#define ROWS2(multiply) \
	multiply((R14), Z0, Z1, Z2); \
	multiply((R14)(R8*1), Z3, Z4, Z5)

#define ROWS1(multiply) multiply((R14), Z0, Z1, Z2)

// The sums of so many rows, three registers each; at is what ROWS give, and not used.
#define EACH8(do) \
	EACH4(do);              \
	do(0, Z12, Z13, Z14); \
	do(0, Z15, Z16, Z17); \
	do(0, Z18, Z19, Z20); \
	do(0, Z21, Z22, Z23)

#define EACH4(do) \
	EACH2(do);           \
	do(0, Z6, Z7, Z8); \
	do(0, Z9, Z10, Z11)

#define EACH2(do) \
	do(0, Z0, Z1, Z2); \
	do(0, Z3, Z4, Z5)

#define EACH1(do) do(0, Z0, Z1, Z2)

// A number of A times the strip's row of B in Z26, Z27, Z28.
#define TIMES1(at, c0, c1, c2) VFMADD231PD.BCST at, Z26, c0

#define TIMES2(at, c0, c1, c2) \
	VBROADCASTSD at, Z29;       \
	VFMADD231PD  Z26, Z29, c0; \
	VFMADD231PD  Z27, Z29, c1

#define TIMES3(at, c0, c1, c2) \
	VBROADCASTSD at, Z29;       \
	VFMADD231PD  Z26, Z29, c0; \
	VFMADD231PD  Z27, Z29, c1; \
	VFMADD231PD  Z28, Z29, c2

#define LOADB1 VMOVUPD.Z (BX), K1, Z26

#define LOADB2 \
	VMOVUPD   (BX), Z26; \
	VMOVUPD.Z 64(BX), K1, Z27

#define LOADB3 \
	VMOVUPD   (BX), Z26;   \
	VMOVUPD   64(BX), Z27; \
	VMOVUPD.Z 128(BX), K1, Z28

#define ZERO(at, c0, c1, c2) \
	VPXORQ c0, c0, c0; \
	VPXORQ c1, c1, c1; \
	VPXORQ c2, c2, c2

// A block of rows begins.
#define BEGIN \
	MOVQ SI, R14;         \
	LEAQ (SI)(R8*4), R15; \
	MOVQ b+40(FP), BX;    \
	MOVQ k+8(FP), CX

// A step of the inner dimension ends.
#define STEP \
	ADDQ R12, R14; \
	ADDQ R13, BX;  \
	DECQ CX

// C = alpha·sums, or alpha·sums + beta·C, of one row.
#define WRITE1(at, c0, c1, c2) \
	VMULPD  Z24, c0, c0;   \
	VMOVUPD c0, K1, (DI);  \
	ADDQ    DX, DI

#define WRITE2(at, c0, c1, c2) \
	VMULPD  Z24, c0, c0;    \
	VMULPD  Z24, c1, c1;    \
	VMOVUPD c0, (DI);       \
	VMOVUPD c1, K1, 64(DI); \
	ADDQ    DX, DI

#define WRITE3(at, c0, c1, c2) \
	VMULPD  Z24, c0, c0;     \
	VMULPD  Z24, c1, c1;     \
	VMULPD  Z24, c2, c2;     \
	VMOVUPD c0, (DI);        \
	VMOVUPD c1, 64(DI);      \
	VMOVUPD c2, K1, 128(DI); \
	ADDQ    DX, DI

#define UPDATE1(at, c0, c1, c2) \
	VMULPD      Z24, c0, c0;       \
	VFMADD231PD (DI), Z25, K1, c0; \
	VMOVUPD     c0, K1, (DI);      \
	ADDQ        DX, DI

#define UPDATE2(at, c0, c1, c2) \
	VMULPD      Z24, c0, c0;         \
	VMULPD      Z24, c1, c1;         \
	VFMADD231PD (DI), Z25, c0;       \
	VFMADD231PD 64(DI), Z25, K1, c1; \
	VMOVUPD     c0, (DI);            \
	VMOVUPD     c1, K1, 64(DI);      \
	ADDQ        DX, DI

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

one:

one8:
	CMPQ R11, $8
	JLT  one4
	BEGIN
	EACH8(ZERO)

one8Step:
	LOADB1
	ROWS8(TIMES1)
	STEP
	JNZ   one8Step
	TESTQ R10, R10
	JZ    one8Write
	EACH8(UPDATE1)
	JMP   one8Next

one8Write:
	EACH8(WRITE1)

one8Next:
	SUBQ  $8, R11
	LEAQ  (SI)(R8*8), SI
	JMP   one8

one4:
	CMPQ R11, $4
	JLT  one2
	BEGIN
	EACH4(ZERO)

one4Step:
	LOADB1
	ROWS4(TIMES1)
	STEP
	JNZ   one4Step
	TESTQ R10, R10
	JZ    one4Write
	EACH4(UPDATE1)
	JMP   one4Next

one4Write:
	EACH4(WRITE1)

one4Next:
	SUBQ  $4, R11
	LEAQ  (SI)(R8*4), SI

one2:
	CMPQ R11, $2
	JLT  one1
	BEGIN
	EACH2(ZERO)

one2Step:
	LOADB1
	ROWS2(TIMES1)
	STEP
	JNZ   one2Step
	TESTQ R10, R10
	JZ    one2Write
	EACH2(UPDATE1)
	JMP   one2Next

one2Write:
	EACH2(WRITE1)

one2Next:
	SUBQ  $2, R11
	LEAQ  (SI)(R8*2), SI

one1:
	TESTQ R11, R11
	JZ   done
	BEGIN
	EACH1(ZERO)

one1Step:
	LOADB1
	ROWS1(TIMES1)
	STEP
	JNZ   one1Step
	TESTQ R10, R10
	JZ    one1Write
	EACH1(UPDATE1)
	JMP   one1Next

one1Write:
	EACH1(WRITE1)

one1Next:
	SUBQ  $1, R11
	JMP   done

two:

two8:
	CMPQ R11, $8
	JLT  two4
	BEGIN
	EACH8(ZERO)

two8Step:
	LOADB2
	ROWS8(TIMES2)
	STEP
	JNZ   two8Step
	TESTQ R10, R10
	JZ    two8Write
	EACH8(UPDATE2)
	JMP   two8Next

two8Write:
	EACH8(WRITE2)

two8Next:
	SUBQ  $8, R11
	LEAQ  (SI)(R8*8), SI
	JMP   two8

two4:
	CMPQ R11, $4
	JLT  two2
	BEGIN
	EACH4(ZERO)

two4Step:
	LOADB2
	ROWS4(TIMES2)
	STEP
	JNZ   two4Step
	TESTQ R10, R10
	JZ    two4Write
	EACH4(UPDATE2)
	JMP   two4Next

two4Write:
	EACH4(WRITE2)

two4Next:
	SUBQ  $4, R11
	LEAQ  (SI)(R8*4), SI

two2:
	CMPQ R11, $2
	JLT  two1
	BEGIN
	EACH2(ZERO)

two2Step:
	LOADB2
	ROWS2(TIMES2)
	STEP
	JNZ   two2Step
	TESTQ R10, R10
	JZ    two2Write
	EACH2(UPDATE2)
	JMP   two2Next

two2Write:
	EACH2(WRITE2)

two2Next:
	SUBQ  $2, R11
	LEAQ  (SI)(R8*2), SI

two1:
	TESTQ R11, R11
	JZ   done
	BEGIN
	EACH1(ZERO)

two1Step:
	LOADB2
	ROWS1(TIMES2)
	STEP
	JNZ   two1Step
	TESTQ R10, R10
	JZ    two1Write
	EACH1(UPDATE2)
	JMP   two1Next

two1Write:
	EACH1(WRITE2)

two1Next:
	SUBQ  $1, R11
	JMP   done

three:

three8:
	CMPQ R11, $8
	JLT  three4
	BEGIN
	EACH8(ZERO)

three8Step:
	LOADB3
	ROWS8(TIMES3)
	STEP
	JNZ   three8Step
	TESTQ R10, R10
	JZ    three8Write
	EACH8(UPDATE3)
	JMP   three8Next

three8Write:
	EACH8(WRITE3)

three8Next:
	SUBQ  $8, R11
	LEAQ  (SI)(R8*8), SI
	JMP   three8

three4:
	CMPQ R11, $4
	JLT  three2
	BEGIN
	EACH4(ZERO)

three4Step:
	LOADB3
	ROWS4(TIMES3)
	STEP
	JNZ   three4Step
	TESTQ R10, R10
	JZ    three4Write
	EACH4(UPDATE3)
	JMP   three4Next

three4Write:
	EACH4(WRITE3)

three4Next:
	SUBQ  $4, R11
	LEAQ  (SI)(R8*4), SI

three2:
	CMPQ R11, $2
	JLT  three1
	BEGIN
	EACH2(ZERO)

three2Step:
	LOADB3
	ROWS2(TIMES3)
	STEP
	JNZ   three2Step
	TESTQ R10, R10
	JZ    three2Write
	EACH2(UPDATE3)
	JMP   three2Next

three2Write:
	EACH2(WRITE3)

three2Next:
	SUBQ  $2, R11
	LEAQ  (SI)(R8*2), SI

three1:
	TESTQ R11, R11
	JZ   done
	BEGIN
	EACH1(ZERO)

three1Step:
	LOADB3
	ROWS1(TIMES3)
	STEP
	JNZ   three1Step
	TESTQ R10, R10
	JZ    three1Write
	EACH1(UPDATE3)
	JMP   three1Next

three1Write:
	EACH1(WRITE3)

three1Next:
	SUBQ  $1, R11
	JMP   done

done:
	VZEROUPPER
	RET
