package forecast

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// ensembleStream is the stream of random numbers for ensembles: the word "blocks" in ASCII.
const ensembleStream = 0x626c6f636b73

// fitEnsembles fits models to blocks of rows that are drawn with replacement. It computes the error of each row from the models
// that were fitted without the row.
func (f *Forecaster) fitEnsembles(ctx context.Context, m *model) error {
	random := rand.New(rand.NewPCG(f.Seed, ensembleStream))
	group := progress.Open(ctx)
	for h := range f.horizon() {
		x, y, at, err := f.rows(m, h+1)
		if err != nil {
			return err
		}
		n := len(y)
		sums, counts := make([]float64, n), make([]float64, n)
		var models []estimators.Regressor
		for b := range f.Ensemble {
			drawn, in := drawBlocks(random, n, h+1)
			one := estimators.Clone(f.base())
			step := group.Step(h*f.Ensemble+b, f.horizon()*f.Ensemble)
			if err := one.Fit(step, linalg.Rows(x, drawn), linalg.Pick(y, drawn)); err != nil {
				return fmt.Errorf("%d steps ahead, model %d: %w", h+1, b, err)
			}
			models = append(models, one)
			var out []int
			for i := range n {
				if !in[i] {
					out = append(out, i)
				}
			}
			if len(out) == 0 {
				continue
			}
			got, err := one.Predict(linalg.Rows(x, out))
			if err != nil {
				return err
			}
			for k, i := range out {
				sums[i] += got[k]
				counts[i]++
			}
		}
		for i := range at {
			if counts[i] > 0 {
				m.steps[h].add(math.Abs(y[i]-sums[i]/counts[i]), f.window())
			}
		}
		m.models = append(m.models, models)
	}
	return nil
}

// drawBlocks draws n rows in blocks of neighbours. It returns their indices, and whether each row was drawn. The length of a block
// is that of the forecast, but at least the cube root of n, so that neighbours with common values are usually drawn together or not
// at all.
func drawBlocks(random *rand.Rand, n, steps int) (drawn []int, in []bool) {
	length := min(n, max(steps, int(math.Ceil(math.Cbrt(float64(n))))))
	in = make([]bool, n)
	for len(drawn) < n {
		first := random.IntN(n - length + 1)
		for i := first; i < first+length && len(drawn) < n; i++ {
			drawn, in[i] = append(drawn, i), true
		}
	}
	return drawn, in
}
