package columnwise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
)

const (
	targetEncoderName = "columnwise: TargetEncoder"
	// defaultFolds is the number of folds in a TargetEncoder whose Folds is 0.
	defaultFolds = 5
	foldStream   = 0x666f6c6473 // stream of the random numbers: "folds"
)

// TargetEncoder replaces a category code with the mean target of the rows of the level, shrunk towards the mean of all rows. It
// is for columns with many levels, such as names, which a [OneHot] would convert to as many columns. A level that is missing
// from the training rows is replaced with the mean of all rows. NaN is a separate level. Columns that are not encoded are not
// changed.
//
// With numbers as targets, or with two classes, a column stays one column. With k > 2 classes or k targets it becomes k columns.
// The mean of a level of n rows has the weight n/(n + m), and the mean of all rows has the remaining weight. If Smoothing is 0,
// m is the variance within the levels divided by the variance of their means, where both are estimated by the moments of the
// analysis of variance. The result is then the best linear prediction of the random effect of a category.
//
// If the mean of a level included the target of the row itself, an estimator that is fitted to these means would rely on them
// too much. FitTransformTargets therefore divides the rows into Folds. The rows to which a pipeline's estimator is fitted contain
// means over all other folds. Transform uses the means over all training rows.
//
// The targets come from the pipeline or search that contains the encoder. Fit receives none and returns an error that wraps
// errors.ErrUnsupported. The zero value encodes every column. FitTransformTargets costs O(n(log n + Folds·k)) for a column,
// Transform O(log L) for a column of L levels.
//
// Source: D. Micci-Barreca, "A preprocessing scheme for high-cardinality categorical attributes in classification and prediction
// problems", SIGKDD Explorations 3(1), 2001; S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components", 1992, for the
// moments.
//
// See also [OneHot].
type TargetEncoder struct {
	// Columns lists the positions of the columns to encode, ascending. If it is nil, all are encoded.
	Columns []int

	// Smoothing is m, in rows. If it is 0, it is estimated for each column and target.
	Smoothing float64 `zero:"an estimate for each column and target"`

	// Folds is the number of folds, at most the number of rows. If it is 0, 5 is used.
	Folds int `zero:"5" least:"2"`

	// Seed is the seed for the rows of each fold.
	Seed uint64

	learned[targetEncoderModel]
}

type targetEncoderModel struct {
	Width   int
	Targets int            // number of columns for each encoded column
	Columns []int          // the encoded columns
	Values  []codec.Floats // their levels, in ascending order, NaN last
	Means   []codec.Floats // mean targets of each level, all those of a level together
	Unseen  codec.Floats   // the means over all rows, one for each target
}

// Fit returns an error that wraps errors.ErrUnsupported, because the encoder needs targets.
func (e *TargetEncoder) Fit(ctx context.Context, _ mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(targetEncoderName, e); err != nil {
		return err
	}
	return fmt.Errorf("%s: Fit has no targets, but this transformer needs them: make it a step of a pipeline or of a search, "+
		"or use FitTransformTargets: %w", targetEncoderName, errors.ErrUnsupported)
}

// FitTransformTargets implements transformers.TargetFitter.
func (e *TargetEncoder) FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (out *mat.Dense, err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(targetEncoderName, e); err != nil {
		return nil, err
	}
	m := &targetEncoderModel{Columns: slices.Clone(e.Columns)}
	gap := m.HasGap
	if e.Columns == nil {
		gap = check.Anywhere
	}
	err = e.state.Learn(ctx, x, gap, func(x *mat.Dense) (*targetEncoderModel, error) {
		y, err := check.Dense("targets", targets)
		if err != nil {
			return nil, err
		}
		n, d := x.Dims()
		rows, k := y.Dims()
		if err := cmp.Or(check.Rows("targets", rows, n), m.choose(e.Columns, d, k)); err != nil {
			return nil, err
		}
		if err := check.Numbers("the encoded rows", float64(n)*float64(m.width()), "encode fewer columns"); err != nil {
			return nil, err
		}
		out = mat.NewDense(n, m.width(), nil)
		folds, count := e.folds(n)
		all := rowsWithout{folds, -1}
		means := newCategoryMeans(y, e.Smoothing)
		m.Unseen = means.overall(all)
		floats.Mul(m.Unseen, means.unit)
		column, at := make([]float64, n), make([]int, n)
		to, next := 0, 0
		for j := range d {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			mat.Col(column, j, x)
			if next == len(m.Columns) || m.Columns[next] != j {
				out.SetCol(to, column)
				to++
				continue
			}
			next++
			values := levels(slices.Clone(column))
			for i, v := range column {
				at[i] = position(values, v)
			}
			m.Values = append(m.Values, values)
			m.Means = append(m.Means, means.encode(at, len(values), all))
			for f := range count {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				others := means.encode(at, len(values), rowsWithout{folds, f})
				for i, own := range folds {
					if own == f {
						copy(out.RawRowView(i)[to:to+k], others[at[i]*k:])
					}
				}
			}
			to += k
		}
		return m, nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// folds returns the fold of each row, and the number of folds.
func (e *TargetEncoder) folds(n int) (fold []int, count int) {
	count, fold = min(cmp.Or(e.Folds, defaultFolds), n), make([]int, n)
	for i, row := range rand.New(rand.NewPCG(e.Seed, foldStream)).Perm(n) {
		fold[row] = i % count
	}
	return fold, count
}

// choose selects which of the d columns are encoded, each to k columns.
func (m *targetEncoderModel) choose(columns []int, d, k int) error {
	m.Width, m.Targets = d, k
	if columns == nil {
		m.Columns = make([]int, d)
		for j := range d {
			m.Columns[j] = j
		}
	}
	if validColumns(m.Columns, d) != nil {
		return fault.Param(targetEncoderName, "Columns", columns, fmt.Sprintf("ascending and in [0, %d), the columns of x", d))
	}
	if float64(d)*float64(k) > mostColumns {
		return fmt.Errorf("%s: %d columns of %d targets, limit %d columns: %w", targetEncoderName, d, k, mostColumns, fault.ErrTooLarge)
	}
	return nil
}

// levelMeans computes the mean targets of the levels of a category.
type levelMeans struct {
	y         *mat.Dense // n×k, in units
	unit      []float64  // k
	smoothing float64
}

// rowsWithout holds the rows outside a fold, or all rows if the fold is -1.
type rowsWithout struct {
	folds []int // fold of each row
	fold  int
}

// newCategoryMeans divides each target by a power of two, which is exact, so that no square overflows.
func newCategoryMeans(y *mat.Dense, smoothing float64) levelMeans {
	k := y.RawMatrix().Cols
	c := levelMeans{y: mat.DenseCopyOf(y), unit: make([]float64, k), smoothing: smoothing}
	for t := range k {
		column := mat.Col(nil, t, y)
		_, exponent := math.Frexp(max(floats.Max(column), -floats.Min(column)))
		c.unit[t] = math.Ldexp(1, max(exponent-1, -1000)) // 2^1024 overflows
	}
	c.y.Apply(func(_, t int, v float64) float64 { return v / c.unit[t] }, c.y)
	return c
}

func (c levelMeans) each(of rowsWithout, visit func(row int, y []float64)) {
	for i, fold := range of.folds {
		if fold != of.fold {
			visit(i, c.y.RawRowView(i))
		}
	}
}

// overall returns the mean targets of the rows, in their units, or of all rows if there are none.
func (c levelMeans) overall(of rowsWithout) codec.Floats {
	out := make(codec.Floats, len(c.unit))
	rows := 0.
	c.each(of, func(int, []float64) { rows++ })
	if rows == 0 {
		return c.overall(rowsWithout{of.folds, -1})
	}
	c.each(of, func(_ int, y []float64) { floats.AddScaled(out, 1/rows, y) })
	return out
}

// encode returns the shrunk mean targets of each level over the rows. Row i has level at[i].
func (c levelMeans) encode(at []int, levels int, of rowsWithout) codec.Floats {
	k := len(c.unit)
	center := c.overall(of)
	out, counts := make(codec.Floats, levels*k), make([]float64, levels)
	c.each(of, func(row int, _ []float64) { counts[at[row]]++ })
	c.each(of, func(row int, y []float64) { // sums of deviations from the overall mean lose no digits
		for t, v := range y {
			out[at[row]*k+t] += (v - center[t]) / counts[at[row]]
		}
	})
	within := make([]float64, k)
	c.each(of, func(row int, y []float64) {
		for t, v := range y {
			r := v - center[t] - out[at[row]*k+t]
			within[t] += r * r
		}
	})
	for t, unit := range c.unit {
		pseudo := c.smoothing
		if pseudo == 0 {
			pseudo = smoothingByMoments(within[t], counts, func(level int) float64 { return out[level*k+t] })
		}
		for level, n := range counts {
			if n > 0 { // otherwise 0
				out[level*k+t] *= n / (n + pseudo)
			}
			out[level*k+t] = unit * (center[t] + out[level*k+t])
		}
	}
	return out
}

// smoothingByMoments returns the variance within levels divided by that of their means. The design may be balanced or
// unbalanced. The result is +Inf if the means differ by no more than chance.
func smoothingByMoments(within float64, counts []float64, mean func(level int) float64) float64 {
	rows, squares, between, seen := 0., 0., 0., 0.
	for level, n := range counts {
		if n > 0 {
			d := mean(level)
			rows, squares, between, seen = rows+n, squares+n*n, between+n*d*d, seen+1
		}
	}
	if rows == seen || seen < 2 { // the two variances cannot be separated
		return 1
	}
	noise := within / (rows - seen)
	effect := (between - (seen-1)*noise) / (rows - squares/rows)
	if !(effect > 0) {
		return math.Inf(1)
	}
	return noise / effect
}

// width returns the number of columns of the result.
func (m targetEncoderModel) width() int { return m.Width + len(m.Columns)*(m.Targets-1) }

// TypeName returns the name at the beginning of errors.
func (targetEncoderModel) TypeName() string { return targetEncoderName }

func (m targetEncoderModel) Widths() (from, to int) { return m.Width, m.width() }

func (m targetEncoderModel) HasGap(column int) bool { return slices.Contains(m.Columns, column) }

func (m targetEncoderModel) MapRow(dst, x []float64) {
	to, next := 0, 0
	for j, v := range x {
		if next == len(m.Columns) || m.Columns[next] != j {
			dst[to] = v
			to++
			continue
		}
		means := m.Unseen
		if at := position(m.Values[next], v); at >= 0 {
			means = m.Means[next][at*m.Targets:][:m.Targets]
		}
		to += copy(dst[to:], means)
		next++
	}
}

func (m targetEncoderModel) Validate() error {
	if m.Width < 1 || m.Targets < 1 || float64(m.Width)*float64(m.Targets) > mostColumns || len(m.Values) != len(m.Columns) ||
		len(m.Means) != len(m.Columns) || len(m.Unseen) != m.Targets {
		return fmt.Errorf("levels and means of %d and %d columns for %d of %d, with %d targets and %d means of all rows",
			len(m.Values), len(m.Means), len(m.Columns), m.Width, m.Targets, len(m.Unseen))
	}
	if err := validColumns(m.Columns, m.Width); err != nil {
		return err
	}
	for i, values := range m.Values {
		if len(m.Means[i]) != len(values)*m.Targets {
			return fmt.Errorf("column %d has %d means for %d levels of %d targets", m.Columns[i], len(m.Means[i]), len(values),
				m.Targets)
		}
		if err := validLevels(values, true); err != nil {
			return fmt.Errorf("column %d: %w", m.Columns[i], err)
		}
	}
	for _, means := range append(slices.Clone(m.Means), m.Unseen) {
		if slices.ContainsFunc(means, func(v float64) bool { return v-v != 0 }) {
			return fmt.Errorf("means that are not finite")
		}
	}
	return nil
}

func (m targetEncoderModel) BuildGraph(x graph.Value) (graph.Value, error) {
	var parts []graph.Value
	for j := range m.Width {
		next, encoded := slices.BinarySearch(m.Columns, j)
		column := x.Select(j)
		if !encoded {
			parts = append(parts, column)
			continue
		}
		values, effects := m.Values[next], mat.NewDense(len(m.Values[next]), m.Targets, nil)
		for i := range values {
			for t := range m.Targets {
				effects.Set(i, t, m.Means[next][i*m.Targets+t]-m.Unseen[t])
			}
		}
		last := len(values) - 1
		gap := math.IsNaN(values[last])
		out := x.Row(m.Unseen)
		if gap {
			out = out.Add(column.IsNaN().Indicator().MatMul(x.Constant(effects.Slice(last, last+1, 0, m.Targets))))
			values = values[:last]
		}
		if len(values) > 0 {
			found := column.Equal(x.Row(values)).Indicator()
			out = out.Add(found.MatMul(x.Constant(effects.Slice(0, len(values), 0, m.Targets))))
		}
		parts = append(parts, out)
	}
	return graph.Concat(parts...), nil
}

// ColumnNames returns the names of x, with name=mean for an encoded column. With several targets the names are name=mean 0,
// name=mean 1 and so on. Package inspection reads this form.
func (m targetEncoderModel) ColumnNames(in []string) []string {
	var out []string
	for j, name := range in {
		switch {
		case !slices.Contains(m.Columns, j):
			out = append(out, name)
		case m.Targets == 1:
			out = append(out, name+"=mean")
		default:
			for t := range m.Targets {
				out = append(out, name+"=mean "+strconv.Itoa(t))
			}
		}
	}
	return out
}
