package entropy

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	rtmetrics "runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// searched runs a search and returns its result.
func searched(t *testing.T, e *Search, x *mat.Dense, y []float64, labels []int, weights []float64) *search.Result {
	return searchedWith(t, search.Settings{}, e, x, y, labels, weights)
}

func searchedWith(t *testing.T, s search.Settings, e *Search, x *mat.Dense, y []float64, labels []int, weights []float64) *search.Result {
	out, err := searchWith(s, e, x, y, labels, weights)
	require.NoError(t, err)
	return out
}

func searchWith(s search.Settings, e *Search, x *mat.Dense, y []float64, labels []int, weights []float64) (*search.Result, error) {
	shared, err := search.NewBudget("test", s.Budget, s.Now, 1)
	if err != nil {
		return nil, err
	}
	p := search.Problem{Settings: s, Family: families.RBF{}, X: x, Targets: y, Labels: labels, Weights: weights, RidgeMachine: true}
	r := search.New(p, shared)
	choice, err := e.Choose(ctx, r)
	if err != nil {
		return nil, err
	}
	return r.Finish(e.Name(), choice)
}

// formOf returns the closed form of a search on the given rows.
func formOf(t *testing.T, score Score, x *mat.Dense, y []float64, labels []int, weights []float64) *closedform.Form {
	p := search.Problem{X: x, Targets: y, Labels: labels, Weights: weights, RidgeMachine: true}
	form, err := (&Search{Score: score}).form(search.New(p, unlimited()))
	require.NoError(t, err)
	return form
}

// A search with bounds finds the same parameters as a search with eigenvalues, and the scores agree.
func TestLowRankSearchFollowsTheExactOne(t *testing.T) {
	x, y := toy.Sine(400, 2, 0.3, 3)
	labels := make([]int, len(y))
	weights := make([]float64, len(y))
	for i, v := range y {
		labels[i] = int(math.Floor(2*v)) % 3
		weights[i] = 1 + float64(i%3)
	}
	for name, c := range map[string]struct {
		score   Score
		y       []float64
		labels  []int
		weights []float64
	}{
		"regression": {y: y}, "weighted": {y: y, weights: weights}, "evidence": {y: y, score: LogEvidence},
		"weighted evidence": {y: y, score: LogEvidence, weights: weights}, "classes": {labels: labels},
	} {
		if testing.Short() && name != "weighted evidence" {
			continue // nearly all rows
		}
		exact := searched(t, &Search{Score: c.score, Method: Exact}, x, c.y, c.labels, c.weights)
		low := searched(t, &Search{Score: c.score, Method: LowRank, MaxRank: 400}, x, c.y, c.labels, c.weights)
		assert.Zero(t, low.KernelMatrices, "%s: none was made", name)
		for _, row := range low.Trace {
			k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: row.Param}, x, nil)
			require.NoError(t, err)
			s, err := measures.Entropy(ctx, k)
			require.NoError(t, err)
			assert.True(t, row.EntropyLow-1e-9 <= s.Entropy && s.Entropy <= row.EntropyHigh+1e-9, "%s: %+v", name, row)
			assert.Equal(t, 400, row.Rows)
			assert.Positive(t, row.Rank)
			if !math.IsNaN(row.Score) {
				form := formOf(t, c.score, x, c.y, c.labels, c.weights)
				for _, at := range row.Ridges {
					if at.Ridge*closedform.PivotResidual < row.Residual || at.StandardError > .2*at.Score {
						continue // the remainder is larger, or a few rows dominate the error
					}
					own := mat.NewSymDense(400, nil)
					own.CopySym(k)
					once, err := loo.EvaluateOnce(ctx, own, form.Targets, form.Weights, at.Ridge)
					require.NoError(t, err)
					want := form.Curve([]loo.Evaluation{once})[0]
					assert.InEpsilon(t, want.Score, at.Score, .1, "%s at %v: the score of all rows, of which the pivots leave a tenth of the ridge", name, row.Param)
					assert.InDelta(t, want.Evidence, at.Evidence, .05*800)
				}
			}
		}
		if c.score == LeaveOneOut {
			assert.InEpsilon(t, exact.Score, low.Score, .02, name)
		} else {
			assert.InDelta(t, exact.Score, low.Score, 2, name)
		}
	}
}

// With all rows as pivots, the closed forms of the features agree with those of the kernel matrix.
func TestScoresOfFeatures(t *testing.T) {
	x, y := toy.Sine(60, 2, 0.3, 5)
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = .5 + float64(i%4)
	}
	kernel := kernels.Scaled{Kernel: kernels.RBF{Gamma: 1.5}, Factor: 3}
	l, err := measures.LowRankEntropy(ctx, kernel, x, &measures.LowRankOptions{MaxRank: 60, Decided: func(measures.Bounds) bool { return false }})
	require.NoError(t, err)
	for _, score := range []Score{LeaveOneOut, LogEvidence} {
		for _, w := range [][]float64{nil, weights} {
			form := formOf(t, score, x, y, nil, w)
			features, mean, err := form.OfFeatures(ctx, l.Factor)
			require.NoError(t, err)
			got := search.NewRow(search.ParamPoint(1))
			got.SetCurve(features, score == LogEvidence, search.OnPivots, 60)
			assert.InDelta(t, 3, mean, 1e-8)
			k, err := kernels.Matrix(ctx, kernel, x, nil)
			require.NoError(t, err)
			for _, at := range got.Ridges {
				own := mat.NewSymDense(60, nil)
				own.CopySym(k)
				once, err := loo.EvaluateOnce(ctx, own, form.Targets, form.Weights, at.Ridge)
				require.NoError(t, err)
				want := form.Curve([]loo.Evaluation{once})[0]
				assert.InEpsilon(t, want.Score, at.Score, 1e-4, "%v, weights %t", score, w != nil)
				assert.InEpsilon(t, want.StandardError, at.StandardError, 1e-3, "%v, weights %t", score, w != nil)
				assert.InDelta(t, want.Evidence, at.Evidence, 1e-2, "%v, weights %t", score, w != nil)
			}
		}
	}
}

// With many rows, the entropy of a few samples has a standard error below 0.01, and agrees with that of all rows.
func TestSubsampleSearch(t *testing.T) {
	x, y := toy.Sine(7000, 2, 0.3, 7)
	r := searched(t, &Search{Method: Subsample, Targets: []float64{.3}}, x, y, nil, nil)
	row := r.Trace[len(r.Trace)-1]
	assert.Equal(t, subsampleRows, row.Rows)
	assert.InDelta(t, row.Bits/math.Log2(7000), row.Entropy, 1e-12, "bits over log2 of all rows")
	assert.Positive(t, row.StandardError)
	assert.Less(t, row.StandardError, .01)
	all, err := measures.LowRankEntropy(ctx, kernels.RBF{Gamma: r.Param}, x, nil)
	require.NoError(t, err)
	assert.InDelta(t, all.Point.Entropy, row.Entropy, .02)

	data, err := json.Marshal(r)
	require.NoError(t, err)
	var read search.Result
	require.NoError(t, json.Unmarshal(data, &read))
	assert.Equal(t, row.StandardError, read.Trace[len(read.Trace)-1].StandardError)
	assert.Equal(t, row.Rank, read.Trace[len(read.Trace)-1].Rank)
}

// Scores on rows are the same whether they are computed in parallel or one by one within a budget. A search that resumes from part
// of its trace also gives the same scores.
func TestScoresOnRowsOfWorkers(t *testing.T) {
	x, y := toy.Sine(200, 3, 0.3, 1)
	weights := make([]float64, 200)
	for i := range weights {
		weights[i] = 1 + float64(i%2)
	}
	for _, score := range []Score{LeaveOneOut, LogEvidence} {
		for _, w := range [][]float64{nil, weights} {
			e := &Search{Method: LowRank, MaxRank: 4, Score: score, MinRidge: .01}
			want := timeless(searchedWith(t, search.Settings{Workers: 1}, e, x, y, nil, w))
			require.True(t, slices.ContainsFunc(want.Trace, func(r search.TraceRow) bool { return r.Basis == search.OnRows }))
			for _, s := range []search.Settings{{Workers: 2}, {Workers: 5}, {Workers: 2, Budget: time.Hour}, {Workers: 2, Resume: want.Trace[:2]}} {
				got := timeless(searchedWith(t, s, e, x, y, nil, w))
				assert.Equal(t, len(want.Trace), len(got.Trace))
				for i, row := range got.Trace {
					assert.Equal(t, want.Trace[i].Decision(), row.Decision())
					assert.Equal(t, want.Trace[i].Matrices, row.Matrices)
					if math.IsNaN(want.Trace[i].Score) {
						assert.True(t, math.IsNaN(row.Score) && math.IsNaN(row.Ridge))
						continue
					}
					assert.InDelta(t, want.Trace[i].Score, row.Score, 1e-12)
					assert.InEpsilon(t, want.Trace[i].Ridge, row.Ridge, 1e-9)
				}
			}
		}
	}
}

func timeless(r *search.Result) *search.Result {
	r.Seconds = 0
	for i := range r.Trace {
		r.Trace[i].Seconds = 0
	}
	return r
}

func TestMethods(t *testing.T) {
	for n, want := range map[int]Method{exactRows: Exact, exactRows + 1: LowRank, lowRankRows: LowRank, lowRankRows + 1: Subsample} {
		assert.Equal(t, want, Automatic.settled(n), n)
		assert.Equal(t, LowRank, LowRank.settled(n), n)
	}
	assert.Equal(t, "Automatic Exact LowRank Subsample Method(9)",
		Automatic.String()+" "+Exact.String()+" "+LowRank.String()+" "+Subsample.String()+" "+Method(9).String())
	x, y := toy.Sine(30, 2, 0.3, 1)
	for want, e := range map[string]*Search{"Method = 4": {Method: 4}, "MaxRank = -1": {MaxRank: -1}} {
		_, err := searchWith(search.Settings{}, e, x, y, nil, nil)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	// If too few pivots are allowed, the search adds a warning and computes scores on rows.
	r := searched(t, &Search{Method: LowRank, MaxRank: 3}, x, y, nil, nil)
	assert.Contains(t, r.Warnings[0], "wide at 3 pivots")
	assert.False(t, math.IsNaN(r.Score))
	// Scores from different numbers of rows are not comparable: if one parameter has to be scored on a sample, all are.
	for _, score := range []Score{LeaveOneOut, LogEvidence} {
		x, y := toy.Sine(200, 3, 0.3, 1)
		for maxRank, basis := range map[int]search.Basis{10: search.OnRows, 200: search.OnPivots} {
			r := searched(t, &Search{Method: LowRank, Score: score, MaxRank: maxRank, MinRidge: .01}, x, y, nil, nil)
			for _, row := range r.Trace {
				assert.Equal(t, !math.IsNaN(row.Score), row.Basis == basis, row.Decision())
				assert.Equal(t, !math.IsNaN(row.Score), strings.Contains(row.Decision(), "scored on"), row.Decision())
			}
		}
	}
}

// BenchmarkSearchLarge measures the growth of a search with the number of rows (8 columns): seconds, entropies, and the peak of
// live memory beyond the rows. "exponent" is the growth rate of the seconds since the previous size.
func BenchmarkSearchLarge(b *testing.B) {
	var before, beforeRows float64
	for _, n := range []int{500, 1000, 2000, 4000, 8000, 16_000, 100_000, 400_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := toy.Sine(n, 8, 0.3, 1)
			best := math.Inf(1)
			var evaluations int
			var peak uint64
			b.ReportAllocs()
			for b.Loop() {
				stop := watchMemory()
				begun := time.Now()
				r, err := searchWith(search.Settings{}, &Search{}, x, y, nil, nil)
				best = min(best, time.Since(begun).Seconds())
				peak = max(peak, stop())
				if err != nil {
					b.Fatal(err)
				}
				evaluations = r.Evaluations
			}
			b.ReportMetric(best, "s")
			b.ReportMetric(float64(evaluations), "entropies")
			b.ReportMetric(float64(peak)/1e6, "MB")
			if before > 0 {
				b.ReportMetric(math.Log(best/before)/math.Log(float64(n)/beforeRows), "exponent")
			}
			before, beforeRows = best, float64(n)
		})
	}
}

// watchMemory samples the heap. The function that it returns ends the sampling and returns the largest increase.
func watchMemory() func() uint64 {
	heap := func() uint64 {
		sample := []rtmetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		rtmetrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	first, done, peak := heap(), make(chan bool), make(chan uint64)
	go func() {
		most := first
		for {
			select {
			case <-done:
				peak <- most - first
				return
			case <-time.After(time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	return func() uint64 { close(done); return <-peak }
}

// BenchmarkDecision times one decision, on which side of 0.25 an entropy lies, at 4177 rows and 8 columns, the size of the abalone
// set. It times an entropy of 0.25, which is hard to decide, and others. It compares them with all eigenvalues, computed with our
// reduction and with gonum's.
func BenchmarkDecision(b *testing.B) {
	x, _ := toy.Sine(4177, 8, 0.3, 1)
	gamma := entropyGamma(b, x, .25)
	decide := func(kernel kernels.Kernel) (*measures.LowRank, time.Duration) {
		begun := time.Now()
		l, err := measures.LowRankEntropy(ctx, kernel, x, &measures.LowRankOptions{Decided: func(e measures.Bounds) bool {
			return e.High.Entropy < .25-defaultTolerance || e.Low.Entropy > .25+defaultTolerance || e.High.Entropy-e.Low.Entropy <= defaultTolerance/2
		}})
		if err != nil {
			b.Fatal(err)
		}
		return l, time.Since(begun)
	}
	var near, far, ours, gonums = math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	b.ReportAllocs()
	for b.Loop() {
		l, spent := decide(kernels.RBF{Gamma: gamma})
		near = min(near, spent.Seconds())
		b.ReportMetric(float64(l.Rank), "pivots")
		_, spent = decide(kernels.RBF{Gamma: 3 * gamma})
		far = min(far, spent.Seconds())
		begun := time.Now()
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: gamma}, x, nil)
		if err != nil {
			b.Fatal(err)
		}
		own := mat.NewSymDense(4177, nil)
		own.CopySym(k)
		if _, err := measures.Entropy(ctx, own); err != nil {
			b.Fatal(err)
		}
		ours = min(ours, time.Since(begun).Seconds())
		begun = time.Now()
		var eigen mat.EigenSym
		if !eigen.Factorize(k, false) {
			b.Fatal("no eigenvalues")
		}
		gonums = min(gonums, time.Since(begun).Seconds())
	}
	b.ReportMetric(near, "s")
	b.ReportMetric(near/ours, "of-our-eigenvalues")
	b.ReportMetric(near/gonums, "of-gonum's")
	b.ReportMetric(far/ours, "far/ours")
}

// entropyGamma returns the γ at which the RBF matrix has the given entropy.
func entropyGamma(b *testing.B, x *mat.Dense, target float64) float64 {
	r, err := searchWith(search.Settings{}, &Search{Targets: []float64{target}, Tolerance: .002}, x, mat.Col(nil, 0, x), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return r.Param
}
