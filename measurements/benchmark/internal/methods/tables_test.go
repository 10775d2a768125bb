package methods

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection"
)

// problemWithNames returns rows with a category of few levels, one of many levels, and a number with gaps, all of which matter. It
// also returns the targets of the test rows.
func problemWithNames(task string) (p Problem, truth []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	p = Problem{Task: task, X: mat.NewDense(200, 3, nil), Test: mat.NewDense(100, 3, nil), Categories: []int{0, 1}}
	for _, x := range []*mat.Dense{p.X, p.Test} {
		n, _ := x.Dims()
		for i := range n {
			few, many, z := rng.IntN(4), rng.IntN(40), rng.NormFloat64()
			y := float64(few*3%4) + float64(many*17%40)/10 + z
			if x.SetRow(i, []float64{float64(few), float64(many), z}); rng.IntN(10) == 0 {
				x.Set(i, 2, math.NaN())
			}
			if task == ClassificationTask {
				y = math.Round(1 / (1 + math.Exp(3-y)))
			}
			if x == p.X {
				p.Y = append(p.Y, y)
			} else {
				truth = append(truth, y)
			}
		}
	}
	return p, truth
}

// All methods of the third collection learn from categories and gaps.
func TestMethodsOnTables(t *testing.T) {
	for _, task := range []string{RegressionTask, ClassificationTask} {
		for _, name := range []string{"selection", "selection-budget", "stack", "lssvm", "falkon", "rvm", "gabasr", "eem"} {
			m, ok := Named(name)
			require.True(t, ok, name)
			if !m.Fits(task) {
				continue
			}
			p, truth := problemWithNames(task)
			p.Allowance = 10 * time.Second
			f, _, _, err := m.Learn(p)
			require.NoError(t, err, name)
			got, err := f.Predict()
			require.NoError(t, err, name)
			measures, err := f.Measure(truth, got)
			require.NoError(t, err, name)
			if task == RegressionTask {
				assert.Less(t, measures["NMSE"], .5, name)
			} else {
				assert.Greater(t, measures["Accuracy"], .7, name)
			}
		}
	}
}

func TestEncoder(t *testing.T) {
	p, _ := problemWithNames(RegressionTask)
	s := p.onTableRegressor(&selection.Regressor{}).(*selection.Regressor)
	assert.Equal(t, []int{0, 1}, s.Categories)
	assert.Zero(t, s.Budget)
	p.Allowance = time.Second
	assert.Equal(t, time.Second, p.onTableRegressor(&selection.Regressor{}).(*selection.Regressor).Budget)

	step := p.encoder().(interface {
		FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (*mat.Dense, error)
	})
	z, err := step.FitTransformTargets(t.Context(), p.X, mat.NewDense(len(p.Y), 1, p.Y))
	require.NoError(t, err)
	_, d := z.Dims()
	assert.Equal(t, 4+1+2, d, "a column for each of four levels, the mean targets, and the number with an indicator of its gaps")
	for _, v := range z.RawMatrix().Data {
		require.False(t, math.IsNaN(v))
	}
	assert.Equal(t, 5, levels(mat.NewDense(6, 1, []float64{1, 2, 3, math.NaN(), 4, math.NaN()}), 0))

	p.Categories, p.Test = nil, mat.NewDense(1, 3, nil)
	p.X = mat.NewDense(2, 3, nil)
	assert.True(t, p.isPlain())
	p.Test.Set(0, 0, math.NaN())
	assert.False(t, p.isPlain(), "only a test row has a gap")
}

// The method whose budget is another's time is chosen with the other method, or by name.
func TestChooseBudgeted(t *testing.T) {
	has := func(list string, programs Programs) bool {
		chosen, err := Choose(list, programs)
		require.NoError(t, err)
		return slices.ContainsFunc(chosen, func(m Method) bool { return m.Name == Budgeted })
	}
	assert.False(t, has("", Programs{}))
	assert.True(t, has("", Programs{Python: "python3"}))
	assert.False(t, has(OursSource, Programs{}))
	assert.True(t, has(OursSource+","+BudgetOf, Programs{Python: "python3"}))
	assert.True(t, has(Budgeted, Programs{}))
}
