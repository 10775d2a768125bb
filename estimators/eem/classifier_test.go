package eem

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments/momentstest"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

var ctx = context.Background()

// blobs returns rows around one centre for each class.
func blobs(n, classes int, seed uint64) (*mat.Dense, []int) {
	x := momentstest.Random(n, 2, seed)
	y := make([]int, n)
	for i := range y {
		y[i] = i % classes
		a := 2 * math.Pi * float64(y[i]) / float64(classes)
		x.Set(i, 0, 0.6*x.At(i, 0)+2*math.Cos(a))
		x.Set(i, 1, 0.3*(x.At(i, 1)-1)+2*math.Sin(a))
	}
	return x, y
}

// With the drawn units of the references, the complete machine agrees with the references.
func TestClassifierReference(t *testing.T) {
	activations := map[string]featuremap.Activation{
		"sig": featuremap.Sigmoid, "nsig": featuremap.NormalizedSigmoid, "rbf": featuremap.RandomRBF, "tanh": featuremap.Tanh,
	}
	for _, name := range referenceFiles {
		var c reference
		golden.Load(t, name, &c)
		labels := make([]int, len(c.Y))
		for i, y := range c.Y {
			labels[i] = int(y)
		}
		for _, weighted := range []bool{false, true} {
			machine := &Classifier{Units: len(c.B), Activation: activations[c.Act]}
			proba, pred := c.Proba, c.Pred
			if weighted {
				machine.Priors, pred = []float64{1, c.W2}, c.Pred2
			}
			x := golden.Dense(c.X)
			units, err := codec.Marshal("transformers.RandomHidden", 1, struct {
				Activation featuremap.Activation
				W          codec.Matrix
				B          codec.Floats
			}{activations[c.Act], codec.FromDense(golden.Dense(c.W)), c.B})
			require.NoError(t, err)
			given := machine.settings()
			given.draw = func(context.Context, *mat.Dense) (features.Layer, error) {
				h := &featuremap.RandomHidden{}
				err := h.UnmarshalBinary(units)
				return features.NewHidden(h), err
			}
			machine.m, err = given.fit(ctx, x, labels, nil)
			require.NoError(t, err)
			p, err := machine.PredictProba(golden.Dense(c.Xt))
			require.NoError(t, err)
			got, err := machine.Predict(golden.Dense(c.Xt))
			require.NoError(t, err)
			for i := range pred {
				assert.Equal(t, int(pred[i]), got[i], name)
				if !weighted {
					assert.InDelta(t, proba[i], p.At(i, 1), 1e-9, name)
				}
			}
			pair := machine.Pairs()[0]
			assert.Equal(t, []int{-1, 1}, []int{pair.Negative, pair.Positive})
			assert.LessOrEqual(t, golden.MaxError(pair.Direction, c.Beta), 1e-9, name)
			assert.InDelta(t, c.Dcs, pair.Divergence, 1e-9*c.Dcs)
			if weighted {
				sameThresholds(t, c.Near2, c.Far2, c.Region2, pair.Thresholds, name)
			}
		}
	}
}

// Chunks of any size give the same result as one pass. The first chunk may contain a single class if Labels lists the others. There
// are no predictions before all classes have had rows.
func TestPartialFit(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := blobs(5000, classes, 1) // more than one shard
		want := &Classifier{Units: 20, Activation: featuremap.Tanh}
		require.NoError(t, want.Fit(ctx, x, y))
		labels := []int{0, 1, 2}[:classes]
		order := map[bool][]int{} // class 0 first
		for i, label := range y {
			order[label == 0] = append(order[label == 0], i)
		}
		rows := append(order[true], order[false]...)
		got := &Classifier{Units: 20, Activation: featuremap.Tanh, Labels: labels}
		for first := 0; first < len(rows); first += 700 {
			last := min(first+700, len(rows))
			chunk, chunkY := mat.NewDense(last-first, 2, nil), make([]int, last-first)
			for i, row := range rows[first:last] {
				chunk.SetRow(i, x.RawRowView(row))
				chunkY[i] = y[row]
			}
			require.NoError(t, got.PartialFit(ctx, chunk, chunkY))
			if first == 0 {
				_, err := got.Predict(chunk)
				assert.ErrorIs(t, err, estimators.ErrNotFitted)
				_, err = got.MarshalBinary()
				assert.ErrorIs(t, err, estimators.ErrNotFitted)
				assert.Nil(t, got.Pairs())
				assert.Equal(t, labels, got.Classes())
			}
		}
		p, err := want.PredictProba(x)
		require.NoError(t, err)
		q, err := got.PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, q, 1e-8))
		for k, s := range got.Statistics() {
			momentstest.Near(t, &want.Statistics()[k].m, &s.m, 1e-9)
		}

		// An invalid chunk changes nothing.
		before, err := got.PredictProba(x)
		require.NoError(t, err)
		err = got.PartialFit(ctx, x, append([]int{9}, y[1:]...))
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, "eem: Classifier: y[0] = 9, want one of the classes [0 1")
		assert.ErrorIs(t, got.PartialFit(ctx, mat.NewDense(1, 3, nil), []int{0}), estimators.ErrShape)
		after, err := got.PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.Equal(before, after))

		data, err := got.MarshalBinary()
		require.NoError(t, err)
		loaded := &Classifier{}
		require.NoError(t, loaded.UnmarshalBinary(data))
		assert.Nil(t, loaded.Statistics())
		assert.ErrorContains(t, loaded.PartialFit(ctx, x, y), "no statistics to continue from")
	}
}

// Priors and costs move the boundary. EmpiricalPriors is equivalent to setting Priors to the shares of the classes.
func TestPriorsAndCosts(t *testing.T) {
	x, y := blobs(400, 2, 2)
	for i := range y {
		if i%4 == 1 {
			y[i] = 0 // 300 to 100, mixed
		}
	}
	count := func(c *Classifier) (ones int) {
		require.NoError(t, c.Fit(ctx, x, y))
		labels, err := c.Predict(x)
		require.NoError(t, err)
		for _, l := range labels {
			ones += l
		}
		return ones
	}
	balanced := count(&Classifier{})
	assert.Less(t, count(&Classifier{EmpiricalPriors: true}), balanced)
	assert.Equal(t, count(&Classifier{EmpiricalPriors: true}), count(&Classifier{Priors: []float64{3, 1}}))
	assert.Equal(t, count(&Classifier{Costs: []float64{1, 5}}), count(&Classifier{Priors: []float64{1, 5}}))
	assert.Greater(t, count(&Classifier{Costs: []float64{1, 5}}), balanced)
	assert.Equal(t, count(&Classifier{ClassWeights: map[int]float64{1: 5}}), count(&Classifier{Priors: []float64{1, 5}}))
	assert.Equal(t, count(&Classifier{ClassWeights: map[int]float64{1: 5}, EmpiricalPriors: true}), count(&Classifier{Priors: []float64{3, 5}}))
}

func TestManyClasses(t *testing.T) {
	x, y := blobs(600, 4, 3)
	fresh, truth := blobs(200, 4, 4)
	c := &Classifier{Units: 60}
	require.NoError(t, c.Fit(ctx, x, y))
	labels, err := c.Predict(fresh)
	require.NoError(t, err)
	right := 0
	for i, l := range labels {
		if l == truth[i] {
			right++
		}
	}
	assert.Greater(t, right, 180)
	assert.Len(t, c.Pairs(), 6)
	p, err := c.PredictProba(fresh)
	require.NoError(t, err)
	for i := range 200 {
		assert.InDelta(t, 1, mat.Sum(p.RowView(i)), 1e-12)
	}
}

func TestErrors(t *testing.T) {
	x, y := blobs(20, 2, 5)
	for want, c := range map[string]*Classifier{
		"eem: Classifier: Priors[1] = 0, want a finite value > 0":                                      {Priors: []float64{1, 0}},
		"eem: Classifier: Costs[0] = NaN, want a finite value > 0":                                     {Costs: []float64{math.NaN(), 1}},
		"eem: Classifier: Priors has 3 entries, there are 2 classes":                                   {Priors: []float64{1, 1, 1}},
		"eem: Classifier: Costs has 1 entries, there are 2 classes":                                    {Costs: []float64{1}},
		"eem: Classifier: Priors = [1 1], want nil with EmpiricalPriors":                               {Priors: []float64{1, 1}, EmpiricalPriors: true},
		"eem: Classifier: Balanced = true, want false with EmpiricalPriors":                            {Balanced: true, EmpiricalPriors: true},
		"eem: Classifier: Balanced = true, want false with Priors":                                     {Balanced: true, Priors: []float64{1, 1}},
		"eem: Classifier: ClassWeights[1] = -2, want a finite value > 0":                               {ClassWeights: map[int]float64{0: 1, 1: -2}},
		"eem: Classifier: Labels = [1 0], want ascending, each once":                                   {Labels: []int{1, 0}},
		"eem: Classifier: y[1] = 1, want one of the classes [0 2]":                                     {Labels: []int{0, 2}},
		"eem: Classifier: class 7 has 0 rows, want at least 1":                                         {Labels: []int{0, 1, 7}},
		"eem: Classifier: Units = -1, want >= 1, or 0 for 250":                                         {Units: -1},
		"eem: Classifier: Activation = 9, want DataRBF, Sigmoid, NormalizedSigmoid, RandomRBF or Tanh": {Activation: 9},
	} {
		assert.EqualError(t, c.Fit(ctx, x, y), want)
	}
	assert.ErrorIs(t, (&Classifier{}).Fit(ctx, x, make([]int, 20)), estimators.ErrShape)
}

func TestGoldenFile(t *testing.T) {
	x, y := blobs(12, 3, 6)
	c := &Classifier{Units: 4, Activation: featuremap.Tanh}
	require.NoError(t, c.Fit(ctx, x, y))
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	q, err := read.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, q, 1e-7))
	assert.Equal(t, len(c.Pairs()), len(read.Pairs()))
}

func TestHostilePayloads(t *testing.T) {
	x, y := blobs(12, 2, 6)
	c := &Classifier{Units: 3, Activation: featuremap.Tanh}
	require.NoError(t, c.Fit(ctx, x, y))
	good, err := c.MarshalBinary()
	require.NoError(t, err)
	for name, change := range map[string]func(s *storedClassifier){
		"classes":   func(s *storedClassifier) { s.Model.Classes = []int{1, 0} },
		"one":       func(s *storedClassifier) { s.Model.Classes = []int{1} },
		"pairs":     func(s *storedClassifier) { s.Model.Pairs = nil },
		"width":     func(s *storedClassifier) { s.Model.Width = 3 },
		"direction": func(s *storedClassifier) { s.Model.Pairs[0].Direction = s.Model.Pairs[0].Direction[:2] },
		"infinite":  func(s *storedClassifier) { s.Model.Pairs[0].Direction[1] = math.Inf(1) },
		"spread":    func(s *storedClassifier) { s.Model.Pairs[0].SPos = 0 },
		"weight":    func(s *storedClassifier) { s.Model.Pairs[0].LogW = math.Inf(-1) },
		"hidden":    func(s *storedClassifier) { s.Units.Data = s.Units.Data[:20] },
		"type":      func(s *storedClassifier) { s.Units.Type = "scalers.UnitRows" },
		"report":    func(s *storedClassifier) { s.Model.Report.Objective = math.NaN() },
	} {
		var s storedClassifier
		_, err := codec.Unmarshal(good, classifierKind, 1, &s)
		require.NoError(t, err)
		change(&s)
		data, err := codec.Marshal(classifierKind, 1, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&Classifier{}).UnmarshalBinary(data), estimators.ErrBadModel, name)
	}
}

// FuzzFit converts bytes to rows and labels, and checks that a fit returns a documented error or probabilities.
func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, uint8(0))
	f.Add([]byte{255, 0, 255, 0, 1, 1, 1, 1, 9, 9, 9, 9}, uint8(4))
	f.Fuzz(func(t *testing.T, raw []byte, activation uint8) {
		n := min(len(raw)/3, 30)
		if n == 0 {
			return
		}
		x, y := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			x.SetRow(i, []float64{math.Sinh(float64(int8(raw[3*i])) / 3), float64(int8(raw[3*i+1]))})
			y[i] = int(raw[3*i+2]) % 3
		}
		c := &Classifier{Units: 5, Activation: featuremap.Activation(activation % 5)}
		if err := c.Fit(ctx, x, y); err != nil {
			if !errors.Is(err, estimators.ErrShape) && !errors.Is(err, estimators.ErrNotFinite) && !errors.Is(err, estimators.ErrNotPSD) {
				t.Fatal(err)
			}
			return
		}
		p, err := c.PredictProba(x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if s := mat.Sum(p.RowView(i)); !(math.Abs(s-1) < 1e-9) {
				t.Fatalf("row %d: %v", i, p.RawRowView(i))
			}
		}
	})
}

// Each machine of FitPath equals the machine of a Fit with the same number of units.
func TestFitPath(t *testing.T) {
	x, y := blobs(700, 3, 8) // more than one shard
	sizes := []int{5, 20, 20, 60, 900}
	path, err := (&Classifier{Seed: 3}).FitPath(ctx, x, y, sizes)
	require.NoError(t, err)
	require.Len(t, path, len(sizes))
	for i, h := range sizes {
		want := &Classifier{Seed: 3, Units: h}
		require.NoError(t, want.Fit(ctx, x, y))
		a, err := want.PredictProba(x)
		require.NoError(t, err)
		b, err := path[i].PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(a, b, 1e-6), "%d units", h)
		assert.Equal(t, h, path[i].Units)
		assert.Len(t, path[i].Pairs()[0].Direction, min(h, 700))
		if h < 900 {
			momentstest.Near(t, &want.Statistics()[1].m, &path[i].Statistics()[1].m, 1e-9)
		}
	}
	kernels, err := (&KernelClassifier{Seed: 3}).FitPath(ctx, x, y, []int{4, 30, 800})
	require.NoError(t, err)
	for i, h := range []int{4, 30, 800} {
		want := &KernelClassifier{Seed: 3, Components: h}
		require.NoError(t, want.Fit(ctx, x, y))
		a, err := want.PredictProba(x)
		require.NoError(t, err)
		b, err := kernels[i].PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(a, b, 1e-4), "%d landmarks", h)
	}
	for _, bad := range [][]int{nil, {0}, {3, 2}} {
		_, err = (&Classifier{}).FitPath(ctx, x, y, bad)
		assert.Error(t, err)
		_, err = (&KernelClassifier{}).FitPath(ctx, x, y, bad)
		assert.Error(t, err)
	}
}

// HeldOut, which subtracts the statistics of a block, gives the same probabilities as a fit without the rows of the block, with
// units that were drawn from all rows.
func TestHeldOut(t *testing.T) {
	for _, classes := range []int{2, 4} {
		x, y := blobs(240, classes, 9)
		block := make([]int, 240)
		for i := range block {
			block[i] = 7 * (i * i % 5)
		}
		for _, way := range []Multiclass{OneVersusOne, Discriminant} {
			c := &Classifier{Units: 30, Activation: featuremap.Tanh, Multiclass: way}
			got, err := c.HeldOut(ctx, x, y, block)
			require.NoError(t, err)
			assert.Nil(t, c.Classes(), "nothing is fitted")
			for _, name := range []int{0, 7, 28} {
				var train, test, labels []int
				for i, b := range block {
					if b == name {
						test = append(test, i)
					} else {
						train, labels = append(train, i), append(labels, y[i])
					}
				}
				require.NoError(t, c.Fit(ctx, rowsOf(x, train), labels)) // Tanh units do not depend on the rows
				want, err := c.PredictProba(rowsOf(x, test))
				require.NoError(t, err)
				assert.True(t, mat.EqualApprox(want, rowsOf(got, test), 1e-6), "block %d", name)
				c = estimators.Clone(c)
			}
		}
		one := &Classifier{Units: 10, Workers: 1}
		two := &Classifier{Units: 10, Workers: 2}
		a, err := one.HeldOut(ctx, x, y, block)
		require.NoError(t, err)
		b, err := two.HeldOut(ctx, x, y, block)
		require.NoError(t, err)
		assert.True(t, mat.Equal(a, b))
		p, err := (&KernelClassifier{Components: 25}).HeldOut(ctx, x, y, block)
		require.NoError(t, err)
		right := 0
		for i := range y {
			if p.At(i, y[i]) > 1/float64(classes) {
				right++
			}
		}
		assert.Greater(t, right, 200)
	}
	x, y := blobs(20, 2, 1)
	_, err := (&Classifier{}).HeldOut(ctx, x, y, make([]int, 20))
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = (&Classifier{}).HeldOut(ctx, x, y, make([]int, 19))
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = (&Classifier{}).HeldOut(ctx, x, y, y) // each block is a complete class
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "without block 0: class 0 has 0 rows")
}

func rowsOf(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}

// The number of workers does not change the result, also if there are several groups of rows.
func TestWorkers(t *testing.T) {
	x, y := blobs(9000, 2, 3)
	var want *mat.Dense
	for _, w := range []int{1, 2, 5} {
		c := &Classifier{Units: 12, Workers: w}
		require.NoError(t, c.Fit(ctx, x, y))
		p, err := c.PredictProba(x)
		require.NoError(t, err)
		if want == nil {
			want = p
		}
		assert.True(t, mat.Equal(want, p), "%d workers", w)
	}
}
