package falkon

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
)

// If settings contradict each other, the error names them.
func TestSettingsThatContradict(t *testing.T) {
	x, y, _ := friedman(30, 3, 1, 1)
	for want, r := range map[string]Regressor{
		"Components and Rule": {Landmarks: rows.Window(x, 0, 3), Components: 3},
		"Landmarks":           {Landmarks: &mat.Dense{}},
		"Rule":                {Rule: 3},
		"Solver":              {Solver: 3},
		"Resume":              {Resume: &State{}, Solver: ConjugateGradients},
	} {
		var param *estimators.ParamError
		require.ErrorAs(t, r.Fit(ctx, x, y), &param, want)
		assert.Equal(t, want, param.Field)
	}
	assert.ErrorIs(t, (&Regressor{Landmarks: mat.NewDense(1, 2, nil)}).Fit(ctx, x, y), estimators.ErrShape)
	assert.ErrorContains(t, (&Classifier{Loss: LogisticLoss, Resume: &State{}}).Fit(ctx, x, threeClasses(y)), "Resume")
	assert.ErrorContains(t, (&Classifier{Loss: 2}).Fit(ctx, x, threeClasses(y)), "Loss")
}

// The default values are those that the comments of the fields document.
func TestDefaults(t *testing.T) {
	s := (&Regressor{}).settings().withDefaults()
	for n, want := range map[int]int{30: 30, 1000: 500, 2500: 500, 10000: 1000, 1000000: 2000} {
		assert.Equal(t, want, s.componentsFor(n), "%d rows", n)
	}
	assert.Equal(t, .001, s.Tolerance)
	assert.Equal(t, 200, s.Iterations)
	assert.Equal(t, int64(8<<30), s.MaxBytes)
	assert.True(t, s.direct(1e6, 250))
	assert.False(t, s.direct(1e6, 251))
	assert.True(t, s.direct(8000, 1000))
	assert.False(t, s.direct(8001, 1000))
}
