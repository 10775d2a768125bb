//go:build !purego

#include "textflag.h"

// R8, R9, R10, R11 walk over four rows of a tile of float32, DX numbers apart, SI and R12 over the vectors x, DI and R13 over the vectors
// z. CX counts steps.

// TILEROWS points R9, R10 and R11 to the rows after R8.
#define TILEROWS \
	LEAQ (R8)(DX*4), R9;  \
	LEAQ (R9)(DX*4), R10; \
	LEAQ (R10)(DX*4), R11

// LOADROWS reads numbers of the four rows.
#define LOADROWS(a, b, c, d) \
	VCVTPS2PD (R8), a;  \
	VCVTPS2PD (R9), b;  \
	VCVTPS2PD (R10), c; \
	VCVTPS2PD (R11), d

// SUMS adds the products of the rows with x to the sums.
#define SUMS(a, b, c, d, x, s0, s1, s2, s3) \
	VFMADD231PD a, x, s0; \
	VFMADD231PD b, x, s1; \
	VFMADD231PD c, x, s2; \
	VFMADD231PD d, x, s3

// COMBINATION adds the rows times their coefficients to z.
#define COMBINATION(a, b, c, d, z, v0, v1, v2, v3) \
	VFMADD231PD a, v0, z; \
	VFMADD231PD b, v1, z; \
	VFMADD231PD c, v2, z; \
	VFMADD231PD d, v3, z

// BROADCAST4 reads four coefficients at AX + offset.
#define BROADCAST4(offset, v0, v1, v2, v3) \
	VBROADCASTSD offset(AX), v0;      \
	VBROADCASTSD (offset+8)(AX), v1;  \
	VBROADCASTSD (offset+16)(AX), v2; \
	VBROADCASTSD (offset+24)(AX), v3

// TOTAL adds up the four numbers of y, x being its lower half, and writes the sum to BX + offset. t is overwritten.
#define TOTAL(y, x, t, offset) \
	VEXTRACTF128 $1, y, t; \
	VADDPD       t, x, x;  \
	VHADDPD      x, x, x;  \
	VMOVSD       x, offset(BX)

// TOTAL8 is TOTAL for the eight numbers of z, of which y and x are the lower half and quarter.
#define TOTAL8(z, y, x, offset) \
	VEXTRACTF64X4 $1, z, Y15; \
	VADDPD        Y15, y, y;  \
	TOTAL(y, x, X15, offset)

// func tileRows8(n int, tile *float32, stride int, x0, x1, z0, z1 *float64, coefficients, sums *[8]float64)
TEXT ·tileRows8(SB), NOSPLIT, $0-72
	MOVQ n+0(FP), CX
	MOVQ tile+8(FP), R8
	MOVQ stride+16(FP), DX
	MOVQ x0+24(FP), SI
	MOVQ x1+32(FP), R12
	MOVQ z0+40(FP), DI
	MOVQ z1+48(FP), R13
	MOVQ coefficients+56(FP), AX
	MOVQ sums+64(FP), BX
	TILEROWS
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	BROADCAST4(0, Z8, Z9, Z10, Z11)
	BROADCAST4(32, Z12, Z13, Z14, Z15)

eight:
	LOADROWS(Z16, Z17, Z18, Z19)
	VMOVUPD (SI), Z20
	VMOVUPD (R12), Z21
	VMOVUPD (DI), Z22
	VMOVUPD (R13), Z23
	SUMS(Z16, Z17, Z18, Z19, Z20, Z0, Z1, Z2, Z3)
	SUMS(Z16, Z17, Z18, Z19, Z21, Z4, Z5, Z6, Z7)
	COMBINATION(Z16, Z17, Z18, Z19, Z22, Z8, Z9, Z10, Z11)
	COMBINATION(Z16, Z17, Z18, Z19, Z23, Z12, Z13, Z14, Z15)
	VMOVUPD Z22, (DI)
	VMOVUPD Z23, (R13)
	ADDQ $32, R8
	ADDQ $32, R9
	ADDQ $32, R10
	ADDQ $32, R11
	ADDQ $64, SI
	ADDQ $64, R12
	ADDQ $64, DI
	ADDQ $64, R13
	DECQ CX
	JNZ  eight

	TOTAL8(Z0, Y0, X0, 0)
	TOTAL8(Z1, Y1, X1, 8)
	TOTAL8(Z2, Y2, X2, 16)
	TOTAL8(Z3, Y3, X3, 24)
	TOTAL8(Z4, Y4, X4, 32)
	TOTAL8(Z5, Y5, X5, 40)
	TOTAL8(Z6, Y6, X6, 48)
	TOTAL8(Z7, Y7, X7, 56)
	VZEROUPPER
	RET

// func tileRows4(n int, tile *float32, stride int, x, z *float64, coefficients, sums *[4]float64)
TEXT ·tileRows4(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ tile+8(FP), R8
	MOVQ stride+16(FP), DX
	MOVQ x+24(FP), SI
	MOVQ z+32(FP), DI
	MOVQ coefficients+40(FP), AX
	MOVQ sums+48(FP), BX
	TILEROWS
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	BROADCAST4(0, Y4, Y5, Y6, Y7)

four:
	LOADROWS(Y8, Y9, Y10, Y11)
	VMOVUPD (SI), Y12
	VMOVUPD (DI), Y13
	SUMS(Y8, Y9, Y10, Y11, Y12, Y0, Y1, Y2, Y3)
	COMBINATION(Y8, Y9, Y10, Y11, Y13, Y4, Y5, Y6, Y7)
	VMOVUPD Y13, (DI)
	ADDQ $16, R8
	ADDQ $16, R9
	ADDQ $16, R10
	ADDQ $16, R11
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  four

	TOTAL(Y0, X0, X14, 0)
	TOTAL(Y1, X1, X14, 8)
	TOTAL(Y2, X2, X14, 16)
	TOTAL(Y3, X3, X14, 24)
	VZEROUPPER
	RET
