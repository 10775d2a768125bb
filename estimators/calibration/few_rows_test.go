package calibration

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// slope is a classifier whose decision is the first column, whatever its training rows.
type slope struct{}

func (s *slope) Fit(_ context.Context, _ mat.Matrix, _ []int) error { return nil }
func (s *slope) Predict(x mat.Matrix) ([]int, error) {
	n, _ := x.Dims()
	return make([]int, n), nil
}
func (s *slope) Classes() []int               { return []int{0, 1} }
func (s *slope) Clone() estimators.Classifier { return &slope{} }

func (s *slope) Decision(x mat.Matrix) (*mat.Dense, error) {
	n, _ := x.Dims()
	out := mat.NewDense(n, 2, nil)
	for i := range n {
		out.Set(i, 1, x.At(i, 0))
	}
	return out, nil
}

// If a class has few different rows, Automatic does not choose Isotonic, even if it has the smallest log loss in cross-validation.
// Here all rare rows are in the middle fifth of the scores, which no slope and offset can describe. Copies do not count as
// different rows.
func TestAutomaticWantsManyRowsForSteps(t *testing.T) {
	const n = 2000
	for _, c := range []struct {
		rare, copies int
		want         bool
	}{{45, 1, false}, {99, 1, false}, {100, 1, true}, {60, 3, false}} {
		var rows []float64
		var labels []int
		for i := range n {
			v, label := 2*float64(i)/n-1, 0
			if i < c.rare {
				v, label = .4*(float64(i)/float64(c.rare)-.5)+1e-9*math.Pi, 1
			}
			for range c.copies {
				rows, labels = append(rows, v), append(labels, label)
			}
		}
		m := &Classifier{Estimator: &slope{}}
		require.NoError(t, m.Fit(t.Context(), mat.NewDense(len(rows), 1, rows), labels))
		assert.Equal(t, c.want, m.ChosenMethod() == Isotonic, "%d rare rows, %d copies: %v", c.rare, c.copies, m.ChosenMethod())
	}
}
