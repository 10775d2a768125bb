//go:build !purego

#include "textflag.h"

// The loops are those of vector_amd64.s, the same operations in the same order, so that results
// agree to the bit. R0 counts groups of four down, R9 counts up what is done; four numbers are two
// registers. Comparisons with NaN are false: it is out of range.

// FMUL Vd.2D, Vn.2D, Vm.2D
#define FMUL2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))

// FSUB Vd.2D, Vn.2D, Vm.2D
#define FSUB2(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))

// FCMGE Vd.2D, Vn.2D, Vm.2D
#define FCMGE2(m, n, d) WORD $(0x6E60E400 | (m)<<16 | (n)<<5 | (d))

// FCMGT Vd.2D, Vn.2D, Vm.2D
#define FCMGT2(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))

// FCMEQ Vd.2D, Vn.2D, Vm.2D
#define FCMEQ2(m, n, d) WORD $(0x4E60E400 | (m)<<16 | (n)<<5 | (d))

// CONSTANT loads the next of the constants, each four times over, at R5.
#define CONSTANT(x) \
	VLD1R (R5), [x.D2]; \
	ADD   $32, R5

// INRANGE jumps away unless the four numbers of V0 and V1 are from lowest to highest, given by
// number.
#define INRANGE(lowest, highest, to) \
	FCMGE2(lowest, 0, 2);        \
	FCMGE2(lowest, 1, 3);        \
	FCMGE2(0, highest, 4);       \
	FCMGE2(1, highest, 5);       \
	VAND V4.B16, V2.B16, V2.B16; \
	VAND V5.B16, V3.B16, V3.B16; \
	VAND V3.B16, V2.B16, V2.B16; \
	VMOV V2.D[0], R10;           \
	VMOV V2.D[1], R11;           \
	AND  R11, R10;               \
	CMN  $1, R10;                \
	BNE  to

// LOOKUP reads into a lane of s what the table of exponentials has for the low 8 bits of that of t.
#define LOOKUP(t, s) \
	VMOV t, R10;              \
	AND  $255, R10;           \
	ADD  R10<<3, R4, R10;     \
	VLD1 (R10), s

// EXP computes two numbers of register x, in place; s, p and t are overwritten. The constants are
// in V16 to V22. The names of registers and their numbers go side by side.
#define EXP(x, nx, t, nt, s, ns, p, np) \
	FMUL2(16, nx, nt);              \
	FADD2(17, nt, nt);              \
	LOOKUP(t.D[0], s.D[0]);         \
	LOOKUP(t.D[1], s.D[1]);         \
	VSHL $44, t.D2, p.D2;           \
	VADD p.D2, s.D2, s.D2;          \
	FSUB2(17, nt, nt);              \
	FMUL2(18, nt, np);              \
	FSUB2(np, nx, nx);              \
	FMUL2(19, nt, np);              \
	FSUB2(np, nx, nx);              \
	FMUL2(20, nx, np);              \
	FADD2(21, np, np);              \
	FMUL2(nx, np, np);              \
	FADD2(22, np, np);              \
	FMUL2(nx, nx, nt);              \
	FMUL2(np, nt, nt);              \
	FADD2(nt, nx, nx);              \
	FMUL2(ns, nx, nx);              \
	FADD2(ns, nx, nx)

// func expFours(n int, a float64, x, dst *float64, table *[tableSize]uint64, constants *[9]vector) int
TEXT ·expFours(SB), NOSPLIT, $0-56
	MOVD  n+0(FP), R0
	MOVD  $a+8(FP), R1
	VLD1R (R1), [V25.D2]
	MOVD  x+16(FP), R1
	MOVD  dst+24(FP), R2
	MOVD  table+32(FP), R4
	MOVD  constants+40(FP), R5
	MOVD  $0, R9
	CONSTANT(V16)             // 256/ln 2
	CONSTANT(V17)             // the rounder
	CONSTANT(V18)             // ln 2 / 256 in two parts
	CONSTANT(V19)
	CONSTANT(V20)             // 1/24
	CONSTANT(V21)             // 1/6
	CONSTANT(V22)             // 1/2
	CONSTANT(V23)             // lowest
	CONSTANT(V24)             // highest

loop:
	VLD1  (R1), [V0.D2, V1.D2]
	FMUL2(25, 0, 0)
	FMUL2(25, 1, 1)
	INRANGE(23, 24, done)
	EXP(V0, 0, V2, 2, V3, 3, V4, 4)
	EXP(V1, 1, V5, 5, V6, 6, V7, 7)
	VST1.P [V0.D2, V1.D2], 32(R2)
	ADD   $32, R1
	ADD   $4, R9
	SUBS  $1, R0
	BNE   loop

done:
	MOVD R9, ret+48(FP)
	RET

// POINT reads a lane of sine, cosine and offset of the point for the low 9 bits of that of t; a point
// is three numbers.
#define POINT(t, s, c, o) \
	VMOV   t, R10;              \
	AND    $511, R10;           \
	ADD    R10<<1, R10, R10;    \
	ADD    R10<<3, R4, R10;     \
	VLD1.P 8(R10), s;          \
	VLD1.P 8(R10), c;          \
	VLD1   (R10), o

// SINCOS computes sine and cosine of two numbers, of V0, into V5 and V6. The constants are in V16 to
// V25, and in V2 to V4 the point.
#define SINCOS \
	FMUL2(16, 0, 1);                          \
	FADD2(17, 1, 1);                          \
	POINT(V1.D[0], V2.D[0], V3.D[0], V4.D[0]); \
	POINT(V1.D[1], V2.D[1], V3.D[1], V4.D[1]); \
	FSUB2(17, 1, 1);  /* k */                 \
	FMUL2(18, 1, 5);                          \
	FSUB2(5, 0, 5);   /* w */                 \
	FMUL2(19, 1, 6);  /* m */                 \
	FSUB2(6, 5, 0);   /* r */                 \
	FSUB2(0, 5, 5);                           \
	FSUB2(6, 5, 5);                           \
	FMUL2(20, 1, 1);                          \
	FSUB2(1, 5, 5);   /* low */               \
	FSUB2(4, 5, 5);                           \
	FMUL2(0, 0, 6);   /* q */                 \
	FMUL2(21, 6, 1);                          \
	FSUB2(22, 1, 1);                          \
	FMUL2(6, 0, 7);                           \
	FMUL2(1, 7, 1);                           \
	FADD2(1, 5, 1);                           \
	FADD2(1, 0, 0);   /* s */                 \
	FMUL2(23, 6, 1);                          \
	FSUB2(1, 24, 1);                          \
	FMUL2(6, 1, 1);                           \
	FSUB2(25, 1, 1);                          \
	FMUL2(6, 1, 1);   /* c */                 \
	FMUL2(0, 3, 5);                           \
	FMUL2(1, 2, 6);                           \
	FADD2(6, 5, 5);                           \
	FADD2(5, 2, 5);                           \
	FMUL2(1, 3, 6);                           \
	FMUL2(0, 2, 7);                           \
	FSUB2(7, 6, 6);                           \
	FADD2(6, 3, 6)

// func sincosFours(n int, x, sin, cos *float64, table *[circle]point, constants *[12]vector) int
TEXT ·sincosFours(SB), NOSPLIT, $0-56
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD sin+16(FP), R2
	MOVD cos+24(FP), R3
	MOVD table+32(FP), R4
	MOVD constants+40(FP), R5
	MOVD $0, R9
	CONSTANT(V16)             // 512/2π
	CONSTANT(V17)             // the rounder
	CONSTANT(V18)             // the angle in three parts
	CONSTANT(V19)
	CONSTANT(V20)
	CONSTANT(V21)             // 1/120
	CONSTANT(V22)             // 1/6
	CONSTANT(V23)             // 1/720
	CONSTANT(V24)             // 1/24
	CONSTANT(V25)             // 1/2
	CONSTANT(V26)             // -farthest
	CONSTANT(V27)             // farthest

loop:
	VLD1  (R1), [V0.D2, V1.D2]
	INRANGE(26, 27, done)
	VMOV  V1.B16, V28.B16
	SINCOS
	VMOV  V5.B16, V29.B16
	VMOV  V6.B16, V30.B16
	VMOV  V28.B16, V0.B16
	SINCOS
	ADD   $32, R1
	VST1.P [V29.D2], 16(R2)
	VST1.P [V5.D2], 16(R2)
	VST1.P [V30.D2], 16(R3)
	VST1.P [V6.D2], 16(R3)
	ADD   $4, R9
	SUBS  $1, R0
	BNE   loop

done:
	MOVD R9, ret+48(FP)
	RET

// ANSWER returns the four bits of vector_amd64.s: all of them if all lanes of V13 have all ones, else
// none.
#define ANSWER(to) \
	VMOV V13.D[0], R10; \
	VMOV V13.D[1], R11; \
	AND  R11, R10;       \
	AND  $15, R10;       \
	MOVD R10, to

// func addNormsFours(n int, norm, share float64, norms, dst *float64) int
TEXT ·addNormsFours(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R0
	MOVD  $norm+8(FP), R1
	VLD1R (R1), [V15.D2]
	MOVD  $share+16(FP), R1
	VLD1R (R1), [V14.D2]
	MOVD  norms+24(FP), R1
	MOVD  dst+32(FP), R2
	MOVD  $-1, R10
	VDUP  R10, V13.D2

norms:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	VLD1   (R2), [V2.D2, V3.D2]
	FADD2(0, 15, 0)           // the norms
	FADD2(1, 15, 1)
	FADD2(2, 0, 2)            // with the product
	FADD2(3, 1, 3)
	FMUL2(14, 0, 0)
	FMUL2(14, 1, 1)
	FCMGT2(0, 2, 4)           // above the share
	FCMGT2(1, 3, 5)
	VAND   V4.B16, V13.B16, V13.B16
	VAND   V5.B16, V13.B16, V13.B16
	VST1.P [V2.D2, V3.D2], 32(R2)
	SUBS   $1, R0
	BNE    norms
	ANSWER(ret+40(FP))
	RET

// func finiteFours(n int, x *float64) int
TEXT ·finiteFours(SB), NOSPLIT, $0-24
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD $-1, R10
	VDUP R10, V13.D2

finite:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	FSUB2(0, 0, 0)            // NaN of what is not finite
	FSUB2(1, 1, 1)
	FCMEQ2(0, 0, 0)
	FCMEQ2(1, 1, 1)
	VAND   V0.B16, V13.B16, V13.B16
	VAND   V1.B16, V13.B16, V13.B16
	SUBS   $1, R0
	BNE    finite
	ANSWER(ret+16(FP))
	RET
