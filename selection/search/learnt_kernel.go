package search

import (
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/kernels"
)

// LearntKernel returns the ARD kernel with the given parameters around base. The lengths of all columns come first, and some
// columns are categories.
func LearntKernel(base kernels.Kernel, values []float64, categories []int) (kernels.ARD, error) {
	var none kernels.ARD
	d := len(values) - len(kernels.ARD{Kernel: base, Lengths: []float64{1}}.Params()) + 1
	if d < 1 {
		return none, fmt.Errorf("%d, want a length for each column and what else %v has", len(values), base)
	}
	k := kernels.ARD{Kernel: base, Lengths: slices.Repeat([]float64{1}, d), Categories: categories}.WithParams(values).(kernels.ARD)
	return k, kernels.Validate(k)
}
