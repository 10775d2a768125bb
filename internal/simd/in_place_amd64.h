// What in_place12_amd64.s and in_place24_amd64.s share. SI is the first row of A of a block, R8 and R9 are the
// distance of its rows and three times that in bytes, R12 is that of its columns; R14 walks over the columns. BX
// walks over the rows of B, R13 apart; DI is the first row of a block of C, DX the distance of these. R11
// counts the rows that are left, CX the steps. R10 is 0 if C is overwritten.
//
// A strip of B is one, two or three registers wide; of the last of these a mask says which numbers are the strip's.
// Each element goes through the operations of the packed kernels, in their order.

// STEP ends a step of the inner dimension.
#define STEP \
	ADDQ R12, R14; \
	ADDQ R13, BX;  \
	DECQ CX

// PRODUCT computes a block of C from the first step on. rows(do) does something for each row of the block, load
// reads a row of the strip, times adds its products to the sums, update and write put the sums into C.
#define PRODUCT(rows, step, load, times, update, write, loop, overwrite, next) \
	BEGIN;               \
	rows(ZERO);          \
loop:                        \
	load;                \
	rows(times);         \
	step;                \
	JNZ   loop;          \
	FACTORS;             \
	TESTQ R10, R10;      \
	JZ    overwrite;     \
	rows(update);        \
	JMP   next;          \
overwrite:                   \
	rows(write);         \
next:

// BLOCK computes a block of count rows, or jumps to fewer if not so many are left.
#define BLOCK(count, rows, step, load, times, update, write, loop, overwrite, next, fewer) \
	CMPQ R11, $count;                                                            \
	JLT  fewer;                                                                  \
	PRODUCT(rows, step, load, times, update, write, loop, overwrite, next); \
	SUBQ $count, R11;                                                            \
	LEAQ (SI)(R8*count), SI

// LASTROW computes the row that is left, if there is one.
#define LASTROW(load, times, update, write, loop, overwrite, next) \
	TESTQ R11, R11;                                                     \
	JZ    done;                                                         \
	PRODUCT(ROWS1, STEP, load, times, update, write, loop, overwrite, next); \
	SUBQ  $1, R11;                                                      \
	JMP   done
