package rowmap

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Named is a map that derives the names of its columns from those of x. The columns of other maps are numbered.
type Named interface{ ColumnNames(in []string) []string }

// ResultNames returns the column names of a result of m.
func ResultNames(m Map, in []string) ([]string, error) {
	from, to := m.Widths()
	if in == nil {
		if err := check.Names(m.TypeName(), from); err != nil {
			return nil, err
		}
		in = numbered("x", from)
	}
	if len(in) != from {
		return nil, fault.Shape("there are", len(in), "names", "%s was fitted on %d columns", m.TypeName(), from)
	}
	if n, ok := m.(Named); ok {
		return n.ColumnNames(slices.Clone(in)), nil
	}
	return numbered(strings.ToLower(ownName(m.TypeName())), to), nil
}

func numbered(name string, count int) []string {
	out := make([]string, count)
	for j := range out {
		out[j] = name + strconv.Itoa(j)
	}
	return out
}

// FeatureNames implements [transformers.FeatureNamer].
func (l *State[M]) FeatureNames(in []string) ([]string, error) {
	if l.Fitted == nil {
		return nil, fault.NotFitted(l.TypeName())
	}
	return ResultNames(any(l.Fitted).(Map), in)
}
