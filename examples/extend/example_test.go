package extend

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// waves returns 120 rows of two columns. The targets are a sine of the first column, with noise and a few outliers.
func waves() (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(120, 2, nil), make([]float64, 120)
	for i := range y {
		x.SetRow(i, []float64{4 * rng.Float64(), rng.NormFloat64()})
		y[i] = math.Sin(2*x.At(i, 0)) + 0.1*rng.NormFloat64()
		if i%30 == 7 {
			x.Set(i, 1, 500)
		}
	}
	return x, y
}

// The example combines the first five extensions. The search fits clones of the clip and of the scaler to the training rows of each
// fold, and builds smoothers with the kernels of the family. The file of the fitted model contains all these extensions.
func Example() {
	ctx := context.Background()
	x, y := waves()
	r := &selection.Regressor{
		Preprocess: []transformers.Transformer{&Clip{}, &scalers.StandardScaler{}},
		Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
			return &Smoother{Kernel: k}
		}, Matern72Family{}),
		Search: &Zoom{},
	}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	res := r.Result()
	fmt.Printf("%s: %s of %.3f in %d fits\n", res.Strategy, res.ScoreName, res.Score, res.Fits)

	data, err := r.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	read := estimators.Clone(r)
	if err := read.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(2, 2, []float64{math.Pi / 4, 0, 3 * math.Pi / 4, 0})
	predicted, err := read.Predict(at)
	fmt.Printf("%.1f %v\n", predicted, err)
	// Output:
	// zoom: NMSE of 0.102 in 40 fits
	// [1.1 -1.0] <nil>
}
