//go:build !purego

#include "textflag.h"

// The products of in_place24_amd64.s with AVX2: blocks of four rows, strips of up to twelve columns. The
// registers are those there; AX points to the mask of a strip's last register.

// The mask of the first n of four numbers begins 8n bytes before the zeros.
DATA firsts<>+0(SB)/8, $-1
DATA firsts<>+8(SB)/8, $-1
DATA firsts<>+16(SB)/8, $-1
DATA firsts<>+24(SB)/8, $-1
DATA firsts<>+32(SB)/8, $0
DATA firsts<>+40(SB)/8, $0
DATA firsts<>+48(SB)/8, $0
GLOBL firsts<>(SB), RODATA|NOPTR, $56

#define ROWS4(multiply) \
	multiply((R14), Y0, Y1, Y2);       \
	multiply((R14)(R8*1), Y3, Y4, Y5); \
	multiply((R14)(R8*2), Y6, Y7, Y8); \
	multiply((R14)(R9*1), Y9, Y10, Y11)

#define ROWS2(multiply) \
	multiply((R14), Y0, Y1, Y2); \
	multiply((R14)(R8*1), Y3, Y4, Y5)

#define ROWS1(multiply) multiply((R14), Y0, Y1, Y2)

// The sums of so many rows, three registers each; at is what ROWS give, and not used.
#define EACH4(do) \
	EACH2(do);           \
	do(0, Y6, Y7, Y8); \
	do(0, Y9, Y10, Y11)

#define EACH2(do) \
	do(0, Y0, Y1, Y2); \
	do(0, Y3, Y4, Y5)

#define EACH1(do) do(0, Y0, Y1, Y2)

// A number of A times the strip's row of B in Y12, Y13, Y14.
#define TIMES1(at, c0, c1, c2) \
	VBROADCASTSD at, Y15; \
	VFMADD231PD  Y12, Y15, c0

#define TIMES2(at, c0, c1, c2) \
	VBROADCASTSD at, Y15;       \
	VFMADD231PD  Y12, Y15, c0; \
	VFMADD231PD  Y13, Y15, c1

#define TIMES3(at, c0, c1, c2) \
	VBROADCASTSD at, Y15;       \
	VFMADD231PD  Y12, Y15, c0; \
	VFMADD231PD  Y13, Y15, c1; \
	VFMADD231PD  Y14, Y15, c2

#define LOADB1 \
	VMOVUPD    (AX), Y12; \
	VMASKMOVPD (BX), Y12, Y12

#define LOADB2 \
	VMOVUPD    (BX), Y12; \
	VMOVUPD    (AX), Y13; \
	VMASKMOVPD 32(BX), Y13, Y13

#define LOADB3 \
	VMOVUPD    (BX), Y12;   \
	VMOVUPD    32(BX), Y13; \
	VMOVUPD    (AX), Y14;   \
	VMASKMOVPD 64(BX), Y14, Y14

#define ZERO(at, c0, c1, c2) \
	VXORPD c0, c0, c0; \
	VXORPD c1, c1, c1; \
	VXORPD c2, c2, c2

// A block of rows begins.
#define BEGIN \
	MOVQ SI, R14;      \
	MOVQ b+40(FP), BX; \
	MOVQ k+8(FP), CX

// A step of the inner dimension ends.
#define STEP \
	ADDQ R12, R14; \
	ADDQ R13, BX;  \
	DECQ CX

// What comes before rows of C are written: alpha, beta, and the mask.
#define FACTORS \
	VBROADCASTSD alpha+80(FP), Y12; \
	VBROADCASTSD beta+88(FP), Y13;  \
	VMOVUPD      (AX), Y14

// C = alpha·sums, or alpha·sums + beta·C, of one row.
#define WRITE1(at, c0, c1, c2) \
	VMULPD     Y12, c0, c0;   \
	VMASKMOVPD c0, Y14, (DI); \
	ADDQ       DX, DI

#define WRITE2(at, c0, c1, c2) \
	VMULPD     Y12, c0, c0;     \
	VMULPD     Y12, c1, c1;     \
	VMOVUPD    c0, (DI);        \
	VMASKMOVPD c1, Y14, 32(DI); \
	ADDQ       DX, DI

#define WRITE3(at, c0, c1, c2) \
	VMULPD     Y12, c0, c0;     \
	VMULPD     Y12, c1, c1;     \
	VMULPD     Y12, c2, c2;     \
	VMOVUPD    c0, (DI);        \
	VMOVUPD    c1, 32(DI);      \
	VMASKMOVPD c2, Y14, 64(DI); \
	ADDQ       DX, DI

#define UPDATE1(at, c0, c1, c2) \
	VMULPD      Y12, c0, c0;    \
	VMASKMOVPD  (DI), Y14, Y15; \
	VFMADD231PD Y15, Y13, c0;   \
	VMASKMOVPD  c0, Y14, (DI);  \
	ADDQ        DX, DI

#define UPDATE2(at, c0, c1, c2) \
	VMULPD      Y12, c0, c0;      \
	VMULPD      Y12, c1, c1;      \
	VMASKMOVPD  32(DI), Y14, Y15; \
	VFMADD231PD (DI), Y13, c0;    \
	VFMADD231PD Y15, Y13, c1;     \
	VMOVUPD     c0, (DI);         \
	VMASKMOVPD  c1, Y14, 32(DI);  \
	ADDQ        DX, DI

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

one:

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
	FACTORS
	TESTQ R10, R10
	JZ    one4Write
	EACH4(UPDATE1)
	JMP   one4Next

one4Write:
	EACH4(WRITE1)

one4Next:
	SUBQ  $4, R11
	LEAQ  (SI)(R8*4), SI
	JMP   one4

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
	FACTORS
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
	JZ    done
	BEGIN
	EACH1(ZERO)

one1Step:
	LOADB1
	ROWS1(TIMES1)
	STEP
	JNZ   one1Step
	FACTORS
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
	FACTORS
	TESTQ R10, R10
	JZ    two4Write
	EACH4(UPDATE2)
	JMP   two4Next

two4Write:
	EACH4(WRITE2)

two4Next:
	SUBQ  $4, R11
	LEAQ  (SI)(R8*4), SI
	JMP   two4

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
	FACTORS
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
	JZ    done
	BEGIN
	EACH1(ZERO)

two1Step:
	LOADB2
	ROWS1(TIMES2)
	STEP
	JNZ   two1Step
	FACTORS
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
	FACTORS
	TESTQ R10, R10
	JZ    three4Write
	EACH4(UPDATE3)
	JMP   three4Next

three4Write:
	EACH4(WRITE3)

three4Next:
	SUBQ  $4, R11
	LEAQ  (SI)(R8*4), SI
	JMP   three4

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
	FACTORS
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
	JZ    done
	BEGIN
	EACH1(ZERO)

three1Step:
	LOADB3
	ROWS1(TIMES3)
	STEP
	JNZ   three1Step
	FACTORS
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
