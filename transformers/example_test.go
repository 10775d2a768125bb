package transformers_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// shift is a third-party transformer.
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

func ExampleTransformer() {
	var t transformers.Transformer = &shift{}
	if err := t.Fit(context.Background(), mat.NewDense(2, 1, []float64{3, 5})); err != nil {
		log.Fatal(err)
	}
	z, err := t.Transform(mat.NewDense(1, 1, []float64{7}))
	fmt.Println(z.At(0, 0), err)
	// Output: 4 <nil>
}

// The program transforms single rows repeatedly without allocating memory.
func ExampleTransformerTo() {
	scaler := &scalers.StandardScaler{}
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

// The residual is the part of the kernel at new rows that the features do not represent. At a landmark it is 0, and far from the
// landmarks it is the kernel itself.
func ExampleRowResidualer() {
	train := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	m := &featuremap.Nystroem{Kernel: kernels.RBF{Gamma: 0.5}}
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

func ExampleInverter() {
	var scaler interface {
		transformers.Transformer
		transformers.Inverter
	} = &scalers.StandardScaler{}
	if err := scaler.Fit(context.Background(), mat.NewDense(3, 2, []float64{200, 14, 400, 12, 600, 10})); err != nil {
		log.Fatal(err)
	}
	// A centre of the scaled rows is converted to metres and degrees.
	centre, err := scaler.InverseTransform(mat.NewDense(1, 2, []float64{0.5, -0.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(centre.RawRowView(0))
	// Output:
	// [500 11]
}

// NamesOf passes the names of columns through any transformer.
func ExampleNamesOf() {
	table := mat.NewDense(3, 2, []float64{1.6, 3, 1.7, 1, 1.8, 3})
	code := &columnwise.OneHot{Columns: []int{1}}
	if err := code.Fit(context.Background(), table); err != nil {
		log.Fatal(err)
	}
	var _ transformers.FeatureNamer = code
	names, err := transformers.NamesOf(code, []string{"height", "colour"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	// Output: [height colour=1 colour=3]
}

// The example shows the rows to which an estimator is fitted, and the transformed new rows. A pipeline passes the targets of its
// training rows in this way.
func ExampleTargetFitter() {
	var encoder transformers.TargetFitter = &columnwise.TargetEncoder{Folds: 2, Smoothing: 1}
	x, y := mat.NewDense(4, 1, []float64{1, 1, 1, 1}), mat.NewDense(4, 1, []float64{0, 0, 0, 4})
	training, err := transformers.FitTransform(context.Background(), encoder, x, y)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := encoder.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Col(nil, 0, training), "without their own half")
	fmt.Println(mat.Col(nil, 0, rows))
	// Output:
	// [2 0 2 0] without their own half
	// [1 1 1 1]
}
