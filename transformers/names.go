package transformers

import (
	"errors"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/embedding"
)

// FeatureNamer is the capability to name the columns of a result, for example for a table, a picture, or the Names
// of package inspection. All transformers of this package have it.
type FeatureNamer interface {
	// FeatureNames returns a name for each column of Transform's result, from those of the columns of x, or from x0, x1, ...
	// for nil. Errors: ErrNotFitted; ErrShape for another number of names than Fit saw columns.
	FeatureNames(in []string) ([]string, error)
}

// NamesOf is FeatureNames of t, or an error that wraps errors.ErrUnsupported where it has none. A type that embeds a
// transformer and has a Transform of its own has to have FeatureNames of its own too.
func NamesOf(t Transformer, in []string) ([]string, error) {
	n, ok := embedding.As[FeatureNamer](t)
	if !ok {
		return nil, fmt.Errorf("%T has no FeatureNames: %w", t, errors.ErrUnsupported)
	}
	return n.FeatureNames(in)
}
