package selection

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Score is that by which Entropy compares kernels.
type Score int

// The scores. The first two are closed forms, from the same reduction of the
// kernel matrix as its entropy: the learner is not fitted.
const (
	// LeaveOneOut is the squared leave-one-out residual of kernel ridge regression
	// with a bias, at the ridge where it is least, over the variance of the
	// targets; for a Classifier of targets ±1, each class against the rest. It
	// does not suppose that the kernel is right, only that it predicts. Weights are
	// those of the fit, of the mean of the squares, and of the variance.
	LeaveOneOut Score = iota
	// LogEvidence is that of a Gaussian process at the best of EvidenceRidges, for
	// a Regressor. With weights a row's noise has the variance λs²/w.
	LogEvidence
	// CrossValidation fits the learner at the parameter found for each target, in
	// each fold.
	CrossValidation
)

// String returns the score's name.
func (s Score) String() string {
	switch s {
	case LeaveOneOut:
		return "LeaveOneOut"
	case LogEvidence:
		return "LogEvidence"
	case CrossValidation:
		return "CrossValidation"
	}
	return fmt.Sprintf("Score(%d)", int(s))
}

// prepareScore makes the targets of a closed form: less their mean, since the
// machine has a bias.
func (s *entropySearch) prepareScore() error {
	n, _ := s.p.x.Dims()
	switch {
	case s.Score == CrossValidation:
		return nil
	case s.p.labels == nil:
		s.centred = mat.NewDense(n, 1, slices.Clone(s.p.y))
	case s.Score == LogEvidence:
		return fault.Param("selection: Entropy", "Score", s.Score, "LeaveOneOut or CrossValidation for a Classifier")
	default:
		var err error
		if s.centred, err = againstTheRest(s.p.labels); err != nil {
			return err
		}
	}
	weight := func(i int) float64 {
		if s.p.weights == nil {
			return 1
		}
		return s.p.weights[i]
	}
	total := 0.0
	for i := range n {
		total += weight(i)
	}
	_, k := s.centred.Dims()
	constant := true
	for j := range k {
		mean := 0.0
		for i := range n {
			mean += s.centred.At(i, j) * weight(i) / total
		}
		for i := range n {
			d := s.centred.At(i, j) - mean
			s.centred.Set(i, j, d)
			s.variance += d * d * weight(i) / total
			constant = constant && math.Abs(d) <= 1e-14*math.Abs(mean)
		}
	}
	if constant {
		s.warn("the targets are constant: all parameters fit them alike")
		s.centred = nil
	}
	return nil
}

// againstTheRest returns ±1 in a column for each class; one column for two.
func againstTheRest(labels []int) (*mat.Dense, error) {
	classes := slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	switch len(classes) {
	case 1:
		return nil, fault.Shape("y has", 1, "class", "want at least 2")
	case 2:
		classes = classes[1:]
	}
	out := mat.NewDense(len(labels), len(classes), nil)
	for i, label := range labels {
		for j, c := range classes {
			out.Set(i, j, -1)
			if label == c {
				out.Set(i, j, 1)
			}
		}
	}
	return out, nil
}

// judge returns the entropy of k, which it takes over, and the score and its
// ridge where that has a closed form: all from one reduction of k to tridiagonal
// form. Weights make the score's matrix another than the entropy's, and take a second.
func (s *entropySearch) judge(ctx context.Context, k *mat.SymDense) (spectrum measures.VonNeumann, score, ridge float64, err error) {
	score, ridge = missing, missing
	if s.centred == nil {
		return measures.EntropyOfEigenvalues(linalg.Tridiagonalize(k).Values()), score, ridge, nil
	}
	if s.p.weights != nil {
		own := mat.NewSymDense(k.SymmetricDim(), nil)
		own.CopySym(k)
		spectrum = measures.EntropyOfEigenvalues(linalg.Tridiagonalize(own).Values())
	}
	var tri *linalg.Tridiagonal
	if s.Score == LogEvidence {
		tri, score, ridge = logEvidence(k, s.centred, s.p.weights, s.MinRidge)
	} else {
		n := k.SymmetricDim()
		floor := s.MinRidge * mat.Trace(k) / float64(n) * s.meanWeight()
		p := loo.New(k, s.centred, s.p.weights, s.Workers)
		least, err := p.SearchFrom(ctx, floor)
		if err != nil {
			return spectrum, score, ridge, err
		}
		if least.Ridge > 0 {
			score, ridge = least.Error/s.variance, least.Ridge
		}
		tri = p.Tridiagonal()
	}
	if s.p.weights == nil {
		spectrum = measures.EntropyOfEigenvalues(tri.Values())
	}
	return spectrum, score, ridge, nil
}

// meanWeight is that of the rows: ridges are in its units.
func (s *entropySearch) meanWeight() float64 {
	if s.p.weights == nil {
		return 1
	}
	return stat.Mean(s.p.weights, nil)
}

// crossValidate scores, where that was asked for and there is a choice, the
// coordinates that have no score yet.
func (s *entropySearch) crossValidate(ctx context.Context) error {
	if s.Score != CrossValidation || len(s.coords) < 2 {
		return nil
	}
	t, err := s.p.trials(s.Splitter, s.Metric)
	if err != nil {
		return err
	}
	var at []int // the trace rows
	for _, i := range spread(len(s.coords)) {
		c := s.coords[i]
		row := s.byParam[c.param]
		if old, ok := s.known.score(c.param, s.rows[row].Rows); ok && math.IsNaN(s.rows[row].Score) {
			s.rows[row].Score, s.rows[row].Seconds = old.Score, old.Seconds
			s.out.Fits += len(t.folds)
			continue
		}
		if math.IsNaN(s.rows[row].Score) {
			t.params, at = append(t.params, c.param), append(at, row)
		}
	}
	t.workers, t.budget = s.Workers, s.clock
	t.observe = func(i int, score, seconds float64) {
		row := &s.rows[at[i]]
		row.Score = score
		row.Seconds += seconds
		if s.Observe != nil {
			s.Observe(*row)
		}
	}
	done, err := s.p.try(ctx, t)
	if err != nil {
		return err
	}
	s.out.Fits += done.fits()
	for i, row := range at {
		if text := done.unfinished(i, len(t.folds)); text != "" {
			s.cut = true
			s.rows[row].Decision += "; " + text
		}
	}
	if done.failed != nil {
		s.failed = done.failed
		s.warn(fmt.Sprintf("some fits failed, the first with: %v", done.failed))
	}
	return nil
}

// metric says how scores compare.
func (s *entropySearch) metric() metrics.Metric {
	switch {
	case s.Score == LeaveOneOut:
		return metrics.Metric{Name: "leave-one-out NMSE"}
	case s.Score == LogEvidence:
		return metrics.Metric{Name: "log evidence", LargerIsBetter: true}
	case !unset(s.Metric):
		return s.Metric
	}
	return s.p.metric
}
