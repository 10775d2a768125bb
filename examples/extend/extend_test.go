package extend

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/kerneltest"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/selectiontest"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func TestMatern72(t *testing.T) {
	formula := func(length float64) func(x, z []float64) float64 {
		return func(x, z []float64) float64 {
			sum := 0.0
			for j := range x {
				sum += math.Pow(x[j]-z[j], 2)
			}
			s := math.Sqrt(7*sum) / length
			return math.Exp(-s) * (15 + 15*s + 6*math.Pow(s, 2) + math.Pow(s, 3)) / 15
		}
	}
	kerneltest.Kernel(t, Matern72{}, &kerneltest.Options{Formula: formula(1)})
	kerneltest.Kernel(t, Matern72{Length: 3}, &kerneltest.Options{Formula: formula(3)})
	// Because of RadialSlopes, the kernel supports a length for each column.
	kerneltest.Kernel(t, kernels.ARD{Kernel: Matern72{}, Lengths: []float64{2, 1, 2}}, &kerneltest.Options{Columns: 3})
	if (Matern72{Length: -1}).Validate() == nil || (Matern72{Length: math.Inf(1)}).Validate() == nil {
		t.Error("a parameter out of range is valid")
	}
}

func TestMatern72Family(t *testing.T) { kerneltest.Family(t, Matern72Family{}, nil) }

func TestSmoother(t *testing.T) {
	table := &estimatortest.Table{}
	of := func(workers int) any { return &Smoother{Workers: workers} }
	estimatortest.Regressor(t, "extend.Smoother", func() estimators.Regressor { return &Smoother{} }, &estimatortest.Options{
		Table: table, Workers: of,
		Skip: map[string]string{
			"weighted-fit":  "chooses its kernel by leaving out rows: two equal rows are not one of weight 2",
			"repeated-rows": "leaves out single rows, of which copies stay: for an example it is short",
		},
	})
	estimatortest.Regressor(t, "extend.Smoother (given kernel)", func() estimators.Regressor {
		return &Smoother{Kernel: Matern72{Length: 0.3}}
	}, &estimatortest.Options{Table: table})
	t.Log("\n" + table.String())
}

func TestClip(t *testing.T) {
	estimatortest.Transformer(t, "extend.Clip", func() transformers.Transformer { return &Clip{} }, nil)
}

func TestZoom(t *testing.T) {
	selectiontest.Strategy(t, func() search.Strategy { return &Zoom{Points: 4, Rounds: 2} }, nil)
}

// Predictions of a Smoother agree with the definition. Far from all rows they are the mean of the targets.
func TestSmootherIsTheWeightedMean(t *testing.T) {
	k := Matern72{}
	s := &Smoother{Kernel: k}
	if err := s.FitWeighted(context.Background(), mat.NewDense(2, 1, []float64{0, 1}), []float64{0, 10}, []float64{1, 3}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Predict(mat.NewDense(2, 1, []float64{0.25, 1e200}))
	if err != nil {
		t.Fatal(err)
	}
	near, far := k.Eval([]float64{0.25}, []float64{0}), k.Eval([]float64{0.25}, []float64{1})
	if want := 3 * far * 10 / (near + 3*far); math.Abs(got[0]-want) > 1e-12 || got[1] != 7.5 {
		t.Errorf("predicted %v, want %v and 7.5", got, want)
	}
	if s.ChosenKernel() != kernels.Kernel(k) {
		t.Errorf("the kernel is %v", s.ChosenKernel())
	}
}

// A file can be read only into a Smoother with the same kernel.
func TestSmootherOfAnotherKernel(t *testing.T) {
	s := &Smoother{Kernel: Matern72{}}
	if err := s.Fit(context.Background(), mat.NewDense(2, 1, []float64{0, 1}), []float64{0, 10}); err != nil {
		t.Fatal(err)
	}
	data, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Smoother{}).UnmarshalBinary(data); !errors.Is(err, estimators.ErrBadModel) {
		t.Errorf("read without its kernel: %v", err)
	}
}

func TestClipClips(t *testing.T) {
	x := mat.NewDense(11, 1, []float64{-1000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000})
	c := &Clip{Share: 0.1}
	if err := c.Fit(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	got, err := c.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if got.At(0, 0) != 1 || got.At(5, 0) != 5 || got.At(10, 0) != 9 {
		t.Errorf("clipped to %v", mat.Col(nil, 0, got))
	}
	if err := (&Clip{Share: 0.5}).Fit(context.Background(), x); !errors.Is(err, estimators.ErrParam) {
		t.Errorf("a share of a half: %v", err)
	}
}

// Each grid of Zoom lies between the neighbours of the best point in the previous grid.
func TestZoomNarrows(t *testing.T) {
	x, y := waves()
	r := &selection.Regressor{Search: &Zoom{Points: 5, Rounds: 2, Decades: 4}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		t.Fatal(err)
	}
	trace := r.Result().Trace
	best := slices.MinFunc(trace[:5], func(a, b search.TraceRow) int { return cmp.Compare(a.Score, b.Score) })
	if len(trace) != 9 {
		t.Fatalf("%d points, want 5 and 4 around the best of them", len(trace))
	}
	for _, row := range trace[5:] {
		if decades := math.Abs(math.Log10(row.Param / best.Param)); decades > 4./6 {
			t.Errorf("%v is looked at, %.2f decades from the best before, its neighbours are .67 away", row.Param, decades)
		}
	}
	for _, z := range []*Zoom{{Points: 2}, {Rounds: -1}, {Decades: 25}} {
		if err := (&selection.Regressor{Search: z}).Fit(context.Background(), x, y); !errors.Is(err, estimators.ErrParam) {
			t.Errorf("%+v: %v", z, err)
		}
	}
}

// The capability of this package works through a search, and through a pipeline within the search.
func TestRowWeights(t *testing.T) {
	x, y := waves()
	r := &selection.Regressor{
		Preprocess: []transformers.Transformer{&Clip{}}, Search: &grid.Search{},
		Space: selection.Candidates[estimators.Regressor](
			&pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &Smoother{}},
		),
	}
	if _, err := RowWeights(r, x); !errors.Is(err, estimators.ErrNotFitted) {
		t.Errorf("before Fit: %v", err)
	}
	if err := r.Fit(context.Background(), x, y); err != nil {
		t.Fatal(err)
	}
	at := x.Slice(0, 5, 0, 2)
	w, err := RowWeights(r, at)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := r.Predict(at)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range predicted {
		if got := floats.Dot(w.RawRowView(i), y); math.Abs(got-p) > 1e-12 {
			t.Errorf("row %d: the weighted mean is %v, the prediction %v", i, got, p)
		}
	}
	if _, err := RowWeights(&ridge.Regressor{}, at); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a model without the capability: %v", err)
	}
}
