// Package kerneltest contains the contract of kernels and of families of kernels as a suite of checks, for types of this module and
// for third-party types:
//
//	func TestMyKernel(t *testing.T) {
//		kerneltest.Kernel(t, mykernels.Cauchy{Gamma: 2}, &kerneltest.Options{
//			Formula: func(x, z []float64) float64 { ... }, // the plain formula
//		})
//	}
//
// Every check is a subtest with the check's name, so
//
//	go test -run 'TestMyKernel/.*/block-equals-eval'
//
// runs a single one. Run the suite with -race too, since the check concurrent relies on it. Checks lists the checks, with a
// sentence about each. If the kernel lacks a capability, the checks of the capability are skipped with a message. Checks for which
// Options.Skip gives a reason are skipped, too. At the end a Table shows every kernel and every check; several tests share one
// through Options.Table.
package kerneltest
