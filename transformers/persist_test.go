package transformers

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
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

type marshaller interface {
	Transformer
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

func TestGoldenFilesStayReadable(t *testing.T) {
	for name, fitted := range goldenFiles {
		rows := goldenRowsOf(fitted)
		want := fitTransform(t, fitted, rows)
		data := golden.Model(t, name, fitted.(marshaller).MarshalBinary)
		read := fitted.(Cloner).Clone().(marshaller)
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
		require.ErrorIs(t, f.Fit(ctx, table), context.Canceled)
		_, err := f.Transform(table)
		require.ErrorIs(t, err, fault.ErrNotFitted)
	}
}

func TestHostilePayloads(t *testing.T) {
	for name, c := range map[string]struct {
		into    marshaller
		kind    string
		payload any
	}{
		"no scales":      {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{}},
		"lengths":        {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{Means: []float64{0, 0}, Scales: []float64{1}}},
		"infinite mean":  {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{Means: []float64{math.Inf(1)}, Scales: []float64{1}}},
		"zero scale":     {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{Means: []float64{0}, Scales: []float64{0}}},
		"negative scale": {&RMSScaler{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{1, -1}}},
		"NaN scale":      {&RMSScaler{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{math.NaN()}}},
		"infinite scale": {&RMSScaler{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{math.Inf(1)}}},
		"no width":       {&UnitRows{}, "transformers.UnitRows", unitRowsModel{}},
		"no minimum":     {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: 1}},
		"min above max":  {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: 1, Min: []float64{2}, Max: []float64{1}}},
		"NaN minimum":    {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: 1, Min: []float64{math.NaN()}, Max: []float64{1}}},
		"no range":       {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{Min: []float64{0}, Max: []float64{1}}},
		"infinite range": {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: math.Inf(1), Min: []float64{0}, Max: []float64{1}}},
		"no scale of λ":  {&PowerTransformer{}, "transformers.PowerTransformer", powerModel{}},
		"λ":              {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Lambdas[0] = 1001 })},
		"range of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Least[0] = 2 })},
		"shift of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Shifts[0] = -1 })},
		"infinite λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Lambdas[0] = math.Inf(1) })},
		"scale of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Scales[0] = 0 })},
		"means of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Means = nil })},
		"no quantiles":   {&QuantileTransformer{}, "transformers.QuantileTransformer", quantileModel{}},
		"quantiles":      {&QuantileTransformer{}, "transformers.QuantileTransformer", quantileModel{Quantiles: codec.Matrix{Rows: 1, Cols: 2, Data: []float64{2, 1}}}},
		"NaN quantile":   {&QuantileTransformer{}, "transformers.QuantileTransformer", quantileModel{Quantiles: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}}},
		"no bounds":      {&Winsorizer{}, "transformers.Winsorizer", winsorModel{}},
		"bounds":         {&Winsorizer{}, "transformers.Winsorizer", winsorModel{Low: []float64{2}, High: []float64{1}}},
		"infinite bound": {&Winsorizer{}, "transformers.Winsorizer", winsorModel{Low: []float64{0}, High: []float64{math.Inf(1)}}},
		"no values":      {&Imputer{}, "transformers.Imputer", imputerModel{}},
		"NaN value":      {&Imputer{}, "transformers.Imputer", imputerModel{Values: []float64{math.NaN()}}},
		"indicator":      {&Imputer{}, "transformers.Imputer", imputerModel{Values: []float64{0}, Gaps: []int{1}}},
		"no columns":     {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{}}}},
		"no categories":  {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}}},
		"descending":     {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{2, 1}}}},
		"NaN without":    {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{2, math.NaN()}}}},
		"columns":        {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 2, Columns: []int{1, 0}, Values: []codec.Floats{{1}, {1}}}},
		"no rows":        {&KernelMap{}, "transformers.KernelMap", storedKernelMap{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"infinite row":   {&KernelMap{}, "transformers.KernelMap", storedKernelMap{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}}},
		"other kernel":   {&KernelMap{}, "transformers.KernelMap", storedKernelMap{Kernel: kernels.MakeReference(kernels.Linear{}, kernels.Linear{}), Rows: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}},
		"no means":       {&KernelCenterer{}, "transformers.KernelCenterer", kernelCentererModel{}},
		"infinite means": {&KernelCenterer{}, "transformers.KernelCenterer", kernelCentererModel{Means: []float64{math.Inf(-1)}}},
		"no units":       {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{}},
		"biases":         {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}},
		"infinite bias":  {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, B: []float64{math.Inf(1)}}},
		"activation":     {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{Activation: 9, W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, B: []float64{1}}},
		"no frequencies": {&RandomFourier{}, "transformers.RandomFourier", fourierModel{Scale: 1}},
		"shift":          {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: one(), Shift: []float64{1, 2}, Scale: 1}},
		"infinite shift": {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: one(), Shift: []float64{math.Inf(1)}, Scale: 1}},
		"phases":         {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: one(), Shift: []float64{1}, Phases: []float64{1, 2}, Scale: 1}},
		"NaN phase":      {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: one(), Shift: []float64{1}, Phases: []float64{math.NaN()}, Scale: 1}},
		"no scale":       {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: one(), Shift: []float64{1}}},
		"infinite w":     {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}, Shift: []float64{1}, Scale: 1}},
		"no v":           {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{W: one(), Origin: []float64{0}, Scale: 1}},
		"pairs":          {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: column(2), W: one(), Origin: []float64{0}, Scale: 1}},
		"origin":         {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: one(), W: one(), Scale: 1}},
		"scale below 0":  {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: one(), W: one(), Origin: []float64{0}, Scale: -1}},
		"features":       {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: column(3000), W: column(3000), AllPairs: true, Origin: []float64{0}, Scale: 1}},
		"no landmarks":   {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"factor":         {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: one(), Factor: []float64{1, 2}}},
		"factor of 0":    {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: one(), Factor: []float64{0}}},
		"indices":        {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: one(), Factor: []float64{1}, Indices: []int{1, 2}}},
		"residual":       {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: one(), Factor: []float64{1}, Residual: []float64{math.NaN()}}},
		"landmark":       {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}, Factor: []float64{1}}},
		"the kernel":     {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(kernels.RBF{}, kernels.RBF{}), Landmarks: one(), Factor: []float64{1}}},
		"no components":  {&PCA{}, "transformers.PCA", pcaModel{}},
		"means of it":    {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1, 2}, Components: one(), Deviations: []float64{1}, Ratios: []float64{1}}},
		"deviations":     {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1}, Components: one(), Ratios: []float64{1}}},
		"below 0":        {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1}, Components: one(), Deviations: []float64{-1}, Ratios: []float64{1}}},
		"share of 2":     {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1}, Components: one(), Deviations: []float64{1}, Ratios: []float64{2}}},
		"no kernel rows": {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"weights":        {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: one(), Weights: column(2), Shift: []float64{0}, Values: []float64{1}, Ratios: []float64{1}}},
		"shifts":         {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: one(), Weights: one(), Values: []float64{1}, Ratios: []float64{1}}},
		"values":         {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: one(), Weights: one(), Shift: []float64{0}, Ratios: []float64{1}}},
		"a kernel":       {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(kernels.Linear{}, kernels.Linear{}), Rows: one(), Weights: one(), Shift: []float64{0}, Values: []float64{1}, Ratios: []float64{1}}},
		"other kind":     {&UnitRows{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			data := envelope(t, c.kind, c.payload)
			require.ErrorIs(t, c.into.UnmarshalBinary(data), fault.ErrBadModel)
			_, err := c.into.Transform(table)
			require.ErrorIs(t, err, fault.ErrNotFitted)
		})
	}
}

// powered is a sound model of one column, made unsound.
func powered(change func(m *powerModel)) powerModel {
	f := func(v float64) codec.Floats { return codec.Floats{v} }
	m := powerModel{Lambdas: f(0), Least: f(0), Largest: f(1), Shifts: f(0), Means: f(0), Scales: f(1)}
	change(&m)
	return m
}

func one() codec.Matrix { return column(1) }

// column is a matrix of one column of ones.
func column(rows int) codec.Matrix {
	return codec.Matrix{Rows: rows, Cols: 1, Data: slices.Repeat([]float64{1}, rows)}
}

func envelope(tb testing.TB, kind string, payload any) []byte {
	data, err := codec.Marshal(kind, 1, payload)
	require.NoError(tb, err)
	return data
}
