package selection

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers"
)

// fitted is what a Fit leaves.
type fitted[E any] struct {
	width  int // columns of x
	chain  []transformers.Transformer
	inner  E
	result *Result
}

// transform takes new rows to where the inner estimator lives.
func (f *fitted[E]) transform(typ string, x mat.Matrix) (*mat.Dense, error) {
	xd, err := f.checked(typ, x)
	if err != nil {
		return nil, err
	}
	return applyChain(f.chain, xd)
}

func (f *fitted[E]) checked(typ string, x mat.Matrix) (*mat.Dense, error) {
	if f == nil {
		return nil, fault.NotFitted(typ)
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	return xd, check.Columns("x", xd, f.width)
}

// with calls g with preprocessed rows of x, of few of them without allocating.
func (f *fitted[E]) with(typ string, x mat.Matrix, g func(z mat.Matrix) error) error {
	xd, err := f.checked(typ, x)
	if err != nil {
		return err
	}
	if !rowwise.IsFew(xd) {
		z, err := applyChain(f.chain, xd)
		if err != nil {
			return err
		}
		return g(z)
	}
	b := rowwise.NewBuffers()
	defer b.Release()
	z, at, err := rowwise.Through(b, f.chain, mat.Matrix(xd))
	if err != nil {
		return ofStep(f.chain, at, err)
	}
	return g(z)
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

func (f *fitted[E]) copyResult() *Result {
	if f == nil {
		return nil
	}
	return f.result.clone()
}

func cloneSteps(steps []transformers.Transformer) []transformers.Transformer {
	if steps == nil {
		return nil
	}
	out := make([]transformers.Transformer, len(steps))
	for i, s := range steps {
		out[i] = s // one that cannot be cloned: Fit says so
		if c, ok := s.(transformers.Cloner); ok {
			out[i] = c.Clone()
		}
	}
	return out
}

const version = 1

// stored is a fitted selection in a file: the family by name and the parameter, or the
// candidate's number, from which the Space makes the estimator again, and the parts' own bytes.
type stored struct {
	Width  int
	Family string
	Point  Point
	Param2 float64 // of a family of two
	Steps  []estimators.Part
	Inner  estimators.Part
	Result []byte // JSON
}

func (c engine[Y, E]) marshal(kind string, f *fitted[E]) ([]byte, error) {
	if f == nil {
		return nil, fault.NotFitted(c.typ)
	}
	s := stored{Width: f.width, Family: f.result.Family, Point: f.result.Point}
	if c.space.two != nil {
		s.Param2 = f.result.Param2
	}
	if s.Point.IsCandidate() {
		s.Point.Param = 0 // NaN is for people
	}
	for i, t := range f.chain {
		p, err := estimators.MakePart(fmt.Sprintf("%s: Preprocess[%d]", c.typ, i), t)
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, p)
	}
	var err error
	if s.Inner, err = estimators.MakePart(c.typ, f.inner); err != nil {
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
	chosen, err := c.space.find(kind, s.Family, s.Point, s.Param2)
	if err != nil {
		return nil, err
	}
	switch {
	case len(s.Steps) != len(c.steps):
		return nil, fault.BadModel(kind, "fitted with %d Preprocess steps, this value has %d", len(s.Steps), len(c.steps))
	case s.Width < 1:
		return nil, fault.BadModel(kind, "%d columns", s.Width)
	}
	f := &fitted[E]{width: s.Width, result: &Result{}}
	if err := json.Unmarshal(s.Result, f.result); err != nil {
		return nil, fault.BadModel(kind, "result: %v", err)
	}
	for i, step := range c.steps {
		t, err := estimators.Clone(c.typ, step)
		if err != nil {
			return nil, err
		}
		if err := s.Steps[i].Into(kind, fmt.Sprintf("Preprocess[%d]", i), t); err != nil {
			return nil, err
		}
		f.chain = append(f.chain, t)
	}
	f.inner = chosen.build()
	if any(f.inner) == nil {
		return nil, c.builtNothing()
	}
	if err := s.Inner.Into(kind, "the estimator", f.inner); err != nil {
		return nil, err
	}
	return f, nil
}
