package conformal

import (
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const version = 1

// stored is the form of a Regressor's model in a file. It contains the rows if they are needed for the linear system, which is
// computed again for the first interval, or for groups and likelihood ratios.
type stored struct {
	Method Method
	Rows   codec.Matrix
	Y      codec.Floats
	Own    codec.Floats
	Shares codec.Floats `cbor:",omitzero"`
	Held   []int
	Chosen estimators.NestedModel
	Folds  []storedFold
}

type storedFold struct {
	Fitted *estimators.NestedModel // nil means Chosen
	Rows   []int
	Scores codec.Floats
	Spread *storedSpread `cbor:",omitempty"`
}

// MarshalBinary encodes the rows, the fitted estimators and the scores. It omits Group and LikelihoodRatio. If Estimator has no
// MarshalBinary, the error wraps errors.ErrUnsupported.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	m := r.m
	s := stored{Method: m.method, Rows: codec.FromDense(m.rows), Y: m.y, Own: m.own, Shares: m.shares, Held: m.held}
	var err error
	if s.Chosen, err = estimators.NestModel(regressorType, m.chosen); err != nil {
		return nil, err
	}
	if s.Folds, err = storeFolds(regressorType, m.method, m.folds); err != nil {
		return nil, err
	}
	return codec.Marshal(regressorKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Regressor with the same Estimator. If it returns an error, which wraps
// [estimators.ErrBadModel], r is unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	if len(s.Own) == 0 {
		s.Own = nil
	}
	if len(s.Shares) == 0 {
		s.Shares = nil
	}
	m, err := s.model()
	if err != nil {
		return err
	}
	if m.chosen, err = r.read(s.Chosen, "estimator"); err != nil {
		return err
	}
	m.folds, err = readFolds(regressorKind, m.method, s.Folds, m.chosen, r.read)
	if err == nil {
		err = r.readSpreads(m.folds, s.Folds)
	}
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

func (r *Regressor) read(p estimators.NestedModel, which string) (estimators.Regressor, error) {
	clone := estimators.Clone(r.estimator())
	return clone, p.UnmarshalInto(regressorKind, which, clone)
}

// model returns the model, after checking all fields except the estimators.
func (s *stored) model() (*model, error) {
	rows, err := s.Rows.DenseGaps()
	if err != nil || rows == nil {
		return nil, fault.BadModel(regressorKind, "rows: %v", err)
	}
	n, _ := rows.Dims()
	switch {
	case s.Method <= Automatic || s.Method > Split:
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
	if err := checkShares(regressorKind, s.Shares, n); err != nil {
		return nil, err
	}
	return &model{method: s.Method, rows: rows, y: s.Y, own: s.Own, shares: s.Shares, held: s.Held}, nil
}

// checkShares returns an error unless shares is empty, in which case all weights of scores are 1, or holds n weights between 0 and
// 1.
func checkShares(kind string, shares []float64, n int) error {
	if len(shares) != 0 && len(shares) != n {
		return fault.BadModel(kind, "%d shares of groups for %d rows", len(shares), n)
	}
	for _, v := range shares {
		if !(v > 0 && v <= 1) {
			return fault.BadModel(kind, "a share of a group of %v", v)
		}
	}
	return nil
}

// ascending reports whether the rows are distinct, ascending numbers between 0 and n-1.
func ascending(rows []int, n int) bool {
	for i, row := range rows {
		if row < 0 || row >= n || i > 0 && row <= rows[i-1] {
			return false
		}
	}
	return true
}

// storeFolds returns the form of the folds in a file. For Split, the estimator of the only fold is the chosen estimator, and is not
// stored again.
func storeFolds[E any](typ string, m Method, folds []fold[E]) (out []storedFold, err error) {
	for _, f := range folds {
		s := storedFold{Rows: f.rows, Scores: f.scores}
		if s.Spread, err = f.spread.store(); err != nil {
			return nil, err
		}
		if m != Split {
			part, err := estimators.NestModel(typ, f.fitted)
			if err != nil {
				return nil, err
			}
			s.Fitted = &part
		}
		out = append(out, s)
	}
	return out, nil
}

// readFolds decodes the folds, and checks that the chosen estimator has the methods that m needs.
func readFolds[E any](kind string, m Method, folds []storedFold, chosen E,
	read func(p estimators.NestedModel, which string) (E, error)) (out []fold[E], err error) {
	if m.smooths() && !estimators.Supports(chosen, estimators.Smoothing) {
		return nil, fault.BadModel(kind, "method %v with an estimator that is not a linear smoother", m)
	}
	for i, f := range folds {
		fitted := chosen
		if m == CrossValidation {
			if f.Fitted == nil {
				return nil, fault.BadModel(kind, "fold %d has no estimator", i)
			}
			if fitted, err = read(*f.Fitted, fmt.Sprintf("estimator of fold %d", i)); err != nil {
				return nil, err
			}
		}
		out = append(out, fold[E]{fitted: fitted, rows: f.Rows, scores: f.Scores})
	}
	return out, nil
}
