package selection

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	configuration "github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/search"
)

// fitted is what a Fit leaves.
type fitted[E any] struct {
	chain  *pipeline.Transformer
	inner  E
	result *search.Result
	parts  []*fitted[E] // of several scalings and kinds, whose mean inner is
	// What a part says of each row without having seen it, until the shares are known: see leaveOut.
	left, variances []float64
	bend            *targets.Bend // of the targets of all parts; nil: as they are
	encoded         []int         // the categories whose mean targets are columns of a part
}

// transform takes new rows to where the inner estimator lives.
func (f *fitted[E]) transform(typ string, x mat.Matrix) (*mat.Dense, error) {
	if f == nil {
		return nil, fault.NotFitted(typ)
	}
	if len(f.chain.Steps) == 0 { // the inner estimator says what gaps it takes
		xd, err := check.DenseGaps("x", x, check.Anywhere)
		return xd, f.plain(err)
	}
	z, err := f.chain.Transform(x)
	return z, f.plain(err)
}

// plain is an error without the place of a step that the caller has not set, where it is about the columns of x, which it names.
func (f *fitted[E]) plain(err error) error {
	if err == nil { // before anything is allocated
		return nil
	}
	var shape *fault.ShapeError
	if f.parts == nil || len(f.chain.Steps) > 1 || fault.FittedColumns(err) == 0 || !errors.As(err, &shape) {
		return f.named(err)
	}
	return f.named(shape)
}

// columnNames returns the names of the columns of x, nil if they are not known.
func (f *fitted[E]) columnNames() []string {
	if f == nil {
		return nil
	}
	return f.chain.ColumnNames()
}

// named names columns of x that an error knows by number.
func (f *fitted[E]) named(err error) error {
	if err == nil || len(f.chain.Steps) > 0 && f.parts == nil { // the columns of the estimator are others
		return err
	}
	return fault.NameColumns(err, f.chain.ColumnNames())
}

// pass calls g with preprocessed rows of x, of few of them without allocating.
func (f *fitted[E]) pass(typ string, x mat.Matrix, g func(z mat.Matrix) error) error {
	if f == nil {
		return fault.NotFitted(typ)
	}
	return f.plain(f.chain.Pass(x, g))
}

// reach is Forward.
func (f *fitted[E]) reach(typ string, x mat.Matrix, call func(model any, z mat.Matrix) error) error {
	if call == nil {
		return fault.Param(typ, "f", nil, "a function")
	}
	return f.pass(typ, x, func(z mat.Matrix) error { return call(f.inner, z) })
}

// forward preprocesses the rows of x and calls f, a method of the capability C of the estimator that was built. The error wraps
// errors.ErrUnsupported if it has none. Few rows allocate nothing.
func forward[C, E any](f *fitted[E], typ string, c estimators.Capability, x mat.Matrix, call func(C, mat.Matrix) error) error {
	if f == nil {
		return fault.NotFitted(typ)
	}
	p, err := estimators.Capable[C](typ, f.inner, c)
	if err != nil {
		return err
	}
	return f.pass(typ, x, func(z mat.Matrix) error { return call(p, z) })
}

// report is the inner estimator's, with the search's warnings before its own.
func (f *fitted[E]) report() estimators.Report {
	if f == nil {
		return estimators.Report{}
	}
	out := estimators.Report{Converged: true, Iterations: 1, Objective: f.result.Score}
	if r, ok := any(f.inner).(estimators.Reporter); ok {
		out = r.Report()
	}
	out.Warnings = append(append([]string(nil), f.result.Warnings...), out.Warnings...)
	return out
}

func (f *fitted[E]) copyResult() *search.Result {
	if f == nil {
		return nil
	}
	return f.result.Clone()
}

const version = 1

// stored is a fitted selection in a file: the family by name and the parameter, or the
// candidate's number, from which the Space makes the estimator again, and the parts' own bytes.
type stored struct {
	Family string
	Point  search.Point
	Param2 float64                // of a family of two
	Values codec.Floats           // that were learnt beside the point
	Steps  []byte                 // a pipeline.Transformer
	Inner  estimators.NestedModel // but of several scalings
	Names  []string               // of the scalings
	Parts  [][]byte               // and a file of each
	Bend   *targets.Bend          `cbor:",omitempty"` // of their targets
	// Encoded are the categories whose mean targets are columns of a part.
	Encoded []int  `cbor:",omitempty"`
	Result  []byte // JSON
	// Template are the settings of the estimator, of a type that is registered. It is made of them unless functions of the
	// Space build it.
	Template *configuration.Value `cbor:",omitempty"`
}

func (c engine[Y, E]) marshal(kind string, f *fitted[E]) ([]byte, error) {
	if f == nil {
		return nil, fault.NotFitted(c.Type)
	}
	s := stored{Family: f.result.Family, Point: f.result.Point, Values: f.result.Values}
	if c.space.two != nil || c.space.left && f.result.Param2 == f.result.Param2 {
		s.Param2 = f.result.Param2
	}
	if s.Point.IsCandidate() {
		s.Point.Param = 0 // NaN is for people
	}
	var err error
	if s.Steps, err = f.chain.MarshalBinary(); err != nil {
		return nil, err
	}
	if c.scalings != nil {
		err = c.storeScalings(kind, &s, f)
	} else {
		s.Inner, err = estimators.NestModel(c.Type, f.inner)
		if t, err := configuration.Encode(f.inner); err == nil { // else of a type that only the Space knows
			s.Template = &t
		}
	}
	if err != nil {
		return nil, err
	}
	if s.Result, err = json.Marshal(f.result); err != nil {
		return nil, err
	}
	return codec.Marshal(kind, version, s)
}

func (c engine[Y, E]) unmarshal(kind string, data []byte) (*fitted[E], error) {
	var s stored
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	if (c.scalings != nil) != (len(s.Parts) > 0) {
		return nil, fault.BadModel(kind, "fitted with a Space or a Search, or this value has one: want both or neither")
	}
	chosen, err := c.chosen(kind, &s, len(data))
	if err != nil {
		return nil, err
	}
	f := &fitted[E]{chain: folds.Chain(c.Type, c.allSteps(), nil), result: &search.Result{}}
	if err := json.Unmarshal(s.Result, f.result); err != nil {
		return nil, fault.BadModel(kind, "result: %v", err)
	}
	if r := f.result; r.Family != s.Family || r.Candidate != s.Point.Candidate || !r.IsCandidate() && r.Param != s.Point.Param ||
		c.space.two != nil && r.Param2 != s.Param2 || !slices.Equal(r.Values, s.Values) {
		return nil, fault.BadModel(kind, "the Result has chosen %s with %v and values %v, the model is of %s with %v and values %v",
			described(r.Family, r.Point), r.Point, r.Values, described(s.Family, s.Point), s.Point, s.Values)
	}
	if err := f.chain.UnmarshalBinary(s.Steps); err != nil {
		return nil, fmt.Errorf("%s: Preprocess: %w", kind, err)
	}
	if c.scalings != nil {
		return f, c.restoreScalings(kind, &s, f)
	}
	if f.inner = chosen.build(); c.many != nil && f.result.Landmarks > 0 {
		f.inner = c.many(onSome{kernel: chosen.kernel, landmarks: f.result.Landmarks, workers: c.Workers})
	}
	if any(f.inner) == nil {
		return nil, c.builtNothing()
	}
	if s.Template != nil {
		if fitted, err := configuration.New(*s.Template, nil, len(data)); err == nil {
			takeRidge(f.inner, fitted)
		}
	}
	if err := s.Inner.UnmarshalInto(kind, "the estimator", f.inner); err != nil {
		return nil, err
	}
	return f, nil
}

// chosen is what a file's estimator is made by: the Space, or where that was left out what the file says of the estimator.
func (c engine[Y, E]) chosen(kind string, s *stored, size int) (option[E], error) {
	var none, found option[E]
	if !c.space.left {
		var err error
		if found, err = c.space.find(kind, s.Family, s.Point, s.Param2, s.Values); err != nil || c.builds || s.Template == nil {
			return found, err
		}
	}
	if s.Template == nil {
		return none, fault.BadModel(kind,
			"fitted with a Space whose functions build a %s, a type that is not registered: "+
				"read it into a value that has the Space", s.Inner.Type)
	}
	v, err := configuration.New(*s.Template, nil, size)
	if err != nil {
		return none, fault.BadModel(kind, "the estimator: %v", err)
	}
	e, ok := v.(E)
	if !ok {
		return none, fault.BadModel(kind, "the estimator is a %T", v)
	}
	found.build = func() E { return e }
	return found, nil
}
