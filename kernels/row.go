package kernels

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Row sets dst[i] = k(x, z[i]) for the rows of z (m×d), without allocating: what a
// prediction of a single row wants, where Cross would first prepare both sides. The
// values agree with Cross's to rounding. Cost O(md). It panics unless x has d entries and
// dst m. Nothing is checked: the kernel is valid, and what overflows is not finite in dst.
func Row(dst []float64, k Kernel, x []float64, z *mat.Dense) {
	if m, _ := z.Dims(); m != len(dst) {
		panic("kernels: Row: dst has not as many entries as z has rows")
	}
	if rbf, ok := k.(RBF); ok {
		for i := range dst {
			row := z.RawRowView(i)
			checkLen(x, row)
			dst[i] = vecmath.SquaredDistance(x, row)
		}
		vecmath.Exp(dst, -rbf.gamma(), dst)
		return
	}
	for i := range dst {
		dst[i] = k.Eval(x, z.RawRowView(i))
	}
}
