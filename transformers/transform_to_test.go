package transformers_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// TransformTo agrees with Transform up to rounding, for any dst, for a few rows and for many.
func TestTransformToIsTransform(t *testing.T) {
	for name, configured := range goldenFiles {
		tr := estimators.Clone(configured)
		to := tr.(transformers.TransformerTo)
		rows := goldenRowsOf(tr)
		assert.ErrorIs(t, to.TransformTo(&mat.Dense{}, rows), fault.ErrNotFitted, name)
		maptest.FitTransform(t, tr, rows)
		n, d := rows.Dims()
		reused := &mat.Dense{}
		for _, copies := range []int{1, 20, 2} {
			x := mat.NewDense(n*copies, d, nil)
			for i := range n * copies {
				x.SetRow(i, rows.RawRowView(i%n))
			}
			want, err := tr.Transform(x)
			require.NoError(t, err, name)
			_, width := want.Dims()
			wide := mat.NewDense(n*copies, width+3, nil)
			wide.Apply(func(int, int, float64) float64 { return math.NaN() }, wide)
			reused.Reset()
			for _, dst := range []*mat.Dense{wide.Slice(0, n*copies, 2, width+2).(*mat.Dense), {}, reused} {
				require.NoError(t, to.TransformTo(dst, x), name)
				for i := range n * copies {
					assert.InDeltaSlice(t, want.RawRowView(i), dst.RawRowView(i), 1e-12, name)
				}
			}
			for i := range n * copies {
				assert.True(t, math.IsNaN(wide.At(i, 1)) && math.IsNaN(wide.At(i, width+2)), "%s: beside dst", name)
			}
			assert.ErrorIs(t, to.TransformTo(mat.NewDense(n*copies, width+1, nil), x), fault.ErrShape, name)
			assert.ErrorIs(t, to.TransformTo(mat.NewDense(n*copies+1, width, nil), x), fault.ErrShape, name)
			assert.ErrorIs(t, to.TransformTo(nil, x), fault.ErrShape, name)
		}
		assert.ErrorIs(t, to.TransformTo(&mat.Dense{}, nil), fault.ErrShape, name)
		assert.ErrorIs(t, to.TransformTo(&mat.Dense{}, mat.NewDense(1, d+1, nil)), fault.ErrShape, name)
		bad := mat.NewDense(1, d, nil)
		bad.Set(0, 2, math.Inf(1))
		assert.ErrorIs(t, to.TransformTo(&mat.Dense{}, bad), fault.ErrNotFinite, name)
	}
}

// A feature that overflows is an error, for a few rows and for many.
func TestTransformToOverflow(t *testing.T) {
	ctx := context.Background()
	x := mat.NewDense(2, 1, []float64{0, 1e300})
	for _, tr := range []transformers.Transformer{
		&featuremap.RandomFourier{Frequencies: mat.NewDense(1, 1, []float64{1e200})},
		&featuremap.LocallyStationaryFourier{LocalFrequencies: mat.NewDense(1, 1, []float64{1e200}), Frequencies: mat.NewDense(1, 1, []float64{1}), Origin: []float64{0}},
		&scalers.StandardScaler{},
	} {
		require.NoError(t, tr.Fit(ctx, mat.NewDense(2, 1, []float64{0, 1e-300})))
		_, err := tr.Transform(x)
		require.ErrorIs(t, err, fault.ErrNotFinite, "%T", tr)
		assert.EqualError(t, tr.(transformers.TransformerTo).TransformTo(&mat.Dense{}, x), err.Error(), "%T", tr)
	}
}
