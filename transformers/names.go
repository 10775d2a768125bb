package transformers

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
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

var (
	_ FeatureNamer = (*Nystroem)(nil)
	_ FeatureNamer = (*KernelMap)(nil)
	_ FeatureNamer = (*KernelPCA)(nil)
)

// naming is a mapper whose columns have names that come of those of x. Those of others are numbered.
type naming interface{ names(in []string) []string }

// namesOf are those of a result of m, which is not nil.
func namesOf(m mapper, in []string) ([]string, error) {
	from, to := m.columns()
	if in == nil {
		if err := check.Names(m.name(), from); err != nil {
			return nil, err
		}
		in = numbered("x", from)
	}
	if len(in) != from {
		return nil, fault.Shape("there are", len(in), "names", "%s was fitted on %d columns", m.name(), from)
	}
	if n, ok := m.(naming); ok {
		return n.names(slices.Clone(in)), nil
	}
	return numbered(strings.ToLower(strings.TrimPrefix(m.name(), "transformers: ")), to), nil
}

func numbered(name string, count int) []string {
	out := make([]string, count)
	for j := range out {
		out[j] = name + strconv.Itoa(j)
	}
	return out
}

// FeatureNames implements [FeatureNamer].
func (l *learned[M]) FeatureNames(in []string) ([]string, error) {
	if l.fitted == nil {
		return nil, fault.NotFitted(l.model().name())
	}
	return namesOf(any(l.fitted).(mapper), in)
}

// FeatureNames implements [FeatureNamer]: nystroem0 and so on, a name for each landmark.
func (t *Nystroem) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(nystroemName)
	}
	return namesOf(t.fitted, in)
}

// FeatureNames implements [FeatureNamer]: kernelmap0 and so on, a name for each row of Fit.
func (k *KernelMap) FeatureNames(in []string) ([]string, error) {
	if k.fitted == nil {
		return nil, fault.NotFitted(kernelMapName)
	}
	return namesOf(k.fitted, in)
}

// FeatureNames implements [FeatureNamer]: kernelpca0 and so on.
func (t *KernelPCA) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(kernelPCAName)
	}
	return namesOf(t.fitted, in)
}

// Columns that stay what they are keep their names.

func (standardScalerModel) names(in []string) []string { return in }
func (rmsScalerModel) names(in []string) []string      { return in }
func (minMaxModel) names(in []string) []string         { return in }
func (unitRowsModel) names(in []string) []string       { return in }
func (powerModel) names(in []string) []string          { return in }
func (quantileModel) names(in []string) []string       { return in }
func (winsorModel) names(in []string) []string         { return in }
func (kernelCentererModel) names(in []string) []string { return in }

// names are those of x, and of each indicator that of its column with "missing".
func (m imputerModel) names(in []string) []string {
	for _, j := range m.Gaps {
		in = append(in, in[j]+" missing")
	}
	return in
}

// names are those of x, and name=category for each category of an encoded column, as package inspection reads them.
func (m oneHotModel) names(in []string) []string {
	var out []string
	next := 0
	for j, name := range in {
		if next == len(m.Columns) || m.Columns[next] != j {
			out = append(out, name)
			continue
		}
		for _, v := range m.Values[next] {
			category := "missing"
			if !math.IsNaN(v) {
				category = strconv.FormatFloat(v, 'g', -1, 64)
			}
			out = append(out, name+"="+category)
		}
		next++
	}
	return out
}
