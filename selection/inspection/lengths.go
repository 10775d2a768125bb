package inspection

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/kernels"
)

// lengths returns that of each feature, NaN where none was learnt or a column of what the
// kernel sees depends on several features.
func (t *table) lengths(e any) ([]float64, error) {
	out := make([]float64, len(t.features)) // of 1/length², until the end
	for _, m := range modelsOf(e) {
		own, err := t.rates(m)
		if err != nil {
			return nil, err
		}
		for i, v := range own {
			out[i] += m.share * v
		}
	}
	for i, v := range out {
		out[i] = 1 / math.Sqrt(v)
	}
	return out, nil
}

// rates returns Σ variance/l² over the columns that each feature moves.
func (t *table) rates(m model) ([]float64, error) {
	out := make([]float64, len(t.features))
	known, ok := m.estimator.(interface{ ChosenKernel() kernels.Kernel })
	var of []float64
	if ok {
		of = lengthsOf(known.ChosenKernel())
	}
	if of == nil {
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
	n, _ := z.Dims()
	column := make([]float64, n)
	for c, l := range of {
		rate := 0.0
		if n > 1 {
			rate = stat.Variance(mat.Col(column, c, z), nil) / (l * l)
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

// owners returns for each column that a model sees the features that move it.
func (t *table) owners(m model) ([][]int, error) {
	before, err := m.transform(t.drawn)
	if err != nil {
		return nil, err
	}
	before = mat.DenseCopyOf(before) // the identity gives the very rows
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
					moves[c] = moves[c] || v != b[c]
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

// lengthsOf returns the length of each column that a kernel sees, nil where it has none.
func lengthsOf(k kernels.Kernel) []float64 {
	switch k := k.(type) {
	case kernels.Additive:
		return k.Lengths
	case kernels.ARD:
		if k.Groups == nil {
			return k.Lengths
		}
		out := make([]float64, len(k.Groups))
		for j, g := range k.Groups {
			out[j] = k.Lengths[g]
		}
		return out
	}
	return nil
}
