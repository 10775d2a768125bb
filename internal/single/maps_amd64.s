//go:build !purego

#include "textflag.h"

// CX counts vectors down. DX points to the constants. The minimum and the maximum of a NaN are the operand named first here, which is
// the number.

// CONSTANTS512 reads the constants of the exponential.
#define CONSTANTS512 \
	VBROADCASTSS (DX), Z21;   \
	VBROADCASTSS 4(DX), Z22;  \
	VBROADCASTSS 8(DX), Z23;  \
	VBROADCASTSS 12(DX), Z24; \
	VBROADCASTSS 16(DX), Z25; \
	VBROADCASTSS 20(DX), Z26; \
	VBROADCASTSS 24(DX), Z27; \
	VBROADCASTSS 28(DX), Z28; \
	VBROADCASTSS 32(DX), Z29; \
	VBROADCASTSS 36(DX), Z30; \
	VBROADCASTSS 40(DX), Z31

// EXP512 sets Z0 to its exponential; Z1 and Z2 are overwritten.
#define EXP512 \
	VMAXPS       Z0, Z21, Z0;  \
	VMINPS       Z0, Z22, Z0;  \
	VMULPS       Z23, Z0, Z1;  \
	VRNDSCALEPS  $0, Z1, Z1;   \
	VFNMADD231PS Z24, Z1, Z0;  \
	VFNMADD231PS Z25, Z1, Z0;  \
	VMOVAPS      Z26, Z2;      \
	VFMADD213PS  Z27, Z0, Z2;  \
	VFMADD213PS  Z28, Z0, Z2;  \
	VFMADD213PS  Z29, Z0, Z2;  \
	VFMADD213PS  Z30, Z0, Z2;  \
	VFMADD213PS  Z31, Z0, Z2;  \
	VFMADD213PS  Z31, Z0, Z2;  \
	VSCALEFPS    Z1, Z2, Z0

// func expSixteens(n int, a float32, x *float32, constants *[11]float32)
TEXT ·expSixteens(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Z16
	MOVQ         x+16(FP), SI
	MOVQ         constants+24(FP), DX
	CONSTANTS512

exp:
	VMULPS  (SI), Z16, Z0
	EXP512
	VMOVUPS Z0, (SI)
	ADDQ    $64, SI
	DECQ    CX
	JNZ     exp

	VZEROUPPER
	RET

// func maternSixteens(n int, a, farthest, linear, quadratic float32, x *float32, constants *[11]float32)
TEXT ·maternSixteens(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Z16
	VBROADCASTSS farthest+12(FP), Z17
	VBROADCASTSS linear+16(FP), Z18
	VBROADCASTSS quadratic+20(FP), Z19
	MOVQ         x+24(FP), SI
	MOVQ         constants+32(FP), DX
	CONSTANTS512
	VPXORD       Z20, Z20, Z20

matern:
	VMULPS      (SI), Z16, Z0
	VMINPS      Z0, Z17, Z0
	VSQRTPS     Z0, Z0            // s
	VMOVAPS     Z19, Z3
	VFMADD213PS Z18, Z0, Z3
	VFMADD213PS Z31, Z0, Z3       // the polynomial
	VSUBPS      Z0, Z20, Z0
	EXP512
	VMULPS      Z3, Z0, Z0
	VMOVUPS     Z0, (SI)
	ADDQ        $64, SI
	DECQ        CX
	JNZ         matern

	VZEROUPPER
	RET

// CONSTANTS256 reads the constants of which each is needed at once.
#define CONSTANTS256 \
	VBROADCASTSS 8(DX), Y6;   \
	VBROADCASTSS 12(DX), Y7;  \
	VBROADCASTSS 16(DX), Y8;  \
	VBROADCASTSS 20(DX), Y9;  \
	VBROADCASTSS 24(DX), Y10; \
	VBROADCASTSS 28(DX), Y11; \
	VBROADCASTSS 32(DX), Y12; \
	VBROADCASTSS 36(DX), Y13; \
	VBROADCASTSS 40(DX), Y14

// EXP256 sets Y0 to its exponential; Y1, Y2 and Y4 are overwritten. The power of two is the product of two, as it may be no normal
// number. Y14, which has ones, is the exponent 127 of both.
#define EXP256 \
	VBROADCASTSS (DX), Y1;     \
	VBROADCASTSS 4(DX), Y2;    \
	VMAXPS       Y0, Y1, Y0;   \
	VMINPS       Y0, Y2, Y0;   \
	VMULPS       Y6, Y0, Y1;   \
	VROUNDPS     $0, Y1, Y1;   \
	VFNMADD231PS Y7, Y1, Y0;   \
	VFNMADD231PS Y8, Y1, Y0;   \
	VMOVAPS      Y9, Y2;       \
	VFMADD213PS  Y10, Y0, Y2;  \
	VFMADD213PS  Y11, Y0, Y2;  \
	VFMADD213PS  Y12, Y0, Y2;  \
	VFMADD213PS  Y13, Y0, Y2;  \
	VFMADD213PS  Y14, Y0, Y2;  \
	VFMADD213PS  Y14, Y0, Y2;  \
	VCVTPS2DQ    Y1, Y1;       \
	VPSRAD       $1, Y1, Y4;   \
	VPSUBD       Y4, Y1, Y1;   \
	VPSLLD       $23, Y4, Y4;  \
	VPSLLD       $23, Y1, Y1;  \
	VPADDD       Y14, Y4, Y4;  \
	VPADDD       Y14, Y1, Y1;  \
	VMULPS       Y4, Y2, Y0;   \
	VMULPS       Y1, Y0, Y0

// func expEights(n int, a float32, x *float32, constants *[11]float32)
TEXT ·expEights(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Y15
	MOVQ         x+16(FP), SI
	MOVQ         constants+24(FP), DX
	CONSTANTS256

exp:
	VMULPS  (SI), Y15, Y0
	EXP256
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	DECQ    CX
	JNZ     exp

	VZEROUPPER
	RET

// func maternEights(n int, a, farthest, linear, quadratic float32, x *float32, constants *[11]float32)
TEXT ·maternEights(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Y15
	MOVQ         x+24(FP), SI
	MOVQ         constants+32(FP), DX
	CONSTANTS256

matern:
	VBROADCASTSS farthest+12(FP), Y1
	VBROADCASTSS linear+16(FP), Y2
	VBROADCASTSS quadratic+20(FP), Y3
	VMULPS       (SI), Y15, Y0
	VMINPS       Y0, Y1, Y0
	VSQRTPS      Y0, Y0           // s
	VFMADD213PS  Y2, Y0, Y3
	VFMADD213PS  Y14, Y0, Y3      // the polynomial
	VXORPS       Y5, Y5, Y5
	VSUBPS       Y0, Y5, Y0
	EXP256
	VMULPS       Y3, Y0, Y0
	VMOVUPS      Y0, (SI)
	ADDQ         $32, SI
	DECQ         CX
	JNZ          matern

	VZEROUPPER
	RET

// func finiteEights(n int, x *float32, zeros *[8]float32)
TEXT ·finiteEights(SB), NOSPLIT, $0-24
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), SI
	MOVQ   zeros+16(FP), DI
	VXORPS Y1, Y1, Y1
	VXORPS Y0, Y0, Y0

finite:
	VFMADD231PS (SI), Y1, Y0      // 0, or NaN of what is not finite
	ADDQ        $32, SI
	DECQ        CX
	JNZ         finite

	VMOVUPS Y0, (DI)
	VZEROUPPER
	RET

// func scaleEights(n int, a float32, x *float32)
TEXT ·scaleEights(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Y1
	MOVQ         x+16(FP), SI

scale:
	VMULPS  (SI), Y1, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	DECQ    CX
	JNZ     scale

	VZEROUPPER
	RET
