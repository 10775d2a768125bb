package elm

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/golden"
	"github.com/kernelearn/kernelearn/transformers"
)

var ctx = context.Background()

// solved weighs h and t as Fit does and solves.
func solved(t *testing.T, h *mat.Dense, y []int, w Weighting, solve func(m *model, h, t *mat.Dense) error) *model {
	m := &model{classes: []int{-1, 1}}
	at := classes.Positions(m.classes, y)
	ht, target := mat.DenseCopyOf(h), classes.AgainstRest(at, 2)
	for i, v := range w.rows(2, at, nil) {
		scale(ht.RawRowView(i), math.Sqrt(v))
		scale(target.RawRowView(i), math.Sqrt(v))
	}
	require.NoError(t, solve(m, ht, target))
	return m
}

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
	y := make([]int, len(c.Y))
	for i, v := range c.Y {
		y[i] = int(v)
	}
	assert.LessOrEqual(t, golden.MaxError(LargestOverOwn.rows(2, classes.Positions([]int{-1, 1}, y), nil), c.W), 1e-12)
	pinv := func(m *model, h, t *mat.Dense) error { return m.pseudoInverse(h, t) }
	for _, of := range []struct {
		h         [][]float64
		pinv, c10 []float64
	}{{c.H, c.Pinv, c.C10}, {c.Wide, c.WidePinv, c.WideC10}} {
		h := golden.Dense(of.h)
		assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 0, solved(t, h, y, LargestOverOwn, pinv).beta), of.pinv), 1e-9)
		for _, dual := range []bool{false, true} {
			m := solved(t, h, y, LargestOverOwn, func(m *model, h, t *mat.Dense) error { return m.ridge(h, t, 10, dual) })
			assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 0, m.beta), of.c10), 1e-9, "dual %t", dual)
			assert.Zero(t, m.report.Jitter)
		}
	}
}

func TestWeighting(t *testing.T) {
	at := []int{0, 0, 0, 0, 0, 1, 1, 2}
	for w, want := range map[Weighting][]float64{
		LargestOverOwn:    {1, 1, 1, 1, 1, 2.5, 2.5, 5},
		InverseSize:       {.2, .2, .2, .2, .2, .5, .5, 1},
		GoldenInverseSize: {.1236, .1236, .1236, .1236, .1236, .5, .5, 1}, // the mean size is 8/3
		Unweighted:        {1, 1, 1, 1, 1, 1, 1, 1},
	} {
		assert.InDeltaSlice(t, want, w.rows(3, at, nil), 1e-15, w)
	}
	assert.InDeltaSlice(t, []float64{1, 2, 3, 6}, LargestOverOwn.rows(2, []int{0, 0, 0, 1}, []float64{1, 2, 3, .5}), 1e-15,
		"the sizes are 6 and .5")
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

// With fewer rows of a class the weights hold its share of the plane.
func TestBalance(t *testing.T) {
	x, y := blobs(400, 2)
	for i := range y { // the classes overlap, and every tenth row of the second stays
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
	hits := func(w Weighting) (share float64) {
		c := &Classifier{Units: 20, Activation: transformers.Tanh, Weighting: w} // the ratios alone count
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
	plain, balanced, golden := hits(Unweighted), hits(LargestOverOwn), hits(GoldenInverseSize)
	assert.Less(t, plain, balanced)
	assert.Less(t, balanced, golden, "Zong's second favours the small class still more")
}

func TestClassifier(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		x, y := blobs(200, k)
		for _, c := range []*Classifier{{Units: 40}, {Units: 40, C: 100}, {Units: 300, C: 1, Activation: transformers.Tanh}, {Activation: transformers.Sigmoid, Units: 30, C: 1e4}} {
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

// A weight of 2 is the row twice: both add to the size of the class.
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
	a, b := &Classifier{Units: 9, C: 5, Activation: transformers.Tanh}, &Classifier{Units: 9, C: 5, Activation: transformers.Tanh}
	require.NoError(t, a.Fit(ctx, twice, labels))
	require.NoError(t, b.FitWeighted(ctx, x, y, weights))
	assert.True(t, mat.EqualApprox(a.Coefficients(), b.Coefficients(), 1e-9))
}

func TestDegenerate(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	y := []int{0, 0, 0, 0, 1, 1}
	for _, c := range []*Classifier{{}, {C: 1}, {C: 1e6, Units: 20, Activation: transformers.Tanh}, {Activation: transformers.Tanh, Units: 3}} {
		require.NoError(t, c.Fit(ctx, x, y))
		scores, err := c.Decision(x)
		require.NoError(t, err)
		assert.InDelta(t, 0, scores.At(0, 0), 1e-6, "equal rows of balanced classes lie between both")
	}
	c := &Classifier{Units: 20, Activation: transformers.Tanh}
	require.NoError(t, c.Fit(ctx, x, y))
	assert.Contains(t, c.Report().Warnings[0], "rank 1 of 6")
	for want, c := range map[string]*Classifier{
		"elm: Classifier: C = -1": {C: -1}, "C = NaN": {C: math.NaN()}, "Weighting = 4": {Weighting: 4}, "Units = -2": {Units: -2},
	} {
		err := c.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.Contains(t, err.Error(), want)
	}
	require.ErrorIs(t, (&Classifier{}).Fit(ctx, x, make([]int, 6)), estimators.ErrShape)
	big := mat.NewDense(2, 1, []float64{1e300, -1e300})
	if err := (&Classifier{Activation: transformers.Sigmoid}).Fit(ctx, big, []int{0, 1}); err != nil {
		assert.ErrorIs(t, err, estimators.ErrNotFinite)
	}
}

func TestGoldenModel(t *testing.T) {
	x, y := blobs(12, 3)
	c := &Classifier{Units: 4, C: 2}
	require.NoError(t, c.Fit(ctx, x, y))
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	want, err := c.Decision(x)
	require.NoError(t, err)
	got, err := read.Decision(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
}

func FuzzUnmarshal(f *testing.F) {
	x, y := blobs(12, 2)
	c := &Classifier{Units: 3}
	require.NoError(f, c.Fit(ctx, x, y))
	blob, err := c.MarshalBinary()
	require.NoError(f, err)
	f.Add(blob)
	f.Fuzz(func(t *testing.T, data []byte) {
		read := &Classifier{}
		if err := read.UnmarshalBinary(data); err != nil {
			require.ErrorIs(t, err, estimators.ErrBadModel)
			return
		}
		_, _ = read.Predict(x)
	})
}

func BenchmarkFit(b *testing.B) {
	x, y := blobs(1000, 2)
	for name, c := range map[string]*Classifier{"pinv": {Units: 500}, "ridge": {Units: 500, C: 1}, "pinv-wide": {Units: 1000, Activation: transformers.Tanh}} {
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
