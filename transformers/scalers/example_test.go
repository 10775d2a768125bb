package scalers_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func ExampleRMSScaler() {
	counts := mat.NewDense(3, 2, []float64{
		0, 10,
		3, 0,
		3, 0,
	})
	scaler := &scalers.RMSScaler{}
	if err := scaler.Fit(context.Background(), counts); err != nil {
		log.Fatal(err)
	}
	z, err := scaler.Transform(counts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scaler.Scales())
	fmt.Printf("%.3f\n", mat.Formatted(z)) // zeros stay zeros
	// Output:
	// [3.000 7.071]
	// ⎡0.000  1.414⎤
	// ⎢1.000  0.000⎥
	// ⎣1.000  0.000⎦
}

func ExampleUnitRows() {
	// The two texts are counts of three words. The second text is the first one twice.
	x := mat.NewDense(2, 3, []float64{
		3, 0, 4,
		6, 0, 8,
	})
	unit := &scalers.UnitRows{}
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
	scaler := &scalers.MinMaxScaler{Low: -1, High: 1}
	if err := scaler.Fit(context.Background(), ages); err != nil {
		log.Fatal(err)
	}
	z, err := scaler.Transform(mat.NewDense(2, 1, []float64{30, 80}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.RawMatrix().Data) // 80 is beyond the range of the training rows
	// Output: [-0.5 2]
}

func ExampleStandardScaler() {
	// The columns are metres above sea level and degrees Celsius, which have different scales.
	train := mat.NewDense(3, 2, []float64{
		200, 14,
		400, 12,
		600, 10,
	})
	scaler := &scalers.StandardScaler{}
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
