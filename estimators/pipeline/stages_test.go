package pipeline_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// staged returns rows with gaps and a column near a million, and targets.
func staged(n int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(12, 1))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{1e6 + a, b, a*b + rng.NormFloat64()})
		y[i] = math.Sin(2*a) + b/2 + .1*rng.NormFloat64()
		if i%17 == 0 {
			x.Set(i, 1, math.NaN())
		}
	}
	return x, y
}

func mapped() *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{
			&columnwise.Imputer{}, &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}}}, &featuremap.Nystroem{Components: 40},
		},
		Final: &ridge.Regressor{},
	}
}

// throughStages returns a pipeline that is fitted in stages. Each worker decodes the state, the sums of each worker are encoded,
// and the parts are merged in random order.
func throughStages(t *testing.T, x *mat.Dense, y []float64, parts int) *pipeline.Regressor {
	ctx := context.Background()
	stages, err := mapped().NewStages()
	require.NoError(t, err)
	n, d := x.Dims()
	for {
		at, of := stages.Stage()
		require.Equal(t, 4, of)
		if at == of {
			break
		}
		state, err := stages.MarshalBinary()
		require.NoError(t, err)
		all, err := stages.NewStatistics()
		require.NoError(t, err)
		for _, k := range rand.New(rand.NewPCG(uint64(parts), 1)).Perm(parts) {
			worker, err := mapped().NewStages()
			require.NoError(t, err)
			require.NoError(t, worker.UnmarshalBinary(state))
			s, err := worker.NewStatistics()
			require.NoError(t, err)
			if from, to := k*n/parts, (k+1)*n/parts; from < to {
				require.NoError(t, s.AddBlock(ctx, streaming.Block[float64]{X: x.Slice(from, to, 0, d).(*mat.Dense), Y: y[from:to]}))
			}
			data, err := s.MarshalBinary()
			require.NoError(t, err)
			travelled, err := stages.NewStatistics()
			require.NoError(t, err)
			require.NoError(t, travelled.UnmarshalBinary(data))
			require.NoError(t, all.Merge(travelled))
		}
		require.NoError(t, stages.FitStatistics(ctx, all))
	}
	state, err := stages.MarshalBinary()
	require.NoError(t, err)
	last, err := mapped().NewStages()
	require.NoError(t, err)
	require.NoError(t, last.UnmarshalBinary(state))
	out := mapped()
	require.NoError(t, out.FitStages(ctx, last))
	return out
}

// A pipeline of an imputer, a scaler, a map and ridge regression has the same fit from 1, 4 and 64 parts in any order, up to 1e-10.
func TestStagesInParts(t *testing.T) {
	x, y := staged(6000)
	test, _ := staged(200)
	want := throughStages(t, x, y, 1)
	a, v, err := want.PredictVariance(test)
	require.NoError(t, err)
	coefficients := want.FittedFinal().(*ridge.Regressor).Coefficients()
	for _, parts := range []int{4, 64} {
		got := throughStages(t, x, y, parts)
		b, w, err := got.PredictVariance(test)
		require.NoError(t, err)
		assert.InDeltaSlice(t, a, b, 1e-10, "%d parts", parts)
		assert.InDeltaSlice(t, v, w, 1e-10, "%d parts", parts)
		assert.InDeltaSlice(t, coefficients, got.FittedFinal().(*ridge.Regressor).Coefficients(), 1e-10*10, "%d parts", parts)
	}
	plain := mapped()
	require.NoError(t, plain.Fit(context.Background(), x, y))
	c, err := plain.Predict(test)
	require.NoError(t, err)
	var apart, spread float64
	for i := range a {
		apart += (a[i] - c[i]) * (a[i] - c[i])
		spread += c[i] * c[i]
	}
	assert.Less(t, apart/spread, .05, "beside Fit, which has other landmarks")
}

// An invalid row late in a large block leaves the sums unchanged, and the error names the row. Statistics of another stage, or of
// the same stage after other rows, are rejected. So is the state of another pipeline.
func TestStagesErrors(t *testing.T) {
	ctx := context.Background()
	x, y := staged(9000)
	stages, err := mapped().NewStages()
	require.NoError(t, err)
	first, err := stages.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, first.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
	require.NoError(t, stages.FitStatistics(ctx, first))
	second, err := stages.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, second.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
	want, err := second.MarshalBinary()
	require.NoError(t, err)
	keeps := func() {
		got, err := second.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(7010, 2, math.Inf(1))
	err = second.AddBlock(ctx, streaming.Block[float64]{X: bad, Y: y})
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	var at *estimators.NotFiniteError
	require.ErrorAs(t, err, &at)
	assert.ErrorContains(t, err, "step 0 (Imputer)")
	assert.Equal(t, [2]int{7010, 2}, [2]int{at.Row, at.Col})
	keeps()
	err = second.Merge(first)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "stage 0")
	assert.ErrorContains(t, err, "stage 1")
	keeps()
	data, err := first.MarshalBinary()
	require.NoError(t, err)
	assert.ErrorIs(t, second.UnmarshalBinary(data), estimators.ErrBadModel)
	keeps()

	others, err := mapped().NewStages()
	require.NoError(t, err)
	few, err := others.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, few.AddBlock(ctx, streaming.Block[float64]{X: x.Slice(0, 50, 0, 3).(*mat.Dense), Y: y[:50]}))
	require.NoError(t, others.FitStatistics(ctx, few))
	elsewhere, err := others.NewStatistics()
	require.NoError(t, err)
	assert.ErrorIs(t, second.Merge(elsewhere), estimators.ErrParam, "rows that went through another imputer")
	keeps()

	state, err := stages.MarshalBinary()
	require.NoError(t, err)
	short, err := (&pipeline.Regressor{Final: &ridge.Regressor{}}).NewStages()
	require.NoError(t, err)
	assert.ErrorIs(t, short.UnmarshalBinary(state), estimators.ErrBadModel)
	assert.ErrorIs(t, mapped().FitStages(ctx, stages), estimators.ErrParam, "not at their end")
	_, err = (&pipeline.Regressor{Final: &lssvm.Regressor{}}).NewStages()
	assert.ErrorContains(t, err, "has no NewStatistics")
	_, err = (&pipeline.Regressor{}).NewStages()
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = (&pipeline.Regressor{Steps: []transformers.Transformer{nil}, Final: &ridge.Regressor{}}).NewStages()
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = (&pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.KernelMap{}}, Final: &ridge.Regressor{}}).NewStages()
	assert.ErrorContains(t, err, "step 0 (KernelMap)")
}

// PartialFit fits the steps to the first rows, and the final estimator to all rows.
func TestPartialFit(t *testing.T) {
	ctx := context.Background()
	x, y := staged(2000)
	p := &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}}, Final: &ridge.Regressor{Ridge: 1}}
	require.NoError(t, p.PartialFit(ctx, x.Slice(0, 700, 0, 3), y[:700]))
	require.NoError(t, p.PartialFit(ctx, x.Slice(700, 2000, 0, 3), y[700:]))
	steps := &pipeline.Transformer{Steps: p.Steps}
	require.NoError(t, steps.Fit(ctx, x.Slice(0, 700, 0, 3)))
	z, err := steps.Transform(x)
	require.NoError(t, err)
	want := &ridge.Regressor{Ridge: 1}
	require.NoError(t, want.Fit(ctx, z, y))
	assert.InDeltaSlice(t, want.Coefficients(), p.FittedFinal().(*ridge.Regressor).Coefficients(), 1e-9)
	assert.ErrorIs(t, p.PartialFit(ctx, x.Slice(0, 10, 0, 2), y[:10]), estimators.ErrShape)
	assert.ErrorContains(t, (&pipeline.Regressor{Final: &lssvm.Regressor{}}).PartialFit(ctx, x, y), "has no PartialFit")
}

// Stages and sums of every version stay readable.
func TestGoldenStages(t *testing.T) {
	ctx := context.Background()
	x, y := staged(30)
	build := func() streaming.Stages[float64] {
		p := &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.MinMaxScaler{}}, Final: &ridge.Regressor{Ridge: 1}}
		s, err := p.NewStages()
		require.NoError(t, err)
		return s
	}
	stages := build()
	sums, err := stages.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, sums.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
	require.NoError(t, stages.FitStatistics(ctx, sums))
	read := build()
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "stages-v1.keln", stages.MarshalBinary)))
	at, of := read.Stage()
	assert.Equal(t, [2]int{1, 3}, [2]int{at, of})
	next, err := read.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, next.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
	again, err := read.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, again.UnmarshalBinary(golden.Model(t, "stage-sums-v1.keln", next.MarshalBinary)))
	assert.Equal(t, 30, again.Rows())
	require.NoError(t, read.FitStatistics(ctx, again))
}
