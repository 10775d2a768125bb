// Package categorical adapts families of kernels to categories, for searches with one length for all columns.
package categorical

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

// Family is a family for rows with categorical columns, whose values are only compared for equality. Different levels have a fixed
// distance, which does not depend on the parameter. With this distance, the mean squared distance of two rows in the column equals
// that of a column with unit standard deviation.
type Family struct {
	families.Family
	lengths    []float64 // per column; 1 for numeric columns
	categories []int
}

// New returns the family for rows like those of x, whose categorical columns are given.
func New(family families.Family, x *mat.Dense, categories []int) Family {
	out := Family{family, make([]float64, x.RawMatrix().Cols), categories}
	for j := range out.lengths {
		out.lengths[j] = 1
	}
	for _, j := range categories {
		if differ := distinct.Differ(mat.Col(nil, j, x)); differ > 0 {
			out.lengths[j] = math.Sqrt(differ / 2)
		}
	}
	return out
}

// Families applies New to each family. Without categories it returns the families unchanged.
func Families(of []families.Family, x *mat.Dense, categories []int) []families.Family {
	if len(categories) == 0 {
		return of
	}
	out := make([]families.Family, len(of))
	for i, f := range of {
		out[i] = New(f, x, categories)
	}
	return out
}

// Kernel returns a [kernels.ARD] around the kernel of the family.
func (f Family) Kernel(param float64) kernels.Kernel { return f.ard(param) }

func (f Family) ard(param float64) kernels.ARD {
	return kernels.ARD{Kernel: f.Family.Kernel(param), Lengths: f.lengths, Categories: f.categories}
}

// Start returns the initial parameter of the inner family, on rows whose categories are replaced with numbers of unit standard
// deviation.
func (f Family) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	given, err := check.Dense("x", x)
	if err != nil {
		return 0, err
	}
	numbers := mat.DenseCopyOf(given)
	for _, j := range f.categories {
		numbers.SetCol(j, spreadLevels(mat.Col(nil, j, given)))
	}
	return f.Family.Start(ctx, numbers)
}

// Values returns the values of all parameters of the kernel.
func (f Family) Values(param float64) (out []float64) {
	for _, p := range f.ard(param).Params() {
		out = append(out, p.Value)
	}
	return out
}

// spreadLevels numbers the codes so that the column has unit standard deviation, or is constant.
func spreadLevels(codes []float64) []float64 {
	levels, out := map[float64]float64{}, make([]float64, len(codes))
	for i, v := range codes {
		if _, ok := levels[v]; !ok {
			levels[v] = float64(len(levels))
		}
		out[i] = levels[v]
	}
	if _, deviation := stat.PopMeanStdDev(out, nil); deviation > 0 {
		floats.Scale(1/deviation, out)
	}
	return out
}
