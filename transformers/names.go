package transformers

import (
	"errors"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/embedding"
)

// FeatureNamer is the capability to name the columns of a result, for example for a table, a plot, or the Names of package
// inspection. All transformers of this module have it.
type FeatureNamer interface {
	// FeatureNames returns a name for each column of Transform's result. The names are derived from those of the columns of x, or
	// from x0, x1, ... if in is nil. It returns ErrNotFitted, or ErrShape if in does not have a name for each column of x.
	FeatureNames(in []string) ([]string, error)
}

// NamesOf returns the FeatureNames of t, or an error that wraps errors.ErrUnsupported if t has none. A type that embeds a
// transformer and redefines Transform must also redefine FeatureNames.
func NamesOf(t Transformer, in []string) ([]string, error) {
	n, ok := embedding.As[FeatureNamer](t)
	if !ok {
		return nil, fmt.Errorf("%T has no FeatureNames: %w", t, errors.ErrUnsupported)
	}
	return n.FeatureNames(in)
}
