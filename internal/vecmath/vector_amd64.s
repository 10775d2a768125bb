//go:build !purego

#include "textflag.h"

// CX counts groups of four down, AX up. Comparisons are ordered and quiet: NaN is out of
// range.
#define GREATER_OR_EQUAL $0x1d
#define LESS_OR_EQUAL    $0x12
#define GREATER          $0x1e
#define ORDERED          $0x07

// ALL gives the ones that a gather, which overwrites them, takes for a mask.
#define ALL(y) VPCMPEQQ y, y, y

// INRANGE jumps away unless the four numbers of Y0 are from lowest to highest.
#define INRANGE(lowest, highest, to) \
	VCMPPD    GREATER_OR_EQUAL, lowest, Y0, Y1; \
	VCMPPD    LESS_OR_EQUAL, highest, Y0, Y2;   \
	VANDPD    Y2, Y1, Y1;                       \
	VMOVMSKPD Y1, R8;                           \
	CMPQ      R8, $15;                          \
	JNE       to

// GATHER reads four numbers of the table, by the indices in Y2.
#define GATHER(offset, y) \
	ALL(Y3); \
	VGATHERQPD Y3, offset(BX)(Y2*8), y

// func expFours(n int, a float64, x, dst *float64, table *[tableSize]uint64, constants *[9]vector) int
TEXT ·expFours(SB), NOSPLIT, $0-56
	MOVQ         n+0(FP), CX
	VBROADCASTSD a+8(FP), Y15
	MOVQ         x+16(FP), SI
	MOVQ         dst+24(FP), DI
	MOVQ         table+32(FP), BX
	MOVQ         constants+40(FP), DX
	XORQ         AX, AX
	VMOVUPD      (DX), Y14            // 256/ln 2
	VMOVUPD      32(DX), Y13          // the rounder
	VMOVUPD      64(DX), Y12          // ln 2 / 256 in two parts
	VMOVUPD      96(DX), Y11
	VMOVUPD      224(DX), Y10         // lowest
	VMOVUPD      256(DX), Y9          // highest
	ALL(Y8)
	VPSRLQ       $56, Y8, Y8          // the low 8 bits

loop:
	VMULPD    (SI), Y15, Y0
	INRANGE(Y10, Y9, done)

	VMULPD Y14, Y0, Y1
	VADDPD Y13, Y1, Y1        // k in its low bits
	VPAND  Y8, Y1, Y2
	GATHER(0, Y4)
	VPSLLQ $44, Y1, Y5
	VPADDQ Y5, Y4, Y4         // s = 2^(k/256)
	VSUBPD Y13, Y1, Y1        // k
	VMULPD Y12, Y1, Y2
	VMULPD Y11, Y1, Y3
	VSUBPD Y2, Y0, Y0
	VSUBPD Y3, Y0, Y0         // r
	VMULPD 128(DX), Y0, Y1
	VADDPD 160(DX), Y1, Y1
	VMULPD Y0, Y1, Y1
	VADDPD 192(DX), Y1, Y1
	VMULPD Y0, Y0, Y2
	VMULPD Y1, Y2, Y2
	VADDPD Y2, Y0, Y0         // p
	VMULPD Y4, Y0, Y0
	VADDPD Y4, Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ   $32, SI
	ADDQ   $32, DI
	ADDQ   $4, AX
	DECQ   CX
	JNZ    loop

done:
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET

// func sincosFours(n int, x, sin, cos *float64, table *[circle]point, constants *[12]vector) int
TEXT ·sincosFours(SB), NOSPLIT, $0-56
	MOVQ    n+0(FP), CX
	MOVQ    x+8(FP), SI
	MOVQ    sin+16(FP), DI
	MOVQ    cos+24(FP), R9
	MOVQ    table+32(FP), BX
	MOVQ    constants+40(FP), DX
	XORQ    AX, AX
	VMOVUPD (DX), Y15            // 512/2π
	VMOVUPD 32(DX), Y14          // the rounder
	ALL(Y13)
	VPSRLQ  $55, Y13, Y13        // the low 9 bits

loop:
	VMOVUPD   (SI), Y0
	INRANGE(320(DX), 352(DX), done)

	VMULPD Y15, Y0, Y1
	VADDPD Y14, Y1, Y1              // k in its low bits
	VPAND  Y13, Y1, Y2
	VPADDQ Y2, Y2, Y3
	VPADDQ Y2, Y3, Y2               // a point is three numbers
	GATHER(0, Y4)                   // the sine
	GATHER(8, Y5)                   // the cosine
	GATHER(16, Y6)                  // the offset
	VSUBPD Y14, Y1, Y1              // k
	VMULPD 64(DX), Y1, Y2
	VSUBPD Y2, Y0, Y2               // w
	VMULPD 96(DX), Y1, Y3           // m
	VSUBPD Y3, Y2, Y0               // r
	VSUBPD Y0, Y2, Y2
	VSUBPD Y3, Y2, Y2
	VMULPD 128(DX), Y1, Y1
	VSUBPD Y1, Y2, Y2               // low
	VSUBPD Y6, Y2, Y2
	VMULPD Y0, Y0, Y3               // q
	VMULPD 160(DX), Y3, Y1
	VSUBPD 192(DX), Y1, Y1
	VMULPD Y3, Y0, Y7
	VMULPD Y1, Y7, Y1
	VADDPD Y1, Y2, Y1
	VADDPD Y1, Y0, Y0               // s
	VMULPD 224(DX), Y3, Y1
	VMOVUPD 256(DX), Y2
	VSUBPD Y1, Y2, Y1
	VMULPD Y3, Y1, Y1
	VSUBPD 288(DX), Y1, Y1
	VMULPD Y3, Y1, Y1               // c
	VMULPD Y0, Y5, Y2
	VMULPD Y1, Y4, Y3
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y4, Y2
	VMULPD Y1, Y5, Y3
	VMULPD Y0, Y4, Y6
	VSUBPD Y6, Y3, Y3
	VADDPD Y3, Y5, Y3
	VMOVUPD Y2, (DI)
	VMOVUPD Y3, (R9)
	ADDQ   $32, SI
	ADDQ   $32, DI
	ADDQ   $32, R9
	ADDQ   $4, AX
	DECQ   CX
	JNZ    loop

done:
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET

// func addNormsFours(n int, norm, share float64, norms, dst *float64) int
TEXT ·addNormsFours(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	VBROADCASTSD norm+8(FP), Y15
	VBROADCASTSD share+16(FP), Y14
	MOVQ         norms+24(FP), SI
	MOVQ         dst+32(FP), DI
	ALL(Y13)

norms:
	VADDPD  (SI), Y15, Y0       // the norms
	VADDPD  (DI), Y0, Y1        // with the product
	VMULPD  Y14, Y0, Y2
	VCMPPD  GREATER, Y2, Y1, Y3
	VANDPD  Y3, Y13, Y13
	VMOVUPD Y1, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     norms

	VMOVMSKPD Y13, AX
	MOVQ      AX, ret+40(FP)
	VZEROUPPER
	RET

// func finiteFours(n int, x *float64) int
TEXT ·finiteFours(SB), NOSPLIT, $0-24
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), SI
	ALL(Y13)

finite:
	VMOVUPD (SI), Y0
	VSUBPD  Y0, Y0, Y1          // NaN of what is not finite
	VCMPPD  ORDERED, Y1, Y1, Y2
	VANDPD  Y2, Y13, Y13
	ADDQ    $32, SI
	DECQ    CX
	JNZ     finite

	VMOVMSKPD Y13, AX
	MOVQ      AX, ret+16(FP)
	VZEROUPPER
	RET

// func rootsFours(n int, a, limit float64, x, dst *float64)
TEXT ·rootsFours(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	VBROADCASTSD a+8(FP), Y15
	VBROADCASTSD limit+16(FP), Y14
	MOVQ         x+24(FP), SI
	MOVQ         dst+32(FP), DI

roots:
	VMULPD  (SI), Y15, Y0
	VMINPD  Y0, Y14, Y0         // of a NaN that is Y0
	VSQRTPD Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     roots

	VZEROUPPER
	RET

// func quadraticsFours(n int, one, c float64, s, e *float64)
TEXT ·quadraticsFours(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	VBROADCASTSD one+8(FP), Y15
	VBROADCASTSD c+16(FP), Y14
	MOVQ         s+24(FP), SI
	MOVQ         e+32(FP), DI

quadratics:
	VMOVUPD (SI), Y0
	VMULPD  Y14, Y0, Y1
	VADDPD  Y15, Y1, Y1
	VMULPD  Y0, Y1, Y1
	VADDPD  Y15, Y1, Y1
	VMULPD  (DI), Y1, Y1
	VMOVUPD Y1, (SI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     quadratics

	VZEROUPPER
	RET

// func addManhattanFours(n int, v float64, z, dst *float64)
TEXT ·addManhattanFours(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSD v+8(FP), Y15
	MOVQ         z+16(FP), SI
	MOVQ         dst+24(FP), DI
	ALL(Y14)
	VPSRLQ       $1, Y14, Y14   // all bits but the sign

manhattan:
	VSUBPD  (SI), Y15, Y0
	VANDPD  Y14, Y0, Y0
	VADDPD  (DI), Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     manhattan

	VZEROUPPER
	RET

// func weighManhattanFours(n int, v float64, z, w *float64, sums *[4]float64)
TEXT ·weighManhattanFours(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	VBROADCASTSD v+8(FP), Y15
	MOVQ         z+16(FP), SI
	MOVQ         w+24(FP), DI
	MOVQ         sums+32(FP), DX
	ALL(Y14)
	VPSRLQ       $1, Y14, Y14
	VMOVUPD      (DX), Y13

weigh:
	VSUBPD (SI), Y15, Y0
	VANDPD Y14, Y0, Y0
	VMULPD (DI), Y0, Y0
	VADDPD Y0, Y13, Y13
	ADDQ   $32, SI
	ADDQ   $32, DI
	DECQ   CX
	JNZ    weigh

	VMOVUPD Y13, (DX)
	VZEROUPPER
	RET
