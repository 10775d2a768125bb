package selection

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels"
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
	// does not suppose that the kernel is right, only that it predicts.
	LeaveOneOut Score = iota
	// LogEvidence is that of a Gaussian process at the best of EvidenceRidges, for
	// a Regressor.
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
	_, k := s.centred.Dims()
	constant := true
	for j := range k {
		mean := 0.0
		for i := range n {
			mean += s.centred.At(i, j) / float64(n)
		}
		for i := range n {
			d := s.centred.At(i, j) - mean
			s.centred.Set(i, j, d)
			s.variance += d * d / float64(n)
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
// form.
func (s *entropySearch) judge(ctx context.Context, k *mat.SymDense) (spectrum measures.Spectrum, score, ridge float64, err error) {
	score, ridge = missing, missing
	if s.centred == nil {
		return measures.OfEigenvalues(linalg.Tridiagonalize(k).Values()), score, ridge, nil
	}
	if s.Score == LogEvidence {
		meanDiagonal := mat.Trace(k) / float64(k.SymmetricDim())
		tri := linalg.Tridiagonalize(k)
		rotated := mat.DenseCopyOf(s.centred)
		tri.Rotate(rotated)
		score, ridge = logEvidence(tri, rotated, meanDiagonal)
		return measures.OfEigenvalues(tri.Values()), score, ridge, nil
	}
	p := loo.New(k, s.centred, nil, s.Workers)
	best, err := p.Search(ctx, nil)
	if err == nil && best.Ridge > 0 {
		score, ridge = best.Error/s.variance, best.Ridge
	}
	return measures.OfEigenvalues(p.Tridiagonal().Values()), score, ridge, err
}

// crossValidate scores, where that was asked for and there is a choice, the
// coordinates that have no score yet.
func (s *entropySearch) crossValidate(ctx context.Context) error {
	if s.Score != CrossValidation || len(s.coords) < 2 {
		return nil
	}
	folds, metric, err := s.p.trials(s.Splitter, s.Metric)
	if err != nil {
		return err
	}
	var ks []kernels.Kernel
	var at []int
	for _, c := range s.coords {
		i := s.byParam[c.param]
		if math.IsNaN(s.rows[i].Score) {
			ks, at = append(ks, s.p.family.At(c.param)), append(at, i)
		}
	}
	_, failed, err := s.p.try(ctx, ks, folds, metric, s.Workers, func(i int, score, seconds float64) {
		row := &s.rows[at[i]]
		row.Score = score
		row.Seconds += seconds
		if s.Observe != nil {
			s.Observe(*row)
		}
	})
	s.out.Fits += len(ks) * len(folds)
	if failed != nil {
		s.failed = failed
		s.warn(fmt.Sprintf("some fits failed, the first with: %v", failed))
	}
	return err
}

// metric says how scores compare.
func (s *entropySearch) metric() metrics.Metric {
	switch {
	case s.Score == LeaveOneOut:
		return metrics.Metric{Name: "leave-one-out NMSE"}
	case s.Score == LogEvidence:
		return metrics.Metric{Name: "log evidence", LargerIsBetter: true}
	case s.Metric.Name != "" || s.Metric.Values != nil || s.Metric.Labels != nil || s.Metric.Scores != nil:
		return s.Metric
	}
	return s.p.metric
}
