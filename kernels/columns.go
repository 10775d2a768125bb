package kernels

import (
	"fmt"
	"slices"
	"sync"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Columns is a kernel that uses only some columns of the rows. In a [Sum] or a [Product] of such kernels, each set of columns can
// have its own kernel, for example a periodic one for the time and another for all other columns. For a sum over single columns,
// use [Additive].
//
// Params are the parameters of Kernel. Their Columns refer to the complete rows.
//
// See also [Additive], [Sum].
type Columns struct {
	// Of lists the distinct indices of the columns, in the order in which Kernel receives them.
	Of     []int
	Kernel Kernel
}

var _ columnKernel = Columns{}

// Eval returns the value of Kernel for the selected columns of x and z. It panics if the rows have too few columns.
func (k Columns) Eval(x, z []float64) float64 {
	checkLen(x, z)
	s := columnsPool.Get().(*[2][]float64)
	defer columnsPool.Put(s)
	s[0], s[1] = k.appendTo(s[0][:0], x), k.appendTo(s[1][:0], z)
	return k.Kernel.Eval(s[0], s[1])
}

var columnsPool = sync.Pool{New: func() any { return new([2][]float64) }}

func (k Columns) appendTo(dst, row []float64) []float64 {
	for _, j := range k.Of {
		dst = append(dst, row[j])
	}
	return dst
}

// String returns, for example, "Columns([0 3], RBF(gamma=1))".
func (k Columns) String() string { return fmt.Sprintf("Columns(%s, %v)", numeral.List(k.Of), k.Kernel) }

// Validate returns an ErrParam error unless Of holds at least one index, and all indices are distinct and not negative. Otherwise
// it returns the error of Kernel.
func (k Columns) Validate() error {
	seen := make(map[int]bool, len(k.Of))
	for i, j := range k.Of {
		if j < 0 || seen[j] {
			return fault.Param("kernels: Columns", fmt.Sprintf("Of[%d]", i), j, "the index of a column, each once")
		}
		seen[j] = true
	}
	if len(k.Of) == 0 {
		return fault.Param("kernels: Columns", "Of", "none", "the index of at least one column")
	}
	return validate(k.Kernel, len(k.Of))
}

// ValidateColumns returns an ErrShape error unless rows of d columns have all columns that Of lists.
func (k Columns) ValidateColumns(d int) error {
	if last := slices.Max(k.Of); d <= last {
		return fault.Shape("rows have", d, "columns", "Columns uses the column of index %d", last)
	}
	return nil
}

// Params implements Differentiable.
func (k Columns) Params() []Param {
	params := paramsOf(k.Kernel)
	for i, p := range params {
		columns := slices.Clone(k.Of)
		if p.Columns != nil {
			columns = columns[:0]
			for _, j := range p.Columns {
				columns = append(columns, k.Of[j])
			}
		}
		slices.Sort(columns)
		params[i].Columns = columns
	}
	return params
}

// WithParams implements Differentiable.
func (k Columns) WithParams(values []float64) Kernel {
	checkParams(k, len(values), len(paramsOf(k.Kernel)))
	return Columns{Of: k.Of, Kernel: withParamsOf(k.Kernel, values)}
}

// EvalGradient implements Differentiable.
func (k Columns) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SpectralDensity implements Spectral with the frequencies of Kernel, and 0 in other columns.
func (k Columns) SpectralDensity() (SpectralDensity, error) {
	inner, err := SpectralDensityOf(k.Kernel)
	if err != nil {
		return SpectralDensity{}, fmt.Errorf("kernels: Columns: %w", err)
	}
	d := len(k.Of)
	return SpectralDensity{
		Variance: inner.Variance,
		Uniforms: func(int) int { return inner.Uniforms(d) },
		Frequency: func(w, u []float64) {
			clear(w)
			of := make([]float64, d)
			inner.Frequency(of, u)
			for i, j := range k.Of {
				w[j] = of[i]
			}
		},
	}, nil
}

func (k Columns) compile(l *blocks.Layout) blocks.Part { return l.Columns(k.Of, part(k.Kernel)) }
