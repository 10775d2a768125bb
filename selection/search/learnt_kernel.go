package search

import (
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/kernels"
)

// LearntKernel returns the ARD of the kernel base with the given values of its parameters. The first values are the lengths of all
// columns. The argument categories lists the categorical columns.
func LearntKernel(base kernels.Kernel, values []float64, categories []int) (kernels.ARD, error) {
	var none kernels.ARD
	d := len(values) - len(kernels.ARD{Kernel: base, Lengths: []float64{1}}.Params()) + 1
	if d < 1 {
		return none, fmt.Errorf("%d, want a length for each column and what else %v has", len(values), base)
	}
	k := kernels.ARD{Kernel: base, Lengths: slices.Repeat([]float64{1}, d), Categories: categories}.WithParams(values).(kernels.ARD)
	return k, kernels.Validate(k)
}
