package elm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

var ctx = context.Background()

// solved weights h and t as Fit does with Balanced, and returns the model with the coefficients that solve computes.
func solved(t *testing.T, h *mat.Dense, y []int, solve func(m *model, h, t *mat.Dense) error) *model {
	m := &model{classes: []int{-1, 1}}
	at := classes.Positions(m.classes, y)
	ht, target := mat.DenseCopyOf(h), classes.AgainstRest(at, 2)
	for i, v := range (&Classifier{Balanced: true}).classWeights().Rows(m.classes, at, nil) {
		scale(ht.RawRowView(i), math.Sqrt(v))
		scale(target.RawRowView(i), math.Sqrt(v))
	}
	require.NoError(t, solve(m, ht, target))
	return m
}

// The machines agree with the reference. In the reference, the weight of a row is the size of the largest class divided by that of
// the row's class. This equals the weight of Balanced times K max n / n, and the ridge of the reference is scaled likewise.
func TestReference(t *testing.T) {
	var c struct {
		H        [][]float64
		Y        []float64
		W        []float64   `json:"w_ratio"`
		Pinv     []float64   `json:"beta_pinv"`
		C10      []float64   `json:"beta_C10"`
		Wide     [][]float64 `json:"H_wide"`
		WideC10  []float64   `json:"beta_wide_C10"`
		WidePinv []float64   `json:"beta_wide_pinv"`
	}
	golden.Load(t, "welm.json", &c)
	y, positive := make([]int, len(c.Y)), 0.0
	for i, v := range c.Y {
		y[i] = int(v)
		positive += (v + 1) / 2
	}
	n := float64(len(y))
	times := 2 * max(positive, n-positive) / n
	w := (&Classifier{Balanced: true}).classWeights().Rows([]int{-1, 1}, classes.Positions([]int{-1, 1}, y), nil)
	floats.Scale(times, w)
	assert.LessOrEqual(t, golden.MaxError(w, c.W), 1e-12)
	pinv := func(m *model, h, t *mat.Dense) error { return m.pseudoInverse(ctx, h, t) }
	for _, of := range []struct {
		h         [][]float64
		pinv, c10 []float64
	}{{c.H, c.Pinv, c.C10}, {c.Wide, c.WidePinv, c.WideC10}} {
		h := golden.Dense(of.h)
		assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 0, solved(t, h, y, pinv).beta), of.pinv), 1e-9)
		for _, dual := range []bool{false, true} {
			m := solved(t, h, y, func(m *model, h, t *mat.Dense) error { return m.solve(ctx, h, t, .1/times, dual) })
			assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 0, m.beta), of.c10), 1e-9, "dual %t", dual)
			assert.Zero(t, m.report.Jitter)
		}
	}
}

func blobs(n, classes int) (*mat.Dense, []int) {
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range y {
		y[i] = 10 * (i % classes)
		a := 2 * math.Pi * float64(i%classes) / float64(classes)
		x.SetRow(i, []float64{2*math.Cos(a) + .8*math.Sin(float64(3*i*i)), 2*math.Sin(a) + .8*math.Cos(float64(7*i))})
	}
	return x, y
}

// With Balanced, more rows of a class with few training rows are recognised than without.
func TestBalance(t *testing.T) {
	x, y := blobs(400, 2)
	for i := range y { // the classes overlap, and only every tenth row of the second is used
		x.Set(i, 0, .4*x.At(i, 0)+1.2*math.Sin(float64(5*i*i)))
	}
	var rows []int
	for i := range y {
		if y[i] == 0 || i%20 == 1 {
			rows = append(rows, i)
		}
	}
	few, fewY := mat.NewDense(len(rows), 2, nil), make([]int, len(rows))
	for i, r := range rows {
		few.SetRow(i, x.RawRowView(r))
		fewY[i] = y[r]
	}
	hits := func(c *Classifier) (share float64) {
		c.Units, c.Activation = 20, featuremap.Tanh
		require.NoError(t, c.Fit(ctx, few, fewY))
		got, err := c.Predict(x)
		require.NoError(t, err)
		for i := range y {
			if y[i] == 10 && got[i] == 10 {
				share += 1.0 / 200
			}
		}
		return share
	}
	plain, balanced, golden := hits(&Classifier{}), hits(&Classifier{Balanced: true}), hits(&Classifier{Balanced: true, ClassWeights: map[int]float64{0: .618}})
	assert.Less(t, plain, balanced)
	assert.Less(t, balanced, golden, "Zong's second favours the small class still more")
}

func TestClassifier(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		x, y := blobs(200, k)
		for _, c := range []*Classifier{{Units: 40}, {Units: 40, NoRidge: true}, {Units: 40, Ridge: .01}, {Units: 300, Ridge: 1, Activation: featuremap.Tanh}, {Activation: featuremap.Sigmoid, Units: 30, Ridge: 1e-4}} {
			assert.Nil(t, c.Classes())
			assert.Nil(t, c.Coefficients())
			require.NoError(t, c.Fit(ctx, x, y))
			got, err := c.Predict(x)
			require.NoError(t, err)
			wrong := 0
			for i := range y {
				if got[i] != y[i] {
					wrong++
				}
			}
			assert.LessOrEqual(t, wrong, 10, "%d classes, %+v", k, c)
			assert.Len(t, c.Classes(), k)
			assert.Less(t, c.Report().Objective, .6)

			blob, err := c.MarshalBinary()
			require.NoError(t, err)
			read := &Classifier{}
			require.NoError(t, read.UnmarshalBinary(blob))
			a, err := c.Decision(x)
			require.NoError(t, err)
			b, err := read.Decision(x)
			require.NoError(t, err)
			assert.True(t, mat.Equal(a, b))
		}
	}
}

func TestObserve(t *testing.T) {
	x, y := blobs(40, 3)
	var steps []estimators.Step
	c := &Classifier{Units: 6, NoRidge: true, Observe: func(s estimators.Step) {
		if !s.Between {
			s.Done = 0
			steps = append(steps, s)
		}
	}}
	require.NoError(t, c.Fit(ctx, x, y))
	require.Len(t, steps, 2)
	assert.Equal(t, estimators.Step{Iteration: 1, Total: 2, Objective: 1, Message: "outputs of 6 units for 40 rows"}, steps[0])
	assert.Equal(t, estimators.Step{Iteration: 2, Total: 2, Objective: c.Report().Objective, Message: "3 machines solved"}, steps[1])
	steps, c.NoRidge = nil, false
	require.NoError(t, c.Fit(ctx, x, y))
	last := steps[len(steps)-1]
	assert.Equal(t, last.Total, last.Iteration)
	for i, s := range steps[:len(steps)-1] {
		assert.Equal(t, i+1, s.Iteration)
		assert.Equal(t, last.Total, s.Total)
	}
	cancelled, cancel := context.WithCancel(ctx)
	c.Observe = func(estimators.Step) { cancel() }
	require.ErrorIs(t, c.Fit(cancelled, x, y), context.Canceled)
}

// A weight of 2 has the same effect as repeating the row. Both increase the size of the class.
func TestWeightsAreRows(t *testing.T) {
	x, y := blobs(30, 3)
	twice, labels := mat.NewDense(40, 2, nil), append(append([]int(nil), y...), y[:10]...)
	twice.Copy(x)
	weights := make([]float64, 30)
	for i := range weights {
		weights[i] = 1
		if i < 10 {
			weights[i] = 2
			twice.SetRow(30+i, x.RawRowView(i))
		}
	}
	a, b := &Classifier{Units: 9, Ridge: .2, Balanced: true, Activation: featuremap.Tanh}, &Classifier{Units: 9, Ridge: .2, Balanced: true, Activation: featuremap.Tanh}
	require.NoError(t, a.Fit(ctx, twice, labels))
	require.NoError(t, b.FitWeighted(ctx, x, y, weights))
	assert.True(t, mat.EqualApprox(a.Coefficients(), b.Coefficients(), 1e-9))
}

func TestDegenerate(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	y := []int{0, 0, 0, 0, 1, 1}
	for _, c := range []*Classifier{{}, {NoRidge: true}, {Ridge: 1}, {Ridge: 1e-6, Units: 20, Activation: featuremap.Tanh}, {Activation: featuremap.Tanh, Units: 3}} {
		c.Balanced = true
		require.NoError(t, c.Fit(ctx, x, y))
		scores, err := c.Decision(x)
		require.NoError(t, err)
		assert.InDelta(t, 0, scores.At(0, 0), 1e-6, "equal rows of balanced classes lie between both")
	}
	c := &Classifier{Units: 20, Activation: featuremap.Tanh, NoRidge: true}
	near := mat.DenseCopyOf(x) // equal rows up to rounding
	for i := range 6 {
		near.Set(i, 0, 1+float64(i)*0x1p-52)
	}
	require.NoError(t, c.Fit(ctx, near, y))
	assert.Contains(t, c.Report().Warnings[0], "rank 1 of 6")
	for want, c := range map[string]*Classifier{
		"elm: Classifier: Ridge = -1": {Ridge: -1}, "Ridge = NaN": {Ridge: math.NaN()}, "ClassWeights[4] = 0": {ClassWeights: map[int]float64{4: 0}}, "Units = -2": {Units: -2},
	} {
		err := c.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.Contains(t, err.Error(), want)
	}
	require.ErrorIs(t, (&Classifier{}).Fit(ctx, x, make([]int, 6)), estimators.ErrShape)
	big := mat.NewDense(2, 1, []float64{1e300, -1e300})
	if err := (&Classifier{Activation: featuremap.Sigmoid}).Fit(ctx, big, []int{0, 1}); err != nil {
		assert.ErrorIs(t, err, estimators.ErrNotFinite)
	}
}

func TestGoldenModel(t *testing.T) {
	x, y := blobs(12, 3)
	c := &Classifier{Units: 4, Ridge: .5}
	require.NoError(t, c.Fit(ctx, x, y))
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	want, err := c.Decision(x)
	require.NoError(t, err)
	got, err := read.Decision(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
}

func BenchmarkFit(b *testing.B) {
	x, y := blobs(1000, 2)
	for name, c := range map[string]*Classifier{"chosen": {Units: 500}, "pinv": {Units: 500, NoRidge: true}, "ridge": {Units: 500, Ridge: 1}, "pinv-wide": {Units: 1000, NoRidge: true, Activation: featuremap.Tanh}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Fit(ctx, x, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The error from which a ridge is chosen equals the error of fits that each leave out one row, with fewer units than rows and with
// more.
func TestChosenRidge(t *testing.T) {
	x, y := blobs(30, 3)
	for _, units := range []int{7, 80} {
		seen := map[float64]float64{} // keyed by the ridge
		c := &Classifier{Units: units, Activation: featuremap.Tanh, Balanced: true, Seed: 3}
		c.Observe = func(s estimators.Step) {
			if s.Between {
				return
			}
			var ridge float64
			if _, err := fmt.Sscanf(s.Message, "ridge %g", &ridge); err == nil {
				seen[ridge] = s.Objective
			}
		}
		require.NoError(t, c.Fit(ctx, x, y))
		assert.Greater(t, c.ChosenRidge(), 0.0)
		least := math.Inf(1)
		for _, v := range seen {
			least = min(least, v)
		}
		var of float64
		for r, v := range seen {
			if v == least {
				of = r
			}
		}
		assert.InEpsilon(t, of, c.ChosenRidge(), .01, "%d units: printed with three digits", units)

		// The test computes each fit from the other rows, with the weights that all rows have.
		h, err := c.m.hidden.Transform(x)
		require.NoError(t, err)
		at := classes.Positions(c.Classes(), y)
		targets, w := classes.AgainstRest(at, 3), c.classWeights().Rows(c.Classes(), at, nil)
		n, d := h.Dims()
		left, all := 0.0, 0.0
		for out := range n {
			gram, moment := mat.NewDense(d, d, nil), mat.NewDense(d, 3, nil)
			for i := range n {
				if i == out {
					continue
				}
				for j := range d {
					for k := range d {
						gram.Set(j, k, gram.At(j, k)+w[i]*h.At(i, j)*h.At(i, k))
					}
					for k := range 3 {
						moment.Set(j, k, moment.At(j, k)+w[i]*h.At(i, j)*targets.At(i, k))
					}
				}
			}
			for j := range d {
				gram.Set(j, j, gram.At(j, j)+c.ChosenRidge())
			}
			var beta, predicted mat.Dense
			require.NoError(t, beta.Solve(gram, moment))
			predicted.Mul(h.Slice(out, out+1, 0, d), &beta)
			for k := range 3 {
				e := targets.At(out, k) - predicted.At(0, k)
				left += w[out] * e * e
				all += w[out] * targets.At(out, k) * targets.At(out, k)
			}
		}
		assert.InEpsilon(t, left/all, least, 1e-6, "%d units", units)
	}
}

// The zero value works if there are about as many units as rows, where the pseudo-inverse fails.
func TestZeroValueOfFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 1))
	make := func() (*mat.Dense, []int) {
		x, y := mat.NewDense(200, 3, nil), make([]int, 200)
		for i := range y {
			for j := range 3 {
				x.Set(i, j, rng.NormFloat64())
			}
			if x.At(i, 0)+x.At(i, 1) > .2*rng.NormFloat64() {
				y[i] = 1
			}
		}
		return x, y
	}
	x, y := make()
	test, want := make()
	share := func(c *Classifier) (right float64) {
		require.NoError(t, c.Fit(ctx, x, y))
		got, err := c.Predict(test)
		require.NoError(t, err)
		for i, l := range want {
			if got[i] == l {
				right += 1.0 / 200
			}
		}
		return right
	}
	assert.Greater(t, share(&Classifier{}), .9)
	assert.Less(t, share(&Classifier{NoRidge: true}), .8)
	assert.ErrorIs(t, (&Classifier{NoRidge: true, Ridge: 1}).Fit(ctx, x, y), estimators.ErrParam)
}
