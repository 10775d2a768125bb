package conformal

import (
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const version = 1

// stored is a model in a file. The rows are there for the methods of one system, which is made anew at the
// first interval, and for groups and likelihood ratios.
type stored struct {
	Method Method
	Rows   codec.Matrix
	Y      codec.Floats
	Own    codec.Floats
	Held   []int
	Chosen estimators.Part
	Folds  []storedFold
}

type storedFold struct {
	Fitted *estimators.Part // nil: Chosen
	Rows   []int
	Scores codec.Floats
}

// MarshalBinary writes the rows, the fitted estimators, and the scores. Group and LikelihoodRatio are not
// written. The error wraps errors.ErrUnsupported if Estimator has no MarshalBinary.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	m := r.m
	s := stored{Method: m.method, Rows: codec.FromDense(m.rows), Y: m.y, Own: m.own, Held: m.held}
	var err error
	if s.Chosen, err = estimators.MakePart(regressorType, m.chosen); err != nil {
		return nil, err
	}
	for _, f := range m.folds {
		out := storedFold{Rows: f.rows, Scores: f.scores}
		if m.method != Split {
			part, err := estimators.MakePart(regressorType, f.fitted)
			if err != nil {
				return nil, err
			}
			out.Fitted = &part
		}
		s.Folds = append(s.Folds, out)
	}
	return codec.Marshal(regressorKind, version, s)
}

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor of the same Estimator. Errors are
// ErrBadModel and leave r as it was.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	if len(s.Own) == 0 {
		s.Own = nil
	}
	m, err := s.model()
	if err != nil {
		return err
	}
	if m.chosen, err = r.read(s.Chosen, "estimator"); err != nil {
		return err
	}
	if m.method.smooths() && !estimators.Supports(m.chosen, estimators.Smoothing) {
		return fault.BadModel(regressorKind, "method %v with an estimator that is no linear smoother", m.method)
	}
	for i, f := range s.Folds {
		fitted := m.chosen
		if m.method == CrossValidation {
			if f.Fitted == nil {
				return fault.BadModel(regressorKind, "fold %d has no estimator", i)
			}
			if fitted, err = r.read(*f.Fitted, fmt.Sprintf("estimator of fold %d", i)); err != nil {
				return err
			}
		}
		m.folds = append(m.folds, fold{fitted: fitted, rows: f.Rows, scores: f.Scores})
	}
	r.m = m
	return nil
}

func (r *Regressor) read(p estimators.Part, which string) (estimators.Regressor, error) {
	clone, err := estimators.Clone(regressorType, r.estimator())
	if err != nil {
		return nil, err
	}
	return clone, p.Into(regressorKind, which, clone)
}

// model validates all but the estimators.
func (s *stored) model() (*model, error) {
	rows, err := s.Rows.Dense()
	if err != nil || rows.IsEmpty() {
		return nil, fault.BadModel(regressorKind, "rows: %v", err)
	}
	n, _ := rows.Dims()
	switch {
	case s.Method <= Automatic || int(s.Method) >= len(methodNames):
		return nil, fault.BadModel(regressorKind, "method %d", int(s.Method))
	case len(s.Y) != n:
		return nil, fault.BadModel(regressorKind, "%d targets for %d rows", len(s.Y), n)
	}
	if err := check.Vector("y", s.Y); err != nil {
		return nil, fault.BadModel(regressorKind, "%v", err)
	}
	if err := checkHeld(regressorKind, regressorType, s.Method, rows, s.Own, s.Held, s.Folds); err != nil {
		return nil, err
	}
	return &model{method: s.Method, rows: rows, y: s.Y, own: s.Own, held: s.Held}, nil
}

// ascending reports whether rows are different ones of 0 to n-1 in order.
func ascending(rows []int, n int) bool {
	for i, row := range rows {
		if row < 0 || row >= n || i > 0 && row <= rows[i-1] {
			return false
		}
	}
	return true
}
