package ridge

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/smoother"
)

// With more columns than rows, the smoother that uses the inner products of the rows agrees with the one that uses the columns.
// This holds with and without an intercept, and with and without weights.
func TestSmootherOfManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	const n, d = 9, 14
	x, fresh := mat.NewDense(n, d, nil), mat.NewDense(4, d, nil)
	for _, m := range []*mat.Dense{x, fresh} {
		m.Apply(func(_, j int, _ float64) float64 { return float64(j) + rng.NormFloat64() }, m)
	}
	y, weights := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], weights[i] = rng.NormFloat64(), 0.5+rng.Float64()
	}
	for _, bare := range []bool{false, true} {
		r := &Regressor{Ridge: 0.7, NoIntercept: bare}
		require.NoError(t, r.Fit(context.Background(), x, y))
		for _, w := range [][]float64{nil, weights} {
			s, err := r.Smoother(context.Background(), x, mat.NewDense(n, 1, y), w)
			require.NoError(t, err)
			require.IsType(t, &ofRows{}, s)
			want, err := smoother.NewFeatures(context.Background(), mat.DenseCopyOf(x), mat.NewDense(n, 1, y), w, 0.7, !bare)
			require.NoError(t, err)
			f, b, spread, err := s.Influence(context.Background(), fresh)
			require.NoError(t, err)
			wantF, wantB, wantSpread, err := want.Influence(context.Background(), mat.DenseCopyOf(fresh))
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(wantF, f, 1e-9))
			assert.True(t, mat.EqualApprox(wantB, b, 1e-9))
			assert.InDeltaSlice(t, wantSpread, spread, 1e-9)
			a, c := s.Rows()
			wantA, wantC := want.Rows()
			assert.True(t, mat.EqualApprox(wantA, a, 1e-9))
			assert.InDeltaSlice(t, wantC, c, 1e-9)
		}
	}
}
