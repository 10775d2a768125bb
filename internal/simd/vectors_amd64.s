//go:build !purego

#include "textflag.h"

// All of these are bound by memory once the data are beyond the first cache, so that AVX2
// is enough. The loops go over steps of 16, 8 or 4 numbers; a scalar loop does the rest.
// CX counts the numbers that are left.

// SUM adds up the four numbers of y, x being its lower half, into the first of x. t is
// overwritten.
#define SUM(y, x, t) \
	VEXTRACTF128 $1, y, t; \
	VADDPD       t, x, x;  \
	VHADDPD      x, x, x

// func dot(n int, x, y *float64) float64
TEXT ·dot(SB), NOSPLIT, $0-32
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), SI
	MOVQ   y+16(FP), DI
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	SUBQ   $16, CX
	JLT    fours

sixteen:
	VMOVUPD     (SI), Y4
	VMOVUPD     32(SI), Y5
	VMOVUPD     64(SI), Y6
	VMOVUPD     96(SI), Y7
	VFMADD231PD (DI), Y4, Y0
	VFMADD231PD 32(DI), Y5, Y1
	VFMADD231PD 64(DI), Y6, Y2
	VFMADD231PD 96(DI), Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         sixteen

fours:
	ADDQ $12, CX
	JLT  sum

four:
	VMOVUPD     (SI), Y4
	VFMADD231PD (DI), Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         four

sum:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	SUM(Y0, X0, X1)
	ADDQ   $4, CX
	JZ     done

one:
	VMOVSD      (SI), X1
	VFMADD231SD (DI), X1, X0
	ADDQ        $8, SI
	ADDQ        $8, DI
	DECQ        CX
	JNZ         one

done:
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpy(n int, alpha float64, x, y *float64)
TEXT ·axpy(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         y+24(FP), DI
	SUBQ         $16, CX
	JLT          fours

sixteen:
	VMOVUPD     (DI), Y1
	VMOVUPD     32(DI), Y2
	VMOVUPD     64(DI), Y3
	VMOVUPD     96(DI), Y4
	VFMADD231PD (SI), Y0, Y1
	VFMADD231PD 32(SI), Y0, Y2
	VFMADD231PD 64(SI), Y0, Y3
	VFMADD231PD 96(SI), Y0, Y4
	VMOVUPD     Y1, (DI)
	VMOVUPD     Y2, 32(DI)
	VMOVUPD     Y3, 64(DI)
	VMOVUPD     Y4, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         sixteen

fours:
	ADDQ $12, CX
	JLT  ones

four:
	VMOVUPD     (DI), Y1
	VFMADD231PD (SI), Y0, Y1
	VMOVUPD     Y1, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         four

ones:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD      (DI), X1
	VFMADD231SD (SI), X0, X1
	VMOVSD      X1, (DI)
	ADDQ        $8, SI
	ADDQ        $8, DI
	DECQ        CX
	JNZ         one

done:
	VZEROUPPER
	RET

// func axpy2(n int, alpha float64, x *float64, beta float64, y, z *float64)
TEXT ·axpy2(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ         x+16(FP), SI
	VBROADCASTSD beta+24(FP), Y1
	MOVQ         y+32(FP), BX
	MOVQ         z+40(FP), DI
	SUBQ         $8, CX
	JLT          fours

eight:
	VMOVUPD     (DI), Y2
	VMOVUPD     32(DI), Y3
	VFMADD231PD (SI), Y0, Y2
	VFMADD231PD 32(SI), Y0, Y3
	VFMADD231PD (BX), Y1, Y2
	VFMADD231PD 32(BX), Y1, Y3
	VMOVUPD     Y2, (DI)
	VMOVUPD     Y3, 32(DI)
	ADDQ        $64, SI
	ADDQ        $64, BX
	ADDQ        $64, DI
	SUBQ        $8, CX
	JGE         eight

fours:
	ADDQ $4, CX
	JLT  ones

	VMOVUPD     (DI), Y2
	VFMADD231PD (SI), Y0, Y2
	VFMADD231PD (BX), Y1, Y2
	VMOVUPD     Y2, (DI)
	ADDQ        $32, SI
	ADDQ        $32, BX
	ADDQ        $32, DI
	SUBQ        $4, CX

ones:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD      (DI), X2
	VFMADD231SD (SI), X0, X2
	VFMADD231SD (BX), X1, X2
	VMOVSD      X2, (DI)
	ADDQ        $8, SI
	ADDQ        $8, BX
	ADDQ        $8, DI
	DECQ        CX
	JNZ         one

done:
	VZEROUPPER
	RET

// func scal(n int, alpha float64, x *float64)
TEXT ·scal(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), CX
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ         x+16(FP), DI
	SUBQ         $16, CX
	JLT          fours

sixteen:
	VMULPD  (DI), Y0, Y1
	VMULPD  32(DI), Y0, Y2
	VMULPD  64(DI), Y0, Y3
	VMULPD  96(DI), Y0, Y4
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	VMOVUPD Y3, 64(DI)
	VMOVUPD Y4, 96(DI)
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     sixteen

fours:
	ADDQ $12, CX
	JLT  ones

four:
	VMULPD  (DI), Y0, Y1
	VMOVUPD Y1, (DI)
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     four

ones:
	ADDQ $4, CX
	JZ   done

one:
	VMULSD (DI), X0, X1
	VMOVSD X1, (DI)
	ADDQ   $8, DI
	DECQ   CX
	JNZ    one

done:
	VZEROUPPER
	RET

// func dot4(n int, a *float64, lda int, x *float64, sums *[4]float64)
// R8, R9, R10, R11 walk over the rows.
TEXT ·dot4(SB), NOSPLIT, $0-40
	MOVQ   n+0(FP), CX
	MOVQ   a+8(FP), R8
	MOVQ   lda+16(FP), DX
	MOVQ   x+24(FP), SI
	MOVQ   sums+32(FP), DI
	LEAQ   (R8)(DX*8), R9
	LEAQ   (R9)(DX*8), R10
	LEAQ   (R10)(DX*8), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $8, CX
	JLT    fours

eight:
	VMOVUPD     (SI), Y8
	VMOVUPD     32(SI), Y9
	VFMADD231PD (R8), Y8, Y0
	VFMADD231PD (R9), Y8, Y1
	VFMADD231PD (R10), Y8, Y2
	VFMADD231PD (R11), Y8, Y3
	VFMADD231PD 32(R8), Y9, Y4
	VFMADD231PD 32(R9), Y9, Y5
	VFMADD231PD 32(R10), Y9, Y6
	VFMADD231PD 32(R11), Y9, Y7
	ADDQ        $64, SI
	ADDQ        $64, R8
	ADDQ        $64, R9
	ADDQ        $64, R10
	ADDQ        $64, R11
	SUBQ        $8, CX
	JGE         eight

fours:
	ADDQ $4, CX
	JLT  sum

	VMOVUPD     (SI), Y8
	VFMADD231PD (R8), Y8, Y0
	VFMADD231PD (R9), Y8, Y1
	VFMADD231PD (R10), Y8, Y2
	VFMADD231PD (R11), Y8, Y3
	ADDQ        $32, SI
	ADDQ        $32, R8
	ADDQ        $32, R9
	ADDQ        $32, R10
	ADDQ        $32, R11
	SUBQ        $4, CX

sum:
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	SUM(Y0, X0, X4)
	SUM(Y1, X1, X5)
	SUM(Y2, X2, X6)
	SUM(Y3, X3, X7)
	ADDQ   $4, CX
	JZ     done

one:
	VMOVSD      (SI), X8
	VFMADD231SD (R8), X8, X0
	VFMADD231SD (R9), X8, X1
	VFMADD231SD (R10), X8, X2
	VFMADD231SD (R11), X8, X3
	ADDQ        $8, SI
	ADDQ        $8, R8
	ADDQ        $8, R9
	ADDQ        $8, R10
	ADDQ        $8, R11
	DECQ        CX
	JNZ         one

done:
	VMOVSD X0, (DI)
	VMOVSD X1, 8(DI)
	VMOVSD X2, 16(DI)
	VMOVSD X3, 24(DI)
	VZEROUPPER
	RET

// func axpy4(n int, a *float64, lda int, coefficients *[4]float64, y *float64)
TEXT ·axpy4(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	MOVQ         a+8(FP), R8
	MOVQ         lda+16(FP), DX
	MOVQ         coefficients+24(FP), SI
	MOVQ         y+32(FP), DI
	LEAQ         (R8)(DX*8), R9
	LEAQ         (R9)(DX*8), R10
	LEAQ         (R10)(DX*8), R11
	VBROADCASTSD (SI), Y0
	VBROADCASTSD 8(SI), Y1
	VBROADCASTSD 16(SI), Y2
	VBROADCASTSD 24(SI), Y3
	SUBQ         $8, CX
	JLT          fours

eight:
	VMOVUPD     (DI), Y4
	VMOVUPD     32(DI), Y5
	VFMADD231PD (R8), Y0, Y4
	VFMADD231PD 32(R8), Y0, Y5
	VFMADD231PD (R9), Y1, Y4
	VFMADD231PD 32(R9), Y1, Y5
	VFMADD231PD (R10), Y2, Y4
	VFMADD231PD 32(R10), Y2, Y5
	VFMADD231PD (R11), Y3, Y4
	VFMADD231PD 32(R11), Y3, Y5
	VMOVUPD     Y4, (DI)
	VMOVUPD     Y5, 32(DI)
	ADDQ        $64, DI
	ADDQ        $64, R8
	ADDQ        $64, R9
	ADDQ        $64, R10
	ADDQ        $64, R11
	SUBQ        $8, CX
	JGE         eight

fours:
	ADDQ $4, CX
	JLT  ones

	VMOVUPD     (DI), Y4
	VFMADD231PD (R8), Y0, Y4
	VFMADD231PD (R9), Y1, Y4
	VFMADD231PD (R10), Y2, Y4
	VFMADD231PD (R11), Y3, Y4
	VMOVUPD     Y4, (DI)
	ADDQ        $32, DI
	ADDQ        $32, R8
	ADDQ        $32, R9
	ADDQ        $32, R10
	ADDQ        $32, R11
	SUBQ        $4, CX

ones:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD      (DI), X4
	VFMADD231SD (R8), X0, X4
	VFMADD231SD (R9), X1, X4
	VFMADD231SD (R10), X2, X4
	VFMADD231SD (R11), X3, X4
	VMOVSD      X4, (DI)
	ADDQ        $8, DI
	ADDQ        $8, R8
	ADDQ        $8, R9
	ADDQ        $8, R10
	ADDQ        $8, R11
	DECQ        CX
	JNZ         one

done:
	VZEROUPPER
	RET

// func dotAxpy4(n int, a *float64, lda int, x *float64, sums, coefficients *[4]float64, y *float64)
TEXT ·dotAxpy4(SB), NOSPLIT, $0-56
	MOVQ         n+0(FP), CX
	MOVQ         a+8(FP), R8
	MOVQ         lda+16(FP), DX
	MOVQ         x+24(FP), SI
	MOVQ         coefficients+40(FP), BX
	MOVQ         y+48(FP), DI
	LEAQ         (R8)(DX*8), R9
	LEAQ         (R9)(DX*8), R10
	LEAQ         (R10)(DX*8), R11
	VBROADCASTSD (BX), Y0
	VBROADCASTSD 8(BX), Y1
	VBROADCASTSD 16(BX), Y2
	VBROADCASTSD 24(BX), Y3
	VXORPD       Y4, Y4, Y4
	VXORPD       Y5, Y5, Y5
	VXORPD       Y6, Y6, Y6
	VXORPD       Y7, Y7, Y7
	SUBQ         $4, CX
	JLT          sum

four:
	VMOVUPD     (SI), Y8
	VMOVUPD     (DI), Y9
	VMOVUPD     (R8), Y10
	VMOVUPD     (R9), Y11
	VMOVUPD     (R10), Y12
	VMOVUPD     (R11), Y13
	VFMADD231PD Y10, Y8, Y4
	VFMADD231PD Y11, Y8, Y5
	VFMADD231PD Y12, Y8, Y6
	VFMADD231PD Y13, Y8, Y7
	VFMADD231PD Y10, Y0, Y9
	VFMADD231PD Y11, Y1, Y9
	VFMADD231PD Y12, Y2, Y9
	VFMADD231PD Y13, Y3, Y9
	VMOVUPD     Y9, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	ADDQ        $32, R8
	ADDQ        $32, R9
	ADDQ        $32, R10
	ADDQ        $32, R11
	SUBQ        $4, CX
	JGE         four

sum:
	SUM(Y4, X4, X8)
	SUM(Y5, X5, X9)
	SUM(Y6, X6, X10)
	SUM(Y7, X7, X11)
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD      (SI), X8
	VMOVSD      (DI), X9
	VMOVSD      (R8), X10
	VMOVSD      (R9), X11
	VMOVSD      (R10), X12
	VMOVSD      (R11), X13
	VFMADD231SD X10, X8, X4
	VFMADD231SD X11, X8, X5
	VFMADD231SD X12, X8, X6
	VFMADD231SD X13, X8, X7
	VFMADD231SD X10, X0, X9
	VFMADD231SD X11, X1, X9
	VFMADD231SD X12, X2, X9
	VFMADD231SD X13, X3, X9
	VMOVSD      X9, (DI)
	ADDQ        $8, SI
	ADDQ        $8, DI
	ADDQ        $8, R8
	ADDQ        $8, R9
	ADDQ        $8, R10
	ADDQ        $8, R11
	DECQ        CX
	JNZ         one

done:
	MOVQ   sums+32(FP), DI
	VMOVSD X4, (DI)
	VMOVSD X5, 8(DI)
	VMOVSD X6, 16(DI)
	VMOVSD X7, 24(DI)
	VZEROUPPER
	RET
