package selection

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// searched runs a search for its result alone.
func searched(t *testing.T, e *Entropy, x *mat.Dense, y []float64, labels []int, weights []float64) *Result {
	r, err := e.search(ctx, &problem{typ: "test", family: kernels.RBFFamily{}, x: x, y: y, labels: labels, weights: weights, ridgeMachine: true})
	require.NoError(t, err)
	return r
}

// Bounds lead the search to where the eigenvalues do, with scores that agree.
func TestLowRankSearchFollowsTheExactOne(t *testing.T) {
	x, y := problemOf(400, 2, 0.3, 3)
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
		exact := searched(t, &Entropy{Score: c.score, Method: Exact}, x, c.y, c.labels, c.weights)
		low := searched(t, &Entropy{Score: c.score, Method: LowRank, MaxRank: 400}, x, c.y, c.labels, c.weights)
		assert.Zero(t, low.KernelMatrices, "%s: none was made", name)
		for _, row := range low.Trace {
			k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: row.Param}, x, nil)
			require.NoError(t, err)
			s, err := measures.Entropy(ctx, k)
			require.NoError(t, err)
			assert.True(t, measures.Bounds{Low: measures.Spectrum{Entropy: row.EntropyLow}, High: measures.Spectrum{Entropy: row.EntropyHigh}}.Covers(s.Entropy), "%s: %+v", name, row)
			assert.Equal(t, 400, row.Rows)
			assert.Positive(t, row.Rank)
			if !math.IsNaN(row.Score) {
				p := &entropySearch{Entropy: Entropy{Score: c.score}, p: &problem{x: x, y: c.y, labels: c.labels, weights: c.weights}, out: &Result{}}
				require.NoError(t, p.prepareScore())
				_, want, _, err := p.judge(ctx, k)
				require.NoError(t, err)
				assert.InEpsilon(t, want, row.Score, .05, "%s at %v: the score of all rows, of which the pivots leave a tenth of the ridge", name, row.Param)
			}
		}
		if c.score == LeaveOneOut {
			assert.InEpsilon(t, exact.Score, low.Score, .02, name)
		} else {
			assert.InDelta(t, exact.Score, low.Score, 2, name)
		}
	}
}

// With pivots for all rows the features give the closed forms of the kernel matrix.
func TestScoresOfFeatures(t *testing.T) {
	x, y := problemOf(60, 2, 0.3, 5)
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = .5 + float64(i%4)
	}
	kernel := kernels.Scaled{Kernel: kernels.RBF{Gamma: 1.5}, Factor: 3}
	l, err := measures.LowRankEntropy(ctx, kernel, x, &measures.LowRankOptions{MaxRank: 60, Decided: func(measures.Bounds) bool { return false }})
	require.NoError(t, err)
	for _, score := range []Score{LeaveOneOut, LogEvidence} {
		for _, w := range [][]float64{nil, weights} {
			s := &entropySearch{Entropy: Entropy{Score: score}, p: &problem{x: x, y: y, weights: w}, out: &Result{}}
			require.NoError(t, s.prepareScore())
			got, ridge, mean, err := s.ofFeatures(ctx, l.Factor)
			require.NoError(t, err)
			assert.InDelta(t, 3, mean, 1e-8)
			k, err := kernels.Matrix(ctx, kernel, x, nil)
			require.NoError(t, err)
			_, want, wantRidge, err := s.judge(ctx, k)
			require.NoError(t, err)
			assert.InEpsilon(t, want, got, 1e-5, "%v, weights %t", score, w != nil)
			// The weighted searches begin on slightly different grids of ridges.
			assert.InEpsilon(t, wantRidge, ridge, .03, "%v, weights %t", score, w != nil)
		}
	}
}

// Of many rows a few draws tell, with an error that says how well.
func TestSubsampleSearch(t *testing.T) {
	x, y := problemOf(7000, 2, 0.3, 7)
	r := searched(t, &Entropy{Method: Subsample, Targets: []float64{.3}}, x, y, nil, nil)
	row := r.Trace[len(r.Trace)-1]
	assert.Equal(t, SubsampleRows, row.Rows)
	assert.InDelta(t, row.Bits/math.Log2(7000), row.Entropy, 1e-12, "bits over log2 of all rows")
	assert.Positive(t, row.StandardError)
	assert.Less(t, row.StandardError, .01)
	all, err := measures.LowRankEntropy(ctx, kernels.RBF{Gamma: r.Param}, x, nil)
	require.NoError(t, err)
	assert.InDelta(t, all.Point.Entropy, row.Entropy, .02)

	data, err := json.Marshal(r)
	require.NoError(t, err)
	var read Result
	require.NoError(t, json.Unmarshal(data, &read))
	assert.Equal(t, row.StandardError, read.Trace[len(read.Trace)-1].StandardError)
	assert.Equal(t, row.Rank, read.Trace[len(read.Trace)-1].Rank)
}

func TestMethods(t *testing.T) {
	for n, want := range map[int]Method{ExactRows: Exact, ExactRows + 1: LowRank, LowRankRows: LowRank, LowRankRows + 1: Subsample} {
		s := &entropySearch{p: &problem{x: mat.NewDense(n, 1, nil)}}
		s.prepareMethod()
		assert.Equal(t, want, s.method, n)
	}
	assert.Equal(t, "Automatic Exact LowRank Subsample Method(9)",
		Automatic.String()+" "+Exact.String()+" "+LowRank.String()+" "+Subsample.String()+" "+Method(9).String())
	x, y := problemOf(30, 2, 0.3, 1)
	for want, e := range map[string]*Entropy{"Method = 4": {Method: 4}, "MaxRank = -1": {MaxRank: -1}} {
		err := (&Regressor{Search: e}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	// Too few pivots: it says so, and scores on rows.
	r := searched(t, &Entropy{Method: LowRank, MaxRank: 3}, x, y, nil, nil)
	assert.Contains(t, r.Warnings[0], "wide at 3 pivots")
	assert.Contains(t, r.Trace[0].Decision+r.Trace[1].Decision+r.Trace[2].Decision, "of 30 rows")
	assert.False(t, math.IsNaN(r.Score))
}

// BenchmarkSearchLarge says how long a search over 100 000 rows takes, and over 4000 rows
// how many times as long the exact one does.
func BenchmarkSearchLarge(b *testing.B) {
	x, y := problemOf(100_000, 8, 0.3, 1)
	b.Run("100000", func(b *testing.B) {
		for b.Loop() {
			p := &problem{family: kernels.RBFFamily{}, x: x, y: y}
			r, err := (&Entropy{}).search(ctx, p)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(r.Evaluations), "entropies")
		}
	})
	b.Run("4000", func(b *testing.B) {
		p := &problem{family: kernels.RBFFamily{}, x: x.Slice(0, 4000, 0, 8).(*mat.Dense), y: y[:4000]}
		var low, exact time.Duration
		for b.Loop() {
			begin := time.Now()
			if _, err := (&Entropy{}).search(ctx, p); err != nil {
				b.Fatal(err)
			}
			low += time.Since(begin)
			begin = time.Now()
			l := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: .05}}
			if err := l.Fit(ctx, p.x, p.y); err != nil {
				b.Fatal(err)
			}
			exact += time.Since(begin)
		}
		b.ReportMetric(low.Seconds()/float64(b.N), "search-s")
		b.ReportMetric(exact.Seconds()/float64(b.N), "one-exact-fit-s")
	})
}
