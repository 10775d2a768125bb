package inspection

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// feature is a column or a set of related columns.
type feature struct {
	name    string
	columns []int
	// levels lists the names of a category's columns, nil for numbers.
	levels []string
}

// leastCopied is the smallest number of rows with which equal columns count as copies. With fewer rows they may be equal by chance.
const leastCopied = 10

// featuresOf returns the features: the categories, the sets of copies, and all other columns.
func featuresOf(x *mat.Dense, names []string) (out []feature) {
	count := map[string]int{}
	for _, name := range names {
		if category, _, ok := strings.Cut(name, "="); ok {
			count[category]++
		}
	}
	at := map[string]int{}      // index of a category in out
	shapes := make([]column, 0) // one per feature
	for j, name := range names {
		category, level, ok := strings.Cut(name, "=")
		if ok && count[category] > 1 {
			i, known := at[category]
			if !known {
				i = len(out)
				at[category] = i
				out, shapes = append(out, feature{name: category}), append(shapes, nil)
			}
			out[i].columns, out[i].levels = append(out[i].columns, j), append(out[i].levels, level)
			continue
		}
		var shape column
		if x.RawMatrix().Rows >= leastCopied {
			shape = standardised(x, j)
		}
		if i := slices.IndexFunc(shapes, shape.copies); i >= 0 {
			out[i].columns = append(out[i].columns, j)
			out[i].name += ", " + name
			continue
		}
		out, shapes = append(out, feature{name: name, columns: []int{j}}), append(shapes, shape)
	}
	return out
}

// column is a standardised column, with the sign that makes copies in other units equal. A gap is NaN. It is nil for a constant.
type column []float64

func standardised(x *mat.Dense, j int) column {
	out := column(mat.Col(nil, j, x))
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range out {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !(low < high) {
		return nil
	}
	// Scale the values to [0, 1] first, so that nothing overflows.
	half, count, mean := high/2-low/2, 0.0, 0.0
	for i, v := range out {
		out[i] = (v/2 - low/2) / half
		if !math.IsNaN(v) {
			mean, count = mean+out[i], count+1
		}
	}
	mean /= count
	square := 0.0
	for i, v := range out {
		out[i] = v - mean
		if !math.IsNaN(v) {
			square += out[i] * out[i]
		}
	}
	scale := 1 / math.Sqrt(square/count)
	// The sign is chosen so that the first value that clearly differs from the mean is positive.
	if i := slices.IndexFunc(out, func(v float64) bool { return math.Abs(v*scale) > 0.1 }); i >= 0 && out[i] < 0 {
		scale = -scale
	}
	for i := range out {
		out[i] *= scale
	}
	return out
}

// copies reports whether both columns are equal up to units and rounding.
func (c column) copies(other column) bool {
	const rounding = 1e-9
	return c != nil && other != nil && slices.EqualFunc(c, other, func(a, b float64) bool {
		return math.Abs(a-b) <= rounding || math.IsNaN(a) && math.IsNaN(b)
	})
}

// point holds a value for each column of a feature, and the fraction of rows that it represents.
type point struct {
	values []float64
	share  float64
}

// grid returns the points of a feature in the order of its first column or of its levels. It returns no points if there are only
// gaps.
func (t *inspected) grid(f feature) []point {
	n, _ := t.x.Dims()
	var rows [][]float64
	for i := range n {
		if v := pick(t.x.RawRowView(i), f.columns); !slices.ContainsFunc(v, math.IsNaN) {
			rows = append(rows, v)
		}
	}
	slices.SortFunc(rows, slices.Compare)
	all := differentOf(rows)
	if f.levels != nil {
		slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(b.share, a.share) })
		all = all[:min(t.Points, len(all))]
		slices.SortFunc(all, func(a, b point) int { return slices.Compare(b.values, a.values) }) // start with the level of the first column
		left := 0.0
		for _, p := range all {
			left += p.share
		}
		for i := range all {
			all[i].share /= left
		}
		return all
	}
	if len(all) <= t.Points {
		return all
	}
	at := make([][]float64, t.Points)
	for g := range at {
		at[g] = rows[(2*g+1)*len(rows)/(2*t.Points)]
	}
	return differentOf(at)
}

// pick returns the values of a row in the given columns.
func pick(row []float64, columns []int) []float64 {
	out := make([]float64, len(columns))
	for i, j := range columns {
		out[i] = row[j]
	}
	return out
}

// differentOf returns a point for each distinct row. The rows must be sorted.
func differentOf(rows [][]float64) (out []point) {
	for _, v := range rows {
		if len(out) == 0 || !slices.Equal(out[len(out)-1].values, v) {
			out = append(out, point{values: v})
		}
		out[len(out)-1].share += 1 / float64(len(rows))
	}
	return out
}

// moved sets dst to the sampled rows with the values of a point in a feature's columns.
func (t *inspected) moved(dst *mat.Dense, f feature, p point) {
	dst.Copy(t.drawn)
	m, _ := dst.Dims()
	for i := range m {
		row := dst.RawRowView(i)
		for c, j := range f.columns {
			row[j] = p.values[c]
		}
	}
}

// level returns the name of a category's level at a point.
func (f feature) level(p point) string {
	var of []string
	for c, v := range p.values {
		if v != 0 {
			of = append(of, f.levels[c])
		}
	}
	if of == nil {
		return "none"
	}
	return strings.Join(of, "+")
}
