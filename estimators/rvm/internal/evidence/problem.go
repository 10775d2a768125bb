package evidence

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// regressionProblem holds the part of a regression that all starts share.
type regressionProblem struct {
	b        *basis.Basis
	t        []float64 // targets, weighted, and centred if the intercept has a flat prior
	bt       []float64 // Φ't
	tt       float64   // t't
	dof      float64   // N, the sum of the weights, minus 1 if the intercept has a flat prior
	variance float64   // variance of the targets, centred for every intercept
	noise    float64   // fixed noise variance, or 0 if it is estimated
	workers  int

	mu    sync.Mutex
	cache map[int]*member
}

// member is a column that was in the model of at least one start.
type member struct {
	column   []float64 // n
	products []float64 // Φ'column, M
}

// member returns column j with its products, which are computed once for all starts.
func (p *regressionProblem) member(ctx context.Context, j int) (*member, error) {
	p.mu.Lock()
	m, ok := p.cache[j]
	p.mu.Unlock()
	if ok {
		return m, nil
	}
	column, err := p.b.Column(ctx, j)
	if err != nil {
		return nil, err
	}
	var products []float64
	if p.b.Products != nil {
		products = p.b.Products.RawRowView(j)
	} else if products, err = p.b.Correlate(ctx, column); err != nil {
		return nil, err
	}
	m = &member{column: column, products: products}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cache[j] = m
	return m, nil
}

// newRegressionProblem converts the targets, in units of scale, to the coordinates of the basis.
func newRegressionProblem(ctx context.Context, b *basis.Basis, y []float64, centre bool, scale, noise float64,
	workers int) (*regressionProblem, float64, error) {
	p := &regressionProblem{b: b, t: make([]float64, len(y)), dof: b.Total, noise: noise / scale / scale, workers: workers,
		cache: map[int]*member{}}
	for i, v := range y {
		p.t[i] = v / scale
	}
	b.Apply(p.t)
	centred := slices.Clone(p.t)
	mean := b.Centre(centred)
	p.variance = linalg.Dot(centred, centred) / b.Total
	if centre {
		p.t = centred
		p.dof--
	} else if p.variance == 0 {
		p.variance = mean * mean
	}
	p.tt = linalg.Dot(p.t, p.t)
	var err error
	p.bt, err = b.Correlate(ctx, p.t)
	return p, mean * scale, err
}

// scaleOf returns the standard deviation of the targets. If it is 0 up to rounding, scaleOf returns the largest magnitude of the
// targets, which is 0 if all targets are 0.
func scaleOf(y []float64) float64 {
	largest := 0.0
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return 0
	}
	mean, squares := 0.0, 0.0
	for _, v := range y {
		mean += v / largest / float64(len(y))
	}
	for _, v := range y {
		d := v/largest - mean
		squares += d * d / float64(len(y))
	}
	if s := math.Sqrt(squares); s > 1e-14 {
		return max(s*largest, math.SmallestNonzeroFloat64)
	}
	return largest
}

// constant reports whether the targets are all equal, up to rounding.
func constant(y []float64) bool {
	low, high := slices.Min(y), slices.Max(y)
	return high/2-low/2 <= 1e-14*max(math.Abs(low), math.Abs(high))
}
