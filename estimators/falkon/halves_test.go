package falkon

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
)

// The preconditioner gets all rows that it needs, if at least two rows for each landmark, or 4000, remain outside it. If fewer rows
// are drawn, they are divided in proportion. Each row is in exactly one of the two samples.
func TestHalves(t *testing.T) {
	for _, c := range []struct{ m, drawn, sample, outside int }{
		{100, 1000, 400, 600}, {1000, 8000, 4000, 4000}, {2000, 12000, 8000, 4000}, {3000, 18000, 12000, 6000},
		{3000, 9000, 6000, 3000}, {1000, 3000, 1500, 1500}, {500, 5, 3, 2}, {500, 2, 1, 1},
	} {
		d := &drawn{sample: 4 * c.m, outside: outsideFor(c.m), Batch: rows.Batch{X: mat.NewDense(c.drawn, 1, nil), Y: mat.NewDense(c.drawn, 1, nil)}}
		for i := range c.drawn {
			d.X.(*mat.Dense).Set(i, 0, float64(i))
		}
		sample, outside := d.halves()
		assert.Equal(t, []int{c.sample, c.outside}, []int{sample.N, outside.N}, "%d landmarks, %d rows", c.m, c.drawn)
		assert.Equal(t, 0., sample.Whole.X.At(0, 0))
		assert.Equal(t, float64(c.sample), outside.Whole.X.At(0, 0))
	}
}

// The preconditioner uses more rows if there are more rows in total, and fewer rows for each landmark if there are more landmarks.
// It uses at most a quarter of the rows, unless there are few rows.
func TestSampleRows(t *testing.T) {
	var s machineSettings
	for _, c := range []struct{ n, m, d, want int }{
		{100_000, 500, 20, 29}, {1_000_000, 500, 20, 32}, {100_000, 2000, 20, 6}, {1_000_000, 2000, 10, 20},
		{20_000, 1000, 10, 5}, {30_000, 500, 10, 13}, {1_000_000, 5000, 10, 7}, {1000, 500, 10, 4},
	} {
		assert.Equal(t, c.want*c.m, s.sampleRows(c.n, c.m, c.d), "%v", c)
	}
	for m := 300; m < 10_000; m *= 2 {
		last := solver.LeastSample * m
		for n := 1000; n < 10_000_000; n *= 2 {
			rows := s.sampleRows(n, m, 10)
			assert.GreaterOrEqual(t, rows, last)
			assert.True(t, rows == solver.LeastSample*m || rows <= n/4)
			last = rows
		}
	}
}
