// Package pca computes principal components: [PCA] of the rows, and [KernelPCA] of their images in the feature space of a kernel.
// Both keep a fixed number of components, or as many as are needed for a share of the variance.
package pca

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/orthogonal"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/projection"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

const pcaName = "pca: PCA"

// PCA maps rows to their principal components: their coordinates along the directions in which the training rows vary most (K.
// Pearson, 1901; scikit-learn's PCA),
//
//	z[i,k] = <v[k], x[i] - mean>,   C v[k] = λ[k] v[k],   C = Σᵢ (x[i] - mean)(x[i] - mean)' / (n-1)
//
// where v are the orthonormal eigenvectors of the covariance matrix C, in descending order of the eigenvalues λ. The sign of each v
// makes its largest entry positive, or the first of several that are equal up to rounding. If the columns have different units, use
// a [scalers.StandardScaler] first.
//
// A direction whose variance is at most max(n, d)·2⁻⁵² times the largest is due to rounding and is not a component. There are at
// most n-1 components. If all rows are equal, there is one component of variance 0.
//
// Eigenvalues are computed from the smaller of two matrices: the covariances (d×d) or the inner products of the rows (n×n).
// Directions whose standard deviation is below 10⁻⁷ of the largest are therefore dominated by rounding. Fit costs O(ndm + m³) time,
// where m = min(n, d), and memory for 2m² numbers (ErrTooLarge above 8 GiB). Transform of m rows costs O(mdr).
//
// See also [KernelPCA], [scalers.StandardScaler].
//
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
type PCA struct {
	// Components is r, the number of components, at most d. If it is 0, there is no limit.
	Components int `zero:"all"`

	// Share, in (0, 1], is the share of the variance that the components must reach. The smallest such number of components is
	// kept, at most Components. If it is 0, it has no effect.
	Share float64 `zero:"all" most:"1"`

	// Whiten divides each component by its standard deviation.
	Whiten bool

	// Workers is the number of goroutines in Transform. If it is 0, GOMAXPROCS is used.
	Workers int

	state rowmap.State[pcaModel]
}

type pcaModel struct {
	Means      codec.Floats
	Components codec.Matrix // r×d
	Deviations codec.Floats
	Ratios     codec.Floats // shares of the variance
	Whiten     bool
}

// wide returns ErrParam if there are fewer columns than Components.
func (p *PCA) wide(d int) error {
	if p.Components > d {
		return fault.Param(pcaName, "Components", p.Components, fmt.Sprintf("at most %d, the number of columns", d))
	}
	return nil
}

// componentsOf returns how many eigenvalues are kept, and the sum of all eigenvalues that exceed rounding errors. The eigenvalues
// are in descending order and belong to a matrix with the given number of rows.
func componentsOf(values []float64, rows, components int, share float64) (count int, total float64) {
	limit := float64(rows) * 0x1p-52 * values[0]
	for _, v := range values {
		if v > limit {
			count++
			total += v
		}
	}
	if share > 0 {
		sum := 0.0
		for k, v := range values[:count] {
			// A share that is too small only by rounding suffices.
			if sum += v; sum >= share*total*(1-1e-14) {
				count = k + 1
				break
			}
		}
	}
	if components > 0 {
		count = min(count, components)
	}
	return count, total
}

// Fit computes the components of x (n×d). It returns ErrParam, ErrShape, ErrNotFinite, ErrTooLarge, or the error of ctx.
func (p *PCA) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(pcaName, p); err != nil {
		return err
	}
	return p.state.Learn(ctx, x, nil, func(x *mat.Dense) (*pcaModel, error) {
		n, d := x.Dims()
		if err := p.wide(d); err != nil {
			return nil, err
		}
		if d > max(n, fewColumns) {
			return p.ofRows(ctx, x)
		}
		if err := wideCovariance(pcaName, d); err != nil {
			return nil, err
		}
		var c covariance
		first, rest := progress.Two(ctx, float64(n), 8*float64(d))
		if err := c.add(first, x); err != nil {
			return nil, err
		}
		return p.ofCovariance(rest, &c)
	})
}

// fewColumns is the number of columns up to which covariances are cheap, whatever the number of rows.
const fewColumns = 64

// ofCovariance computes the model from covariances. It overwrites c.
func (p *PCA) ofCovariance(ctx context.Context, c *covariance) (*pcaModel, error) {
	n, d := c.gram.N, len(c.gram.Mean)
	if err := p.wide(d); err != nil { // also for statistics
		return nil, err
	}
	m := &pcaModel{Whiten: p.Whiten, Means: make(codec.Floats, d)}
	for j := range d {
		m.Means[j] = math.Ldexp(c.gram.Mean[j]+c.gram.Low[j], c.exponent)
	}
	var total float64
	values, vectors, err := linalg.Eigen(ctx, c.gram.S, func(values []float64) (count int) {
		count, total = componentsOf(values, max(n, d), p.Components, p.Share)
		return count
	})
	if err != nil {
		return nil, err
	}
	return m, m.take(values, vectors, total, n, c.exponent)
}

// ofRows computes the model from the inner products of the rows, of which there are few.
func (p *PCA) ofRows(ctx context.Context, x *mat.Dense) (*pcaModel, error) {
	n, d := x.Dims()
	if err := check.Numbers(fmt.Sprintf("%s: %d rows of %d columns and their inner products", pcaName, n, d),
		2*float64(n)*(float64(n)+float64(d)), "take fewer rows"); err != nil {
		return nil, err
	}
	e := exponentFor(x)
	m := &pcaModel{Whiten: p.Whiten, Means: make(codec.Floats, d)}
	centred := mat.NewDense(n, d, nil)
	unit := inUnits(x, e)
	err := columnstats.EachColumn(progress.Detach(ctx), unit, func(j int, column []float64) {
		mean := columnstats.Mean(column)
		for i, v := range column {
			centred.Set(i, j, v-mean)
		}
		m.Means[j] = math.Ldexp(mean, e)
	})
	if err != nil {
		return nil, err
	}
	gram := mat.NewSymDense(n, nil)
	parts := progress.Parts(ctx, float64(d), 8*float64(n), float64(d), 4*float64(d))
	if err := fast.SymOuterKContext(parts[0], gram, 1, centred); err != nil {
		return nil, err
	}
	var total float64
	values, u, err := linalg.Eigen(parts[1], gram, func(values []float64) (count int) {
		count, total = componentsOf(values, max(n, d), p.Components, p.Share)
		return count
	})
	if err != nil || u == nil {
		return m, cmp.Or(err, m.take(values, nil, total, n, e))
	}
	_, r := u.Dims()
	vectors := mat.NewDense(d, r, nil)
	if err := fast.MulContext(parts[2], vectors, centred.T(), u); err != nil {
		return nil, err
	}
	// The length of each vector is its deviation, and the vectors are orthogonal up to the rounding errors of the largest. The
	// factorisation starts with the largest vector and makes each vector orthogonal up to its own rounding errors.
	if _, err := orthogonal.ThinQR(parts[3], vectors); err != nil {
		return nil, err
	}
	return m, m.take(values, vectors, total, n, e)
}

// take sets the components to the columns of vectors (d×r). The values are eigenvalues of sums over n rows in units of 2^2e. If a
// deviation overflows, take returns ErrNotFinite.
func (m *pcaModel) take(values []float64, vectors *mat.Dense, total float64, n, e int) error {
	d := len(m.Means)
	if vectors == nil { // no column varies
		m.Components = codec.Matrix{Rows: 1, Cols: d, Data: make(codec.Floats, d)}
		m.Components.Data[0] = 1
		m.Deviations, m.Ratios = codec.Floats{0}, codec.Floats{0}
		return nil
	}
	_, r := vectors.Dims()
	m.Components = codec.Matrix{Rows: r, Cols: d, Data: make(codec.Floats, 0, r*d)}
	for k := range r {
		v := mat.Col(nil, k, vectors)
		m.Components.Data = append(m.Components.Data, signed(v)...)
		m.Deviations = append(m.Deviations, math.Ldexp(math.Sqrt(values[k]/float64(n-1)), e))
		m.Ratios = append(m.Ratios, values[k]/total)
	}
	if !m.Deviations.Finite() {
		return fmt.Errorf("%s: x is too large, the deviation of component 0 overflows: %w", pcaName, fault.ErrNotFinite)
	}
	return nil
}

// signed flips the sign of v if necessary, so that its largest entry is positive, or the first of several that are equal up to
// rounding.
func signed(v []float64) []float64 {
	largest := columnstats.LargestMagnitude(v)
	for _, x := range v {
		if math.Abs(x) >= largest*(1-1e-8) {
			if x < 0 {
				floats.Scale(-1, v)
			}
			break
		}
	}
	return v
}

// FitBlocks implements [streaming.BlockFitter]. It reads the stream once and stores the covariances of the columns, O(d²). The
// result is the same as with Fit, except for rounding if there are more columns than rows.
func (p *PCA) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(pcaName, p); err != nil {
		return err
	}
	return p.state.LearnBlocks(ctx, blocks, nil, func(rows *rowmap.Stream) (*pcaModel, error) {
		var c covariance
		var buffer *mat.Dense
		filled := 0
		err := rows.Pass(ctx, func(x *mat.Dense) error {
			n, d := x.Dims()
			if buffer == nil {
				if err := cmp.Or(p.wide(d), wideCovariance(pcaName, d)); err != nil {
					return err
				}
				buffer = mat.NewDense(covariancePiece, d, nil)
			}
			for i := range n {
				buffer.SetRow(filled, x.RawRowView(i))
				if filled++; filled == covariancePiece {
					filled = 0
					if err := c.add(ctx, buffer); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err == nil && filled > 0 {
			err = c.add(ctx, buffer.Slice(0, filled, 0, rows.D).(*mat.Dense))
		}
		if err != nil {
			return nil, err
		}
		return p.ofCovariance(ctx, &c)
	})
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics hold the means of the columns and sums of products of the
// differences from these means, so that a common offset costs no digits.
func (p *PCA) NewStatistics() (streaming.Statistics[streaming.None], error) {
	if err := settings.Check(pcaName, p); err != nil {
		return nil, err
	}
	return &covarianceStatistics{typ: pcaName}, nil
}

// FitStatistics implements [streaming.StatisticsFitter]. The result is the same as with Fit up to rounding, however the rows are
// divided and merged.
func (p *PCA) FitStatistics(ctx context.Context, s streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(pcaName, p); err != nil {
		return err
	}
	of, err := (&covarianceStatistics{typ: pcaName}).like(s)
	if err != nil {
		return err
	}
	if s.Rows() == 0 {
		return fault.EmptyStatistics(pcaName)
	}
	m, err := p.ofCovariance(ctx, &of.Clone().(*covarianceStatistics).covariance)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.state.Fitted, p.state.Sums = m, of.Clone()
	return nil
}

// PartialFit implements [transformers.PartialFitter].
func (p *PCA) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return p.state.PartialFit(ctx, x, p)
}

// MarshalStatistics implements estimators.Continuer.
func (p *PCA) MarshalStatistics() ([]byte, error) { return p.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (p *PCA) UnmarshalStatistics(data []byte) error { return p.state.UnmarshalStatistics(p, data) }

// Transform returns the components (m×r) of the rows of x (m×d).
func (p *PCA) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Apply(p.transformAll, x)
}

// TransformTo implements [transformers.TransformerTo]. For a few rows the result agrees with that of Transform up to rounding.
func (p *PCA) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return p.state.MapInto(dst, x, true, p.mapMany)
}

// transformAll sets dst to the components of x. It computes them in batches, also for a few rows.
func (p *PCA) transformAll(dst *mat.Dense, x mat.Matrix) error {
	return p.state.MapInto(dst, x, false, p.mapMany)
}

func (p *PCA) mapMany(dst, x *mat.Dense) error {
	m := p.state.Fitted
	to := projection.New(m.Components, m.Means)
	return projection.MapChunks(m, p.Workers, dst, x, func(dst, x *mat.Dense) {
		s := to.Borrow()
		defer to.Release(s)
		dst.Copy(to.Products(s, x))
		rows, _ := dst.Dims()
		for i := range rows {
			m.whiten(dst.RawRowView(i))
		}
	})
}

// FeatureNames implements [transformers.FeatureNamer]. The names are pca0 and so on.
func (p *PCA) FeatureNames(in []string) ([]string, error) { return p.state.FeatureNames(in) }

// Graph implements [graph.Grapher].
func (p *PCA) Graph(x graph.Value) (graph.Outputs, error) { return p.state.Graph(x) }

// MarshalBinary implements encoding.BinaryMarshaler. It returns ErrNotFitted before Fit.
func (p *PCA) MarshalBinary() ([]byte, error) { return p.state.MarshalBinary() }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns ErrBadModel, it leaves the value unchanged.
func (p *PCA) UnmarshalBinary(data []byte) error { return p.state.UnmarshalBinary(data) }

// InverseTransform returns the rows (m×d) with the components z (m×r). With all components these are the rows that Transform maps
// to z. With fewer components they are the nearest approximation of those rows.
func (p *PCA) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return rowmap.Invert(&p.state, z)
}

// Means returns the means of the d columns, or nil before Fit.
func (p *PCA) Means() []float64 { return slices.Clone(p.state.Model().Means) }

// Directions returns the unit vectors v of the components (r×d), or nil before Fit.
func (p *PCA) Directions() *mat.Dense {
	c := p.state.Model().Components
	if c.Rows == 0 {
		return nil
	}
	return mat.NewDense(c.Rows, c.Cols, slices.Clone(c.Data))
}

// Deviations returns the standard deviations √λ of the r components over the training rows, or nil before Fit.
func (p *PCA) Deviations() []float64 { return slices.Clone(p.state.Model().Deviations) }

// Ratios returns each component's share of the variance, or nil before Fit.
func (p *PCA) Ratios() []float64 { return slices.Clone(p.state.Model().Ratios) }

func (pcaModel) TypeName() string { return pcaName }

func (m pcaModel) Widths() (from, to int) { return m.Components.Cols, m.Components.Rows }

func (m pcaModel) MapRow(dst, x []float64) {
	projection.Row(dst, m.Components, m.Means, x)
	m.whiten(dst)
}

func (m pcaModel) whiten(z []float64) {
	if !m.Whiten {
		return
	}
	for k, s := range m.Deviations {
		if s > 0 {
			z[k] /= s
		}
	}
}

func (m pcaModel) InvertRow(dst, z []float64) {
	copy(dst, m.Means)
	d := m.Components.Cols
	for k, v := range z {
		if s := m.Deviations[k]; m.Whiten && s > 0 {
			v *= s
		}
		floats.AddScaled(dst, v, m.Components.Data[k*d:(k+1)*d])
	}
}

func (m pcaModel) Validate() error {
	c, err := m.Components.Dense()
	switch {
	case err != nil:
		return fmt.Errorf("components: %v", err)
	case c == nil || len(m.Means) != m.Components.Cols || !m.Means.Finite():
		return fmt.Errorf("%d components and %d means, want at least 1 and finite", m.Components.Rows, len(m.Means))
	}
	return validSpectrum(m.Components.Rows, m.Deviations, m.Ratios)
}

// validSpectrum returns an error if the deviations and shares of r components are invalid.
func validSpectrum(r int, deviations, ratios codec.Floats) error {
	if len(deviations) != r || len(ratios) != r || !deviations.Finite() || !ratios.Finite() {
		return fmt.Errorf("%d deviations and %d ratios of %d components, or not finite", len(deviations), len(ratios), r)
	}
	for k, v := range deviations {
		if v < 0 || ratios[k] < 0 || ratios[k] > 1+1e-9 {
			return fmt.Errorf("a deviation of %v and a ratio of %v", v, ratios[k])
		}
	}
	return nil
}

func (m pcaModel) BuildGraph(x graph.Value) (graph.Value, error) {
	c, err := m.Components.Dense()
	if err != nil {
		return x, err
	}
	z := x.Sub(x.Row(m.Means)).MatMul(x.Constant(c.T()))
	if m.Whiten {
		by := slices.Clone(m.Deviations)
		for k, s := range by {
			if !(s > 0) {
				by[k] = 1
			}
		}
		z = z.Div(z.Row(by))
	}
	return z, nil
}
