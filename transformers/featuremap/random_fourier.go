package featuremap

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/projection"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
	"github.com/kernelearn/kernelearn/transformers/internal/samplestats"
)

const randomFourierName = "featuremap: RandomFourier"

// RandomFourier maps rows to D features whose inner products approximate a stationary kernel (A. Rahimi and B. Recht, NIPS 2007).
// With c = k(x, x) and frequencies w from the kernel's spectral density (see [kernels.SpectralDensity]),
//
//	z(x) = √(2c/D) [cos <w1,x>, sin <w1,x>, cos <w2,x>, ...]      D/2 frequencies
//	z(x) = √(2c/D) [cos(<w1,x> + b1), cos(<w2,x> + b2), ...]      RandomPhase: D frequencies, b uniform in [0, 2π)
//
// The pairs of the first form have the smaller error where the kernel is large, and reproduce its diagonal exactly. The mean
// squared error of the approximation decreases as 1/D. Drawn frequencies are applied to x minus the column means of the training
// rows. With pairs this changes no inner product, and it keeps the arguments small. Maps with the same Seed are nested: except for
// the factor, the features of a smaller map are the first features of a larger one.
//
// Fit uses only the means of the rows and, if Kernel is nil, the median of their distances. Transform of m rows costs O(mDd).
// Columns should have comparable scales. If x is a mat.RowNonZeroDoer, Fit and Transform read only its nonzero entries. This costs
// O(D) for each entry and makes no dense copy.
//
// See also [Nystroem], [LocallyStationaryFourier].
type RandomFourier struct {
	// Kernel must have a spectral density. This holds for RBF, Laplacian, Matern and RationalQuadratic; for an ARD, Columns,
	// Additive or Product of those; for Scaled; and for a third-party kernel that implements [kernels.Spectral]. If Kernel is nil,
	// [kernels.MedianRBF] of the training rows is used.
	Kernel kernels.Kernel

	// Components is D, the number of features, which must be even unless RandomPhase is set. If it is 0, 500 is used.
	Components  int `zero:"500"`
	Sampling    Sampling
	RandomPhase bool

	// Frequencies sets the frequencies w, one in each row, for unscaled x. If it is not nil, only phases are drawn, and Components
	// and Sampling must be 0. The factor is that of Kernel.
	Frequencies *mat.Dense
	Seed        uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	learned[fourierModel]
}

type fourierModel struct {
	W      codec.Matrix // frequencies, one in each row
	Phases codec.Floats // nil for pairs
	Shift  codec.Floats // subtracted from x
	Scale  float64      // √(2c/D)
}

// frequencyCount returns the number of frequencies to draw.
func (r *RandomFourier) frequencyCount() (int, error) {
	if err := settings.Check(randomFourierName, r); err != nil {
		return 0, err
	}
	features := cmp.Or(r.Components, defaultComponents)
	switch {
	case r.Frequencies != nil && (r.Components != 0 || r.Sampling != AutomaticSampling):
		return 0, fault.Param(randomFourierName, "Components and Sampling", fmt.Sprintf("%d and %v", r.Components, r.Sampling),
			"0 with given Frequencies")
	case r.RandomPhase:
		return features, nil
	case features%2 != 0:
		return 0, fault.Param(randomFourierName, "Components", r.Components, "even")
	}
	return features / 2, nil
}

// Fit draws the frequencies for rows like those of x (n×d). It returns ErrParam, also for a kernel without a spectral density and
// for a Sampling that the kernel does not allow. It also returns ErrShape, ErrNotFinite, or the error of ctx.
func (r *RandomFourier) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	count, err := r.frequencyCount()
	if err != nil {
		return err
	}
	if sparse.Is(x) {
		return r.fitSparse(ctx, x, count)
	}
	return r.state.Learn(ctx, x, nil, func(x *mat.Dense) (*fourierModel, error) {
		return r.draw(ctx, x, count, func() codec.Floats { return columnMeans(x) })
	})
}

func (r *RandomFourier) statistics() (s *samplestats.Statistics, count int, err error) {
	if count, err = r.frequencyCount(); err != nil {
		return nil, 0, err
	}
	s = &samplestats.Statistics{Type: randomFourierName, Means: r.Frequencies == nil}
	if r.Kernel == nil {
		s.Sample.Seed, s.Sample.Limit = r.Seed, samplestats.LeastRows
	}
	return s, count, nil
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold sums of the columns and, if Kernel is nil, a sample of
// rows: the 4096 different rows whose hashes with Seed are smallest.
func (r *RandomFourier) NewStatistics() (streaming.Statistics[streaming.None], error) {
	s, _, err := r.statistics()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStatistics implements [streaming.StatisticsFitter]. If Kernel is set, the result is the same as with Fit. Otherwise it
// uses the median distance between the rows of the sample. The result is bit-identical, however the rows are divided and merged.
func (r *RandomFourier) FitStatistics(ctx context.Context, s streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	fresh, count, err := r.statistics()
	if err != nil {
		return err
	}
	err = samplestats.Learn(ctx, s, fresh, func(rows *mat.Dense, means codec.Floats) error {
		return r.state.Learn(ctx, rows, nil, func(rows *mat.Dense) (*fourierModel, error) {
			return r.draw(ctx, rows, count, func() codec.Floats { return means })
		})
	})
	if err == nil {
		r.state.Sums = s.Clone()
	}
	return err
}

// PartialFit implements [transformers.PartialFitter].
func (r *RandomFourier) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return r.state.PartialFit(ctx, x, r)
}

// MarshalStatistics implements estimators.Continuer.
func (r *RandomFourier) MarshalStatistics() ([]byte, error) { return r.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (r *RandomFourier) UnmarshalStatistics(data []byte) error {
	return r.state.UnmarshalStatistics(r, data)
}

// draw returns the map with count frequencies for rows like those of x.
func (r *RandomFourier) draw(ctx context.Context, x mat.Matrix, count int, means func() codec.Floats) (*fourierModel, error) {
	k, err := kernels.OrMedianRBF(ctx, r.Kernel, x, r.Seed)
	if err != nil {
		return nil, err
	}
	_, d := x.Dims()
	spectrum, sampling, err := r.Sampling.checked(randomFourierName, k, d)
	if err != nil {
		return nil, err
	}
	m := &fourierModel{Shift: make(codec.Floats, d)}
	var w *mat.Dense
	if r.Frequencies != nil {
		w, err = checkFrequencies(randomFourierName, "Frequencies", r.Frequencies, d)
	} else {
		m.Shift = means()
		w, err = sampling.draw(ctx, spectrum, count, d, 0, r.Seed)
	}
	if err != nil {
		return nil, err
	}
	m.W = codec.FromDense(w)
	if r.RandomPhase {
		m.Phases = phases(m.W.Rows, r.Seed)
	}
	m.Scale = math.Sqrt(2 * spectrum.Variance / float64(m.width()))
	return m, nil
}

func phases(count int, seed uint64) codec.Floats {
	out := make(codec.Floats, count)
	rng := rand.New(rand.NewPCG(seed, phaseStream))
	for i := range out {
		out[i] = 2 * math.Pi * rng.Float64()
	}
	return out
}

// columnMeans returns the means of the columns.
func columnMeans(x *mat.Dense) codec.Floats {
	n, d := x.Dims()
	out := make(codec.Floats, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			out[j] += v / float64(n)
		}
	}
	return out
}

func (m fourierModel) width() int {
	if len(m.Phases) > 0 {
		return m.W.Rows
	}
	return 2 * m.W.Rows
}

// Transform returns the features (m×D) of the rows of x (m×d).
func (r *RandomFourier) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Apply(r.transformAll, x)
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding.
func (r *RandomFourier) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if r.state.Fitted != nil && sparse.Is(x) {
		return r.sparseTo(dst, x)
	}
	return r.state.MapInto(dst, x, true, r.mapMany)
}

// transformAll sets dst to the features of x. It computes them in batches, also for a few rows.
func (r *RandomFourier) transformAll(dst *mat.Dense, x mat.Matrix) error {
	if r.state.Fitted != nil && sparse.Is(x) {
		return r.sparseTo(dst, x)
	}
	return r.state.MapInto(dst, x, false, r.mapMany)
}

// mapMany sets dst to the features of the rows of x.
func (r *RandomFourier) mapMany(dst, x *mat.Dense) error {
	m := r.state.Fitted
	p := projection.New(m.W, m.Shift)
	return projection.MapChunks(m, r.Workers, dst, x, func(dst, x *mat.Dense) { m.features(dst, x, p) })
}

// Blocks yields the features of the rows of x in blocks of rows, without a matrix of all features. The last block holds the
// remaining rows. The next step overwrites the matrix. The errors are those of Transform. After an error, there are no further
// blocks.
func (r *RandomFourier) Blocks(x mat.Matrix, rows int) iter.Seq2[*mat.Dense, error] {
	return blocks(r.transformAll, x, rows)
}

// features sets dst to the features of up to ChunkRows rows.
func (m *fourierModel) features(dst, x *mat.Dense, p *projection.Projection) {
	rows, _ := x.Dims()
	s := p.Borrow()
	defer p.Release(s)
	products, sin := p.Products(s, x), s.Sin
	for i := range rows {
		row, out := products.RawRowView(i), dst.RawRowView(i)
		for j, b := range m.Phases {
			row[j] += b
		}
		m.waves(out, row, sin)
	}
}

// waves sets out to the features of a row, given its products with the frequencies, to which the phases are added. It overwrites
// products and sin.
func (m *fourierModel) waves(out, products, sin []float64) {
	vecmath.Sincos(sin, products, products)
	if len(m.Phases) > 0 {
		for j, c := range products {
			out[j] = m.Scale * c
		}
		return
	}
	for j, c := range products {
		out[2*j], out[2*j+1] = m.Scale*c, m.Scale*sin[j]
	}
}

// MapRow sets dst to the features of one row.
func (m fourierModel) MapRow(dst, x []float64) {
	p := rowwise.Scratch(2 * m.W.Rows)
	defer rowwise.Release(p)
	cos, sin := (*p)[:m.W.Rows], (*p)[m.W.Rows:]
	projection.Row(cos, m.W, m.Shift, x)
	for j, b := range m.Phases {
		cos[j] += b
	}
	m.waves(dst, cos, sin)
}

// ChosenFrequencies returns the frequencies, one in each row, and the phases. The frequencies are nil before Fit, and the phases
// are nil for pairs.
func (r *RandomFourier) ChosenFrequencies() (frequencies *mat.Dense, phases []float64) {
	if r.state.Fitted == nil {
		return nil, nil
	}
	w := r.state.Fitted.W
	return mat.NewDense(w.Rows, w.Cols, append([]float64(nil), w.Data...)), append([]float64(nil), r.state.Fitted.Phases...)
}

func (fourierModel) TypeName() string { return randomFourierName }

func (m fourierModel) Widths() (from, to int) { return m.W.Cols, m.width() }

func (m fourierModel) Validate() error {
	w, err := m.W.Dense()
	switch {
	case err != nil:
		return err
	case w == nil || len(m.Shift) != m.W.Cols || !m.Shift.Finite():
		return fmt.Errorf("%d×%d frequencies and a shift of %d, want the same width, all finite", m.W.Rows, m.W.Cols, len(m.Shift))
	case len(m.Phases) > 0 && (len(m.Phases) != m.W.Rows || !m.Phases.Finite()):
		return fmt.Errorf("%d frequencies and %d phases, want the same number of each, all finite", m.W.Rows, len(m.Phases))
	case !(m.Scale > 0) || math.IsInf(m.Scale, 1):
		return fmt.Errorf("scale %v", m.Scale)
	}
	return nil
}

func (m fourierModel) BuildGraph(x graph.Value) (graph.Value, error) {
	products := projection.Graph(x, m.Shift, m.W)
	if len(m.Phases) > 0 {
		return products.Add(x.Row(m.Phases)).Cos().Times(m.Scale), nil
	}
	return pairsGraph(products.Cos().Times(m.Scale), products.Sin().Times(m.Scale)), nil
}

// pairsGraph interleaves the columns of the cosines and the sines.
func pairsGraph(cos, sin graph.Value) graph.Value {
	n := cos.Cols()
	order := make([]int, 0, 2*n)
	for j := range n {
		order = append(order, j, n+j)
	}
	return graph.Concat(cos, sin).Select(order...)
}
