package featuremap

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// learned is the part that the transformers of a package have in common: what Fit learnt, and the methods that need no
// more than that. A type whose configuration counts in Transform too has methods of its own over state.
type learned[M rowmap.Stored] struct {
	_     embedding.Promoted
	state rowmap.State[M]
}

// Transform returns the map of each row of x (m×d), which has the width that Fit saw.
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
func (l *learned[M]) FeatureNames(in []string) ([]string, error) {
	return l.state.FeatureNames(in)
}

// Graph implements [graph.Grapher].
func (l *learned[M]) Graph(x graph.Value) (graph.Outputs, error) { return l.state.Graph(x) }

// MarshalBinary implements encoding.BinaryMarshaler: all that Transform needs is stored, and a
// file is read into a value of any configuration. It is ErrNotFitted before Fit.
func (l *learned[M]) MarshalBinary() ([]byte, error) { return l.state.MarshalBinary() }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are ErrBadModel and leave
// the value as it was.
func (l *learned[M]) UnmarshalBinary(data []byte) error { return l.state.UnmarshalBinary(data) }
