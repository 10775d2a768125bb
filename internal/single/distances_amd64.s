//go:build !purego

#include "textflag.h"

// R8 counts groups of four rows down, R9 groups of columns, R10 the columns of x and z. SI points to four numbers of x, BX to those of
// z, DI to dst; their column and row distances are R11 and R12 bytes.

// PLACES reads the arguments.
#define PLACES \
	MOVQ fours+0(FP), R8;     \
	MOVQ x+24(FP), SI;        \
	MOVQ stride+40(FP), R11;  \
	SHLQ $2, R11;             \
	MOVQ dst+48(FP), DI;      \
	MOVQ columns+56(FP), R12; \
	SHLQ $2, R12

// COLUMN begins with the first column, of x at DX and z at AX.
#define COLUMN \
	MOVQ SI, DX; \
	MOVQ BX, AX; \
	MOVQ d+16(FP), R10

// NEXTCOLUMN goes to the next one.
#define NEXTCOLUMN \
	ADDQ R11, DX; \
	ADDQ R11, AX; \
	DECQ R10

// GROUPS begins with the first group of columns, of dst at CX.
#define GROUPS \
	MOVQ z+32(FP), BX;     \
	MOVQ DI, CX;           \
	MOVQ groups+8(FP), R9

// NEXTGROUP goes on by so many bytes.
#define NEXTGROUP(bytes) \
	ADDQ $bytes, BX; \
	ADDQ $bytes, CX; \
	DECQ R9

// NEXTROWS goes to the next four rows.
#define NEXTROWS \
	ADDQ $16, SI;         \
	LEAQ (DI)(R12*4), DI; \
	DECQ R8

// ROWS points to the four rows of dst at CX, which is the first.
#define ROWS \
	LEAQ (CX)(R12*1), R10; \
	LEAQ (CX)(R12*2), R13; \
	LEAQ (R13)(R12*1), DX

// ZERO32 clears the sums of four rows and two vectors.
#define ZERO32 \
	VPXORD Z0, Z0, Z0; \
	VPXORD Z1, Z1, Z1; \
	VPXORD Z2, Z2, Z2; \
	VPXORD Z3, Z3, Z3; \
	VPXORD Z4, Z4, Z4; \
	VPXORD Z5, Z5, Z5; \
	VPXORD Z6, Z6, Z6; \
	VPXORD Z7, Z7, Z7

// STORE32 writes the sums, and LOAD32 reads them.
#define STORE32 \
	ROWS; \
	VMOVUPS Z0, (CX);    \
	VMOVUPS Z1, 64(CX);  \
	VMOVUPS Z2, (R10);   \
	VMOVUPS Z3, 64(R10); \
	VMOVUPS Z4, (R13);   \
	VMOVUPS Z5, 64(R13); \
	VMOVUPS Z6, (DX);    \
	VMOVUPS Z7, 64(DX)

#define LOAD32 \
	ROWS; \
	VMOVUPS (CX), Z0;    \
	VMOVUPS 64(CX), Z1;  \
	VMOVUPS (R10), Z2;   \
	VMOVUPS 64(R10), Z3; \
	VMOVUPS (R13), Z4;   \
	VMOVUPS 64(R13), Z5; \
	VMOVUPS (DX), Z6;    \
	VMOVUPS 64(DX), Z7

#define SQUARE32(at, a, b) \
	VSUBPS.BCST  at(DX), Z16, Z18; \
	VSUBPS.BCST  at(DX), Z17, Z19; \
	VFMADD231PS  Z18, Z18, a;      \
	VFMADD231PS  Z19, Z19, b

// Z31 has all bits but the sign.
#define ABSOLUTE32(at, a, b) \
	VSUBPS.BCST at(DX), Z16, Z18; \
	VSUBPS.BCST at(DX), Z17, Z19; \
	VPANDD      Z31, Z18, Z18;    \
	VPANDD      Z31, Z19, Z19;    \
	VADDPS      Z18, a, a;        \
	VADDPS      Z19, b, b

// Z30 has ones, Z29 how far apart what differs in this column is.
#define DISTINCT32(at, a, b) \
	VSUBPS.BCST at(DX), Z16, Z18; \
	VSUBPS.BCST at(DX), Z17, Z19; \
	VPANDD      Z31, Z18, Z18;    \
	VPANDD      Z31, Z19, Z19;    \
	VMINPS      Z30, Z18, Z18;    \
	VMINPS      Z30, Z19, Z19;    \
	VFMADD231PS Z29, Z18, a;      \
	VFMADD231PS Z29, Z19, b

// SIGNS sets the register of all bits but the sign.
#define SIGNS32 \
	VPTERNLOGD $0xff, Z31, Z31, Z31; \
	VPSRLD     $1, Z31, Z31

// func squares32(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)
TEXT ·squares32(SB), NOSPLIT, $0-64
	PLACES

rows:
	GROUPS

columns:
	ZERO32
	COLUMN

sum:
	VMOVUPS (AX), Z16
	VMOVUPS 64(AX), Z17
	SQUARE32(0, Z0, Z1)
	SQUARE32(4, Z2, Z3)
	SQUARE32(8, Z4, Z5)
	SQUARE32(12, Z6, Z7)
	NEXTCOLUMN
	JNZ sum

	STORE32
	NEXTGROUP(128)
	JNZ columns
	NEXTROWS
	JNZ rows
	VZEROUPPER
	RET

// func absolutes32(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)
TEXT ·absolutes32(SB), NOSPLIT, $0-64
	PLACES
	SIGNS32

rows:
	GROUPS

columns:
	ZERO32
	COLUMN

sum:
	VMOVUPS (AX), Z16
	VMOVUPS 64(AX), Z17
	ABSOLUTE32(0, Z0, Z1)
	ABSOLUTE32(4, Z2, Z3)
	ABSOLUTE32(8, Z4, Z5)
	ABSOLUTE32(12, Z6, Z7)
	NEXTCOLUMN
	JNZ sum

	STORE32
	NEXTGROUP(128)
	JNZ columns
	NEXTROWS
	JNZ rows
	VZEROUPPER
	RET

// func distinct32(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32)
TEXT ·distinct32(SB), NOSPLIT, $0-72
	PLACES
	SIGNS32
	VPTERNLOGD $0xff, Z30, Z30, Z30
	VPSRLD     $25, Z30, Z30
	VPSLLD     $23, Z30, Z30        // 1

rows:
	GROUPS

columns:
	LOAD32
	COLUMN
	MOVQ apart+64(FP), R13

sum:
	VMOVUPS (AX), Z16
	VMOVUPS 64(AX), Z17
	VBROADCASTSS (R13), Z29
	ADDQ $4, R13
	DISTINCT32(0, Z0, Z1)
	DISTINCT32(4, Z2, Z3)
	DISTINCT32(8, Z4, Z5)
	DISTINCT32(12, Z6, Z7)
	NEXTCOLUMN
	JNZ sum

	STORE32
	NEXTGROUP(128)
	JNZ columns
	NEXTROWS
	JNZ rows
	VZEROUPPER
	RET

#define ZERO16 \
	VXORPS Y0, Y0, Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3; \
	VXORPS Y4, Y4, Y4; \
	VXORPS Y5, Y5, Y5; \
	VXORPS Y6, Y6, Y6; \
	VXORPS Y7, Y7, Y7

#define STORE16 \
	ROWS; \
	VMOVUPS Y0, (CX);    \
	VMOVUPS Y1, 32(CX);  \
	VMOVUPS Y2, (R10);   \
	VMOVUPS Y3, 32(R10); \
	VMOVUPS Y4, (R13);   \
	VMOVUPS Y5, 32(R13); \
	VMOVUPS Y6, (DX);    \
	VMOVUPS Y7, 32(DX)

#define LOAD16 \
	ROWS; \
	VMOVUPS (CX), Y0;    \
	VMOVUPS 32(CX), Y1;  \
	VMOVUPS (R10), Y2;   \
	VMOVUPS 32(R10), Y3; \
	VMOVUPS (R13), Y4;   \
	VMOVUPS 32(R13), Y5; \
	VMOVUPS (DX), Y6;    \
	VMOVUPS 32(DX), Y7

// DIFFERENCES16 sets Y11 and Y12 to the differences of z and a number of x.
#define DIFFERENCES16(at) \
	VBROADCASTSS at(DX), Y10; \
	VSUBPS       Y10, Y8, Y11; \
	VSUBPS       Y10, Y9, Y12

#define SQUARE16(at, a, b) \
	DIFFERENCES16(at); \
	VFMADD231PS Y11, Y11, a; \
	VFMADD231PS Y12, Y12, b

// Y15 has all bits but the sign.
#define ABSOLUTE16(at, a, b) \
	DIFFERENCES16(at); \
	VANDPS Y15, Y11, Y11; \
	VANDPS Y15, Y12, Y12; \
	VADDPS Y11, a, a;     \
	VADDPS Y12, b, b

// Y14 has ones, Y13 how far apart what differs in this column is.
#define DISTINCT16(at, a, b) \
	DIFFERENCES16(at); \
	VANDPS      Y15, Y11, Y11; \
	VANDPS      Y15, Y12, Y12; \
	VMINPS      Y14, Y11, Y11; \
	VMINPS      Y14, Y12, Y12; \
	VFMADD231PS Y13, Y11, a;   \
	VFMADD231PS Y13, Y12, b

#define SIGNS16 \
	VPCMPEQD Y15, Y15, Y15; \
	VPSRLD   $1, Y15, Y15

// func squares16(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)
TEXT ·squares16(SB), NOSPLIT, $0-64
	PLACES

rows:
	GROUPS

columns:
	ZERO16
	COLUMN

sum:
	VMOVUPS (AX), Y8
	VMOVUPS 32(AX), Y9
	SQUARE16(0, Y0, Y1)
	SQUARE16(4, Y2, Y3)
	SQUARE16(8, Y4, Y5)
	SQUARE16(12, Y6, Y7)
	NEXTCOLUMN
	JNZ sum

	STORE16
	NEXTGROUP(64)
	JNZ columns
	NEXTROWS
	JNZ rows
	VZEROUPPER
	RET

// func absolutes16(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)
TEXT ·absolutes16(SB), NOSPLIT, $0-64
	PLACES
	SIGNS16

rows:
	GROUPS

columns:
	ZERO16
	COLUMN

sum:
	VMOVUPS (AX), Y8
	VMOVUPS 32(AX), Y9
	ABSOLUTE16(0, Y0, Y1)
	ABSOLUTE16(4, Y2, Y3)
	ABSOLUTE16(8, Y4, Y5)
	ABSOLUTE16(12, Y6, Y7)
	NEXTCOLUMN
	JNZ sum

	STORE16
	NEXTGROUP(64)
	JNZ columns
	NEXTROWS
	JNZ rows
	VZEROUPPER
	RET

// func distinct16(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32)
TEXT ·distinct16(SB), NOSPLIT, $0-72
	PLACES
	SIGNS16
	VPCMPEQD Y14, Y14, Y14
	VPSRLD   $25, Y14, Y14
	VPSLLD   $23, Y14, Y14        // 1

rows:
	GROUPS

columns:
	LOAD16
	COLUMN
	MOVQ apart+64(FP), R13

sum:
	VMOVUPS (AX), Y8
	VMOVUPS 32(AX), Y9
	VBROADCASTSS (R13), Y13
	ADDQ $4, R13
	DISTINCT16(0, Y0, Y1)
	DISTINCT16(4, Y2, Y3)
	DISTINCT16(8, Y4, Y5)
	DISTINCT16(12, Y6, Y7)
	NEXTCOLUMN
	JNZ sum

	STORE16
	NEXTGROUP(64)
	JNZ columns
	NEXTROWS
	JNZ rows
	VZEROUPPER
	RET
