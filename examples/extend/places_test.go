package extend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
)

// Example_places prints the files that each extension changes. Each extension needs only its own file and changes no file of
// kernelearn, because it uses only exported names.
func Example_places() {
	for _, kind := range []string{"kernel", "family", "transformer", "estimator", "strategy", "metric", "capability", "adapter"} {
		source, err := os.ReadFile(kind + ".go")
		if err != nil {
			fmt.Println(err)
			return
		}
		var uses []string
		for _, m := range regexp.MustCompile(`"github.com/kernelearn/kernelearn/(.*)"`).FindAllStringSubmatch(string(source), -1) {
			uses = append(uses, m[1])
		}
		slices.Sort(uses)
		fmt.Printf("%-11s 1 place, on %s\n", kind, strings.Join(uses, ", "))
	}
	// Output:
	// kernel      1 place, on estimators, kernels
	// family      1 place, on kernels, kernels/families
	// transformer 1 place, on estimators, transformers
	// estimator   1 place, on estimators, kernels
	// strategy    1 place, on estimators, selection/metrics, selection/search, selection/validation
	// metric      1 place, on estimators, selection/metrics
	// capability  1 place, on estimators, kernels
	// adapter     1 place, on estimators
}

func TestPinball(t *testing.T) {
	// The first target is 2 above its prediction, with weight 3. The second is 4 below its prediction: (3·0.9·2 + 0.1·4) / 4.
	got, err := Pinball(0.9).Values([]float64{5, 1}, []float64{3, 5}, []float64{3, 1})
	if err != nil || math.Abs(got-1.45) > 1e-15 {
		t.Errorf("the metric is %v, %v, want 1.45", got, err)
	}
	if _, err := Pinball(1).Values([]float64{5}, []float64{3}, nil); !errors.Is(err, estimators.ErrParam) {
		t.Errorf("tau of 1: %v", err)
	}
	x, y := waves()
	r := &selection.Regressor{Search: &grid.Search{Points: 4, Metric: Pinball(0.9)}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		t.Fatal(err)
	}
	if r.Result().ScoreName != "Pinball(0.9)" {
		t.Errorf("the score is %q", r.Result().ScoreName)
	}
}

func TestPoints(t *testing.T) {
	x, y := waves()
	var rows [][]float64
	for i := range y {
		rows = append(rows, mat.Row(nil, i, x))
	}
	p := &Points{Estimator: &Smoother{Kernel: Matern72{Length: 0.3}}}
	if err := p.Fit(context.Background(), rows, y); err != nil {
		t.Fatal(err)
	}
	got, err := p.Predict(rows[:3])
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Estimator.Predict(x.Slice(0, 3, 0, 2))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("predicted %v, the estimator returns %v, %v", got, want, err)
	}
	for _, bad := range [][][]float64{nil, {{}}, {{1, 2}, {3}}} {
		if err := p.Fit(context.Background(), bad, y[:len(bad)]); !errors.Is(err, estimators.ErrShape) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := p.Fit(context.Background(), [][]float64{{math.NaN(), 1}}, []float64{1}); !errors.Is(err, estimators.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}
