package transformers

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// The rows of the golden files; their contents were computed by the release
// that introduced version 1.
var goldenRows = golden.Dense([][]float64{{1, 0, -2.5}, {2, 0, 4}, {4, 0, 1e6}})

var goldenFiles = map[string]Transformer{
	"StandardScaler-v1.keln":       &StandardScaler{},
	"RMSScaler-v1.keln":            &RMSScaler{},
	"UnitRows-v1.keln":             &UnitRows{},
	"MinMaxScaler-v1.keln":         &MinMaxScaler{Low: -1, High: 1, Clip: true},
	"PowerTransformer-v1.keln":     &PowerTransformer{Clip: true},
	"PowerTransformer-raw-v1.keln": &PowerTransformer{NoStandardize: true, Gaps: true},
	"QuantileTransformer-v1.keln":  &QuantileTransformer{Quantiles: 3, Output: Normal},
	"Winsorizer-v1.keln":           &Winsorizer{Lower: 0.1, NoUpper: true},
	"Imputer-v1.keln":              &Imputer{Statistic: Median, Indicators: true},
	"OneHot-v1.keln":               &OneHot{Columns: []int{0, 1}, Drop: DropBinary},
	"KernelMap-v1.keln":            &KernelMap{},
	"KernelCenterer-v1.keln":       &KernelCenterer{},
	"RandomHidden-v1.keln":         &RandomHidden{Units: 3, Activation: Tanh, Seed: 2},

	"RandomFourier-v1.keln":            &RandomFourier{Components: 6, Seed: 2},
	"RandomFourier-phase-v1.keln":      &RandomFourier{Kernel: kernels.Laplacian{}, Components: 3, RandomPhase: true},
	"LocallyStationaryFourier-v1.keln": &LocallyStationaryFourier{Components: 6, Seed: 2},
	"PCA-v1.keln":                      &PCA{Components: 2, Whiten: true},
	"KernelPCA-v1.keln":                &KernelPCA{Components: 2},
	"Nystroem-v1.keln":                 &Nystroem{Components: 2},
	"Nystroem-uniform-v1.keln":         &Nystroem{Kernel: kernels.Matern{}, Rule: UniformLandmarks},
}

// goldenRowsOf gives gaps to an Imputer, and small numbers to a kernel.
func goldenRowsOf(t Transformer) *mat.Dense {
	nan := math.NaN()
	switch t.(type) {
	case *Imputer:
		return golden.Dense([][]float64{{1, nan, -2.5}, {2, 0, 4}, {nan, 0, 1e6}, {2, nan, 1}})
	case *KernelMap, *KernelCenterer, *RandomHidden, *RandomFourier, *LocallyStationaryFourier, *Nystroem, *PCA, *KernelPCA:
		return golden.Dense([][]float64{{1, 0, -2}, {2, 0.5, 4}, {4, 0.25, 3}})
	}
	return goldenRows
}

func TestGoldenFilesStayReadable(t *testing.T) {
	for name, fitted := range goldenFiles {
		rows := goldenRowsOf(fitted)
		want := FitTransform(t, fitted, rows)
		data := golden.Model(t, name, fitted.(Marshaller).MarshalBinary)
		read := fitted.(Cloner).Clone().(Marshaller)
		require.NoError(t, read.UnmarshalBinary(data), name)
		got, err := read.Transform(rows)
		require.NoError(t, err, name)
		// The machine that wrote the file may have rounded sums in another way, and a climb ends within its tolerance.
		tolerance := 1e-12
		if _, climbs := fitted.(*PowerTransformer); climbs {
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
		f := g.(Cloner).Clone()
		require.ErrorIs(t, f.Fit(ctx, Table), context.Canceled)
		_, err := f.Transform(Table)
		require.ErrorIs(t, err, fault.ErrNotFitted)
	}
}
