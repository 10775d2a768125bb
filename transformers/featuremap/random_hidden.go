package featuremap

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
	"github.com/kernelearn/kernelearn/transformers/internal/samplestats"
)

const randomHiddenName = "featuremap: RandomHidden"

// defaultUnits is the number of hidden units of a RandomHidden whose Units is 0.
const defaultUnits = 250

// Activation selects the function that a hidden unit with weights w and bias b computes from a row x of d columns, and the
// distribution from which w and b are drawn.
type Activation int

// The activations. [DataRBF] and [Tanh] are for features of comparable scale ([scalers.StandardScaler]). [Sigmoid],
// [NormalizedSigmoid] and [RandomRBF] come from Czarnecki and Tabor (arXiv 1501.05279), for features in [0, 1]
// ([scalers.MinMaxScaler]), with w and b uniform in [0, 1].
//
// [scalers.MinMaxScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#MinMaxScaler
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
const (
	// DataRBF is exp(-b|x-w|²), where w is a training row and b = 10^u/median|x-x'|² with u uniform in [-1, 1]. The units have many
	// widths, and are at the positions of the data.
	DataRBF Activation = iota
	// Sigmoid is 1/(1 + exp(-<w,x> + b)). It saturates as d grows.
	Sigmoid
	// NormalizedSigmoid is 1/(1 + exp(-<w,x>/d + b)).
	NormalizedSigmoid
	// RandomRBF is exp(-b|x-w|²).
	RandomRBF
	// Tanh is tanh(<w,x> + b), with w normal of standard deviation 3/√d and b standard normal.
	Tanh
)

// String returns the activation's name.
func (a Activation) String() string {
	return enum.Name("Activation", int(a), "DataRBF", "Sigmoid", "NormalizedSigmoid", "RandomRBF", "Tanh")
}

// RandomHidden is a hidden layer whose weights are drawn at random and never trained. Its outputs are the features of extreme
// learning machines. Layers with the same Seed are nested: the units of a smaller layer are the first units of a larger one.
//
// Fit draws the units in O(hd). For [DataRBF] it uses a sample of the rows. Transform of m rows costs O(mhd). With [DataRBF] there
// are at most as many units as training rows.
//
// See also [RandomFourier], [Activation].
type RandomHidden struct {
	// Units is h, the number of hidden units. If it is 0, 250 is used.
	Units      int `zero:"250"`
	Activation Activation
	Seed       uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	learned[hiddenModel]
}

type hiddenModel struct {
	Activation Activation
	W          codec.Matrix // h×d
	B          codec.Floats
}

// Fit draws the units for rows like those of x (n×d).
func (r *RandomHidden) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	units, err := r.unitCount()
	if err != nil {
		return err
	}
	return r.state.Learn(ctx, x, nil, func(x *mat.Dense) (*hiddenModel, error) {
		n, d := x.Dims()
		if r.Activation == DataRBF {
			return r.fromRows(ctx, x, min(units, n))
		}
		if err := check.Numbers(fmt.Sprintf("%s: %d units of %d columns", randomHiddenName, units, d), float64(units)*float64(d+1),
			"take fewer Units"); err != nil {
			return nil, err
		}
		return r.draw(units, d), nil
	})
}

// unitCount returns the number of units to draw.
func (r *RandomHidden) unitCount() (int, error) {
	return cmp.Or(r.Units, defaultUnits), settings.Check(randomHiddenName, r)
}

// RowsWanted returns the number of rows that Fit needs for all Units. With fewer rows, [DataRBF] has as many units as rows.
func (r *RandomHidden) RowsWanted() int {
	if units, err := r.unitCount(); err == nil && r.Activation == DataRBF {
		return units
	}
	return 1
}

func (r *RandomHidden) statistics() (*samplestats.Statistics, error) {
	units, err := r.unitCount()
	if err != nil {
		return nil, err
	}
	s := &samplestats.Statistics{Type: randomHiddenName}
	if r.Activation == DataRBF {
		s.Sample.Seed, s.Sample.Limit = r.Seed, samplestats.RowsFor(units)
	}
	return s, nil
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold the width of the rows. For [DataRBF] they also hold a
// sample of different rows: those whose hashes with Seed are smallest. The sample has 4096 rows, or four for each unit if that is
// more.
func (r *RandomHidden) NewStatistics() (streaming.Statistics[streaming.None], error) {
	s, err := r.statistics()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit. For [DataRBF] it is that of Fit for
// the rows of the sample. It is bit-identical, however the rows are divided and merged.
func (r *RandomHidden) FitStatistics(ctx context.Context, s streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	fresh, err := r.statistics()
	if err != nil {
		return err
	}
	err = samplestats.Learn(ctx, s, fresh, func(rows *mat.Dense, _ codec.Floats) error { return r.Fit(ctx, rows) })
	if err == nil {
		r.state.Sums = s.Clone()
	}
	return err
}

// PartialFit implements [transformers.PartialFitter].
func (r *RandomHidden) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return r.state.PartialFit(ctx, x, r)
}

// MarshalStatistics implements estimators.Continuer.
func (r *RandomHidden) MarshalStatistics() ([]byte, error) { return r.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (r *RandomHidden) UnmarshalStatistics(data []byte) error {
	return r.state.UnmarshalStatistics(r, data)
}

// stream returns the source of random numbers for unit i. Each unit has its own source, so that layers are nested.
func (r *RandomHidden) stream(i int) *rand.Rand {
	return rand.New(rand.NewPCG(r.Seed, 0x68696464656e<<16+uint64(i))) // the streams "hidden" 0, 1 and so on
}

func (r *RandomHidden) draw(units, d int) *hiddenModel {
	m := &hiddenModel{Activation: r.Activation, W: codec.Matrix{Rows: units, Cols: d}, B: make(codec.Floats, units)}
	for i := range units {
		rng := r.stream(i)
		for range d {
			w := rng.Float64()
			if r.Activation == Tanh {
				w = rng.NormFloat64() * 3 / math.Sqrt(float64(d))
			}
			m.W.Data = append(m.W.Data, w)
		}
		m.B[i] = rng.Float64()
		if r.Activation == Tanh {
			m.B[i] = rng.NormFloat64()
		}
	}
	return m
}

func (r *RandomHidden) fromRows(ctx context.Context, x *mat.Dense, units int) (*hiddenModel, error) {
	n, d := x.Dims()
	median, err := kernels.MedianSquaredDistance(ctx, x, r.Seed)
	if err != nil {
		return nil, err
	}
	scale := 1 / median
	if !(median > 0) || scale == 0 || math.IsInf(scale, 1) {
		scale = 1 / float64(d)
	}
	m := &hiddenModel{Activation: DataRBF, W: codec.Matrix{Rows: units, Cols: d}, B: make(codec.Floats, units)}
	order := rand.New(rand.NewPCG(r.Seed, 0x63656e74726573)).Perm(n) // the stream "centres"
	for i := range units {
		m.W.Data = append(m.W.Data, x.RawRowView(order[i])...)
		m.B[i] = math.Pow(10, 2*r.stream(i).Float64()-1) * scale
	}
	return m, nil
}

// Transform returns the activations (m×h) of the units for the rows of x (m×d).
func (r *RandomHidden) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Apply(r.transformAll, x)
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding.
func (r *RandomHidden) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return r.state.MapInto(dst, x, true, r.mapMany)
}

// transformAll sets dst to the activations for x. It computes them in batches, also for a few rows.
func (r *RandomHidden) transformAll(dst *mat.Dense, x mat.Matrix) error {
	return r.state.MapInto(dst, x, false, r.mapMany)
}

// mapMany sets dst to the activations for the rows of x.
func (r *RandomHidden) mapMany(dst, x *mat.Dense) error {
	return r.tiles(x, func() func(first, unit int, rows, units int) *mat.Dense {
		buffer := mat.NewDense(tileUnits, tileRows, nil)
		return func(_, _ int, rows, units int) *mat.Dense { return buffer.Slice(0, units, 0, rows).(*mat.Dense) }
	}, func(first, unit int, tile *mat.Dense) {
		raw := dst.RawMatrix()
		units, _ := tile.Dims()
		for j := range units {
			for i, v := range tile.RawRowView(j) {
				raw.Data[(first+i)*raw.Stride+unit+j] = v
			}
		}
	})
}

// UnitsTo sets dst (h×m) to the activations, with a row for each unit. It is the transpose of the result of Transform. With this
// layout, sums over the rows of x are faster.
func (r *RandomHidden) UnitsTo(dst *mat.Dense, x mat.Matrix) error {
	m := r.state.Fitted
	if m == nil {
		return fault.NotFitted(randomHiddenName)
	}
	in, err := check.Wide("x", x, m.W.Cols)
	if err != nil {
		return err
	}
	n, _ := in.Dims()
	if units, rows := dst.Dims(); units != m.W.Rows || rows != n {
		return fault.Shape("dst has", units, "rows", "want %d of %d columns, dst has %d columns", m.W.Rows, n, rows)
	}
	return r.tiles(in, func() func(first, unit int, rows, units int) *mat.Dense {
		return func(first, unit int, rows, units int) *mat.Dense {
			return dst.Slice(unit, unit+units, first, first+rows).(*mat.Dense)
		}
	}, func(int, int, *mat.Dense) {})
}

// Truncate returns a fitted layer with the first units of r. If r has fewer units than requested, it returns all of them. The layer
// equals the result of Fit for that number of units. Truncate returns ErrNotFitted before Fit.
func (r *RandomHidden) Truncate(units int) (*RandomHidden, error) {
	switch {
	case r.state.Fitted == nil:
		return nil, fault.NotFitted(randomHiddenName)
	case units < 1:
		return nil, fault.Param(randomHiddenName, "units", units, ">= 1")
	}
	m := r.state.Fitted
	k := min(units, m.W.Rows)
	out := &RandomHidden{Units: units, Activation: r.Activation, Seed: r.Seed, Workers: r.Workers}
	out.state.Fitted = &hiddenModel{Activation: m.Activation,
		W: codec.Matrix{Rows: k, Cols: m.W.Cols, Data: m.W.Data[: k*m.W.Cols : k*m.W.Cols]}, B: m.B[:k:k]}
	return out, nil
}

// UnitWeights returns the weights w (h×d) and b (h) of the units. It returns nil before Fit.
func (r *RandomHidden) UnitWeights() (w *mat.Dense, b []float64) {
	if r.state.Fitted == nil {
		return nil, nil
	}
	return mat.NewDense(r.state.Fitted.W.Rows, r.state.Fitted.W.Cols,
		append([]float64(nil), r.state.Fitted.W.Data...)), append([]float64(nil), r.state.Fitted.B...)
}

func (hiddenModel) TypeName() string { return randomHiddenName }

func (m hiddenModel) Widths() (from, to int) { return m.W.Cols, m.W.Rows }

func (m hiddenModel) Validate() error {
	w, err := m.W.Dense()
	switch {
	case err != nil:
		return err
	case w == nil || len(m.B) != m.W.Rows || !m.B.Finite():
		return fmt.Errorf("%d×%d weights and %d biases, want the same number of each, all finite", m.W.Rows, m.W.Cols, len(m.B))
	case m.Activation < DataRBF || m.Activation > Tanh:
		return fmt.Errorf("activation %d", int(m.Activation))
	}
	return nil
}

// TransformRow sets dst (h) to the activations of the units for one row x (d), without allocating. The activations agree with those
// of Transform up to rounding. It returns ErrNotFitted, ErrShape or ErrNotFinite.
func (r *RandomHidden) TransformRow(dst, x []float64) (err error) {
	defer fault.Recover(&err)
	m := r.state.Fitted
	if m == nil {
		return fault.NotFitted(randomHiddenName)
	}
	if len(x) != m.W.Cols {
		return fault.Columns("x", len(x), m.W.Cols)
	}
	if len(dst) != m.W.Rows {
		return fault.Shape("dst has", len(dst), "entries", "want %d", m.W.Rows)
	}
	if err := check.Vector("x", x); err != nil {
		return err
	}
	m.MapRow(dst, x)
	return check.Vector(randomHiddenName+": result", dst)
}
