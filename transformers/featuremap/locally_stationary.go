package featuremap

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/projection"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
	"github.com/kernelearn/kernelearn/transformers/internal/samplestats"
)

const locallyStationaryName = "featuremap: LocallyStationaryFourier"

// LocallyStationaryFourier maps rows to features of a kernel that is not stationary. With frequencies w of a stationary kernel k2
// and v of a stationary kernel k1, and with x measured from the origin, the features are
//
//	z(x) = √(c/M) [cos(<v1,x>/2) cos <w1,x>, cos(<v1,x>/2) sin <w1,x>, ...]      c = k1(0) k2(0)
//
// for M pairs (v, w). Their inner products approximate
//
//	k(x, x') = ½ [k1((x+x')/2) + k1((x-x')/2)] k2(x-x')
//
// This kernel is positive semi-definite. It is the stationary kernel k2, increased near the origin, where k1 determines the
// neighbourhood. With a narrow k1, k is smaller far from the origin, but at least half of k2. With v = 0 the map is the
// [RandomFourier] of k2.
//
// Pena-Llamas et al., Appl. Sci. 13 (2023) 2473, propose a map for the product k1((x+x')/2) k2(x-x'). Their equation (6) as printed
// does not approximate that product, and no map could, because it is not positive semi-definite in general. The map here
// approximates the kernel above. Their all-pairs form, AllPairs, combines each v with each w. With the same number of features, it
// converges far more slowly than the pairs, and their Theorem 1 does not hold for it.
//
// The map depends on the origin of x. By default the origin is the mean of the training rows. It costs as much as [RandomFourier].
//
// See also [RandomFourier], [Nystroem].
type LocallyStationaryFourier struct {
	// Local is k1, which must have a spectral density. If it is nil, [kernels.MedianRBF] of the training rows is used.
	Local kernels.Kernel

	// Stationary is k2, with the same requirement and default as Local.
	Stationary kernels.Kernel

	// Components is the number of features, 2M, which must be even. If it is 0, 500 is used. With AllPairs there are
	// ⌊√(Components/2)⌋ frequencies v and as many w, and two features for each of their pairs.
	Components int `zero:"500"`
	AllPairs   bool

	// Sampling selects how v and w are drawn.
	Sampling Sampling

	// LocalFrequencies and Frequencies set v and w, with a frequency in each row. Either both or neither of them must be set.
	// Unless AllPairs is set, they must have the same number of rows. If they are set, Components and Sampling must be 0.
	LocalFrequencies, Frequencies *mat.Dense

	// Origin is the origin of the coordinates. If it is nil, the column means of the training rows are used.
	Origin []float64
	Seed   uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	learned[localModel]
}

type localModel struct {
	V, W     codec.Matrix // frequencies, one in each row
	AllPairs bool
	Origin   codec.Floats
	Scale    float64 // √(c/M)
}

// frequencyCount returns the numbers of frequencies v and w to draw.
func (l *LocallyStationaryFourier) frequencyCount() (int, error) {
	if err := settings.Check(locallyStationaryName, l); err != nil {
		return 0, err
	}
	features := cmp.Or(l.Components, defaultComponents)
	switch {
	case (l.Frequencies == nil) != (l.LocalFrequencies == nil):
		return 0, fault.Param(locallyStationaryName, "Frequencies and LocalFrequencies", "one of them", "both or none")
	case l.Frequencies != nil && (l.Components != 0 || l.Sampling != AutomaticSampling):
		return 0, fault.Param(locallyStationaryName, "Components and Sampling", fmt.Sprintf("%d and %v", l.Components, l.Sampling),
			"0 with given Frequencies")
	case features%2 != 0:
		return 0, fault.Param(locallyStationaryName, "Components", l.Components, "even")
	case l.AllPairs:
		return int(math.Sqrt(float64(features / 2))), nil
	}
	return features / 2, nil
}

// Fit draws the frequencies for rows like those of x (n×d). It returns ErrParam, also for a kernel without a spectral density and
// for a Sampling that the kernel does not allow. It also returns ErrShape, ErrNotFinite, or the error of ctx.
func (l *LocallyStationaryFourier) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	count, err := l.frequencyCount()
	if err != nil {
		return err
	}
	return l.state.Learn(ctx, x, nil, func(x *mat.Dense) (*localModel, error) {
		return l.draw(ctx, x, count, func() codec.Floats { return columnMeans(x) })
	})
}

func (l *LocallyStationaryFourier) statistics() (s *samplestats.Statistics, count int, err error) {
	if count, err = l.frequencyCount(); err != nil {
		return nil, 0, err
	}
	s = &samplestats.Statistics{Type: locallyStationaryName, Means: l.Origin == nil}
	if l.Local == nil || l.Stationary == nil {
		s.Sample.Seed, s.Sample.Limit = l.Seed, samplestats.LeastRows
	}
	return s, count, nil
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold sums of the columns and, if a kernel is nil, a sample
// of rows: the 4096 different rows whose hashes with Seed are smallest.
func (l *LocallyStationaryFourier) NewStatistics() (streaming.Statistics[streaming.None], error) {
	s, _, err := l.statistics()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStatistics implements [streaming.StatisticsFitter], as [RandomFourier] does.
func (l *LocallyStationaryFourier) FitStatistics(ctx context.Context, s streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	fresh, count, err := l.statistics()
	if err != nil {
		return err
	}
	err = samplestats.Learn(ctx, s, fresh, func(rows *mat.Dense, means codec.Floats) error {
		return l.state.Learn(ctx, rows, nil, func(rows *mat.Dense) (*localModel, error) {
			return l.draw(ctx, rows, count, func() codec.Floats { return means })
		})
	})
	if err == nil {
		l.state.Sums = s.Clone()
	}
	return err
}

// PartialFit implements [transformers.PartialFitter].
func (l *LocallyStationaryFourier) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return l.state.PartialFit(ctx, x, l)
}

// MarshalStatistics implements estimators.Continuer.
func (l *LocallyStationaryFourier) MarshalStatistics() ([]byte, error) {
	return l.state.MarshalStatistics()
}

// UnmarshalStatistics implements estimators.Continuer.
func (l *LocallyStationaryFourier) UnmarshalStatistics(data []byte) error {
	return l.state.UnmarshalStatistics(l, data)
}

// draw returns the map with count frequencies for rows like those of x.
func (l *LocallyStationaryFourier) draw(ctx context.Context, x *mat.Dense, count int, means func() codec.Floats) (*localModel, error) {
	m := &localModel{AllPairs: l.AllPairs, Scale: 1}
	var err error
	if m.Origin, err = l.origin(x, means); err != nil {
		return nil, err
	}
	skip := 0 // v and w are coordinates of the same points, or are drawn from separate streams of random numbers
	for _, part := range []struct {
		kernel kernels.Kernel
		field  string
		given  *mat.Dense
		seed   uint64
		to     *codec.Matrix
	}{{l.Stationary, "Frequencies", l.Frequencies, l.Seed, &m.W},
		{l.Local, "LocalFrequencies", l.LocalFrequencies, l.Seed ^ localFrequencies,
			&m.V}} {
		k, err := kernels.OrMedianRBF(ctx, part.kernel, x, l.Seed)
		if err != nil {
			return nil, err
		}
		_, d := x.Dims()
		spectrum, sampling, err := l.Sampling.checked(locallyStationaryName, k, d)
		if err != nil {
			return nil, err
		}
		var w *mat.Dense
		if part.given != nil {
			w, err = checkFrequencies(locallyStationaryName, part.field, part.given, d)
		} else {
			w, err = sampling.draw(ctx, spectrum, count, d, skip, part.seed)
		}
		if err != nil {
			return nil, err
		}
		*part.to = codec.FromDense(w)
		skip += spectrum.Uniforms(d)
		m.Scale *= math.Sqrt(spectrum.Variance)
	}
	switch {
	case m.width() > maxFeatures:
		return nil, fault.Param(locallyStationaryName, "features", m.width(), fmt.Sprintf("<= %d", maxFeatures))
	case !l.AllPairs && m.V.Rows != m.W.Rows:
		return nil, fault.Shape(locallyStationaryName+": LocalFrequencies has", m.V.Rows, "rows", "Frequencies has %d", m.W.Rows)
	}
	m.Scale /= math.Sqrt(float64(m.width()) / 2)
	return m, nil
}

func (l *LocallyStationaryFourier) origin(x *mat.Dense, means func() codec.Floats) (codec.Floats, error) {
	if l.Origin == nil {
		return means(), nil
	}
	if _, d := x.Dims(); len(l.Origin) != d {
		return nil, fault.Shape(locallyStationaryName+": Origin has", len(l.Origin), "entries", "x has %d columns", d)
	}
	return append(codec.Floats(nil), l.Origin...), check.Vector(locallyStationaryName+": Origin", l.Origin)
}

func (m localModel) width() int {
	if m.AllPairs {
		return 2 * m.V.Rows * m.W.Rows
	}
	return 2 * m.W.Rows
}

// Transform returns the features (m×D) of the rows of x (m×d).
func (l *LocallyStationaryFourier) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Apply(l.transformAll, x)
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding.
func (l *LocallyStationaryFourier) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return l.state.MapInto(dst, x, true, l.mapMany)
}

// transformAll sets dst to the features of x. It computes them in batches, also for a few rows.
func (l *LocallyStationaryFourier) transformAll(dst *mat.Dense, x mat.Matrix) error {
	return l.state.MapInto(dst, x, false, l.mapMany)
}

// mapMany sets dst to the features of the rows of x.
func (l *LocallyStationaryFourier) mapMany(dst, x *mat.Dense) error {
	m := l.state.Fitted
	v, w := projection.New(m.V, m.Origin), projection.New(m.W, m.Origin)
	v.Halve()
	return projection.MapChunks(m, l.Workers, dst, x, func(dst, x *mat.Dense) { m.features(dst, x, v, w) })
}

// Blocks yields the features of the rows of x in blocks of rows, without a matrix of all features. The last block holds the
// remaining rows. The next step overwrites the matrix. The errors are those of Transform. After an error, there are no further
// blocks.
func (l *LocallyStationaryFourier) Blocks(x mat.Matrix, rows int) iter.Seq2[*mat.Dense, error] {
	return blocks(l.transformAll, x, rows)
}

// features sets dst to the features of up to hiddenRows rows. With AllPairs, the features with the first v come first.
func (m *localModel) features(dst, x *mat.Dense, v, w *projection.Projection) {
	rows, _ := x.Dims()
	sv, sw := v.Borrow(), w.Borrow()
	defer v.Release(sv)
	defer w.Release(sw)
	local, products := v.Products(sv, x), w.Products(sw, x)
	unused, sin := sv.Sin, sw.Sin
	for i := range rows {
		m.combine(dst.RawRowView(i), local.RawRowView(i), products.RawRowView(i), unused, sin)
	}
}

// combine sets out to the features of a row from its halved products with v and its products with w. It overwrites all arguments.
func (m *localModel) combine(out, of, cos, unused, sin []float64) {
	vecmath.Sincos(unused, of, of)
	vecmath.Sincos(sin, cos, cos)
	if !m.AllPairs {
		for j, c := range cos {
			s := m.Scale * of[j]
			out[2*j], out[2*j+1] = s*c, s*sin[j]
		}
		return
	}
	for k, s := range of {
		s *= m.Scale
		for j, c := range cos {
			at := 2 * (k*len(cos) + j)
			out[at], out[at+1] = s*c, s*sin[j]
		}
	}
}

// MapRow sets dst to the features of one row.
func (m localModel) MapRow(dst, x []float64) {
	local, pairs := m.V.Rows, m.W.Rows
	p := rowwise.Scratch(2 * (local + pairs))
	defer rowwise.Release(p)
	of, unused := (*p)[:local], (*p)[local:2*local]
	cos, sin := (*p)[2*local:2*local+pairs], (*p)[2*local+pairs:]
	projection.Row(of, m.V, m.Origin, x)
	for i := range of {
		of[i] /= 2
	}
	projection.Row(cos, m.W, m.Origin, x)
	m.combine(dst, of, cos, unused, sin)
}

// ChosenFrequencies returns the frequencies v and w, one in each row. It returns nil before Fit.
func (l *LocallyStationaryFourier) ChosenFrequencies() (local, frequencies *mat.Dense) {
	if l.state.Fitted == nil {
		return nil, nil
	}
	dense := func(m codec.Matrix) *mat.Dense {
		return mat.NewDense(m.Rows, m.Cols, append([]float64(nil), m.Data...))
	}
	return dense(l.state.Fitted.V), dense(l.state.Fitted.W)
}

func (localModel) TypeName() string { return locallyStationaryName }

func (m localModel) Widths() (from, to int) { return m.W.Cols, m.width() }

func (m localModel) Validate() error {
	for _, part := range []codec.Matrix{m.V, m.W} {
		switch w, err := part.Dense(); {
		case err != nil:
			return err
		case w == nil || len(m.Origin) != part.Cols || !m.Origin.Finite():
			return fmt.Errorf("%d×%d frequencies and an origin of %d, want the same width, all finite", part.Rows, part.Cols, len(m.Origin))
		}
	}
	switch {
	case float64(m.V.Rows)*float64(m.W.Rows) > maxFeatures/2 && m.AllPairs:
		return fmt.Errorf("%d×%d pairs, want at most %d", m.V.Rows, m.W.Rows, maxFeatures/2)
	case !m.AllPairs && m.V.Rows != m.W.Rows:
		return fmt.Errorf("pairs of %d and %d frequencies", m.V.Rows, m.W.Rows)
	case !(m.Scale > 0) || math.IsInf(m.Scale, 1):
		return fmt.Errorf("scale %v", m.Scale)
	}
	return nil
}

func (m localModel) BuildGraph(x graph.Value) (graph.Value, error) {
	local := projection.Graph(x, m.Origin, m.V).Times(0.5).Cos().Times(m.Scale)
	products := projection.Graph(x, m.Origin, m.W)
	cos, sin := products.Cos(), products.Sin()
	if m.AllPairs {
		var each, all []int
		for k := range m.V.Rows {
			for j := range m.W.Rows {
				each, all = append(each, k), append(all, j)
			}
		}
		local, cos, sin = local.Select(each...), cos.Select(all...), sin.Select(all...)
	}
	return pairsGraph(local.Mul(cos), local.Mul(sin)), nil
}
