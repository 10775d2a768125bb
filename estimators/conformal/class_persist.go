package conformal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// storedClasses is the form of a Classifier's model in a file. It contains the Score and its settings, because the scores depend on
// them.
type storedClasses struct {
	Method   Method
	Score    Score
	Penalty  float64
	Free     int
	NoRandom bool
	Seed     uint64
	Rows     codec.Matrix
	Classes  []int
	At       []int
	Own      codec.Floats
	Shares   codec.Floats `cbor:",omitzero"`
	Held     []int
	Chosen   estimators.NestedModel
	Folds    []storedFold
}

// MarshalBinary encodes the rows, the fitted estimators and the scores. If Estimator has no MarshalBinary, the error wraps
// errors.ErrUnsupported.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	m := c.m
	s := storedClasses{
		Method: m.method, Score: m.scoring.of, Penalty: m.scoring.penalty, Free: m.scoring.free, NoRandom: m.noRandom, Seed: m.seed,
		Rows: codec.FromDense(m.rows), Classes: m.classes, At: m.at, Own: m.own, Shares: m.shares, Held: m.held,
	}
	var err error
	if s.Chosen, err = estimators.NestModel(classifierType, m.chosen); err != nil {
		return nil, err
	}
	if s.Folds, err = storeFolds(classifierType, m.method, m.folds); err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Estimator. PredictSet then uses the Score and
// the Seed of the file. If UnmarshalBinary returns an error, which wraps [estimators.ErrBadModel], c is unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClasses
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
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
	read := func(p estimators.NestedModel, which string) (estimators.Classifier, error) {
		return c.read(m, p, which)
	}
	if m.chosen, err = read(s.Chosen, "estimator"); err != nil {
		return err
	}
	if m.folds, err = readFolds(classifierKind, m.method, s.Folds, m.chosen, read); err != nil {
		return err
	}
	c.m = m
	return nil
}

func (c *Classifier) read(m *classModel, p estimators.NestedModel, which string) (estimators.Classifier, error) {
	clone := estimators.Clone(c.estimator())
	if err := p.UnmarshalInto(classifierKind, which, clone); err != nil {
		return nil, err
	}
	if !slices.Equal(clone.Classes(), m.classes) {
		return nil, fault.BadModel(classifierKind, "%s has the classes %d, the file %d", which, clone.Classes(), m.classes)
	}
	return clone, nil
}

// model returns the model, after checking all fields except the estimators.
func (s *storedClasses) model() (*classModel, error) {
	rows, err := s.Rows.DenseGaps()
	if err != nil || rows == nil {
		return nil, fault.BadModel(classifierKind, "rows: %v", err)
	}
	n, _ := rows.Dims()
	switch {
	case s.Method <= Automatic || s.Method > Split || s.Method == JackknifeMinMax:
		return nil, fault.BadModel(classifierKind, "method %d", int(s.Method))
	case s.Score < 0 || s.Score > RegularisedAdaptive || !(s.Penalty >= 0) || math.IsInf(s.Penalty, 0) || s.Free < 0:
		return nil, fault.BadModel(classifierKind, "score %d, penalty %v, free classes %d", int(s.Score), s.Penalty, s.Free)
	case !classes.Valid(s.Classes) || len(s.At) != n || slices.ContainsFunc(s.At, func(k int) bool { return k < 0 || k >= len(s.Classes) }):
		return nil, fault.BadModel(classifierKind, "classes: want two or more, ascending, and one of them for each of %d rows", n)
	}
	if err := checkHeld(classifierKind, classifierType, s.Method, rows, s.Own, s.Held, s.Folds); err != nil {
		return nil, err
	}
	if err := checkShares(classifierKind, s.Shares, n); err != nil {
		return nil, err
	}
	return &classModel{
		method: s.Method, scoring: scoring{of: s.Score, penalty: s.Penalty, free: s.Free}, noRandom: s.NoRandom, seed: s.Seed,
		rows: rows, classes: s.Classes, at: s.At, own: s.Own, shares: s.Shares, held: s.Held,
	}, nil
}

// checkHeld checks the fields that the files of regressors and of classifiers have in common.
func checkHeld(kind, typ string, m Method, rows *mat.Dense, own []float64, held []int, folds []storedFold) error {
	n, _ := rows.Dims()
	if _, err := check.DenseGaps("rows", rows, check.Anywhere); err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	if own != nil {
		if err := check.Weights(typ, own, n); err != nil {
			return fault.BadModel(kind, "%v", err)
		}
	}
	switch {
	case !ascending(held, n) || len(held) == 0:
		return fault.BadModel(kind, "rows with scores: want ascending numbers below %d", n)
	case m.smooths() != (len(folds) == 0) || m == Split && len(folds) != 1:
		return fault.BadModel(kind, "%d folds with method %v", len(folds), m)
	}
	var dealt []int
	for i, f := range folds {
		if !ascending(f.Rows, n) || len(f.Scores) != len(f.Rows) {
			return fault.BadModel(kind, "fold %d: want as many scores as ascending rows", i)
		}
		for _, v := range f.Scores {
			if !(v >= 0) {
				return fault.BadModel(kind, "fold %d: score %v", i, v)
			}
		}
		dealt = append(dealt, f.Rows...)
	}
	if slices.Sort(dealt); len(folds) > 0 && !slices.Equal(dealt, held) {
		return fault.BadModel(kind, "folds and the the rows with scores are not the same")
	}
	return nil
}
