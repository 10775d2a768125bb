package entropy

import (
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Score is that by which Entropy compares kernels.
type Score int

// The scores. The first three are closed forms, from the same reduction of the
// kernel matrix as its entropy: the learner is not fitted.
const (
	// LeaveOneOutEvidence is [LeaveOneOut] where that tells: of all kernels and ridges whose leave-one-out error is
	// within half a standard error of the least, or a twentieth of it with more than 600 rows, it takes the pair of
	// the largest log evidence. The least error alone is often luck, and the evidence alone trusts that the kernel is
	// right. Of classes it takes the least product of that error and of the share of rows that the others put into
	// another class (and a hundredth more).
	LeaveOneOutEvidence Score = iota
	// LeaveOneOut is the squared leave-one-out residual of kernel ridge regression
	// with an intercept, at the ridge where it is least, over the variance of the
	// targets; for a Classifier of targets ±1, each class against the rest. It
	// does not suppose that the kernel is right, only that it predicts. Weights are
	// those of the fit, of the mean of the squares, and of the variance.
	LeaveOneOut
	// LogEvidence is that of a Gaussian process for the contrasts of the targets, at the best
	// of two ridges to a decade, for a Regressor. With weights a row's noise has the variance
	// λs²/w.
	LogEvidence
	// CrossValidation fits the learner at the parameter found for each target, in
	// each fold.
	CrossValidation
)

// String returns the score's name.
func (s Score) String() string {
	return enum.Name("Score", int(s), "LeaveOneOutEvidence", "LeaveOneOut", "LogEvidence", "CrossValidation")
}

// rule is that of a closed form.
func (s Score) rule() closedform.Rule {
	return map[Score]closedform.Rule{
		LeaveOneOutEvidence: closedform.ErrorAndEvidence,
		LeaveOneOut:         closedform.LeastError,
		LogEvidence:         closedform.MostEvidence,
	}[s]
}

// measure says how the scores of a closed form compare.
func (s Score) measure() search.Measure {
	if s == LogEvidence {
		return search.Measure{Name: "log evidence", LargerIsBetter: true}
	}
	return search.Measure{Name: "leave-one-out NMSE"}
}

// form is the closed form of a run; nil where the learner is cross-validated, and for targets that all kernels fit alike.
func (e *Search) form(r *search.Run) (*closedform.Form, error) {
	switch {
	case e.Score == CrossValidation:
		return nil, nil
	case r.Labels != nil && e.Score == LogEvidence:
		return nil, fault.Param(searchType, "Score", e.Score, "LeaveOneOutEvidence, LeaveOneOut or CrossValidation for a Classifier")
	}
	out, err := closedform.New(r)
	switch {
	case out == nil || err != nil:
		return nil, err
	case e.NoMinRidge:
		out.MinRidge = 0
	case e.MinRidge > 0:
		out.MinRidge = e.MinRidge
	}
	return out, nil
}
