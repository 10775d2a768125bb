package kernels

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Periodic is a kernel for functions that are periodic in each column:
//
//	k(x, z) = exp(-2 Σ sin²(π(x[j]-z[j])/p[j]) / l[j]²)
//
// It is positive definite, since it is an RBF of the columns mapped to points on circles (D. J. C. MacKay, Introduction to Gaussian
// Processes, 1998, section 5.2). The periods are in the units of the features. The lengths have no unit. A small length permits
// fast changes within a period. For a season that changes over the years, use a [Product] with an RBF or a Matern.
//
// See also [RBF], [Product].
type Periodic struct {
	// Periods holds the period p > 0 of each column, or one for all columns. If it is nil, all are 1.
	Periods []float64

	// Lengths holds the length l > 0 of each column, or one for all columns. If it is nil, all are 1.
	Lengths []float64
}

var _ interface {
	Differentiable
	compiler
	Validator
	ColumnValidator
} = Periodic{}

// Eval returns k(x, z). The cost is O(d) sines.
func (k Periodic) Eval(x, z []float64) float64 {
	checkLen(x, z)
	sum := 0.0
	for j, v := range x {
		s := math.Sin(math.Pi*(v-z[j])/blocks.ColumnValue(k.Periods, j)) / blocks.ColumnValue(k.Lengths, j)
		sum += s * s
	}
	return math.Exp(-2 * sum)
}

// String returns, for example, "Periodic(periods=[12], lengths=[1])".
func (k Periodic) String() string {
	return fmt.Sprintf("Periodic(periods=%s, lengths=%s)", numeral.List(orOne(k.Periods)), numeral.List(orOne(k.Lengths)))
}

func orOne(values []float64) []float64 {
	if len(values) == 0 {
		return []float64{1}
	}
	return values
}

// Validate returns an ErrParam error unless all periods and lengths are positive and finite. If there are several periods and
// several lengths, their numbers must be equal.
func (k Periodic) Validate() error {
	if err := validateLengths("Periodic", "Periods", orOne(k.Periods)); err != nil {
		return err
	}
	if err := validateLengths("Periodic", "Lengths", orOne(k.Lengths)); err != nil {
		return err
	}
	if p, l := len(k.Periods), len(k.Lengths); p > 1 && l > 1 && p != l {
		return fault.Param("kernels: Periodic", "len(Lengths)", l, fmt.Sprintf("1, or %d, as many as Periods", p))
	}
	return nil
}

// ValidateColumns returns an ErrShape error if there are several periods or lengths, but not one for each of d columns.
func (k Periodic) ValidateColumns(d int) error {
	if want := max(len(k.Periods), len(k.Lengths)); want > 1 && d != want {
		return fault.Shape("rows have", d, "columns", "Periodic has periods or lengths for %d", want)
	}
	return nil
}

// Params returns the lengths and the periods: "length[j]" and "period[j]", or "length" and "period" if one applies to all columns.
func (k Periodic) Params() []Param {
	return append(vectorParams("length", KindShape, k.Lengths), vectorParams("period", KindPeriod, k.Periods)...)
}

func vectorParams(name string, kind ParamKind, values []float64) []Param {
	if len(values) <= 1 {
		return []Param{{Name: name, Kind: kind, Value: blocks.ColumnValue(values, 0)}}
	}
	out := make([]Param, len(values))
	for j, v := range values {
		out[j] = Param{Name: fmt.Sprintf("%s[%d]", name, j), Kind: kind, Columns: []int{j}, Value: v}
	}
	return out
}

// WithParams returns the Periodic with other lengths and periods.
func (k Periodic) WithParams(values []float64) Kernel {
	n := max(len(k.Lengths), 1)
	checkParams(k, len(values), n+max(len(k.Periods), 1))
	return Periodic{Lengths: slices.Clone(values[:n]), Periods: slices.Clone(values[n:])}
}

// EvalGradient implements Differentiable. With D = x[j]-z[j] the derivative is 4k sin²(πD/p)/l² with respect to ln l[j], and k
// 2πD/(pl²) sin(2πD/p) with respect to ln p[j].
func (k Periodic) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

func (k Periodic) compile(l *blocks.Layout) blocks.Part { return l.Circles(k.Lengths, k.Periods) }
