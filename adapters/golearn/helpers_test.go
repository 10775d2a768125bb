package golearn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// centroids predicts the class whose mean is nearest. Its probabilities are the softmax of the negative distances. It rejects a
// single class.
type centroids struct {
	Sharpness float64

	labels []int
	means  *mat.Dense
}

func (c *centroids) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	d, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	sums := map[int][]float64{}
	count := map[int]float64{}
	top := 0
	for i, k := range y {
		if sums[k] == nil {
			_, w := d.Dims()
			sums[k] = make([]float64, w)
		}
		for j, v := range d.RawRowView(i) {
			sums[k][j] += v
		}
		count[k]++
		top = max(top, k)
	}
	if len(count) < 2 {
		return fault.Shape("y has", len(count), "classes", "want at least 2")
	}
	var labels []int
	_, w := d.Dims()
	means := mat.NewDense(len(count), w, nil)
	for k := 0; k <= top; k++ {
		if s := sums[k]; s != nil {
			for j := range s {
				means.Set(len(labels), j, s[j]/count[k])
			}
			labels = append(labels, k)
		}
	}
	c.labels, c.means = labels, means
	return nil
}

func (c *centroids) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	if c.means == nil {
		return nil, fault.NotFitted("centroids")
	}
	d, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	k, w := c.means.Dims()
	if err := check.Columns("x", d, w); err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	out := mat.NewDense(n, k, nil)
	for i := range n {
		sum := 0.0
		for l := range k {
			dist := 0.0
			for j, v := range d.RawRowView(i) {
				dist += (v - c.means.At(l, j)) * (v - c.means.At(l, j))
			}
			out.Set(i, l, math.Exp(-max(c.Sharpness, 1)*math.Sqrt(dist)))
			sum += out.At(i, l)
		}
		for l := range k {
			out.Set(i, l, out.At(i, l)/sum)
		}
	}
	return out, nil
}

func (c *centroids) Predict(x mat.Matrix) ([]int, error) {
	p, err := c.PredictProba(x)
	if err != nil {
		return nil, err
	}
	n, k := p.Dims()
	out := make([]int, n)
	for i := range out {
		best := 0
		for l := range k {
			if p.At(i, l) > p.At(i, best) {
				best = l
			}
		}
		out[i] = c.labels[best]
	}
	return out, nil
}

func (c *centroids) Classes() []int { return append([]int(nil), c.labels...) }

func (c *centroids) Clone() estimators.Classifier { return &centroids{Sharpness: c.Sharpness} }

func (c *centroids) Report() estimators.Report { return estimators.Report{Converged: true} }

type centroidsPayload struct {
	Labels []int
	Means  codec.Matrix
}

func (c *centroids) MarshalBinary() ([]byte, error) {
	return codec.Marshal("test.centroids", 1, centroidsPayload{c.labels, codec.FromDense(c.means)})
}

func (c *centroids) UnmarshalBinary(data []byte) error {
	var p centroidsPayload
	if _, err := codec.Unmarshal(data, "test.centroids", 1, &p); err != nil {
		return err
	}
	m, err := p.Means.Dense()
	if err != nil {
		return fault.BadModel("test.centroids", "%v", err)
	}
	if m == nil || len(p.Labels) != p.Means.Rows {
		return fault.BadModel("test.centroids", "labels")
	}
	c.labels, c.means = p.Labels, m
	return nil
}

// plain predicts like centroids, but does not support probabilities, marshalling or reports.
type plain struct{ c centroids }

func (p *plain) Fit(ctx context.Context, x mat.Matrix, y []int) error { return p.c.Fit(ctx, x, y) }
func (p *plain) Predict(x mat.Matrix) ([]int, error)                  { return p.c.Predict(x) }
func (p *plain) Classes() []int                                       { return p.c.Classes() }
func (p *plain) Clone() estimators.Classifier                         { return &plain{} }

// leastSquares is linear regression with an intercept and a small ridge.
type leastSquares struct {
	coef  []float64
	noise float64
}

func (l *leastSquares) Fit(_ context.Context, x mat.Matrix, y []float64) error {
	d, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, w := d.Dims()
	a := mat.NewDense(n, w+1, nil)
	a.Slice(0, n, 0, w).(*mat.Dense).Copy(d)
	for i := range n {
		a.Set(i, w, 1)
	}
	var ata mat.SymDense
	ata.SymOuterK(1, a.T())
	for j := range w + 1 {
		ata.SetSym(j, j, ata.At(j, j)+1e-9)
	}
	var aty, coef mat.VecDense
	aty.MulVec(a.T(), mat.NewVecDense(n, y))
	if err := coef.SolveVec(&ata, &aty); err != nil {
		return fault.Param("leastSquares", "x", err, "full rank")
	}
	c := append([]float64(nil), coef.RawVector().Data...)
	l.coef = c
	p, _ := l.Predict(x)
	s := 0.0
	for i := range p {
		s += (p[i] - y[i]) * (p[i] - y[i])
	}
	l.noise = s / float64(n)
	return nil
}

func (l *leastSquares) Predict(x mat.Matrix) ([]float64, error) {
	d, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	if err := check.Columns("x", d, len(l.coef)-1); err != nil {
		return nil, err
	}
	n, w := d.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = l.coef[w]
		for j, v := range d.RawRowView(i) {
			out[i] += v * l.coef[j]
		}
	}
	return out, nil
}

func (l *leastSquares) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	mean, err = l.Predict(x)
	for range mean {
		variance = append(variance, l.noise)
	}
	return mean, variance, err
}

func (l *leastSquares) Clone() estimators.Regressor { return &leastSquares{} }

type leastSquaresPayload struct {
	Coef  codec.Floats
	Noise float64
}

func (l *leastSquares) MarshalBinary() ([]byte, error) {
	return codec.Marshal("test.leastSquares", 1, leastSquaresPayload{l.coef, l.noise})
}

func (l *leastSquares) UnmarshalBinary(data []byte) error {
	var p leastSquaresPayload
	if _, err := codec.Unmarshal(data, "test.leastSquares", 1, &p); err != nil {
		return err
	}
	if len(p.Coef) < 1 || !p.Coef.Finite() {
		return fault.BadModel("test.leastSquares", "coefficients")
	}
	l.coef, l.noise = p.Coef, p.Noise
	return nil
}

// scaler subtracts the mean. With Impute it also replaces NaN with the mean, and with Square it appends the squares of the columns.
type scaler struct {
	Impute, Square bool

	mean []float64
}

func (s *scaler) Fit(_ context.Context, x mat.Matrix) error {
	d, err := s.check(x)
	if err != nil {
		return err
	}
	n, w := d.Dims()
	mean := make([]float64, w)
	for j := range mean {
		count := 0.0
		for i := range n {
			if v := d.At(i, j); !math.IsNaN(v) {
				mean[j] += v
				count++
			}
		}
		mean[j] /= count
	}
	s.mean = mean
	return nil
}

func (s *scaler) check(x mat.Matrix) (*mat.Dense, error) {
	if s.Impute {
		return check.DenseGaps("x", x, check.Anywhere)
	}
	return check.Dense("x", x)
}

func (s *scaler) Transform(x mat.Matrix) (*mat.Dense, error) {
	d, err := s.check(x)
	if err != nil {
		return nil, err
	}
	if err := check.Columns("x", d, len(s.mean)); err != nil {
		return nil, err
	}
	n, w := d.Dims()
	cols := w
	if s.Square {
		cols = 2 * w
	}
	out := mat.NewDense(n, cols, nil)
	for i := range n {
		for j, v := range d.RawRowView(i) {
			if math.IsNaN(v) {
				v = s.mean[j]
			}
			out.Set(i, j, v-s.mean[j])
			if s.Square {
				out.Set(i, w+j, (v-s.mean[j])*(v-s.mean[j]))
			}
		}
	}
	return out, nil
}

func (s *scaler) Clone() transformers.Transformer {
	return &scaler{Impute: s.Impute, Square: s.Square}
}

type scalerPayload struct{ Mean codec.Floats }

func (s *scaler) MarshalBinary() ([]byte, error) {
	return codec.Marshal("test.scaler", 1, scalerPayload{s.mean})
}

func (s *scaler) UnmarshalBinary(data []byte) error {
	var p scalerPayload
	if _, err := codec.Unmarshal(data, "test.scaler", 1, &p); err != nil {
		return err
	}
	s.mean = p.Mean
	return nil
}

var speciesNames = []string{"setosa", "versicolor", "virginica"}

// flowers returns n random rows of three well-separated classes in four features.
func flowers(n int, seed uint64) (*mat.Dense, []string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, 4, nil)
	labels := make([]string, n)
	for i := range n {
		k := i % 3
		labels[i] = speciesNames[k]
		for j := range 4 {
			x.Set(i, j, float64(4*k)*math.Cos(float64(j))+float64(k*j)+rng.NormFloat64())
		}
	}
	return x, labels
}

var flowerColumns = []string{"sepal length", "sepal width", "petal length", "petal width"}

func flowerGrid(tb testing.TB, n int, seed uint64) *base.DenseInstances {
	tb.Helper()
	x, labels := flowers(n, seed)
	g, err := grids.LabelledGrid(x, flowerColumns, "species", labels)
	require.NoError(tb, err)
	return g
}

// csvGridOf parses lines of CSV into a grid whose last column is the class. The class may have gaps, or be the same in all rows.
func csvGridOf(tb testing.TB, lines ...string) *base.DenseInstances {
	tb.Helper()
	t, err := table.ParseCSV("data.csv", strings.NewReader(strings.Join(lines, "\n")), nil)
	require.NoError(tb, err)
	g, err := grids.FromTable(t)
	require.NoError(tb, err)
	last := t.Schema.Columns[len(t.Schema.Columns)-1].Name
	require.NoError(tb, g.AddClassAttribute(base.GetAttributeByName(g, last)))
	return g
}

// unlabelled parses rows without a class.
func unlabelled(text string) (*base.DenseInstances, error) {
	t, err := table.ParseCSV("rows.csv", strings.NewReader(text), nil)
	if err != nil {
		return nil, err
	}
	return grids.FromTable(t)
}

// classTexts returns the printed class of each row.
func classTexts(tb testing.TB, g base.FixedDataGrid) []string {
	tb.Helper()
	_, rows := g.Size()
	out := make([]string, rows)
	for i := range out {
		out[i] = base.GetClass(g, i)
	}
	return out
}

// requireRefused asserts that there is an error and that the grid has no rows.
func requireRefused(tb testing.TB, g base.FixedDataGrid, err error) {
	tb.Helper()
	require.Error(tb, err)
	require.NotNil(tb, g)
	_, rows := g.Size()
	require.Zero(tb, rows)
}

func fitted(tb testing.TB, g base.FixedDataGrid) *Classifier {
	tb.Helper()
	c := &Classifier{Estimator: &centroids{}}
	require.NoError(tb, c.Fit(g))
	return c
}

func accuracy(tb testing.TB, truth, got base.FixedDataGrid) float64 {
	tb.Helper()
	a, b := classTexts(tb, truth), classTexts(tb, got)
	require.Len(tb, b, len(a))
	right := 0.0
	for i := range a {
		if a[i] == b[i] {
			right++
		}
	}
	return right / float64(len(a))
}

var errUnsupported = errors.ErrUnsupported

func rowLines(x *mat.Dense, labels []string, order []int, header string) []string {
	out := []string{header}
	n, _ := x.Dims()
	for i := range n {
		var cells []string
		for _, j := range order {
			cells = append(cells, fmt.Sprint(x.At(i, j)))
		}
		out = append(out, strings.Join(append(cells, labels[i]), ","))
	}
	return out
}
