package featuremap_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// A kernel map and a centerer turn any linear model into a kernel model: they return rows of the centred kernel matrix.
func ExampleKernelMap() {
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	kernel := &featuremap.KernelMap{Kernel: kernels.RBFOfLength(1)}
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
	centerer := &featuremap.KernelCenterer{}
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

func ExampleRandomHidden() {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	hidden := &featuremap.RandomHidden{Units: 50, Activation: featuremap.Tanh, Seed: 1}
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
	for a := featuremap.DataRBF; a <= featuremap.Tanh; a++ {
		hidden := &featuremap.RandomHidden{Units: 3, Activation: a}
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

// The inner product of two rows' features approximates their kernel value.
func ExampleRandomFourier() {
	x := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 1, 2})
	k := kernels.RBFOfLength(2)
	fourier := &featuremap.RandomFourier{Kernel: k, Components: 2000}
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
	for s := featuremap.AutomaticSampling; s <= featuremap.QuasiMonteCarlo; s++ {
		fourier := &featuremap.RandomFourier{Components: 6, Sampling: s}
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
	m := &featuremap.LocallyStationaryFourier{Local: kernels.RBF{Gamma: 0.1}, Stationary: kernels.RBF{}, Components: 4000, Sampling: featuremap.QuasiMonteCarlo, Origin: []float64{0}}
	if err := m.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := m.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 { // k(x, x) = (k1(x) + 1)/2 decreases with the distance from the origin
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
	nystroem := &featuremap.Nystroem{Kernel: kernels.RBFOfLength(2), Components: 2}
	if err := nystroem.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	residual, _ := nystroem.TrainingResidual()
	fmt.Println(nystroem.LandmarkRows().RawMatrix().Rows, "landmarks, less than 2% of the kernel is left:", residual < 0.02)
	// Processing blocks of rows avoids a matrix of all features.
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
	for r := featuremap.PivotedCholesky; r <= featuremap.UniformLandmarks; r++ {
		nystroem := &featuremap.Nystroem{Rule: r, Components: 2}
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
