package pipeline_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func transformer() *pipeline.Transformer {
	return &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.UnitRows{}, &scalers.StandardScaler{}}}
}

// counting is a step that counts its calls, also those of its clones.
type counting struct {
	transformers.Transformer
	fits, transforms *int
}

func (c counting) Clone() transformers.Transformer { return c }

func (c counting) Fit(ctx context.Context, x mat.Matrix) error {
	*c.fits++
	return c.Transformer.Fit(ctx, x)
}

func (c counting) Transform(x mat.Matrix) (*mat.Dense, error) {
	*c.transforms++
	return c.Transformer.Transform(x)
}

func TestFitTransformsOnce(t *testing.T) {
	var fits, transforms [2]int
	tr := &pipeline.Transformer{Steps: []transformers.Transformer{
		counting{&scalers.RMSScaler{}, &fits[0], &transforms[0]}, counting{&scalers.StandardScaler{}, &fits[1], &transforms[1]},
	}}
	got, err := tr.FitTransform(ctx, x)
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 1}, fits)
	assert.Equal(t, [2]int{1, 1}, transforms)
	want, err := tr.Transform(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	require.NoError(t, tr.Fit(ctx, x))
	assert.Equal(t, [2]int{2, 2}, fits)
	assert.Equal(t, [2]int{3, 2}, transforms, "Fit does not use the result of the last step")
}

func TestPass(t *testing.T) {
	many := mat.NewDense(40, 2, nil)
	many.Apply(func(i, j int, _ float64) float64 { return float64((3*i+5*j)%11) - 4.5 }, many)
	tr := transformer()
	require.NoError(t, tr.Fit(ctx, many))
	for _, n := range []int{1, 16, 17, 40} {
		rows := many.Slice(0, n, 0, 2)
		want, err := tr.Transform(rows)
		require.NoError(t, err)
		called := false
		require.NoError(t, tr.Pass(rows, func(z mat.Matrix) error {
			called = mat.EqualApprox(want, z, 1e-14)
			return nil
		}))
		assert.True(t, called, "%d rows", n)
	}
	stop := errors.New("of the function")
	assert.Equal(t, stop, tr.Pass(many, func(mat.Matrix) error { return stop }))
	assert.ErrorIs(t, transformer().Pass(many, nil), estimators.ErrNotFitted)
	assert.EqualError(t, tr.Pass(mat.NewDense(1, 3, nil), nil), "pipeline: Transformer: step 0 (UnitRows): x has 3 columns, fitted on 2")
}

func TestTransformerWithoutSteps(t *testing.T) {
	tr := &pipeline.Transformer{Name: "mine: Preprocess"}
	z, err := tr.FitTransform(ctx, x)
	require.NoError(t, err)
	assert.Same(t, x, z)
	require.NoError(t, tr.Pass(x, func(z mat.Matrix) error {
		assert.Same(t, x, z)
		return nil
	}))
	copied, err := tr.Transform(x)
	require.NoError(t, err)
	assert.NotSame(t, x, copied)
	assert.True(t, mat.Equal(x, copied))
	assert.EqualError(t, tr.TransformTo(&mat.Dense{}, mat.NewDense(1, 3, nil)), "mine: Preprocess: x has 3 columns, fitted on 2")
	bad := mat.NewDense(1, 2, []float64{math.NaN(), 0})
	assert.EqualError(t, tr.Fit(ctx, bad), "mine: Preprocess: x[0,0] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	assert.Empty(t, tr.FittedSteps())
}

func TestTransformerGoesBack(t *testing.T) {
	tr := &pipeline.Transformer{Steps: []transformers.Transformer{
		&columnwise.PowerTransformer{}, &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.MinMaxScaler{}, &scalers.RMSScaler{}}},
	}}
	assert.True(t, tr.Supports(estimators.Inverting))
	_, err := tr.InverseTransform(x)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	z, err := tr.FitTransform(ctx, x)
	require.NoError(t, err)
	back, err := tr.InverseTransform(z)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(x, back, 1e-12))
	_, err = tr.InverseTransform(mat.NewDense(1, 3, nil))
	assert.EqualError(t, err, "pipeline: Transformer: step 1 (Transformer): pipeline: Transformer: step 1 (RMSScaler): z has 3 columns, fitted on 2")

	none := &pipeline.Transformer{}
	require.NoError(t, none.Fit(ctx, x))
	back, err = none.InverseTransform(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(x, back) && back != x)

	for name, step := range map[string]transformers.Transformer{"UnitRows": &scalers.UnitRows{}, "turned": &turned{&scalers.StandardScaler{}}} {
		stuck := &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}, step}}
		assert.False(t, stuck.Supports(estimators.Inverting))
		require.NoError(t, stuck.Fit(ctx, x))
		_, err := stuck.InverseTransform(x)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		assert.ErrorContains(t, err, "step 1 ("+name+")")
	}
}

// turned has the InverseTransform of its embedded type, which is not the inverse of its Transform.
type turned struct{ *scalers.StandardScaler }

func (s *turned) Transform(x mat.Matrix) (*mat.Dense, error) {
	z, err := s.StandardScaler.Transform(x)
	if err == nil {
		z.Scale(-1, z)
	}
	return z, err
}

func TestStepsThatCanLess(t *testing.T) {
	tr := &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}, plainStep{&scalers.UnitRows{}}}}
	require.NoError(t, tr.Fit(ctx, x))
	want, err := tr.Transform(x)
	require.NoError(t, err)
	got := &mat.Dense{}
	require.NoError(t, tr.TransformTo(got, x), "without TransformTo, by Transform")
	assert.Equal(t, want, got)
	require.ErrorIs(t, tr.TransformTo(mat.NewDense(6, 3, nil), x), estimators.ErrShape)
	require.ErrorIs(t, tr.TransformTo(nil, x), estimators.ErrShape)
	_, err = tr.MarshalBinary()
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.False(t, tr.Supports(estimators.Marshalling))

	tr.Steps[1] = nil
	assert.EqualError(t, tr.Fit(ctx, x), "pipeline: Transformer: Steps[1] = <nil>, want a transformer")
	assert.EqualError(t, estimators.Clone(tr).Fit(ctx, x), "pipeline: Transformer: Steps[1] = <nil>, want a transformer")
}

// RowResiduals returns the residuals of the last step for the input of that step, also in a nested Transformer.
func TestRowResiduals(t *testing.T) {
	nystroem := &featuremap.Nystroem{Kernel: kernels.RBF{}, Components: 2}
	inner := &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.RMSScaler{}, nystroem}}
	for _, steps := range [][]transformers.Transformer{
		{&scalers.StandardScaler{}, &scalers.RMSScaler{}, nystroem}, {&scalers.StandardScaler{}, inner},
	} {
		tr := &pipeline.Transformer{Steps: steps}
		require.NoError(t, tr.Fit(ctx, x))
		z, err := tr.Transform(x)
		require.NoError(t, err)
		got, err := tr.RowResiduals(x, z)
		require.NoError(t, err)
		for i, v := range got {
			row := z.RawRowView(i)
			assert.InDelta(t, 1-row[0]*row[0]-row[1]*row[1], v, 1e-12)
		}
		assert.Greater(t, got[5], 0.1)
	}
	tr := transformer()
	require.NoError(t, tr.Fit(ctx, x))
	got, err := tr.RowResiduals(x, nil)
	require.NoError(t, err)
	assert.Equal(t, make([]float64, 6), got)
}

func TestTransformerIntoAnotherConfiguration(t *testing.T) {
	tr := transformer()
	require.NoError(t, tr.Fit(ctx, x))
	data, err := tr.MarshalBinary()
	require.NoError(t, err)
	assert.EqualError(t, (&pipeline.Transformer{}).UnmarshalBinary(data), "pipeline.Transformer: bad model data: the data holds 2 steps, configured are 0")
	other := &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.UnitRows{}, &scalers.RMSScaler{}}}
	assert.EqualError(t, other.UnmarshalBinary(data),
		"pipeline.Transformer: bad model data: step 1 was a transformers.StandardScaler, this value has a transformers.RMSScaler")
}
