package transformers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// plain hides all methods of a transformer except Fit and Transform.
type plain struct{ of transformers.Transformer }

func (p plain) Fit(ctx context.Context, x mat.Matrix) error { return p.of.Fit(ctx, x) }
func (p plain) Transform(x mat.Matrix) (*mat.Dense, error)  { return p.of.Transform(x) }

// Every transformer returns as many names as its result has columns, and all names differ. Transformers that keep columns also keep
// the names of these columns.
func TestFeatureNames(t *testing.T) {
	in := []string{"height", "make", "age"}
	keep := map[string]bool{
		"scalers.StandardScaler": true, "scalers.RMSScaler": true, "scalers.UnitRows": true, "scalers.MinMaxScaler": true,
		"columnwise.PowerTransformer": true, "columnwise.QuantileTransformer": true, "columnwise.Winsorizer": true, "featuremap.KernelCenterer": true,
	}
	for name, of := range goldenFiles {
		tr := estimators.Clone(of)
		_, err := transformers.NamesOf(tr, nil)
		assert.ErrorIs(t, err, fault.ErrNotFitted, name)
		_, columns := maptest.FitTransform(t, tr, goldenRowsOf(tr)).Dims()
		names, err := transformers.NamesOf(tr, in)
		require.NoError(t, err, name)
		assert.Len(t, names, columns, name)
		different := map[string]bool{}
		for _, n := range names {
			different[n] = true
		}
		assert.Len(t, different, columns, "%s: %v", name, names)
		if keep[strings.TrimPrefix(fmt.Sprintf("%T", tr), "*")] {
			assert.Equal(t, in, names, name)
			own, err := transformers.NamesOf(tr, nil)
			require.NoError(t, err)
			assert.Equal(t, []string{"x0", "x1", "x2"}, own, name)
		} else {
			assert.NotEqual(t, in, names, name)
		}
		_, err = transformers.NamesOf(tr, in[:2])
		assert.ErrorIs(t, err, fault.ErrShape, name)
	}
	assert.Equal(t, []string{"height", "make", "age"}, in)
	_, err := transformers.NamesOf(plain{&scalers.UnitRows{}}, nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

type namesCase struct {
	want []string
	of   transformers.Transformer
}

func TestFeatureNamesOf(t *testing.T) {
	nan := math.NaN()
	x := golden.Dense([][]float64{{1, 3, nan}, {2, 1, 5}, {4, 3, .5}})
	for _, c := range []namesCase{
		{[]string{"height", "make=3", "age=0.5", "age=5", "age=missing"}, &columnwise.OneHot{Columns: []int{1, 2}, Gaps: true, Drop: columnwise.DropBinary}},
		{[]string{"height", "make", "age", "age missing"}, &columnwise.Imputer{Indicators: true}},
	} {
		maptest.FitTransform(t, c.of, x)
		names, err := transformers.NamesOf(c.of, []string{"height", "make", "age"})
		require.NoError(t, err)
		assert.Equal(t, c.want, names)
	}
	filled := golden.Dense([][]float64{{1, 3, 2}, {2, 1, 5}, {4, 3, .5}})
	for _, c := range []namesCase{
		{[]string{"x0", "x1=1", "x1=3", "x2"}, &columnwise.OneHot{Columns: []int{1}}},
		{[]string{"pca0", "pca1"}, &pca.PCA{}}, {[]string{"kernelpca0"}, &pca.KernelPCA{Components: 1}}, {[]string{"nystroem0", "nystroem1"}, &featuremap.Nystroem{Components: 2}},
		{[]string{"kernelmap0", "kernelmap1", "kernelmap2"}, &featuremap.KernelMap{}}, {[]string{"randomhidden0"}, &featuremap.RandomHidden{Units: 1}},
	} {
		maptest.FitTransform(t, c.of, filled)
		names, err := transformers.NamesOf(c.of, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, names)
	}
}
