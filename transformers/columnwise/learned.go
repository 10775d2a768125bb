package columnwise

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// learned holds what the transformers in this package have in common: the fitted values, and the methods that need nothing else. If
// a type's settings also matter in Transform, it defines its own methods on state.
type learned[M rowmap.Stored] struct {
	_     embedding.Promoted
	state rowmap.State[M]
}

// Transform returns the transformed rows of x (m×d), which must have the same width as in Fit.
func (l *learned[M]) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.RecoverAs(l.state.TypeName(), &err)
	return rowmap.Apply(l.TransformTo, x)
}

// TransformTo implements [transformers.TransformerTo].
func (l *learned[M]) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.RecoverAs(l.state.TypeName(), &err)
	return l.state.MapInto(dst, x, true, nil)
}

// FeatureNames implements [transformers.FeatureNamer].
func (l *learned[M]) FeatureNames(in []string) ([]string, error) { return l.state.FeatureNames(in) }

// Graph implements [graph.Grapher].
func (l *learned[M]) Graph(x graph.Value) (graph.Outputs, error) { return l.state.Graph(x) }

// MarshalBinary implements encoding.BinaryMarshaler. It stores everything that Transform needs, and the file can be decoded into a
// value with any settings. It returns ErrNotFitted before Fit.
func (l *learned[M]) MarshalBinary() ([]byte, error) { return l.state.MarshalBinary() }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns ErrBadModel, it leaves the value unchanged.
func (l *learned[M]) UnmarshalBinary(data []byte) error { return l.state.UnmarshalBinary(data) }
