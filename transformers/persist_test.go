package transformers_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// goldenRows are the rows of the golden files. The contents of these files were computed by the release that introduced version 1.
var goldenRows = golden.Dense([][]float64{{1, 0, -2.5}, {2, 0, 4}, {4, 0, 1e6}})

var goldenFiles = map[string]transformers.Transformer{
	"StandardScaler-v1.keln":       &scalers.StandardScaler{},
	"RMSScaler-v1.keln":            &scalers.RMSScaler{},
	"UnitRows-v1.keln":             &scalers.UnitRows{},
	"MinMaxScaler-v1.keln":         &scalers.MinMaxScaler{Low: -1, High: 1, Clip: true},
	"PowerTransformer-v1.keln":     &columnwise.PowerTransformer{Clip: true},
	"PowerTransformer-raw-v1.keln": &columnwise.PowerTransformer{NoStandardize: true, Gaps: true},
	"QuantileTransformer-v1.keln":  &columnwise.QuantileTransformer{Quantiles: 3, Output: columnwise.Normal},
	"Winsorizer-v1.keln":           &columnwise.Winsorizer{Lower: 0.1, NoUpper: true},
	"Imputer-v1.keln":              &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true},
	"OneHot-v1.keln":               &columnwise.OneHot{Columns: []int{0, 1}, Drop: columnwise.DropBinary},
	"TargetEncoder-v1.keln":        &columnwise.TargetEncoder{Columns: []int{1}},
	"KernelMap-v1.keln":            &featuremap.KernelMap{},
	"KernelCenterer-v1.keln":       &featuremap.KernelCenterer{},
	"RandomHidden-v1.keln":         &featuremap.RandomHidden{Units: 3, Activation: featuremap.Tanh, Seed: 2},

	"RandomFourier-v1.keln":            &featuremap.RandomFourier{Components: 6, Seed: 2},
	"RandomFourier-phase-v1.keln":      &featuremap.RandomFourier{Kernel: kernels.Laplacian{}, Components: 3, RandomPhase: true},
	"LocallyStationaryFourier-v1.keln": &featuremap.LocallyStationaryFourier{Components: 6, Seed: 2},
	"PCA-v1.keln":                      &pca.PCA{Components: 2, Whiten: true},
	"KernelPCA-v1.keln":                &pca.KernelPCA{Components: 2},
	"Nystroem-v1.keln":                 &featuremap.Nystroem{Components: 2},
	"Nystroem-uniform-v1.keln":         &featuremap.Nystroem{Kernel: kernels.Matern{}, Rule: featuremap.UniformLandmarks},
}

// goldenRowsOf returns rows with gaps for an Imputer, and rows with small numbers for a kernel.
func goldenRowsOf(t transformers.Transformer) *mat.Dense {
	nan := math.NaN()
	switch t.(type) {
	case *columnwise.Imputer:
		return golden.Dense([][]float64{{1, nan, -2.5}, {2, 0, 4}, {nan, 0, 1e6}, {2, nan, 1}})
	case *featuremap.KernelMap, *featuremap.KernelCenterer, *featuremap.RandomHidden, *featuremap.RandomFourier, *featuremap.LocallyStationaryFourier, *featuremap.Nystroem, *pca.PCA, *pca.KernelPCA:
		return golden.Dense([][]float64{{1, 0, -2}, {2, 0.5, 4}, {4, 0.25, 3}})
	}
	return goldenRows
}

// packageOf returns the name of a transformer's package, whose testdata holds the golden files.
func packageOf(t transformers.Transformer) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", t), "*"), ".")
	return name
}

func TestGoldenFilesStayReadable(t *testing.T) {
	for name, fitted := range goldenFiles {
		rows := goldenRowsOf(fitted)
		want := maptest.FitTransform(t, fitted, rows)
		data := golden.Model(t, filepath.Join("..", packageOf(fitted), "testdata", name), fitted.(maptest.Marshaller).MarshalBinary)
		read := estimators.Clone(fitted).(maptest.Marshaller)
		require.NoError(t, read.UnmarshalBinary(data), name)
		got, err := read.Transform(rows)
		require.NoError(t, err, name)
		// The computer that wrote the file may have rounded sums differently, and the result of an iterative maximisation is only
		// accurate to its tolerance.
		tolerance := 1e-12
		if _, climbs := fitted.(*columnwise.PowerTransformer); climbs {
			tolerance = 1e-7
		}
		assert.True(t, mat.EqualApprox(want, got, tolerance), name)
		again, err := read.MarshalBinary()
		require.NoError(t, err, name)
		assert.Equal(t, data, again, name)
	}
}

func TestFitIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, g := range goldenFiles {
		f := estimators.Clone(g)
		_, err := transformers.FitTransform(ctx, f, maptest.Table, maptest.Table.ColView(0))
		require.ErrorIs(t, err, context.Canceled)
		_, err = f.Transform(maptest.Table)
		require.ErrorIs(t, err, fault.ErrNotFitted)
	}
}
