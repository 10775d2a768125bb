package entropy

import (
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Score selects how a [Search] compares kernels.
type Score int

// The scores. The first three are closed forms, computed from the same reduction of the kernel matrix as its entropy, without
// fitting the learner.
const (
	// LeaveOneOutEvidence starts from [LeaveOneOut]. Among all kernels and ridges whose leave-one-out error is within half a
	// standard error of the smallest, or within a twentieth of it above 600 rows, it chooses the pair with the largest log
	// evidence. The smallest error alone is often luck, and the evidence alone assumes that the kernel is right. For classes, the
	// error is replaced by its product with the sum of 0.01 and the fraction of rows whose leave-one-out class is wrong.
	LeaveOneOutEvidence Score = iota
	// LeaveOneOut is the squared leave-one-out residual of kernel ridge regression with an intercept, divided by the variance of
	// the targets, at the ridge that minimises it. For a Classifier the targets are ±1, each class against all others. It does not
	// assume that the kernel is right. The weights enter the fit, the mean of squares and the variance.
	LeaveOneOut
	// LogEvidence is the log evidence of a Gaussian process for the contrasts of the targets, at the best ridge of a grid with two
	// ridges per decade. It is for a Regressor. With weights, the noise of a row has variance λs²/w.
	LogEvidence
	// CrossValidation fits the learner at the parameter found for each target in each fold.
	CrossValidation
)

// String returns the score's name.
func (s Score) String() string {
	return enum.Name("Score", int(s), "LeaveOneOutEvidence", "LeaveOneOut", "LogEvidence", "CrossValidation")
}

// rule returns the closed-form rule that computes the score. CrossValidation has none.
func (s Score) rule() closedform.Rule {
	return map[Score]closedform.Rule{
		LeaveOneOutEvidence: closedform.ErrorAndEvidence,
		LeaveOneOut:         closedform.LeastError,
		LogEvidence:         closedform.MostEvidence,
	}[s]
}

// measure returns the direction in which closed-form scores improve.
func (s Score) measure() search.Measure {
	if s == LogEvidence {
		return search.Measure{Name: "log evidence", LargerIsBetter: true}
	}
	return search.Measure{Name: "leave-one-out NMSE"}
}

// form returns the closed form of a run. It returns nil if the learner is cross-validated, or if all kernels fit the targets
// equally well.
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
