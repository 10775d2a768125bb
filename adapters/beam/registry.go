package kernelbeam

import (
	"context"
	"encoding"
	"fmt"
	"sync"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// Estimator is an estimators.Regressor for Y = float64, or an estimators.Classifier for Y = int.
type Estimator[Y float64 | int] interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
	Predict(x mat.Matrix) ([]Y, error)
}

// Model is an estimator that workers can create. Its name determines its settings, and its fitted state is sent to workers in
// files.
type Model[Y float64 | int, E Estimator[Y]] struct {
	name string
	make func() E
	err  error // error of Register
}

// Name returns the name given to Register.
func (m *Model[Y, E]) Name() string { return m.name }

// Register makes an estimator known to this process and to all workers, since they run the same program. It must be called before
// Init, in a package variable or an init function. On each call, the function make must return a new, unfitted estimator with the
// same settings. If the name is already registered, all methods of the second Model return an error.
func Register[Y float64 | int, E Estimator[Y]](name string, make func() E) *Model[Y, E] {
	m := &Model[Y, E]{name: name, make: make}
	registry.Lock()
	defer registry.Unlock()
	switch _, taken := registry.of[name]; {
	case name == "" || make == nil || !utf8.ValidString(name):
		m.err = fault.Param("kernelbeam: Register", "name", fmt.Sprintf("%q", name),
			"a name in UTF-8, and a function that makes the estimator")
	case taken:
		m.err = fault.Param("kernelbeam: Register", "name", fmt.Sprintf("%q", name), "one that is not taken")
	default:
		registry.of[name] = m
	}
	return m
}

var registry = struct {
	sync.Mutex
	of map[string]entry
}{of: map[string]entry{}}

// registered returns the model that was registered under a name.
func registered(name string) (entry, error) {
	registry.Lock()
	defer registry.Unlock()
	if e, ok := registry.of[name]; ok {
		return e, nil
	}
	return nil, fault.Param("kernelbeam", "model", fmt.Sprintf("%q", name),
		"one that this worker has registered: Register belongs in a package variable or an init function")
}

// entry is a Model as an interface that does not depend on the type of the targets.
type entry interface {
	labelled() bool
	// statistics returns a function that creates empty statistics for the stage that follows the encoded state. If state is empty,
	// it is the first stage.
	statistics(state []byte) (func() (rowblocks.Summary, error), error)
	// fitted decodes a model file.
	fitted(data []byte) (predictor, error)
}

func (m *Model[Y, E]) labelled() bool {
	var y Y
	_, ok := any(y).(int)
	return ok
}

// stages returns the stages of a new estimator.
func (m *Model[Y, E]) stages() (streaming.Stages[Y], error) {
	if m == nil {
		return nil, fault.Param("kernelbeam", "model", "nil", "one that Register gave")
	}
	if m.err != nil {
		return nil, m.err
	}
	s, err := streaming.NewStages[Y](any(m.make()))
	if err != nil {
		return nil, fmt.Errorf("kernelbeam: %q: %w", m.name, err)
	}
	return s, nil
}

// statistics implements entry.
func (m *Model[Y, E]) statistics(state []byte) (func() (rowblocks.Summary, error), error) {
	s, err := m.stages()
	if err != nil {
		return nil, err
	}
	if len(state) > 0 {
		if err := s.UnmarshalBinary(state); err != nil {
			return nil, err
		}
	}
	return func() (rowblocks.Summary, error) {
		st, err := s.NewStatistics()
		if err != nil {
			return nil, err
		}
		return &sums[Y]{st}, nil
	}, nil
}

// bytes returns the model file of a fitted estimator.
func (m *Model[Y, E]) bytes(e E) ([]byte, error) {
	if m.err != nil {
		return nil, m.err
	}
	b, err := estimators.Capable[encoding.BinaryMarshaler]("kernelbeam: "+m.name, e, estimators.Marshalling)
	if err != nil {
		return nil, err
	}
	return b.MarshalBinary()
}

// fitted implements entry.
func (m *Model[Y, E]) fitted(data []byte) (predictor, error) {
	e := m.make()
	u, ok := any(e).(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, estimators.Unsupported("kernelbeam: "+m.name, e, estimators.Marshalling)
	}
	if err := u.UnmarshalBinary(data); err != nil {
		return nil, err
	}
	return &predicts[Y]{e}, nil
}

// sums holds the statistics of an estimator.
type sums[Y float64 | int] struct{ streaming.Statistics[Y] }

// targets returns the targets or labels of a block.
func targets[Y float64 | int](b *rowblocks.Block) []Y {
	if y, ok := any(b.Y).([]Y); ok {
		return y
	}
	return any(b.Labels).([]Y)
}

// Add implements rowblocks.Summary.
func (s *sums[Y]) Add(ctx context.Context, b *rowblocks.Block) error {
	return s.AddBlock(ctx, streaming.Block[Y]{X: b.Dense(), Y: targets[Y](b), Weights: b.UnequalWeights()})
}

// Absorb implements rowblocks.Summary.
func (s *sums[Y]) Absorb(o rowblocks.Summary) error {
	other, ok := o.(*sums[Y])
	if !ok {
		return fmt.Errorf("kernelbeam: %T and %T cannot be merged", s, o)
	}
	return s.Merge(other.Statistics)
}
