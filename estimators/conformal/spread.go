package conformal

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	spreadFolds = 5   // number of folds if the estimator does not compute leave-one-out residuals
	leastSpread = 0.1 // the smallest residual that is used, as a multiple of the median residual
)

// spread is a fitted model of the logarithm of the size of the errors. Its predictions are limited to the range of its targets, so
// that the predicted size is finite and > 0.
type spread struct {
	model     estimators.Regressor
	low, high float64
}

// checkSpread returns an error if the Spread of a Regressor is invalid.
func (r *Regressor) checkSpread() error {
	switch {
	case r.Spread == nil:
		return nil
	case check.IsNil(r.Spread):
		return fault.Param(regressorType, "Spread", nil, "an estimator, or nil of no type")
	case r.Method.smooths():
		return fault.Param(regressorType, "Method", r.Method.String(), "CrossValidation or Split with Spread")
	}
	return nil
}

// fitSpread fits a clone of Spread to the rows of the fitted estimator. The targets are the logarithms of the leave-one-out
// residuals, divided by the standard deviations if residuals are scaled. It returns nil if Spread is nil.
func (m *model) fitSpread(ctx context.Context, r *Regressor, fitted estimators.Regressor, rows []int) (*spread, error) {
	if r.Spread == nil {
		return nil, nil
	}
	leaving, rest := progress.Two(ctx, 1, 1)
	off, err := m.leaveOut(leaving, r, fitted, rows)
	if err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(off))
	least := leastSpread * sorted[len(sorted)/2]
	if least == 0 {
		least = leastSpread * sorted[len(sorted)-1]
	}
	if least == 0 { // all residuals are 0
		least = 1
	}
	for i, v := range off {
		off[i] = math.Log(max(v, least))
	}
	out := &spread{model: estimators.Clone(r.Spread), low: slices.Min(off), high: slices.Max(off)}
	estimators.SetGroups(out.model, linalg.Pick(m.groups, rows))
	x := linalg.Rows(m.rows, rows)
	if m.own == nil {
		return out, out.model.Fit(rest, x, off)
	}
	weighted, err := estimators.Capable[estimators.WeightedFitter[float64]](regressorType, out.model, estimators.Weighted)
	if err != nil {
		return nil, err
	}
	return out, weighted.FitWeighted(rest, x, off, linalg.Pick(m.own, rows))
}

// leaveOut returns the leave-one-out residual of each row, divided by its standard deviation if residuals are scaled. It uses the
// closed form if the estimator has one, and cross-validation otherwise.
func (m *model) leaveOut(ctx context.Context, r *Regressor, fitted estimators.Regressor, rows []int) ([]float64, error) {
	out := make([]float64, len(rows))
	if l, ok := fitted.(estimators.LeaveOneOutPredictor); ok && estimators.Supports(fitted, estimators.LeaveOneOut) {
		residuals, err := l.LeaveOneOutResiduals(ctx)
		if err == nil && len(residuals) == len(rows) {
			for i, e := range residuals {
				out[i] = math.Abs(e)
			}
			return out, m.overDeviations(ctx, r, fitted, rows, out)
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	divided, err := parts(linalg.Pick(m.groups, rows), nil, r.Seed+1, sizes(len(rows), min(spreadFolds, m.unitsOf(rows)))...)
	if err != nil {
		return nil, err
	}
	group := progress.Open(ctx)
	for i, held := range divided {
		one, err := m.fitOn(group.Step(i, len(divided)), r, linalg.Pick(rows, complement(len(rows), held)))
		if err != nil {
			return nil, err
		}
		mean, sd, err := deviations(r, one, nil, linalg.Rows(m.rows, linalg.Pick(rows, held)))
		if err != nil {
			return nil, err
		}
		for k, at := range held {
			out[at] = math.Abs(m.y[rows[at]]-mean[k]) / sd[k]
		}
	}
	return out, ctx.Err()
}

// overDeviations divides residuals by the standard deviations of the predictions.
func (m *model) overDeviations(ctx context.Context, r *Regressor, fitted estimators.Regressor, rows []int, off []float64) error {
	for first := 0; first < len(rows); first += scoredRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(first+scoredRows, len(rows))
		_, sd, err := deviations(r, fitted, nil, linalg.Rows(m.rows, rows[first:end]))
		if err != nil {
			return err
		}
		for i := range sd {
			off[first+i] /= sd[i]
		}
	}
	return nil
}

// unitsOf returns the number of groups that can be left out of the given rows, or of rows if there are no groups.
func (m *model) unitsOf(rows []int) int {
	return (&model{y: make([]float64, len(rows)), groups: linalg.Pick(m.groups, rows)}).units()
}

// scale multiplies sd, the standard deviations for the rows of x, by the predicted sizes of the errors. If s is nil, it does
// nothing.
func (s *spread) scale(sd []float64, x mat.Matrix) error {
	if s == nil {
		return nil
	}
	of, err := s.model.Predict(x)
	if err != nil {
		return err
	}
	for i, v := range of {
		sd[i] = max(sd[i]*math.Exp(min(max(v, s.low), s.high)), math.SmallestNonzeroFloat64)
	}
	return nil
}

// storedSpread is the form of a spread in a file.
type storedSpread struct {
	Model estimators.NestedModel
	Range codec.Floats // low and high
}

func (s *spread) store() (*storedSpread, error) {
	if s == nil {
		return nil, nil
	}
	part, err := estimators.NestModel(regressorType+": Spread", s.model)
	return &storedSpread{Model: part, Range: codec.Floats{s.low, s.high}}, err
}

// readSpreads decodes the spreads of the folds.
func (r *Regressor) readSpreads(folds []fold[estimators.Regressor], stored []storedFold) error {
	for i := range folds {
		s := stored[i].Spread
		if (s == nil) != (r.Spread == nil) {
			return fault.BadModel(regressorKind, "fold %d was fitted with a Spread, or this value has one: want both or neither", i)
		}
		if s == nil {
			continue
		}
		if len(s.Range) != 2 || !s.Range.Finite() || !(s.Range[0] <= s.Range[1]) || !(math.Abs(s.Range[0])+math.Abs(s.Range[1]) < 1e4) {
			return fault.BadModel(regressorKind, "fold %d: the spread is from %v", i, s.Range)
		}
		folds[i].spread = &spread{model: estimators.Clone(r.Spread), low: s.Range[0], high: s.Range[1]}
		if err := s.Model.UnmarshalInto(regressorKind, "the spread of a fold", folds[i].spread.model); err != nil {
			return err
		}
	}
	return nil
}
