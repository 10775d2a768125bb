//go:build !purego

#include "textflag.h"

// FADD Vd.4S, Vn.4S, Vm.4S
#define FADD4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))

// FSUB Vd.4S, Vn.4S, Vm.4S
#define FSUB4(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))

// FMUL Vd.4S, Vn.4S, Vm.4S
#define FMUL4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))

// FABD Vd.4S, Vn.4S, Vm.4S
#define FABD4(m, n, d) WORD $(0x6EA0D400 | (m)<<16 | (n)<<5 | (d))

// FMAX Vd.4S, Vn.4S, Vm.4S
#define FMAX4(m, n, d) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))

// FMIN Vd.4S, Vn.4S, Vm.4S
#define FMIN4(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d))

// FSQRT Vd.4S, Vn.4S
#define FSQRT4(n, d) WORD $(0x6EA1F800 | (n)<<5 | (d))

// FRINTN Vd.4S, Vn.4S
#define FRINTN4(n, d) WORD $(0x4E218800 | (n)<<5 | (d))

// FCVTNS Vd.4S, Vn.4S
#define FCVTNS4(n, d) WORD $(0x4E21A800 | (n)<<5 | (d))

// R0 counts groups of four rows down, R5 groups of columns, R8 the columns of x and z. R1 points to four numbers of x, R11 to those of z,
// R3 to dst; their column and row distances are R2 and R4 bytes.

// PLACES reads the arguments.
#define PLACES \
	MOVD fours+0(FP), R0;    \
	MOVD x+24(FP), R1;       \
	MOVD stride+40(FP), R2;  \
	LSL  $2, R2;             \
	MOVD dst+48(FP), R3;     \
	MOVD columns+56(FP), R4; \
	LSL  $2, R4

// COLUMN begins with the first column.
#define COLUMN \
	MOVD R1, R9;   \
	MOVD R11, R10; \
	MOVD d+16(FP), R8

// READ reads numbers of both, of x each of four in all lanes, and goes to the next column.
#define READ \
	VLD1 (R10), [V16.S4, V17.S4]; \
	VLD1 (R9), [V18.S4];          \
	VDUP V18.S[0], V19.S4;        \
	VDUP V18.S[1], V20.S4;        \
	VDUP V18.S[2], V21.S4;        \
	VDUP V18.S[3], V22.S4;        \
	ADD  R2, R10;                 \
	ADD  R2, R9

// GROUPS begins with the first group of columns, of dst at R7.
#define GROUPS \
	MOVD z+32(FP), R11; \
	MOVD R3, R7;        \
	MOVD groups+8(FP), R5

// NEXTGROUP goes to the next one.
#define NEXTGROUP \
	ADD  $32, R11; \
	ADD  $32, R7;  \
	SUBS $1, R5

// NEXTROWS goes to the next four rows.
#define NEXTROWS \
	ADD  $16, R1;      \
	ADD  R4<<2, R3, R3; \
	SUBS $1, R0

// ROWS points to the three rows of dst after that at R7.
#define ROWS \
	ADD R4, R7, R12;  \
	ADD R4, R12, R13; \
	ADD R4, R13, R14

#define ZERO \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V6.B16, V6.B16, V6.B16; \
	VEOR V7.B16, V7.B16, V7.B16

#define STORE \
	ROWS; \
	VST1 [V0.S4, V1.S4], (R7);  \
	VST1 [V2.S4, V3.S4], (R12); \
	VST1 [V4.S4, V5.S4], (R13); \
	VST1 [V6.S4, V7.S4], (R14)

#define LOAD \
	ROWS; \
	VLD1 (R7), [V0.S4, V1.S4];  \
	VLD1 (R12), [V2.S4, V3.S4]; \
	VLD1 (R13), [V4.S4, V5.S4]; \
	VLD1 (R14), [V6.S4, V7.S4]

// SQUARE adds to the registers a and b the squares of the differences of z and the number of x in register x.
#define SQUARE(x, a, b) \
	FSUB4(x, 16, 23);             \
	FSUB4(x, 17, 24);             \
	VFMLA V23.S4, V23.S4, a.S4;   \
	VFMLA V24.S4, V24.S4, b.S4

// ABSOLUTE adds absolute differences to registers that are given by number.
#define ABSOLUTE(x, a, b) \
	FABD4(x, 16, 23); \
	FABD4(x, 17, 24); \
	FADD4(23, a, a);  \
	FADD4(24, b, b)

// DISTINCT adds V29, how far apart what differs in this column is. V30 has ones.
#define DISTINCT(x, a, b) \
	FABD4(x, 16, 23);           \
	FABD4(x, 17, 24);           \
	FMIN4(30, 23, 23);          \
	FMIN4(30, 24, 24);          \
	VFMLA V29.S4, V23.S4, a.S4; \
	VFMLA V29.S4, V24.S4, b.S4

// func squares8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)
TEXT ·squares8(SB), NOSPLIT, $0-64
	PLACES

rows:
	GROUPS

columns:
	ZERO
	COLUMN

sum:
	READ
	SQUARE(19, V0, V1)
	SQUARE(20, V2, V3)
	SQUARE(21, V4, V5)
	SQUARE(22, V6, V7)
	SUBS $1, R8
	BNE  sum

	STORE
	NEXTGROUP
	BNE columns
	NEXTROWS
	BNE rows
	RET

// func absolutes8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)
TEXT ·absolutes8(SB), NOSPLIT, $0-64
	PLACES

rows:
	GROUPS

columns:
	ZERO
	COLUMN

sum:
	READ
	ABSOLUTE(19, 0, 1)
	ABSOLUTE(20, 2, 3)
	ABSOLUTE(21, 4, 5)
	ABSOLUTE(22, 6, 7)
	SUBS $1, R8
	BNE  sum

	STORE
	NEXTGROUP
	BNE columns
	NEXTROWS
	BNE rows
	RET

// func distinct8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32)
TEXT ·distinct8(SB), NOSPLIT, $0-72
	PLACES
	MOVD $0x3f800000, R15
	VDUP R15, V30.S4              // 1

rows:
	GROUPS

columns:
	LOAD
	COLUMN
	MOVD apart+64(FP), R15

sum:
	READ
	VLD1R.P 4(R15), [V29.S4]
	DISTINCT(19, V0, V1)
	DISTINCT(20, V2, V3)
	DISTINCT(21, V4, V5)
	DISTINCT(22, V6, V7)
	SUBS $1, R8
	BNE  sum

	STORE
	NEXTGROUP
	BNE columns
	NEXTROWS
	BNE rows
	RET

// CONSTANTS reads the constants of the exponential, at R5.
#define CONSTANTS \
	VLD1R.P 4(R5), [V16.S4]; \
	VLD1R.P 4(R5), [V17.S4]; \
	VLD1R.P 4(R5), [V18.S4]; \
	VLD1R.P 4(R5), [V19.S4]; \
	VLD1R.P 4(R5), [V20.S4]; \
	VLD1R.P 4(R5), [V21.S4]; \
	VLD1R.P 4(R5), [V22.S4]; \
	VLD1R.P 4(R5), [V23.S4]; \
	VLD1R.P 4(R5), [V24.S4]; \
	VLD1R.P 4(R5), [V25.S4]; \
	VLD1R.P 4(R5), [V26.S4]; \
	MOVD $256, R6;           \
	VDUP R6, V27.S4;         \
	MOVD $255, R6;           \
	VDUP R6, V28.S4;         \
	MOVD $1, R6;             \
	VDUP R6, V29.S4

// TERM sets the polynomial in register to, of a number, to a constant and V0 times the one in from.
#define TERM(from, constant, to) \
	VMOV  constant.B16, to.B16; \
	VFMLA from.S4, V0.S4, to.S4

// EXP sets V0 to its exponential; V1 to V5 are overwritten. The power of two is the product of two, as it may be no normal number:
// with h = (k+256)/2 their exponents are h-1 and k-h+255.
#define EXP \
	FMAX4(16, 0, 0);               \
	FMIN4(17, 0, 0);               \
	FMUL4(18, 0, 1);               \
	FRINTN4(1, 1);                 \
	VFMLS V19.S4, V1.S4, V0.S4;    \
	VFMLS V20.S4, V1.S4, V0.S4;    \
	TERM(V21, V22, V2);            \
	TERM(V2, V23, V3);             \
	TERM(V3, V24, V2);             \
	TERM(V2, V25, V3);             \
	TERM(V3, V26, V2);             \
	TERM(V2, V26, V3);             \
	FCVTNS4(1, 1);                 \
	VADD  V27.S4, V1.S4, V4.S4;    \
	VUSHR $1, V4.S4, V4.S4;        \
	VSUB  V4.S4, V1.S4, V5.S4;     \
	VADD  V28.S4, V5.S4, V5.S4;    \
	VSUB  V29.S4, V4.S4, V4.S4;    \
	VSHL  $23, V4.S4, V4.S4;       \
	VSHL  $23, V5.S4, V5.S4;       \
	FMUL4(4, 3, 0);                \
	FMUL4(5, 0, 0)

// func expFours(n int, a float32, x *float32, constants *[11]float32)
TEXT ·expFours(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	MOVD  $a+8(FP), R1
	VLD1R (R1), [V30.S4]
	MOVD  x+16(FP), R1
	MOVD  constants+24(FP), R5
	CONSTANTS

exp:
	VLD1   (R1), [V0.S4]
	FMUL4(30, 0, 0)
	EXP
	VST1.P [V0.S4], 16(R1)
	SUBS   $1, R0
	BNE    exp
	RET

// func maternFours(n int, a, farthest, linear, quadratic float32, x *float32, constants *[11]float32)
TEXT ·maternFours(SB), NOSPLIT, $0-40
	MOVD    n+0(FP), R0
	MOVD    $a+8(FP), R1
	VLD1R.P 4(R1), [V30.S4]
	VLD1R.P 4(R1), [V31.S4]       // the farthest
	VLD1R.P 4(R1), [V14.S4]       // linear
	VLD1R.P 4(R1), [V15.S4]       // quadratic
	MOVD    x+24(FP), R1
	MOVD    constants+32(FP), R5
	CONSTANTS
	VEOR    V13.B16, V13.B16, V13.B16

matern:
	VLD1   (R1), [V0.S4]
	FMUL4(30, 0, 0)
	FMIN4(31, 0, 0)
	FSQRT4(0, 0)                  // s
	TERM(V15, V14, V2)
	TERM(V2, V26, V12)            // the polynomial
	FSUB4(0, 13, 0)
	EXP
	FMUL4(12, 0, 0)
	VST1.P [V0.S4], 16(R1)
	SUBS   $1, R0
	BNE    matern
	RET

// func finiteEights(n int, x *float32, zeros *[8]float32)
TEXT ·finiteEights(SB), NOSPLIT, $0-24
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD zeros+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16

finite:
	VLD1.P 32(R1), [V3.S4, V4.S4]
	VFMLA  V2.S4, V3.S4, V0.S4    // 0, or NaN of what is not finite
	VFMLA  V2.S4, V4.S4, V1.S4
	SUBS   $1, R0
	BNE    finite

	VST1 [V0.S4, V1.S4], (R2)
	RET

// func scaleEights(n int, a float32, x *float32)
TEXT ·scaleEights(SB), NOSPLIT, $0-24
	MOVD  n+0(FP), R0
	MOVD  $a+8(FP), R1
	VLD1R (R1), [V2.S4]
	MOVD  x+16(FP), R1

scale:
	VLD1   (R1), [V0.S4, V1.S4]
	FMUL4(2, 0, 0)
	FMUL4(2, 1, 1)
	VST1.P [V0.S4, V1.S4], 32(R1)
	SUBS   $1, R0
	BNE    scale
	RET
