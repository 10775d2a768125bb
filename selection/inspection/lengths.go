package inspection

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/kernels"
)

// lengths returns the length of each feature. It is NaN if no length was learnt, or if a column that the kernel sees depends on
// several features. A model with one length for all columns is left out unless all models have one.
func (t *inspected) lengths(e any) ([]float64, error) {
	models := modelsOf(e)
	if own := slices.DeleteFunc(slices.Clone(models), hasOneLength); len(own) > 0 {
		models = own
	}
	total := 0.0
	out := make([]float64, len(t.features)) // holds 1/length² until the end
	for _, m := range models {
		own, err := t.rates(m)
		if err != nil {
			return nil, err
		}
		for i, v := range own {
			out[i] += m.share * v
		}
		total += m.share
	}
	for i, v := range out {
		out[i] = 1 / math.Sqrt(v/total)
	}
	return out, nil
}

// hasOneLength reports whether the kernel of a model has several columns, all with the same length.
func hasOneLength(m model) bool {
	known, ok := m.estimator.(interface{ ChosenKernel() kernels.Kernel })
	if !ok {
		return false
	}
	k, ok := known.ChosenKernel().(kernels.ARD)
	return ok && len(k.Lengths) > 1 && slices.Min(k.Lengths) == slices.Max(k.Lengths)
}

// rates returns, for each feature, Σ variance/l² over the columns that the feature moves. It returns NaN if the kernel has no
// length.
func (t *inspected) rates(m model) ([]float64, error) {
	out := make([]float64, len(t.features))
	known, ok := m.estimator.(interface{ ChosenKernel() kernels.Kernel })
	if !ok || !hasLength(known.ChosenKernel()) {
		for i := range out {
			out[i] = math.NaN()
		}
		return out, nil
	}
	z, err := m.transform(t.x)
	if err != nil {
		return nil, err
	}
	owners, err := t.owners(m)
	if err != nil {
		return nil, err
	}
	n, width := z.Dims()
	column := make([]float64, n)
	a, _ := known.ChosenKernel().(kernels.ARD)
	for c, l := range lengthsOf(known.ChosenKernel(), width) {
		rate := 0.0
		if mat.Col(column, c, z); n > 1 && slices.Contains(a.Categories, c) {
			rate = distinct.Differ(column) / 2 / (l * l)
		} else if n > 1 {
			rate = stat.Variance(column, nil) / (l * l)
		}
		for _, i := range owners[c] {
			if len(owners[c]) > 1 {
				rate = math.NaN()
			}
			out[i] += rate
		}
	}
	return out, nil
}

// owners returns, for each column that a model sees, the features that move it.
func (t *inspected) owners(m model) ([][]int, error) {
	before, err := m.transform(t.drawn)
	if err != nil {
		return nil, err
	}
	before = mat.DenseCopyOf(before) // the identity does not copy its argument
	_, width := before.Dims()
	out := make([][]int, width)
	rows := mat.DenseCopyOf(t.drawn)
	for i, f := range t.features {
		moves := make([]bool, width)
		for _, p := range t.grid(f) {
			t.moved(rows, f, p)
			after, err := m.transform(rows)
			if err != nil {
				return nil, err
			}
			for r := range before.RawMatrix().Rows {
				b := before.RawRowView(r)
				for c, v := range after.RawRowView(r) {
					moves[c] = moves[c] || v != b[c] && !(math.IsNaN(v) && math.IsNaN(b[c]))
				}
			}
		}
		for c, moved := range moves {
			if moved {
				out[c] = append(out[c], i)
			}
		}
	}
	return out, nil
}

// hasLength reports whether a kernel has lengths, one for each column or one for all columns.
func hasLength(k kernels.Kernel) bool {
	switch k := k.(type) {
	case kernels.Additive, kernels.ARD:
		return true
	default:
		return common(k) > 0
	}
}

// lengthsOf returns the length of each column of a kernel with lengths.
func lengthsOf(k kernels.Kernel, width int) []float64 {
	out := make([]float64, width)
	switch k := k.(type) {
	case kernels.Additive:
		floats.AddScaled(out, inner(k.Kernel), k.Lengths)
	case kernels.ARD:
		for j := range out {
			g := j
			if k.Groups != nil {
				g = k.Groups[j]
			}
			out[j] = k.Lengths[g] * inner(k.Kernel)
		}
	default:
		floats.AddConst(common(k), out)
	}
	return out
}

// inner returns the factor by which the kernel inside an ARD multiplies the lengths.
func inner(k kernels.Kernel) float64 { return cmp.Or(common(k), 1) }

// common returns the common length of a kernel of the distance, or 0 if it has none.
func common(k kernels.Kernel) float64 {
	d, ok := k.(interface {
		kernels.Differentiable
		kernels.Radial
	})
	if !ok {
		return 0
	}
	for _, p := range d.Params() {
		if p.Kind == kernels.KindLength {
			return p.Value
		}
	}
	return 0
}
