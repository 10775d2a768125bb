package selectiontest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/search"
)

var ctx = context.Background()

// wave returns n rows of two columns, a noisy sine of the first column, and its sign.
func wave(n int) (x *mat.Dense, y []float64, labels []int) {
	rng := rand.New(rand.NewPCG(7, 7))
	x, y, labels = mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	for i := range n {
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, rng.NormFloat64())
		y[i] = math.Sin(2*x.At(i, 0)) + .2*rng.NormFloat64()
		if y[i] > 0 {
			labels[i] = 3
		}
	}
	return x, y, labels
}

// regressor returns a Regressor with the strategy and a learner whose fits are counted.
func (s *subject) regressor(fits *atomic.Int64) *selection.Regressor {
	return &selection.Regressor{Search: s.build(), Workers: 1, Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
		return counted{&lssvm.Regressor{Kernel: k}, fits}
	}, families.RBF{})}
}

// counted counts its fits.
type counted struct {
	*lssvm.Regressor
	fits *atomic.Int64
}

func (c counted) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	c.fits.Add(1)
	return c.Regressor.Fit(ctx, x, y)
}

func (c counted) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	c.fits.Add(1)
	return c.Regressor.FitWeighted(ctx, x, y, weights)
}

// fitted fits a new regressor after configure has changed it.
func (s *subject) fitted(p *conformance.Probe, configure func(r *selection.Regressor)) *selection.Regressor {
	x, y, _ := wave(60)
	r := s.regressor(new(atomic.Int64))
	if configure != nil {
		configure(r)
	}
	p.Must("Fit", r.Fit(ctx, x, y))
	return r
}

// text returns a Result as JSON without times.
func text(p *conformance.Probe, r *search.Result) string {
	r.Seconds = 0
	for i := range r.Trace {
		r.Trace[i].Seconds = 0
	}
	data, err := json.MarshalIndent(r, "", " ")
	p.Must("Result as JSON", err)
	return string(data)
}

func same(p *conformance.Probe, what string, want, got *search.Result) {
	if a, b := text(p, want), text(p, got); a != b {
		p.Errorf("%s: the Result differs:\n%s\nwant\n%s", what, b, a)
	}
}

func checkNamed(p *conformance.Probe, s *subject) {
	a, b := s.build().Name(), s.build().Name()
	if a == "" || a != b {
		p.Errorf("Name is %q and %q", a, b)
	}
}

func chosen(p *conformance.Probe, r *search.Result) search.TraceRow {
	var out []search.TraceRow
	for _, row := range r.Trace {
		if row.Chosen {
			out = append(out, row)
		}
	}
	if len(out) != 1 {
		p.Fatalf("%d rows are Chosen, want 1", len(out))
	}
	return out[0]
}

func checkChooses(p *conformance.Probe, s *subject) {
	x, _, labels := wave(60)
	r := s.fitted(p, nil)
	res := r.Result()
	row := chosen(p, res)
	if res.Strategy != s.build().Name() || res.Param != row.Param || res.Status == "" {
		p.Errorf("the Result has strategy %q, parameter %v, status %q; the chosen row %v", res.Strategy, res.Param, res.Status, row.Param)
	}
	want := kernels.Kernel(kernels.RBF{Gamma: row.Param})
	if res.Values != nil {
		want = kernels.ARD{Kernel: want, Lengths: res.Lengths}
	}
	if res.Kernel != want.String() {
		p.Errorf("the Result has the kernel %s, the chosen row %v", res.Kernel, want)
	}
	if k := r.Fitted().(counted).ChosenKernel().String(); k != res.Kernel {
		p.Errorf("fitted with %s, chosen was %s", k, res.Kernel)
	}
	_, err := r.Predict(x)
	p.Must("Predict", err)
	c := &selection.Classifier{Search: s.build()}
	p.Must("Fit of a Classifier", c.Fit(ctx, x, labels))
	chosen(p, c.Result())
	_, err = c.Predict(x)
	p.Must("Predict of a Classifier", err)
}

func checkTrace(p *conformance.Probe, s *subject) {
	res := s.fitted(p, nil).Result()
	for i, row := range res.Trace {
		if row.Iteration != i+1 || row.Family != "RBF" || row.IsCandidate() || row.Rows < 1 {
			p.Errorf("row %d has iteration %d, family %q, candidate %d, %d rows", i+1, row.Iteration, row.Family, row.Candidate, row.Rows)
		}
		if !math.IsNaN(row.Score) && row.Basis == "" {
			p.Errorf("row %d has a score without a Basis", i+1)
		}
	}
	data, err := json.Marshal(res)
	p.Must("Result as JSON", err)
	var read search.Result
	p.Must("Result from JSON", json.Unmarshal(data, &read))
	again, err := json.Marshal(read)
	p.Must("Result as JSON again", err)
	if !bytes.Equal(data, again) {
		p.Errorf("JSON is %s, but %s after reading and writing", data, again)
	}
}

func checkBest(p *conformance.Probe, s *subject) {
	res := s.fitted(p, nil).Result()
	best := chosen(p, res)
	if math.IsNaN(best.Score) || !math.IsNaN(res.Target) && aims(res) == 1 {
		p.Skip("chooses by other criteria than the score")
	}
	slack := 0.0 // a strategy may use other criteria within a standard error
	for _, at := range best.Ridges {
		slack = max(slack, at.StandardError)
	}
	for _, row := range res.Trace {
		if row.Basis == best.Basis && row.ScoredOn == best.ScoredOn && row.Round == best.Round && math.Abs(row.Score-best.Score) > slack &&
			(row.Score > best.Score) == res.LargerIsBetter {
			p.Errorf("row %d has the score %v, better than the %v of row %d, which is chosen", row.Iteration, row.Score, best.Score,
				best.Iteration)
		}
	}
}

// aims returns the number of different target entropies of a search.
func aims(r *search.Result) int {
	seen := map[float64]bool{}
	for _, row := range r.Trace {
		seen[row.Aim] = true
	}
	return len(seen)
}

func checkCounts(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	fits := new(atomic.Int64)
	r := s.regressor(fits)
	p.Must("Fit", r.Fit(ctx, x, y))
	res := r.Result()
	entropies := 0
	for _, row := range res.Trace {
		if !math.IsNaN(row.Entropy) {
			entropies++
		}
	}
	if int64(res.Fits) != fits.Load() || res.Evaluations != entropies {
		p.Errorf("the Result counts %d fits and %d entropies; there were %d and %d", res.Fits, res.Evaluations, fits.Load(), entropies)
	}
}

func checkWorkers(p *conformance.Probe, s *subject) {
	one := s.fitted(p, nil).Result()
	for _, workers := range []int{2, 5} {
		same(p, "more workers", one, s.fitted(p, func(r *selection.Regressor) { r.Workers = workers }).Result())
	}
}

func checkCancel(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	r := s.fitted(p, nil)
	before := r.Result()
	cancelled, cancel := context.WithCancel(ctx)
	r.Observe = func(search.TraceRow) { cancel() }
	for _, when := range []string{"in the search", "before it"} {
		if err := r.Fit(cancelled, x, y); !errors.Is(err, context.Canceled) {
			p.Errorf("cancelled %s, Fit returned %v", when, err)
		}
		same(p, "after a Fit that was cancelled "+when, before, r.Result())
	}
	cancel()
}

// searchedShare is the share of a Fit that must be completed at the end of its search. The last fit reports little progress if
// there are few rows.
const searchedShare = .7

func checkProgress(p *conformance.Probe, s *subject) {
	var shown []search.TraceRow
	var inside atomic.Int32
	s.fitted(p, func(r *selection.Regressor) {
		r.Workers = 2
		r.Observe = func(row search.TraceRow) {
			if inside.Add(1) > 1 {
				p.Errorf("two goroutines called Observe at the same time")
			}
			shown = append(shown, row)
			inside.Add(-1)
		}
	})
	before, within := 0.0, 0
	for i, row := range shown {
		if !(row.Done >= before && row.Done <= 1) {
			p.Fatalf("row %d passed to Observe has a share of %v done, after %v", i+1, row.Done, before)
		}
		if before = row.Done; before > .05 && before < searchedShare {
			within++
		}
	}
	if before != 1 {
		p.Errorf("the last row passed to Observe has a share of %v done, want 1", before)
	}
	if within == 0 {
		p.Errorf("none of the %d rows passed to Observe has a share between .05 and %v done: the search passes on another context "+
			"than "+
			"its own, or none", len(shown), searchedShare)
	}
}

func checkBudget(p *conformance.Probe, s *subject) {
	x, _, _ := wave(60)
	whole := s.fitted(p, nil).Result()
	r := s.fitted(p, func(r *selection.Regressor) { r.Budget = time.Nanosecond })
	res := r.Result()
	chosen(p, res)
	if len(whole.Trace) > 1 && res.Status != search.StatusBudget {
		p.Errorf("the status is %q, want %q", res.Status, search.StatusBudget)
	}
	_, err := r.Predict(x)
	p.Must("Predict", err)
}

func checkResume(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	whole := s.fitted(p, nil).Result()
	var shown []search.TraceRow
	cancelled, cancel := context.WithCancel(ctx)
	defer cancel()
	part := s.regressor(new(atomic.Int64))
	part.Observe = func(row search.TraceRow) {
		if row.Step != nil { // this row only reports progress between two rows
			return
		}
		if shown = append(shown, row); len(shown) == 2 {
			cancel()
		}
	}
	if err := part.Fit(cancelled, x, y); err != nil && !errors.Is(err, context.Canceled) {
		p.Errorf("cancelled, Fit returned %v", err)
	}
	data, err := json.Marshal(shown)
	p.Must("rows as JSON", err)
	var read []search.TraceRow
	p.Must("rows from JSON", json.Unmarshal(data, &read))
	same(p, "from two rows", whole, s.fitted(p, func(r *selection.Regressor) { r.Resume = read }).Result())

	fits := new(atomic.Int64)
	r := s.regressor(fits)
	r.Resume = whole.Trace
	p.Must("Fit from a whole trace", r.Fit(ctx, x, y))
	same(p, "from a whole trace", whole, r.Result())
	if fits.Load() != 1 {
		p.Errorf("from a whole trace the learner was fitted %d times, want once", fits.Load())
	}
}

func checkConfiguration(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	xWas, yWas := mat.DenseCopyOf(x), slices.Clone(y)
	weights := slices.Repeat([]float64{1, 2}, 30)
	r := s.regressor(new(atomic.Int64))
	p.Must("FitWeighted", r.FitWeighted(ctx, x, y, weights))
	if !mat.Equal(x, xWas) || !slices.Equal(y, yWas) || !slices.Equal(weights, slices.Repeat([]float64{1, 2}, 30)) {
		p.Errorf("the rows, targets or weights were changed")
	}
	if !reflect.DeepEqual(r.Search, s.build()) {
		p.Errorf("the strategy was %+v, after Fit it is %+v", s.build(), r.Search)
	}
}

func checkShared(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	want := s.fitted(p, nil).Result()
	one := s.build()
	results := make([]*search.Result, 4)
	failed := make([]error, len(results))
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			r := s.regressor(new(atomic.Int64))
			r.Search = one
			failed[i] = r.Fit(ctx, x, y)
			results[i] = r.Result()
		})
	}
	wait.Wait()
	for i, r := range results {
		p.Must("Fit beside others", failed[i])
		same(p, "beside others", want, r)
	}
}

func checkWeights(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	twice := mat.NewDense(120, x.RawMatrix().Cols, nil)
	twice.Stack(x, x)
	for _, c := range []struct {
		name    string
		x       *mat.Dense
		y       []float64
		weights []float64
	}{
		{"weights of 1", x, y, slices.Repeat([]float64{1}, 60)},
		{"each row twice", twice, slices.Concat(y, y), slices.Repeat([]float64{3}, 120)},
	} {
		r := s.regressor(new(atomic.Int64))
		p.Must("FitWeighted", r.FitWeighted(ctx, c.x, c.y, c.weights))
		if want := s.fitted(p, nil).Result(); r.Result().Param != want.Param {
			p.Errorf("with %s the parameter is %v, without %v", c.name, r.Result().Param, want.Param)
		}
	}
}

func checkCandidates(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	r := &selection.Regressor{Search: s.build(), Space: selection.Candidates[estimators.Regressor](
		&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1e6}},
		&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}},
	)}
	switch err := r.Fit(ctx, x, y); {
	case errors.Is(err, estimators.ErrParam):
		p.Skip("compares kernels only")
	case err != nil:
		p.Errorf("Fit: %v", err)
	case !r.Result().IsCandidate() || r.Result().Type != "*lssvm.Regressor" || chosen(p, r.Result()).Candidate != r.Result().Candidate:
		p.Errorf("the Result is of %v, a %q", r.Result().Point, r.Result().Type)
	case r.Result().Candidate != 1:
		p.Errorf("candidate %d is chosen, want the one that does not memorise, 1", r.Result().Candidate)
	}
}

func checkFamilies(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	scores := !math.IsNaN(s.fitted(p, nil).Result().Score)
	for name, space := range map[string]selection.Space[estimators.Regressor]{
		"two families": selection.Kernels[estimators.Regressor](nil, families.RBF{}, families.Laplacian{}),
		"a family of two": selection.Kernels2[estimators.Regressor](nil,
			families.Sum{First: families.RBF{}, Second: families.Laplacian{}}),
		"two of integers":       selection.Kernels2[estimators.Regressor](nil, families.ShiftedPolynomial{}),
		"a family of integers ": selection.Kernels[estimators.Regressor](nil, families.Polynomial{}, families.RBF{}),
	} {
		r := &selection.Regressor{Search: s.build(), Space: space}
		err := r.Fit(ctx, x, y)
		switch {
		case !scores && !errors.Is(err, estimators.ErrParam):
			p.Errorf("%s: without scores Fit returned %v, want ErrParam", name, err)
		case scores && err != nil:
			p.Errorf("%s: Fit: %v", name, err)
		case scores && math.IsNaN(r.Result().Score):
			p.Errorf("%s: the Result has no score", name)
		}
	}
}

func checkOddData(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	for name, c := range map[string]struct {
		x *mat.Dense
		y []float64
	}{
		"one row":          {mat.NewDense(1, 2, []float64{1, 2}), []float64{1}},
		"two rows":         {mat.NewDense(2, 1, []float64{1, 2}), []float64{1, 2}},
		"equal rows":       {mat.NewDense(20, 2, nil), y[:20]},
		"constant targets": {x, make([]float64, 60)},
	} {
		r := s.regressor(new(atomic.Int64))
		if err := r.Fit(ctx, c.x, c.y); err != nil {
			var panicked *estimators.PanicError
			if errors.As(err, &panicked) {
				p.Errorf("%s: %v", name, err)
			}
			if r.Result() != nil || err.Error() == "" {
				p.Errorf("%s: a Result exists after %v", name, err)
			}
			continue
		}
		chosen(p, r.Result())
		_, err := r.Predict(c.x)
		p.Must("Predict on "+name, err)
	}
}

func checkSaved(p *conformance.Probe, s *subject) {
	x, y, _ := wave(60)
	r := &selection.Regressor{Search: s.build()}
	p.Must("Fit", r.Fit(ctx, x, y))
	data, err := r.MarshalBinary()
	p.Must("MarshalBinary", err)
	read := estimators.Clone(r)
	p.Must("UnmarshalBinary", read.UnmarshalBinary(data))
	same(p, "saved and read", r.Result(), read.Result())
	want, err := r.Predict(x)
	p.Must("Predict", err)
	got, err := read.Predict(x)
	p.Must("Predict of the model that was read", err)
	if !slices.Equal(want, got) {
		p.Errorf("the model that was read predicts differently")
	}
}
