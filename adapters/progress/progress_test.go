package progress_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/progress"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

func sine(n int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		x.Set(i, 0, float64(i)/20)
		y[i] = math.Sin(x.At(i, 0))
	}
	return x, y
}

// Fits, searches and transformers draw a bar that ends at 100%. Each fit draws a new bar.
func TestBars(t *testing.T) {
	x, y := sine(60)
	ctx := context.Background()
	for name, fit := range map[string]func(b *progress.Bar) error{
		"a fit":    func(b *progress.Bar) error { return (&lssvm.Regressor{Observe: b.Step}).Fit(ctx, x, y) },
		"a search": func(b *progress.Bar) error { return (&selection.Regressor{Observe: b.Row}).Fit(ctx, x, y) },
		"a transformer": func(b *progress.Bar) error {
			return (&columnwise.PowerTransformer{}).Fit(estimators.Observed(ctx, b.Step), x)
		},
	} {
		var out bytes.Buffer
		b := progress.NewOnTerminal(&out, name)
		for fits := 1; fits <= 2; fits++ {
			require.NoError(t, fit(b), name)
			assert.Equal(t, fits, strings.Count(out.String(), "\n"), "%s: lines of bars that are full", name)
		}
		assert.Contains(t, out.String(), name)
		assert.Contains(t, out.String(), "100%")
	}
}

// No bars are drawn to a log file, and fits of less than ten seconds write nothing to it.
func TestNoBarsInFiles(t *testing.T) {
	x, y := sine(60)
	var out bytes.Buffer
	require.NoError(t, (&lssvm.Regressor{Observe: progress.New(&out, "fit").Step}).Fit(context.Background(), x, y))
	assert.Empty(t, out.String())
}

// If a fit fails, its bar stays as it was, and the bar of the next fit starts at 0.
func TestFailedFits(t *testing.T) {
	var out bytes.Buffer
	b := progress.NewOnTerminal(&out, "fit")
	b.Step(estimators.Step{Done: .5, Message: "half"})
	b.Step(estimators.Step{Done: .1})
	b.Step(estimators.Step{Done: 1})
	assert.Contains(t, out.String(), "fit: half")
	assert.Contains(t, out.String(), "100%")
}

// This example draws a bar on the terminal, separate from the output of the program.
func ExampleNew() {
	x, y := sine(40)
	bar := progress.New(os.Stderr, "least squares")
	model := &lssvm.Regressor{Observe: bar.Step}
	fmt.Println(model.Fit(context.Background(), x, y))
	// Output: <nil>
}

// This example shows the progress of a search, whose trace rows contain the completed share, including the last fit.
func ExampleBar_Row() {
	x, y := sine(40)
	model := &selection.Regressor{Search: &grid.Search{}, Observe: progress.New(os.Stderr, "grid").Row}
	fmt.Println(model.Fit(context.Background(), x, y))
	// Output: <nil>
}

// This example shows the progress of a transformer, which has no Observe field, through the context.
func ExampleBar_Step() {
	x, _ := sine(40)
	ctx := estimators.Observed(context.Background(), progress.New(os.Stderr, "features").Step)
	fmt.Println((&featuremap.Nystroem{Components: 5}).Fit(ctx, x))
	// Output: <nil>
}
