package golearn_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/trees"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const weather = `temperature,sky,play
21,sunny,yes
8,grey,no
24,sunny,yes
6,grey,no
19,grey,yes
`

func parse(text string) *base.DenseInstances {
	grid, err := grids.ParseCSV("weather.csv", strings.NewReader(text), nil)
	if err != nil {
		panic(err)
	}
	return grid
}

func ExampleClassifier() {
	train := parse(weather)
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	pred, err := cls.Predict(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	cm, err := evaluation.GetConfusionMatrix(train, pred)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cls.Features())
	fmt.Println(evaluation.GetAccuracy(cm))
	// Output:
	// [temperature sky=grey sky=sunny]
	// 1
}

// This example saves a model, loads it, and predicts a row that has no class.
func ExampleClassifier_Save() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather.model")
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := errors.Join(cls.Fit(parse(weather)), cls.Save(path)); err != nil {
		fmt.Println(err)
		return
	}

	again := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := again.Load(path); err != nil {
		fmt.Println(err)
		return
	}
	row, err := unlabelled("sky,temperature\nsunny,20\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	pred, err := again.Predict(row)
	fmt.Println(base.GetClass(pred, 0), err)
	// Output: yes <nil>
}

func ExampleRegressor() {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	train, err := grids.TargetGrid(x, []string{"dose"}, "response", []float64{2, 4, 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	if err := reg.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	pred, err := reg.Predict(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := grids.Targets(pred)
	fmt.Printf("%s %.1f %v\n", reg.Target(), y, err)
	// Output: response [2.0 4.0 6.0] <nil>
}

func ExamplePipeline() {
	p := &golearn.Pipeline{
		Steps: []golearn.Step{
			golearn.Transform(&scalers.StandardScaler{}),
			golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
				f := filters.NewBinningFilter(train, 3)
				for _, a := range base.NonClassFloatAttributes(train) {
					if err := f.AddAttribute(a); err != nil {
						return nil, err
					}
				}
				return f, f.Train()
			}),
		},
		Final: trees.NewID3DecisionTree(0), // a classifier of golearn
	}
	train := parse(weather)
	if err := p.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	pred, err := p.Predict(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 5 {
		fmt.Print(base.GetClass(pred, i), " ")
	}
	// Output: yes no yes no yes
}

func ExampleTransform() {
	p := &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}, Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}}
	fmt.Println(p.Fit(parse(weather)), p.Labels())
	// Output: <nil> [no yes]
}

func ExampleStep() {
	scale := golearn.Transform(&scalers.StandardScaler{}) // a configuration, which several pipelines may share
	a := &golearn.Pipeline{Steps: []golearn.Step{scale}, Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}}
	b := &golearn.Pipeline{Steps: []golearn.Step{scale, scale}, Final: trees.NewID3DecisionTree(0)}
	fmt.Println(a.Fit(parse(weather)), b.Fit(parse(weather)))
	// Output: <nil> <nil>
}

func ExampleInspection() {
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(parse(weather)); err != nil {
		fmt.Println(err)
		return
	}
	report, err := cls.Inspect(parse("wind,temperature,sky,play\n3,20,sunny,yes\n4,10,white,no\n"))
	fmt.Println(report.Ignored, report.Unseen, err)
	// Output: [wind] map[sky:1] <nil>
}

func ExampleFilter() {
	bins := golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
		f := filters.NewBinningFilter(train, 2)
		for _, a := range base.NonClassFloatAttributes(train) {
			if err := f.AddAttribute(a); err != nil {
				return nil, err
			}
		}
		return f, f.Train()
	})
	p := &golearn.Pipeline{Steps: []golearn.Step{bins}, Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}}
	fmt.Println(p.Fit(parse(weather)), p.Labels())
	// Output: <nil> [no yes]
}

func ExampleBagging() {
	train := parse(weather)
	bag := &golearn.Bagging{
		New:    func() base.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} },
		Models: 25,
		Seed:   1,
	}
	if err := bag.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	pred, err := bag.Predict(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(base.GetClass(pred, 0), base.GetClass(pred, 1))
	// Output:
	// yes no
}

func ExampleRegressionSummary() {
	doses := parse("dose,response\n1,2\n2,4\n3,6\n4,8\n5,10\n6,12\n")
	folds, err := golearn.CrossValidateRegressor(context.Background(), doses, &golearn.Regressor{Estimator: &ridge.Regressor{}}, 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(folds), folds[0].R2 > 0.99)
	fmt.Print(golearn.RegressionSummary{Target: "response", Rows: 3, RMSE: 0.5, MAE: 0.25, NMSE: 0.1, R2: 0.9})
	// Output:
	// 2 true
	// Reference Target Rows RMSE MAE  NMSE
	// ---------------- ---- ---- ---  ----
	// response         3    0.5  0.25 0.1000
	// Overall R2: 0.9000
}

// This example fits the zero Regressor, which uses the search of package selection: it scales columns, fills gaps and chooses a
// kernel.
func ExampleRegressor_zero() {
	train := parse(`dose,sex,response
0,f,0.1
1,m,2.2
2,f,3.9
3,m,6.1
,f,4.2
5,m,9.8
6,f,12.1
7,m,13.9
`)
	reg := &golearn.Regressor{}
	if err := reg.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	pred, err := reg.Predict(parse("sex,dose,response\nf,4,0\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := grids.Targets(pred)
	fmt.Printf("%s %.0f %v\n", reg, y[0], err)
	// Output:
	// golearn.Regressor(*selection.Regressor, fitted on 2 features) 8 <nil>
}

// This example fits a column of text with more than 32 different words, which becomes one column of categories for the search. Each
// street has its own rent. The model is less certain for a new street and for a missing one.
func ExampleRegressor_text() {
	var text strings.Builder
	fmt.Fprintln(&text, "street,size,rent")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		street, size := rng.IntN(60), 30+rng.IntN(80)
		fmt.Fprintf(&text, "Street %d,%d,%d\n", street, size, 200+8*size+street*street%7*60+rng.IntN(20))
	}
	train, err := grids.ParseCSV("rents.csv", strings.NewReader(text.String()), nil) // grids.ReadCSV("rents.csv", nil) reads a file
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := &golearn.Regressor{Estimator: &selection.Regressor{}}
	if err := reg.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reg.Features())
	asked := parse("street,size,rent\nStreet 7,50,0\nStreet 9,50,0\nNew Street,50,0\n,50,0\n")
	low, high, err := reg.PredictInterval(asked, .9)
	for i := range low {
		fmt.Printf("%.0f ± %.0f\n", (low[i]+high[i])/2, (high[i]-low[i])/2)
	}
	seen, _ := reg.Inspect(asked)
	fmt.Println(seen.Unseen, err)
	// Output:
	// [street size]
	// 608 ± 10
	// 847 ± 10
	// 728 ± 135
	// 728 ± 135
	// map[street:2] <nil>
}

func ExampleMissing() {
	train := parse("temperature,play\n21,yes\n,no\n24,yes\n6,no\n")
	for _, m := range []golearn.Missing{golearn.Refuse, golearn.Impute} {
		cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: m}
		fmt.Println(m, cls.Fit(train))
	}
	// Output:
	// Refuse golearn: Classifier: attribute "temperature", row 1 is NaN: set Missing to Impute or Pass
	// Impute <nil>
}
