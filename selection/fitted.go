package selection

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	configuration "github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/ridges"
	"github.com/kernelearn/kernelearn/selection/search"
)

// fitted is the result of a Fit.
type fitted[E any] struct {
	chain  *pipeline.Transformer
	inner  E
	result *search.Result
	parts  []*fitted[E] // models of several scalings and kinds; inner is their mean
	// Leave-one-out results of a part, until the shares are known: see leaveOut.
	left, variances []float64
	scaled          *mat.Dense              // rows to which a part was fitted, until the shares are known
	joins           bool                    // a part with one length for all columns, or with logistic loss
	transformation  *targets.Transformation // transformation of the targets of all parts; nil: none
	encoded         []int                   // categories that a part encodes by their mean targets
}

// transform preprocesses new rows for the inner estimator.
func (f *fitted[E]) transform(typ string, x mat.Matrix) (*mat.Dense, error) {
	if f == nil {
		return nil, fault.NotFitted(typ)
	}
	if len(f.chain.Steps) == 0 { // the inner estimator decides about gaps
		xd, err := check.DenseGaps("x", x, check.Anywhere)
		return xd, f.plain(err)
	}
	z, err := f.chain.Transform(x)
	return z, f.plain(err)
}

// plain edits an error about the columns of x. It drops the name of a step that the caller did not set, and adds the names of the
// columns.
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

// columnNames returns the names of the columns of x, or nil if they are not known.
func (f *fitted[E]) columnNames() []string {
	if f == nil {
		return nil
	}
	return f.chain.ColumnNames()
}

// named adds the names of columns of x to an error that contains their numbers.
func (f *fitted[E]) named(err error) error {
	if err == nil || len(f.chain.Steps) > 0 && f.parts == nil { // the columns of the estimator are not those of x
		return err
	}
	return fault.NameColumns(err, f.chain.ColumnNames())
}

// pass calls g with preprocessed rows of x. It does not allocate if there are few rows.
func (f *fitted[E]) pass(typ string, x mat.Matrix, g func(z mat.Matrix) error) error {
	if f == nil {
		return fault.NotFitted(typ)
	}
	return f.plain(f.chain.Pass(x, g))
}

// reach implements Forward.
func (f *fitted[E]) reach(typ string, x mat.Matrix, call func(model any, z mat.Matrix) error) error {
	if call == nil {
		return fault.Param(typ, "f", nil, "a function")
	}
	return f.pass(typ, x, func(z mat.Matrix) error { return call(f.inner, z) })
}

// forward preprocesses the rows of x and calls a method of the capability C of the fitted estimator. If the estimator lacks it, the
// error wraps errors.ErrUnsupported. It does not allocate if there are few rows.
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

// report returns the inner estimator's report, preceded by the search's warnings.
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

// stored is the file form of a fitted selection. The Space builds the estimator again from the family's name and the parameter, or
// from the candidate's number.
type stored struct {
	Family         string
	Point          search.Point
	Param2         float64                 // the second parameter of a family with two
	Values         codec.Floats            // further learnt parameters
	Steps          []byte                  // a pipeline.Transformer
	Inner          estimators.NestedModel  // unused with several scalings
	Names          []string                // names of the scalings
	Parts          [][]byte                // files of the scalings' models
	Transformation *targets.Transformation `cbor:",omitempty"` // transformation of their targets
	// Encoded holds the categories that a part encodes by their mean targets.
	Encoded []int  `cbor:",omitempty"`
	Result  []byte // JSON
	// Template holds the settings of an estimator of a registered type. Reading builds the estimator from them, unless functions of
	// the Space build it.
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
		s.Point.Param = 0 // the result has NaN
	}
	var err error
	if s.Steps, err = f.chain.MarshalBinary(); err != nil {
		return nil, err
	}
	if c.scalings != nil {
		err = c.storeScalings(kind, &s, f)
	} else {
		s.Inner, err = estimators.NestModel(c.Type, f.inner)
		if t, err := configuration.Encode(f.inner); err == nil { // otherwise only the Space knows the type
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
		build := c.many
		if strings.HasSuffix(f.result.Columns, logisticLabel) {
			build = c.logistic
		}
		f.inner = build(onSome{kernel: chosen.kernel, landmarks: f.result.Landmarks, workers: c.Workers})
	}
	if any(f.inner) == nil {
		return nil, c.builtNothing()
	}
	if s.Template != nil {
		if fitted, err := configuration.New(*s.Template, nil, len(data)); err == nil {
			ridges.Copy(f.inner, fitted)
		}
	}
	if err := s.Inner.UnmarshalInto(kind, "the estimator", f.inner); err != nil {
		return nil, err
	}
	return f, nil
}

// chosen returns the option for a file's estimator. It is built by the Space, or from the file if there is no Space.
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
