// Rvm draws the predictions of three relevance vector machines. Two are regressions, on a noisy sinc and on the last nine years of
// the Mauna Loa carbon dioxide record. For each it draws the mean, the 95% interval of a new observation and the relevance vectors.
// The third is a classification in two dimensions, with contours of the probability. The series is read from -data DIR. Without
// -data, it is the series in the repository.
//
//	go run -C measurements ./rvm
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

func main() { cli.Main("rvm", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("rvm", "rvm draws the mean, the intervals and the relevance vectors of relevance vector machines.", out)
	data := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	dir := flags.String("out", ".", "`folder` for the pictures")
	flags.Reads("data")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	co2, err := carbonDioxide(*data)
	if err != nil {
		return err
	}
	curves := []curve{sinc(), co2}
	for i := range curves {
		c := &curves[i]
		if err := c.model.Fit(ctx, c.x, c.y); err != nil {
			return err
		}
		mean, variance, err := c.model.PredictVariance(c.x)
		if err != nil {
			return err
		}
		share, _, err := metrics.NormalCoverage(c.y, mean, variance, 0.95, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d relevance vectors of %d rows, noise %.3g (standard deviation), the 95%% band holds %.0f%% of the rows\n",
			c.title, len(c.model.RelevanceIndices()), len(c.y), math.Sqrt(c.model.ChosenNoiseVariance()), 100*share)
	}
	path := filepath.Join(*dir, "rvm-regression.png")
	if err := drawCurves(path, curves); err != nil {
		return err
	}
	fmt.Fprintln(out, "drawn:", path)

	x, y := ripley(250)
	model := &rvm.Classifier{Kernel: kernels.RBF{Gamma: 2}}
	if err := model.Fit(ctx, x, y); err != nil {
		return err
	}
	fmt.Fprintf(out, "two classes: %d relevance vectors of %d rows\n", len(model.RelevanceIndices()), len(y))
	path = filepath.Join(*dir, "rvm-classes.png")
	if err := drawClasses(path, model, x, y); err != nil {
		return err
	}
	fmt.Fprintln(out, "drawn:", path)
	return nil
}

// curve is a regression on one column.
type curve struct {
	title, xLabel, yLabel string
	x                     *mat.Dense
	y                     []float64
	model                 *rvm.Regressor
	beyond                float64 // range of the picture beyond the last row
}

// sinc draws sin(x)/x at 100 places, with noise of standard deviation 0.1.
func sinc() curve {
	rng := rand.New(rand.NewPCG(7, 7))
	c := curve{
		title: "sin(x)/x with noise of standard deviation 0.1", xLabel: "x", yLabel: "y",
		x: mat.NewDense(100, 1, nil), y: make([]float64, 100), model: &rvm.Regressor{Kernel: kernels.RBFOfLength(1.6)}, beyond: 3,
	}
	for i := range c.y {
		v := 20*(float64(i)+0.5)/100 - 10
		c.x.Set(i, 0, v)
		c.y[i] = math.Sin(v)/v + 0.1*rng.NormFloat64()
	}
	return c
}

// carbonDioxide returns the last nine years of the monthly series. A slow kernel models the trend and a fast one the seasons.
func carbonDioxide(dir string) (curve, error) {
	set, err := dataset.Open(dir, "mauna-loa-co2-monthly")
	if err != nil {
		return curve{}, err
	}
	n, _ := set.X.Dims()
	const months = 108
	rows := make([]int, 0, months)
	for i := max(0, n-months); i < n; i++ {
		rows = append(rows, i)
	}
	x, y, _ := set.Rows(rows)
	return curve{
		title: "carbon dioxide at Mauna Loa, monthly means", xLabel: "year", yLabel: "parts per million", x: x, y: y, beyond: 0.7,
		model: &rvm.Regressor{Kernel: kernels.Sum{kernels.RBFOfLength(0.25), kernels.RBFOfLength(8)}},
	}, nil
}

// ripley draws two classes that consist of two clusters each.
func ripley(n int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(3, 3))
	centres := [2][2][2]float64{{{-0.7, 0.3}, {0.3, 0.3}}, {{-0.3, 0.7}, {0.4, 0.7}}}
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range y {
		y[i] = i % 2
		c := centres[y[i]][(i/2)%2]
		for j := range 2 {
			x.Set(i, j, c[j]+math.Sqrt(0.03)*rng.NormFloat64())
		}
	}
	return x, y
}
