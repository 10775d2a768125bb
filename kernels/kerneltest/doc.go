// Package kerneltest is the contract of kernels and of families of kernels as a
// suite of checks that runs on any of them, of this module or not:
//
//	func TestMyKernel(t *testing.T) {
//		kerneltest.Kernel(t, mykernels.Cauchy{Gamma: 2}, &kerneltest.Options{
//			Formula: func(x, z []float64) float64 { ... }, // written out naively
//		})
//	}
//
// Every check is a subtest with the check's name, so
//
//	go test -run 'TestMyKernel/.*/block-equals-eval'
//
// runs a single one. Run the suite with -race too: the check concurrent is what
// gives the race detector something to see. Checks lists the checks with a
// sentence for each. A capability that the kernel lacks is skipped and says so, as
// is what Options.Skip names with a reason. At the end a Table shows every kernel
// against every check; several share one through Options.Table.
package kerneltest
