package transformers_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

func ExampleStandardScaler() {
	// Metres above the sea and degrees Celsius: numbers that do not compare.
	train := mat.NewDense(3, 2, []float64{
		200, 14,
		400, 12,
		600, 10,
	})
	scaler := &transformers.StandardScaler{}
	if err := scaler.Fit(context.Background(), train); err != nil {
		log.Fatal(err)
	}
	z, err := scaler.Transform(mat.NewDense(1, 2, []float64{800, 12}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scaler.Means(), scaler.Scales())
	fmt.Println(z.RawRowView(0))
	// Output:
	// [400 12] [200 2]
	// [2 0]
}

func ExampleRMSScaler() {
	counts := mat.NewDense(3, 2, []float64{
		0, 10,
		3, 0,
		3, 0,
	})
	scaler := &transformers.RMSScaler{}
	if err := scaler.Fit(context.Background(), counts); err != nil {
		log.Fatal(err)
	}
	z, err := scaler.Transform(counts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scaler.Scales())
	fmt.Printf("%.3f\n", mat.Formatted(z)) // the zeros stay
	// Output:
	// [3.000 7.071]
	// ⎡0.000  1.414⎤
	// ⎢1.000  0.000⎥
	// ⎣1.000  0.000⎦
}

func ExampleUnitRows() {
	// Two texts as counts of three words; the second is the first, twice as long.
	x := mat.NewDense(2, 3, []float64{
		3, 0, 4,
		6, 0, 8,
	})
	unit := &transformers.UnitRows{}
	if err := unit.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := unit.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.RawRowView(0))
	fmt.Println(z.RawRowView(1))
	// Output:
	// [0.6 0 0.8]
	// [0.6 0 0.8]
}

func ExampleMinMaxScaler() {
	ages := mat.NewDense(3, 1, []float64{20, 30, 60})
	scaler := &transformers.MinMaxScaler{Low: -1, High: 1}
	if err := scaler.Fit(context.Background(), ages); err != nil {
		log.Fatal(err)
	}
	z, err := scaler.Transform(mat.NewDense(2, 1, []float64{30, 80}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.RawMatrix().Data) // 80 lies beyond what Fit saw
	// Output: [-0.5 2]
}

func ExampleImputer() {
	missing := math.NaN()
	x := mat.NewDense(4, 2, []float64{
		190, 7,
		118, missing,
		149, 12,
		missing, 18,
	})
	imputer := &transformers.Imputer{Statistic: transformers.Median, Indicators: true}
	if err := imputer.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := imputer.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(z))
	// Output:
	// ⎡190    7    0    0⎤
	// ⎢118   12    0    1⎥
	// ⎢149   12    0    0⎥
	// ⎣149   18    1    0⎦
}

func ExampleOneHot() {
	// A colour as a code, and a weight.
	x := mat.NewDense(3, 2, []float64{
		2, 0.5,
		0, 1.5,
		2, 2.5,
	})
	encoder := &transformers.OneHot{Columns: []int{0}}
	if err := encoder.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := encoder.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(z))
	for j, e := range encoder.Encoding() {
		fmt.Println(j, e.Column, e.Category, e.Copied)
	}
	// Output:
	// ⎡  0    1  0.5⎤
	// ⎢  1    0  1.5⎥
	// ⎣  0    1  2.5⎦
	// 0 0 0 false
	// 1 0 2 false
	// 2 1 0 true
}

// A kernel map and a centerer turn any linear model into a kernel model: the rows
// that they give are those of the centred kernel matrix.
func ExampleKernelMap() {
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	kernel := &transformers.KernelMap{Kernel: kernels.RBFOfLength(1)}
	if err := kernel.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	k, err := kernel.Transform(mat.NewDense(1, 1, []float64{2}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", k.RawRowView(0))
	// Output: [0.135 0.607 0.607]
}

func ExampleKernelCenterer() {
	k := mat.NewDense(2, 2, []float64{
		1, 0.5,
		0.5, 1,
	})
	centerer := &transformers.KernelCenterer{}
	if err := centerer.Fit(context.Background(), k); err != nil {
		log.Fatal(err)
	}
	z, err := centerer.Transform(k)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(z))
	// Output:
	// ⎡ 0.25  -0.25⎤
	// ⎣-0.25   0.25⎦
}

// shift is a transformer of one's own; Clone lets pipelines fit a copy of it.
type shift struct{ by float64 }

func (s *shift) Fit(_ context.Context, x mat.Matrix) error {
	s.by = mat.Min(x)
	return nil
}

func (s *shift) Transform(x mat.Matrix) (*mat.Dense, error) {
	var out mat.Dense
	out.Apply(func(_, _ int, v float64) float64 { return v - s.by }, x)
	return &out, nil
}

func (s *shift) Clone() transformers.Transformer { return &shift{} }

func ExampleTransformer() {
	var t transformers.Transformer = &shift{}
	if err := t.Fit(context.Background(), mat.NewDense(2, 1, []float64{3, 5})); err != nil {
		log.Fatal(err)
	}
	z, err := t.Transform(mat.NewDense(1, 1, []float64{7}))
	_, clones := t.(transformers.Cloner)
	fmt.Println(z.At(0, 0), err, clones)
	// Output: 4 <nil> true
}

func ExampleStatistic() {
	column := mat.NewDense(5, 1, []float64{1, 1, 2, 8, math.NaN()})
	for _, s := range []transformers.Statistic{transformers.Mean, transformers.Median, transformers.MostFrequent} {
		imputer := &transformers.Imputer{Statistic: s}
		if err := imputer.Fit(context.Background(), column); err != nil {
			log.Fatal(err)
		}
		fmt.Println(s, imputer.Values())
	}
	// Output:
	// Mean [3]
	// Median [1.5]
	// MostFrequent [1]
}

func ExampleDrop() {
	// The answers no and yes, and three sizes.
	x := mat.NewDense(3, 2, []float64{
		0, 1,
		1, 2,
		1, 3,
	})
	for _, d := range []transformers.Drop{transformers.DropNone, transformers.DropBinary, transformers.DropFirst} {
		encoder := &transformers.OneHot{Drop: d}
		if err := encoder.Fit(context.Background(), x); err != nil {
			log.Fatal(err)
		}
		var first transformers.Encoded = encoder.Encoding()[0]
		fmt.Println(len(encoder.Encoding()), "columns, the first is of category", first.Category)
	}
	// Output:
	// 5 columns, the first is of category 0
	// 4 columns, the first is of category 1
	// 3 columns, the first is of category 1
}

func ExampleRandomHidden() {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	hidden := &transformers.RandomHidden{Units: 50, Activation: transformers.Tanh, Seed: 1}
	if err := hidden.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := hidden.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Dims())
	// Output: 4 50
}

func ExampleActivation() {
	for a := transformers.DataRBF; a <= transformers.Tanh; a++ {
		hidden := &transformers.RandomHidden{Units: 3, Activation: a}
		if err := hidden.Fit(context.Background(), mat.NewDense(4, 1, []float64{0, 1, 2, 3})); err != nil {
			log.Fatal(err)
		}
		w, b := hidden.UnitWeights()
		fmt.Println(a, w.RawMatrix().Rows, len(b))
	}
	// Output:
	// DataRBF 3 3
	// Sigmoid 3 3
	// NormalizedSigmoid 3 3
	// RandomRBF 3 3
	// Tanh 3 3
}

// The inner product of two rows' features is nearly their kernel.
func ExampleRandomFourier() {
	x := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 1, 2})
	k := kernels.RBFOfLength(2)
	fourier := &transformers.RandomFourier{Kernel: k, Components: 2000}
	if err := fourier.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := fourier.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, exactly %.2f\n", mat.Dot(z.RowView(0), z.RowView(1)), k.Eval(x.RawRowView(0), x.RawRowView(1)))
	fmt.Printf("%.2f, exactly %.2f\n", mat.Dot(z.RowView(0), z.RowView(2)), k.Eval(x.RawRowView(0), x.RawRowView(2)))
	// Output:
	// 0.88, exactly 0.88
	// 0.53, exactly 0.54
}

func ExampleSampling() {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	for s := transformers.AutomaticSampling; s <= transformers.QuasiMonteCarlo; s++ {
		fourier := &transformers.RandomFourier{Components: 6, Sampling: s}
		if err := fourier.Fit(context.Background(), x); err != nil {
			log.Fatal(err)
		}
		w, _ := fourier.ChosenFrequencies()
		fmt.Println(s, w.RawMatrix().Rows)
	}
	// Output:
	// AutomaticSampling 3
	// Independent 3
	// Orthogonal 3
	// QuasiMonteCarlo 3
}

func ExampleLocallyStationaryFourier() {
	x := mat.NewDense(3, 1, []float64{0, 1, 5})
	m := &transformers.LocallyStationaryFourier{Local: kernels.RBF{Gamma: 0.1}, Stationary: kernels.RBF{}, Components: 4000, Sampling: transformers.QuasiMonteCarlo, Origin: []float64{0}}
	if err := m.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := m.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 { // k(x, x) = (k1(x) + 1)/2 falls with the distance from the origin
		fmt.Printf("%.2f, exactly %.2f\n", mat.Dot(z.RowView(i), z.RowView(i)), (math.Exp(-0.1*x.At(i, 0)*x.At(i, 0))+1)/2)
	}
	// Output:
	// 1.00, exactly 1.00
	// 0.95, exactly 0.95
	// 0.54, exactly 0.54
}

func ExampleNystroem() {
	// Ten rows, in two groups.
	x := mat.NewDense(10, 1, []float64{0, 0.1, 0.2, 0.3, 0.4, 7, 7.1, 7.2, 7.3, 7.4})
	nystroem := &transformers.Nystroem{Kernel: kernels.RBFOfLength(2), Components: 2}
	if err := nystroem.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	residual, _ := nystroem.TrainingResidual()
	fmt.Println(nystroem.LandmarkRows().RawMatrix().Rows, "landmarks, less than 2% of the kernel is left:", residual < 0.02)
	// In blocks of rows there is no matrix of all features.
	sum := 0.0
	for z, err := range nystroem.Blocks(x, 4) {
		if err != nil {
			log.Fatal(err)
		}
		sum += mat.Norm(z, 2) * mat.Norm(z, 2)
	}
	fmt.Printf("%.2f of 10\n", sum)
	// Output:
	// 2 landmarks, less than 2% of the kernel is left: true
	// 9.90 of 10
}

func ExampleLandmarkRule() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 50})
	for r := transformers.PivotedCholesky; r <= transformers.UniformLandmarks; r++ {
		nystroem := &transformers.Nystroem{Rule: r, Components: 2}
		if err := nystroem.Fit(context.Background(), x); err != nil {
			log.Fatal(err)
		}
		fmt.Println(r, len(nystroem.Indices()))
	}
	// Output:
	// PivotedCholesky 2
	// KMeansPlusPlus 2
	// UniformLandmarks 2
}

// One row at a time, again and again, without allocating.
func ExampleTransformerTo() {
	scaler := &transformers.StandardScaler{}
	if err := scaler.Fit(context.Background(), mat.NewDense(3, 1, []float64{10, 20, 30})); err != nil {
		log.Fatal(err)
	}
	var to transformers.TransformerTo = scaler
	row, scaled := mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil)
	for _, v := range []float64{15, 20, 40} {
		row.Set(0, 0, v)
		if err := to.TransformTo(scaled, row); err != nil {
			log.Fatal(err)
		}
		fmt.Println(scaled.At(0, 0))
	}
	// Output:
	// -0.5
	// 0
	// 2
}

// How much of the kernel at new rows the features leave out: nothing at a landmark, all of
// it far from them.
func ExampleRowResidualer() {
	train := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	m := &transformers.Nystroem{Kernel: kernels.RBF{Gamma: 0.5}}
	if err := m.Fit(context.Background(), train); err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(3, 1, []float64{2, 4, 9})
	z, err := m.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	var t transformers.RowResidualer = m
	left, err := t.RowResiduals(x, z)
	if err != nil {
		log.Fatal(err)
	}
	for i, v := range left {
		fmt.Printf("at %v: %.2f of k(x, x) = 1\n", x.At(i, 0), v)
	}
	// Output:
	// at 2: 0.00 of k(x, x) = 1
	// at 4: 0.51 of k(x, x) = 1
	// at 9: 1.00 of k(x, x) = 1
}
