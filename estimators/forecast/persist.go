package forecast

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
)

const version = 1

// stored is the form of a fitted Forecaster in a file.
type stored struct {
	Values  codec.Floats
	Columns int
	Known   codec.Floats // row by row
	Models  [][]estimators.NestedModel
	Errors  []codec.Floats // for each number of steps ahead
	Alphas  codec.Floats
}

// Model files contain the name of this type (see package modelfile).
func init() {
	registry.Add[*Forecaster](forecasterKind, registry.Type{Parts: func(v any) []registry.Part {
		if f := v.(*Forecaster); f.m != nil {
			return []registry.Part{{Name: "Model", Value: f.m.models[0][0]}}
		}
		return nil
	}})
}

// MarshalBinary encodes the series, the models and the state of the intervals, so that a program that reads the file can call
// Update. It returns [estimators.ErrNotFitted], or an error that wraps errors.ErrUnsupported if Model has no MarshalBinary.
func (f *Forecaster) MarshalBinary() ([]byte, error) {
	if f.m == nil {
		return nil, fault.NotFitted(forecasterType)
	}
	s := stored{Values: f.m.values, Columns: columnsOf(f.m.known)}
	if f.m.known != nil {
		s.Known = mat.DenseCopyOf(f.m.known).RawMatrix().Data
	}
	for _, models := range f.m.models {
		var all []estimators.NestedModel
		for _, one := range models {
			nested, err := estimators.NestModel(forecasterType, one)
			if err != nil {
				return nil, err
			}
			all = append(all, nested)
		}
		s.Models = append(s.Models, all)
	}
	for _, a := range f.m.steps {
		s.Errors, s.Alphas = append(s.Errors, a.errors), append(s.Alphas, a.alpha)
	}
	return codec.Marshal(forecasterKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Forecaster with the same settings. Errors wrap
// [estimators.ErrBadModel] and leave f unchanged.
func (f *Forecaster) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, forecasterKind, version, &s); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	n := len(s.Values)
	switch {
	case n < f.span() || !s.Values.Finite():
		return fault.BadModel(forecasterKind, "a series of %d values, want at least %d, finite", n, f.span())
	case len(s.Models) != f.fitted() || len(s.Errors) != f.horizon() || len(s.Alphas) != f.horizon() || !s.Alphas.Finite():
		return fault.BadModel(forecasterKind, "models of %d steps and errors of %d, this value has a Horizon of %d",
			len(s.Models), len(s.Errors), f.horizon())
	case s.Columns < 0 || s.Columns > len(s.Known) || s.Columns*n != len(s.Known):
		return fault.BadModel(forecasterKind, "%d numbers known in advance, for %d columns", len(s.Known), s.Columns)
	}
	m := &model{values: s.Values}
	if s.Columns > 0 {
		m.known = mat.NewDense(n, s.Columns, s.Known)
	}
	for h, all := range s.Models {
		if len(all) != max(1, f.Ensemble) {
			return fault.BadModel(forecasterKind, "%d models of %d steps, want %d", len(all), h+1, max(1, f.Ensemble))
		}
		var models []estimators.Regressor
		for _, nested := range all {
			one := estimators.Clone(f.base())
			if err := nested.UnmarshalInto(forecasterKind, "Model", one); err != nil {
				return err
			}
			models = append(models, one)
		}
		m.models = append(m.models, models)
	}
	for h, errors := range s.Errors {
		for _, e := range errors {
			if !(e >= 0) {
				return fault.BadModel(forecasterKind, "an absolute error of %v", e)
			}
		}
		m.steps = append(m.steps, ahead{errors: errors, alpha: s.Alphas[h]})
	}
	f.m = m
	return nil
}
