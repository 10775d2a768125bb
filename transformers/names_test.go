package transformers

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

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

// plain has a Transform and nothing else.
type plain struct{ of Transformer }

func (p plain) Fit(ctx context.Context, x mat.Matrix) error { return p.of.Fit(ctx, x) }
func (p plain) Transform(x mat.Matrix) (*mat.Dense, error)  { return p.of.Transform(x) }

// Every transformer has as many names as its result has columns, all different; those that keep columns keep their names.
func TestFeatureNames(t *testing.T) {
	in := []string{"height", "make", "age"}
	keep := map[string]bool{
		"transformers.StandardScaler": true, "transformers.RMSScaler": true, "transformers.UnitRows": true, "transformers.MinMaxScaler": true,
		"transformers.PowerTransformer": true, "transformers.QuantileTransformer": true, "transformers.Winsorizer": true, "transformers.KernelCenterer": true,
	}
	for name, of := range goldenFiles {
		tr := of.(Cloner).Clone()
		_, err := NamesOf(tr, nil)
		assert.ErrorIs(t, err, fault.ErrNotFitted, name)
		_, columns := FitTransform(t, tr, goldenRowsOf(tr)).Dims()
		names, err := NamesOf(tr, in)
		require.NoError(t, err, name)
		assert.Len(t, names, columns, name)
		different := map[string]bool{}
		for _, n := range names {
			different[n] = true
		}
		assert.Len(t, different, columns, "%s: %v", name, names)
		if keep[strings.TrimPrefix(fmt.Sprintf("%T", tr), "*")] {
			assert.Equal(t, in, names, name)
			own, err := NamesOf(tr, nil)
			require.NoError(t, err)
			assert.Equal(t, []string{"x0", "x1", "x2"}, own, name)
		} else {
			assert.NotEqual(t, in, names, name)
		}
		_, err = NamesOf(tr, in[:2])
		assert.ErrorIs(t, err, fault.ErrShape, name)
	}
	assert.Equal(t, []string{"height", "make", "age"}, in)
	_, err := NamesOf(plain{&UnitRows{}}, nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

type namesCase struct {
	want []string
	of   Transformer
}

func TestFeatureNamesOf(t *testing.T) {
	nan := math.NaN()
	x := golden.Dense([][]float64{{1, 3, nan}, {2, 1, 5}, {4, 3, .5}})
	for _, c := range []namesCase{
		{[]string{"height", "make=3", "age=0.5", "age=5", "age=missing"}, &OneHot{Columns: []int{1, 2}, Gaps: true, Drop: DropBinary}},
		{[]string{"height", "make", "age", "age missing"}, &Imputer{Indicators: true}},
	} {
		FitTransform(t, c.of, x)
		names, err := NamesOf(c.of, []string{"height", "make", "age"})
		require.NoError(t, err)
		assert.Equal(t, c.want, names)
	}
	filled := golden.Dense([][]float64{{1, 3, 2}, {2, 1, 5}, {4, 3, .5}})
	for _, c := range []namesCase{
		{[]string{"x0", "x1=1", "x1=3", "x2"}, &OneHot{Columns: []int{1}}},
		{[]string{"pca0", "pca1"}, &PCA{}}, {[]string{"kernelpca0"}, &KernelPCA{Components: 1}}, {[]string{"nystroem0", "nystroem1"}, &Nystroem{Components: 2}},
		{[]string{"kernelmap0", "kernelmap1", "kernelmap2"}, &KernelMap{}}, {[]string{"randomhidden0"}, &RandomHidden{Units: 1}},
	} {
		FitTransform(t, c.of, filled)
		names, err := NamesOf(c.of, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, names)
	}
}
