// Products of small factors, which are read where they are: what in_place12_amd64.s and in_place24_amd64.s share.
// SI is the first row of A of a block, R8 and R9 are the distance of its rows and three times that in bytes,
// R12 is that of its columns; R14 walks over the columns. BX walks over the rows of B, R13 apart; DI is the
// first row of a block of C, DX the distance of these. R11 counts the rows that are left, CX the steps. R10
// is 0 if C is overwritten.
//
// A strip of B is one, two or three registers wide; of the last of these a mask says which numbers are the strip's.
// Each element goes through the operations of the packed kernels, in their order.
//
// A file that includes this one defines
//	BYTES                   the size of a register
//	ALPHA, BETA             registers of the factors, while rows of C are written
//	B0, B1, B2              registers of a row of the strip
//	NUMBER                  a register of a number of A
//	XOR                     the instruction that clears a register
//	LOADLAST, READLAST, ADDLAST, STORELAST
//	                        what a mask does to the last register of a row
//	BEGIN, FACTORS          what comes before the steps, and before rows of C are written
//	ROWS1, ROWS2, ROWS4     call a macro with a number of A and the three sums of a row, for so many rows
//	TIMES1                  adds a number of A times B0 to the sums of a row
//	EIGHTS, AGAIN           blocks of eight rows, and whether there are more blocks of four

// TIMES2 adds a number of A times the strip's row of B to the sums of a row, for two registers.
#define TIMES2(at, c0, c1, c2) \
	VBROADCASTSD at, NUMBER;     \
	VFMADD231PD  B0, NUMBER, c0; \
	VFMADD231PD  B1, NUMBER, c1

// TIMES3 is TIMES2 for three registers.
#define TIMES3(at, c0, c1, c2) \
	TIMES2(at, c0, c1, c2); \
	VFMADD231PD B2, NUMBER, c2

// LOADB1 loads the strip's row of B, one register wide.
#define LOADB1 LOADLAST(0, B0)

// LOADB2 is LOADB1 for two registers.
#define LOADB2 \
	VMOVUPD (BX), B0; \
	LOADLAST(BYTES, B1)

// LOADB3 is LOADB1 for three registers.
#define LOADB3 \
	VMOVUPD (BX), B0;      \
	VMOVUPD BYTES(BX), B1; \
	LOADLAST(2*BYTES, B2)

// ZERO clears the sums of a row.
#define ZERO(at, c0, c1, c2) \
	XOR c0, c0, c0; \
	XOR c1, c1, c1; \
	XOR c2, c2, c2

// STORE1 writes a row of C, one register wide.
#define STORE1(c0, c1, c2) \
	STORELAST(0, c0); \
	ADDQ DX, DI

// STORE2 is STORE1 for two registers.
#define STORE2(c0, c1, c2) \
	VMOVUPD c0, (DI);     \
	STORELAST(BYTES, c1); \
	ADDQ    DX, DI

// STORE3 is STORE1 for three registers.
#define STORE3(c0, c1, c2) \
	VMOVUPD c0, (DI);       \
	VMOVUPD c1, BYTES(DI);  \
	STORELAST(2*BYTES, c2); \
	ADDQ    DX, DI

// WRITE1 computes C = alpha·sums of a row, one register wide.
#define WRITE1(at, c0, c1, c2) \
	VMULPD ALPHA, c0, c0; \
	STORE1(c0, c1, c2)

// WRITE2 is WRITE1 for two registers.
#define WRITE2(at, c0, c1, c2) \
	VMULPD ALPHA, c0, c0; \
	VMULPD ALPHA, c1, c1; \
	STORE2(c0, c1, c2)

// WRITE3 is WRITE1 for three registers.
#define WRITE3(at, c0, c1, c2) \
	VMULPD ALPHA, c0, c0; \
	VMULPD ALPHA, c1, c1; \
	VMULPD ALPHA, c2, c2; \
	STORE3(c0, c1, c2)

// UPDATE1 computes C = alpha·sums + beta·C of a row, one register wide.
#define UPDATE1(at, c0, c1, c2) \
	VMULPD ALPHA, c0, c0; \
	READLAST(0);          \
	ADDLAST(0, c0);       \
	STORE1(c0, c1, c2)

// UPDATE2 is UPDATE1 for two registers.
#define UPDATE2(at, c0, c1, c2) \
	VMULPD      ALPHA, c0, c0;  \
	VMULPD      ALPHA, c1, c1;  \
	READLAST(BYTES);            \
	VFMADD231PD (DI), BETA, c0; \
	ADDLAST(BYTES, c1);         \
	STORE2(c0, c1, c2)

// UPDATE3 is UPDATE1 for three registers.
#define UPDATE3(at, c0, c1, c2) \
	VMULPD      ALPHA, c0, c0;       \
	VMULPD      ALPHA, c1, c1;       \
	VMULPD      ALPHA, c2, c2;       \
	READLAST(2*BYTES);               \
	VFMADD231PD (DI), BETA, c0;      \
	VFMADD231PD BYTES(DI), BETA, c1; \
	ADDLAST(2*BYTES, c2);            \
	STORE3(c0, c1, c2)

// STEP ends a step of the inner dimension.
#define STEP \
	ADDQ R12, R14; \
	ADDQ R13, BX;  \
	DECQ CX

// PRODUCT computes a block of C from the first step on. rows calls a macro for each row of the block, load
// reads a row of the strip, times adds its products to the sums, update and write put the sums into C.
#define PRODUCT(rows, step, load, times, update, write, loop, overwrite, next) \
	BEGIN;           \
	rows(ZERO);      \
loop:                    \
	load;            \
	rows(times);     \
	step;            \
	JNZ   loop;      \
	FACTORS;         \
	TESTQ R10, R10;  \
	JZ    overwrite; \
	rows(update);    \
	JMP   next;      \
overwrite:               \
	rows(write);     \
next:

// BLOCK computes a block of count rows, or jumps to fewer if not so many are left.
#define BLOCK(count, rows, step, load, times, update, write, loop, overwrite, next, fewer) \
	CMPQ R11, $count;                                                       \
	JLT  fewer;                                                             \
	PRODUCT(rows, step, load, times, update, write, loop, overwrite, next); \
	SUBQ $count, R11;                                                       \
	LEAQ (SI)(R8*count), SI

// LASTROW computes the row that is left, if there is one.
#define LASTROW(load, times, update, write, loop, overwrite, next) \
	TESTQ R11, R11;                                                          \
	JZ    done;                                                              \
	PRODUCT(ROWS1, STEP, load, times, update, write, loop, overwrite, next); \
	SUBQ  $1, R11;                                                           \
	JMP   done

// STRIPS computes the product from the label one, two or three on, for a strip that many registers wide.
#define STRIPS \
one:                                                                                                         \
	EIGHTS(one, LOADB1, TIMES1, UPDATE1, WRITE1, one8Step, one8Write, one8Next, one4);                   \
one4:                                                                                                        \
	BLOCK(4, ROWS4, STEP, LOADB1, TIMES1, UPDATE1, WRITE1, one4Step, one4Write, one4Next, one2);         \
	AGAIN(one4);                                                                                         \
one2:                                                                                                        \
	BLOCK(2, ROWS2, STEP, LOADB1, TIMES1, UPDATE1, WRITE1, one2Step, one2Write, one2Next, one1);         \
one1:                                                                                                        \
	LASTROW(LOADB1, TIMES1, UPDATE1, WRITE1, one1Step, one1Write, one1Next);                             \
two:                                                                                                         \
	EIGHTS(two, LOADB2, TIMES2, UPDATE2, WRITE2, two8Step, two8Write, two8Next, two4);                   \
two4:                                                                                                        \
	BLOCK(4, ROWS4, STEP, LOADB2, TIMES2, UPDATE2, WRITE2, two4Step, two4Write, two4Next, two2);         \
	AGAIN(two4);                                                                                         \
two2:                                                                                                        \
	BLOCK(2, ROWS2, STEP, LOADB2, TIMES2, UPDATE2, WRITE2, two2Step, two2Write, two2Next, two1);         \
two1:                                                                                                        \
	LASTROW(LOADB2, TIMES2, UPDATE2, WRITE2, two1Step, two1Write, two1Next);                             \
three:                                                                                                       \
	EIGHTS(three, LOADB3, TIMES3, UPDATE3, WRITE3, three8Step, three8Write, three8Next, three4);         \
three4:                                                                                                      \
	BLOCK(4, ROWS4, STEP, LOADB3, TIMES3, UPDATE3, WRITE3, three4Step, three4Write, three4Next, three2); \
	AGAIN(three4);                                                                                       \
three2:                                                                                                      \
	BLOCK(2, ROWS2, STEP, LOADB3, TIMES3, UPDATE3, WRITE3, three2Step, three2Write, three2Next, three1); \
three1:                                                                                                      \
	LASTROW(LOADB3, TIMES3, UPDATE3, WRITE3, three1Step, three1Write, three1Next);                       \
done:
