// The instructions here that Go's assembler has no name for are given as words; the script
// .ci/words has them read by its disassembler.

// FMUL Vd.2D, Vn.2D, Vm.2D
#define FMUL2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))

// FADD Vd.2D, Vn.2D, Vm.2D
#define FADD2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))

// FADDP Dd, Vn.2D
#define FADDP2(n, d) WORD $(0x7E70D800 | (n)<<5 | (d))
