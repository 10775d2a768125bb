package kernels

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Categorical is a kernel of categories, of whose codes only equality counts:
//
//	k(x, z) = exp(-Σ 1/l[j]),   the sum over the columns with x[j] ≠ z[j]
//
// It is the product of a factor for each column: 1 for equal categories, and exp(-1/l) for any two that differ. So the
// cost does not depend on the number of categories, and one that was never seen differs from all others. It is positive
// definite. For categories beside numbers, use a [Product] of [Columns].
//
// Params are "length[j]", which have no unit.
//
// See also [Columns], [Product].
type Categorical struct {
	// Lengths has a length l > 0 for each column. A column with a large length has little effect.
	Lengths []float64
}

var _ interface {
	Differentiable
	compiler
	Validator
	ColumnValidator
} = Categorical{}

// Eval returns k(x, z). It panics unless both rows have a length for each column. The cost is O(d).
func (k Categorical) Eval(x, z []float64) float64 {
	checkLen(x, z)
	blocks.CheckColumns(len(x), len(k.Lengths))
	s := 0.0
	for j, v := range x {
		if v != z[j] {
			s += 1 / k.Lengths[j]
		}
	}
	return math.Exp(-s)
}

// String returns, for example, "Categorical(lengths=[1 0.5])". Of more than eight lengths it has the first three and a
// digest of all.
func (k Categorical) String() string {
	return fmt.Sprintf("Categorical(lengths=%s)", numeral.List(k.Lengths))
}

// Validate returns an ErrParam error unless there is a length, and each is positive and finite and so is one over it.
func (k Categorical) Validate() error { return validateLengths("Categorical", "Lengths", k.Lengths) }

// ValidateColumns returns an ErrShape error unless rows have a length for each column.
func (k Categorical) ValidateColumns(d int) error {
	if want := len(k.Lengths); d != want {
		return fault.Shape("rows have", d, "columns", "Categorical has lengths of %d", want)
	}
	return nil
}

// Params implements [Differentiable].
func (k Categorical) Params() []Param {
	out := make([]Param, len(k.Lengths))
	for j, l := range k.Lengths {
		out[j] = Param{Name: fmt.Sprintf("length[%d]", j), Kind: KindShape, Columns: []int{j}, Value: l}
	}
	return out
}

// WithParams implements [Differentiable].
func (k Categorical) WithParams(values []float64) Kernel {
	checkParams(k, len(values), len(k.Lengths))
	return Categorical{Lengths: slices.Clone(values)}
}

// EvalGradient implements [Differentiable]: ∂k/∂ ln l[j] = k/l[j] where x[j] ≠ z[j].
func (k Categorical) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

func (k Categorical) compile(l *blocks.Layout) blocks.Part {
	return l.Categories(blocks.Lengths{Of: k.Lengths}.Inverse(nil))
}
