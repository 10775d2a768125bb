package estimators_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// nearest predicts the target of the nearest row. It is a Regressor because it has Fit and Predict. Its other methods are
// capabilities.
type nearest struct {
	x    *mat.Dense
	y    []float64
	rows int
}

func (m *nearest) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	n, _ := x.Dims()
	if len(y) != n {
		return &estimators.ShapeError{What: "y has", Got: len(y), Unit: "entries", Want: fmt.Sprintf("x has %d rows", n)}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.x, m.y, m.rows = mat.DenseCopyOf(x), slices.Clone(y), n
	return nil
}

func (m *nearest) Predict(x mat.Matrix) ([]float64, error) {
	if m.x == nil {
		return nil, &estimators.NotFittedError{Type: "nearest"}
	}
	n, _ := x.Dims()
	out := make([]float64, n)
	for i := range out {
		least := math.Inf(1)
		for j, y := range m.y {
			var d mat.VecDense
			d.SubVec(mat.DenseCopyOf(x).RowView(i), m.x.RowView(j))
			if v := d.Norm(2); v < least {
				least, out[i] = v, y
			}
		}
	}
	return out, nil
}

// Report describes the last Fit.
func (m *nearest) Report() estimators.Report {
	return estimators.Report{Converged: m.rows > 0, Iterations: 1}
}

// This example uses a third-party regressor as a part of a pipeline.
func ExampleRegressor() {
	var model estimators.Regressor = &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &nearest{},
	}
	x := mat.NewDense(3, 1, []float64{0, 10, 20})
	if err := model.Fit(context.Background(), x, []float64{1, 2, 3}); err != nil {
		fmt.Println(err)
		return
	}
	y, err := model.Predict(mat.NewDense(1, 1, []float64{13}))
	fmt.Println(y, err)

	var e any = &nearest{}
	_, reports := e.(estimators.Reporter)
	_, varies := e.(estimators.VariancePredictor)
	_, weighs := e.(estimators.WeightedFitter[float64])
	fmt.Println(reports, varies, weighs)
	// Output:
	// [2] <nil>
	// true false false
}

func ExampleClassifier() {
	var model estimators.Classifier = &lssvm.Classifier{}
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 10, 11, 12})
	if err := model.Fit(context.Background(), x, []int{7, 7, 7, -1, -1, -1}); err != nil {
		fmt.Println(err)
		return
	}
	labels, err := model.Predict(mat.NewDense(2, 1, []float64{1.5, 9}))
	fmt.Println(model.Classes(), labels, err)
	if p, ok := model.(estimators.ProbaPredictor); ok {
		proba, err := p.PredictProba(mat.NewDense(1, 1, []float64{1.5}))
		fmt.Println(proba.At(0, 1) > 0.5, err) // the column of class 7
	}
	if d, ok := model.(estimators.DecisionPredictor); ok {
		scores, err := d.Decision(mat.NewDense(1, 1, []float64{1.5}))
		fmt.Println(scores.At(0, 1) > scores.At(0, 0), err)
	}
	// Output:
	// [-1 7] [7 -1] <nil>
	// true <nil>
	// true <nil>
}

// This example reports progress with Observe. Report describes the completed fit.
func ExampleStep() {
	steps := 0
	model := &lssvm.Regressor{Observe: func(s estimators.Step) {
		if !s.Between {
			steps++
		}
	}}
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})
	if err := model.Fit(context.Background(), x, []float64{1, 3, 2, 5, 4}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Report().Converged, steps == model.Report().Iterations)
	// Output: true true
}

// This example shows which capabilities a wrapper supports. Wrappers have every method, whatever they wrap, and Supports reports
// which methods would work.
func ExampleWrapper() {
	var w estimators.Wrapper = &pipeline.Regressor{Final: &nearest{}}
	for _, c := range []estimators.Capability{estimators.Reporting, estimators.Variance} {
		fmt.Println(c, w.Supports(c))
	}
	_, _, err := w.(estimators.VariancePredictor).PredictVariance(mat.NewDense(1, 1, nil))
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output:
	// Report true
	// PredictVariance false
	// true
}

// This example handles errors. Every error unwraps to a sentinel error, and the typed errors contain the position and the values.
func Example_errors() {
	ctx := context.Background()
	model := &lssvm.Regressor{Kernel: kernels.Tanh{Coef0: -1}, Ridge: 1e-3}
	x := mat.NewDense(2, 1, []float64{1, math.NaN()})

	var notFitted *estimators.NotFittedError
	_, err := model.Predict(x)
	fmt.Println(errors.As(err, &notFitted), err)

	var place *estimators.NotFiniteError
	err = model.Fit(ctx, x, []float64{1, 2})
	fmt.Println(errors.As(err, &place), place.Row, place.Col, err)

	x.Set(1, 0, 2)
	var shape *estimators.ShapeError
	err = model.Fit(ctx, x, []float64{1})
	fmt.Println(errors.As(err, &shape), err)

	var indefinite *estimators.NotPSDError
	err = model.Fit(ctx, mat.NewDense(2, 1, []float64{0.1, 0.2}), []float64{1, 2})
	fmt.Println(errors.As(err, &indefinite), err)

	var tooLarge *estimators.TooLargeError
	err = (&lssvm.Regressor{MaxKernelBytes: 1}).Fit(ctx, x, []float64{1, 2})
	fmt.Println(errors.As(err, &tooLarge), tooLarge.Bytes)

	var bad *estimators.BadModelError
	err = model.UnmarshalBinary([]byte("what is this"))
	fmt.Println(errors.As(err, &bad), errors.Is(err, estimators.ErrBadModel))
	// Output:
	// true lssvm: Regressor: not fitted: call Fit first
	// true 1 0 lssvm: Regressor: x[1,0] is NaN (counted from 0): fill gaps with columnwise.Imputer
	// true lssvm: Regressor: y has 1 entries, x has 2 rows
	// true lssvm: Regressor: K + ridge is not positive definite, even with 1e-06 of its mean diagonal added
	// true 32
	// true true
}

// This example reads a column of a CSV file in which nearly all cells are numbers. The error names the other cells and their lines.
func ExampleMixedColumnError() {
	err := fmt.Errorf("reading: %w", &estimators.MixedColumnError{
		File: "rooms.csv", Column: "area", Of: "numbers", Cells: 2000, Strange: 3,
		Words: []estimators.StrangeText{{Text: "n.a.", Line: 17, Times: 2}, {Text: "12,5", Line: 40, Times: 1}},
	})
	var mixed *estimators.MixedColumnError
	if errors.As(err, &mixed) {
		for _, w := range mixed.Words {
			fmt.Println(w.Line, w.Text)
		}
	}
	fmt.Println(err)
	// Output:
	// 17 n.a.
	// 40 12,5
	// reading: rooms.csv:17: column "area" is nearly all numbers, but 3 of 2000 cells are not: "n.a." in line 17 (2 times), "12,5" in line 40
}

func ExampleSupports() {
	model := &pipeline.Regressor{Final: &lssvm.Regressor{}} // the function receives the final estimator
	fmt.Println(estimators.Supports(model, estimators.Variance))
	fmt.Println(estimators.Supports(model, estimators.Proba))
	// Output:
	// true
	// false
}

func ExampleParamError() {
	err := (&lssvm.Regressor{Ridge: -1}).Fit(context.Background(), nil, nil)
	var p *estimators.ParamError
	fmt.Println(errors.Is(err, estimators.ErrParam), errors.As(err, &p) && p.Field == "Ridge")
	fmt.Println(err)
	// Output:
	// true true
	// lssvm: Regressor: Ridge = -1, want finite and > 0, or 0 for the choice by RidgeRule
}

// This example stores the parts of a composite separately.
func ExampleNestedModel() {
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(context.Background(), mat.NewDense(2, 1, []float64{1, 3})); err != nil {
		fmt.Println(err)
		return
	}
	part, err := estimators.NestModel("mypackage: Chain: step 0", scaler)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(part.Type, part.UnmarshalInto("mypackage.Chain", "step 0", &scalers.StandardScaler{}))
	fmt.Println(part.UnmarshalInto("mypackage.Chain", "step 0", &scalers.UnitRows{}))
	// Output:
	// transformers.StandardScaler <nil>
	// mypackage.Chain: bad model data: step 0 was a transformers.StandardScaler, this value has a transformers.UnitRows
}

// This example serves predictions for one row at a time with memory that is allocated in advance.
func ExamplePredictorTo() {
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	c := &lssvm.Classifier{}
	if err := c.Fit(context.Background(), x, []int{0, 0, 0, 1, 1, 1}); err != nil {
		fmt.Println(err)
		return
	}
	var predictor estimators.PredictorTo[int] = c
	var scorer estimators.DecisionPredictorTo = c
	var prober estimators.ProbaPredictorTo = c
	row, label, scores := mat.NewDense(1, 1, nil), make([]int, 1), mat.NewDense(1, 2, nil)
	for _, v := range []float64{-2.5, 2.5} {
		row.Set(0, 0, v)
		if err := predictor.PredictTo(label, row); err != nil {
			fmt.Println(err)
			return
		}
		if err := scorer.DecisionTo(scores, row); err != nil {
			fmt.Println(err)
			return
		}
		decided := scores.At(0, 1) > 0
		if err := prober.PredictProbaTo(scores, row); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(label[0], decided, scores.At(0, 1) > 0.5)
	}
	// Output:
	// 0 false false
	// 1 true true
}

// scaledTargets is a third-party wrapper that fits an estimator to targets in another unit. It defines only some methods, and its
// Supports follows the rule that all wrappers share.
type scaledTargets struct {
	Unit  float64
	Final estimators.Regressor
}

func (s *scaledTargets) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	scaled := slices.Clone(y)
	floats.Scale(1/s.Unit, scaled)
	return s.Final.Fit(ctx, x, scaled)
}

func (s *scaledTargets) Predict(x mat.Matrix) ([]float64, error) {
	y, err := s.Final.Predict(x)
	floats.Scale(s.Unit, y)
	return y, err
}

func (s *scaledTargets) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	final, ok := s.Final.(estimators.IntervalPredictor)
	if !ok || !s.Supports(estimators.Interval) {
		return nil, nil, estimators.Unsupported("scaledTargets", s.Final, estimators.Interval)
	}
	low, high, err = final.PredictInterval(x, level)
	floats.Scale(s.Unit, low)
	floats.Scale(s.Unit, high)
	return low, high, err
}

func (s *scaledTargets) Supports(c estimators.Capability) bool {
	return estimators.Wrapped{Estimators: []any{s.Final}}.Supports(s, c)
}

func ExampleWrapped() {
	for _, s := range []*scaledTargets{{Unit: 1000, Final: &lssvm.Regressor{}}, {Unit: 1000, Final: &nearest{}}} {
		// lssvm also computes variances, but this wrapper has no method for them.
		fmt.Println(estimators.Supports(s, estimators.Interval), estimators.Supports(s, estimators.Variance))
	}
	// Output:
	// true false
	// false false
}

func ExampleIntervalPredictor() {
	x, y := mat.NewDense(30, 1, nil), make([]float64, 30)
	for i := range y {
		x.Set(i, 0, float64(i)/5)
		y[i] = math.Sin(x.At(i, 0)) + 0.3*math.Cos(float64(i*i))
	}
	model := &lssvm.Regressor{}
	if err := model.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	var p estimators.IntervalPredictor = model
	for _, level := range []float64{0.5, 0.95} {
		low, high, err := p.PredictInterval(mat.NewDense(1, 1, []float64{1.5}), level)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.2f to %.2f\n", low[0], high[0])
	}
	// Output:
	// 1.00 to 1.24
	// 0.77 to 1.47
}

// This example fits rows in chunks, as is needed if they do not fit in memory together.
func ExamplePartialFitter() {
	var model estimators.PartialFitter[int] = &eem.Classifier{Units: 10, Activation: featuremap.Tanh, Labels: []int{0, 1}}
	for chunk := range 5 {
		x, y := mat.NewDense(20, 2, nil), make([]int, 20)
		for i := range y {
			y[i] = i % 2
			x.SetRow(i, []float64{float64(3*y[i]) + math.Sin(float64(i+chunk)), math.Cos(float64(3 * i))})
		}
		if err := model.PartialFit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
	}
	labels, err := model.(estimators.Classifier).Predict(mat.NewDense(2, 2, []float64{-1, 0, 4, 0}))
	fmt.Println(labels, err)
	// Output: [0 1] <nil>
}

// This example fits to a kernel matrix, which is useful if the kernel is not a function of rows, or if the matrix already exists.
func ExampleMatrixFitter() {
	words := []string{"kernel", "colonel", "kernels", "ridge", "bridge", "fridge"}
	letters := func(a, b string) (shared float64) {
		for c := 'a'; c <= 'z'; c++ {
			shared += float64(min(strings.Count(a, string(c)), strings.Count(b, string(c))))
		}
		return shared
	}
	k := mat.NewSymDense(6, nil)
	for i, a := range words {
		for j, b := range words {
			k.SetSym(i, j, letters(a, b))
		}
	}
	var model estimators.MatrixFitter[int] = &lssvm.Classifier{}
	if err := model.FitMatrix(context.Background(), k, []int{0, 0, 0, 1, 1, 1}); err != nil {
		fmt.Println(err)
		return
	}
	cross := mat.NewDense(2, 6, nil)
	for i, a := range []string{"kennel", "rigid"} {
		for j, b := range words {
			cross.Set(i, j, letters(a, b))
		}
	}
	fmt.Println(model.PredictMatrix(cross))
	// Output: [0 1] <nil>
}

// This example computes, after a single fit, the prediction of each row from all others.
func ExampleLeaveOneOutPredictor() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	y := []float64{1, 2, 3, 9, 5, 6} // one value is wrong
	model := &lssvm.Regressor{Kernel: kernels.Linear{}, Ridge: 1}
	if err := model.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	var p estimators.LeaveOneOutPredictor = model
	residuals, err := p.LeaveOneOutResiduals(context.Background())
	fmt.Printf("%.1f %v\n", residuals, err)
	// Output: [-1.3 -1.0 -1.0 5.0 -1.3 -2.1] <nil>
}

func ExampleLinearSmoother() {
	x := mat.NewDense(7, 1, []float64{-3, -2, -1, 0, 1, 2, 3})
	y := []float64{9, 4, 1, 0, 1, 4, 9}
	model := &lssvm.Regressor{}
	if err := model.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	// The same kernel and ridge are applied to two columns of targets. The example also computes the predictions without the last
	// row.
	var linear estimators.LinearSmoother = model
	targets := mat.NewDense(7, 2, nil)
	targets.SetCol(0, y)
	targets.SetCol(1, []float64{-3, -2, -1, 0, 1, 2, 3})
	var smoother estimators.Smoother
	smoother, err := linear.Smoother(context.Background(), x, targets, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, c := smoother.Rows()
	f, b, _, err := smoother.Influence(context.Background(), mat.NewDense(1, 1, []float64{2.5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range 2 {
		fmt.Printf("at 2.5: %.1f, without the last row %.1f\n", f.At(0, j), f.At(0, j)-b.At(0, 6)*a.At(6, j)/c[6])
	}
	// Output:
	// at 2.5: 6.5, without the last row 5.3
	// at 2.5: 2.6, without the last row 2.1
}

// This example fits a detector to rows without targets.
func ExampleDetector() {
	x := mat.NewDense(61, 1, nil)
	for i := range 61 {
		x.Set(i, 0, math.Pow(float64(i-30)/10, 3)) // from -27 to 27, with most of the numbers near 0
	}
	at := mat.NewDense(2, 1, []float64{1, 60})
	for _, d := range []estimators.Detector{&novelty.Density{}, &svm.OneClass{}} {
		if err := d.Fit(context.Background(), x); err != nil {
			fmt.Println(err)
			return
		}
		novel, err := d.Predict(at)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%T %v\n", d, novel)
		if v, ok := d.(estimators.PPredictor); ok {
			p, err := v.PredictP(at)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("p = %.2f of the second\n", p[1])
		}
	}
	// Output:
	// *novelty.Density [false true]
	// p = 0.02 of the second
	// *svm.OneClass [false true]
}

func ExampleSetPredictor() {
	x := mat.NewDense(8, 1, []float64{-4, -3, -2, -1, 1, 2, 3, 4})
	c := &conformal.Classifier{Folds: 4}
	if err := c.Fit(context.Background(), x, []int{0, 0, 0, 0, 1, 1, 1, 1}); err != nil {
		fmt.Println(err)
		return
	}
	var sets estimators.SetPredictor = c
	got, err := sets.PredictSet(mat.NewDense(1, 1, []float64{-3.5}), 0.8)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got)
	// Output: [[0]]
}

// This example handles a panic in a callback of the caller, which does not end the program.
func ExamplePanicError() {
	x := mat.NewDense(8, 1, []float64{-4, -3, -2, -1, 1, 2, 3, 4})
	r := &rvm.Regressor{Observe: func(estimators.Step) { panic("the chart is closed") }}
	err := r.Fit(context.Background(), x, []float64{9, 7, 5, 3, -1, -3, -5, -7})
	var p *estimators.PanicError
	if errors.As(err, &p) {
		fmt.Println(p.Value)
	}
	// Output: the chart is closed
}

// This example fits four measurements of each patient. If only one measurement is left out, the other three still describe the
// patient. For a new patient there are no such rows.
func ExampleGrouper() {
	x, y, patients := mat.NewDense(24, 1, nil), make([]float64, 24), make([]int, 24)
	for i := range y {
		patients[i] = i / 4
		x.Set(i, 0, float64(patients[i])+.01*float64(i%4))
		y[i] = []float64{3, -1, 2, -2, 1, -3}[patients[i]]
	}
	for _, groups := range [][]int{nil, patients} {
		m := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 2}, Ridge: .1}
		estimators.SetGroups(m, groups) // equivalent to setting the field Groups
		if err := m.Fit(context.Background(), x, y); err != nil {
			panic(err)
		}
		residuals, err := m.LeaveOneOutResiduals(context.Background())
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.1f\n", floats.Norm(residuals, 2)/math.Sqrt(24))
	}
	// Output:
	// 0.1
	// 2.9
}

// This example is an adapter that knows which columns are categories. It passes them to an estimator that supports categories, and
// would make dummy columns for others.
func ExampleCategorizer() {
	for _, e := range []any{&selection.Regressor{}, &lssvm.Regressor{}} {
		fmt.Println(estimators.SetCategories(e, []int{2})) // equivalent to setting Categories: []int{2}
	}
	// Output:
	// true
	// false
}

// This example sets the column names of a pipeline, so that its errors contain them.
func ExampleColumnNamer() {
	p := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	fmt.Println(estimators.SetColumnNames(p, []string{"age", "height"})) // equivalent to setting Names: []string{"age", "height"}
	err := p.Fit(context.Background(), mat.NewDense(3, 2, []float64{30, 180, 41, math.NaN(), 25, 171}), []float64{1, 2, 3})
	fmt.Println(err)
	// Output:
	// true
	// column "height", row 1: pipeline: Regressor: step 0 (StandardScaler): x[1,1] is NaN (counted from 0): fill gaps with columnwise.Imputer
}

// named is a capability that wrappers do not know.
type named interface{ Coefficients() []float64 }

// This example calls a method of an estimator within a pipeline with Call.
func ExampleForwarder() {
	p := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{Ridge: 1e-9}}
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	if err := p.Fit(context.Background(), x, []float64{2, 4, 6}); err != nil {
		fmt.Println(err)
		return
	}
	var forwarder estimators.Forwarder = p
	err := estimators.Call(forwarder, x, func(of named, z mat.Matrix) error {
		fmt.Printf("a slope of %.1f per standard deviation; the first row is %.0f\n", of.Coefficients(), z.At(0, 0))
		return nil
	})
	fmt.Println(err)
	// Output:
	// a slope of [2.0] per standard deviation; the first row is -1
	// <nil>
}
