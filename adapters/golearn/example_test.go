package golearn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/trees"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

// nearest predicts the label of the nearest training row. The examples use it
// where a program would use one of this module's estimators.
type nearest struct {
	x *mat.Dense
	y []int
}

func (n *nearest) Fit(_ context.Context, x mat.Matrix, y []int) error {
	n.x, n.y = mat.DenseCopyOf(x), slices.Clone(y)
	return nil
}

func (n *nearest) Predict(x mat.Matrix) ([]int, error) {
	if n.x == nil {
		return nil, estimators.ErrNotFitted
	}
	rows, _ := x.Dims()
	out := make([]int, rows)
	for i := range out {
		best := math.Inf(1)
		for k := range n.y {
			var d mat.VecDense
			d.SubVec(mat.NewVecDense(len(mat.Row(nil, i, x)), mat.Row(nil, i, x)), n.x.RowView(k))
			if v := d.Norm(2); v < best {
				best, out[i] = v, n.y[k]
			}
		}
	}
	return out, nil
}

func (n *nearest) Classes() []int {
	out := slices.Clone(n.y)
	slices.Sort(out)
	return slices.Compact(out)
}

func (n *nearest) Clone() estimators.Classifier { return &nearest{} }

func (n *nearest) MarshalBinary() ([]byte, error) {
	x, err := n.x.MarshalBinary()
	for _, l := range n.y {
		x = append([]byte{byte(l)}, x...)
	}
	return append([]byte{byte(len(n.y))}, x...), err
}

func (n *nearest) UnmarshalBinary(data []byte) error {
	if len(data) < 1 || len(data) <= int(data[0]) {
		return errors.New("cut short")
	}
	k := int(data[0])
	n.y, n.x = make([]int, k), &mat.Dense{}
	for i := range k {
		n.y[i] = int(data[k-i])
	}
	return n.x.UnmarshalBinary(data[k+1:])
}

// mean predicts the mean of the targets.
type mean struct{ value float64 }

func (m *mean) Fit(_ context.Context, _ mat.Matrix, y []float64) error {
	m.value = 0
	for _, v := range y {
		m.value += v / float64(len(y))
	}
	return nil
}

func (m *mean) Predict(x mat.Matrix) ([]float64, error) {
	rows, _ := x.Dims()
	out := make([]float64, rows)
	for i := range out {
		out[i] = m.value
	}
	return out, nil
}

func (m *mean) Clone() estimators.Regressor { return &mean{} }

// halve is a transformer.
type halve struct{}

func (halve) Fit(context.Context, mat.Matrix) error { return nil }
func (halve) Transform(x mat.Matrix) (*mat.Dense, error) {
	var out mat.Dense
	out.Scale(0.5, x)
	return &out, nil
}
func (halve) Clone() transformers.Transformer { return halve{} }

const weather = `temperature,sky,play
21,sunny,yes
8,grey,no
24,sunny,yes
6,grey,no
19,grey,yes
`

func parse(text string) *base.DenseInstances {
	grid, err := golearn.ParseCSV("weather.csv", strings.NewReader(text), nil)
	if err != nil {
		panic(err)
	}
	return grid
}

func ExampleClassifier() {
	train := parse(weather)
	cls := &golearn.Classifier{Estimator: &nearest{}}
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
	// [temperature sky=sunny sky=grey]
	// 1
}

// A saved model predicts a row that has no class.
func ExampleClassifier_Save() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather.model")
	cls := &golearn.Classifier{Estimator: &nearest{}}
	if err := errors.Join(cls.Fit(parse(weather)), cls.Save(path)); err != nil {
		fmt.Println(err)
		return
	}

	again := &golearn.Classifier{Estimator: &nearest{}}
	if err := again.Load(path); err != nil {
		fmt.Println(err)
		return
	}
	row, err := golearn.ParseCSV("row", strings.NewReader("sky,temperature\nsunny,20\n"), &golearn.CSVOptions{NoClass: true})
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
	train, err := golearn.TargetGrid(x, []string{"dose"}, "response", []float64{2, 4, 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := &golearn.Regressor{Estimator: &mean{}}
	if err := reg.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	pred, err := reg.Predict(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := golearn.Targets(pred)
	fmt.Println(reg.Target(), y, err)
	// Output: response [4 4 4] <nil>
}

func ExamplePipeline() {
	p := &golearn.Pipeline{
		Steps: []golearn.Step{
			golearn.Transform(halve{}),
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
	p := &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(halve{})}, Final: &golearn.Classifier{Estimator: &nearest{}}}
	fmt.Println(p.Fit(parse(weather)), p.Labels())
	// Output: <nil> [yes no]
}

func ExampleStep() {
	scale := golearn.Transform(halve{}) // configuration: it may stand in many pipelines
	a := &golearn.Pipeline{Steps: []golearn.Step{scale}, Final: &golearn.Classifier{Estimator: &nearest{}}}
	b := &golearn.Pipeline{Steps: []golearn.Step{scale, scale}, Final: trees.NewID3DecisionTree(0)}
	fmt.Println(a.Fit(parse(weather)), b.Fit(parse(weather)))
	// Output: <nil> <nil>
}

func ExampleInspection() {
	cls := &golearn.Classifier{Estimator: &nearest{}}
	if err := cls.Fit(parse(weather)); err != nil {
		fmt.Println(err)
		return
	}
	report, err := cls.Inspect(parse("wind,temperature,sky,play\n3,20,sunny,yes\n4,10,white,no\n"))
	fmt.Println(report.Ignored, report.Unseen, err)
	// Output: [wind] map[sky:1] <nil>
}

func ExampleCSVOptions() {
	text := "1;20.5;-\n2;-;3\n"
	grid, err := golearn.ParseCSV("numbers", strings.NewReader(text), &golearn.CSVOptions{
		NoHeader: true, Comma: ';', Class: "0", Categorical: []string{"0"}, Missing: []string{"-"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, columns, err := golearn.Matrix(grid, nil)
	fmt.Println(columns, mat.Row(nil, 0, x), mat.Row(nil, 1, x), err)
	// Output: [1 2] [20.5 NaN] [NaN 3] <nil>
}

func ExampleSplit() {
	train, test, err := golearn.Split(parse(weather), 0.4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, n := train.Size()
	_, m := test.Size()
	fmt.Println(n, m)
	// Output: 3 2
}

func ExampleLabelledGrid() {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	grid, err := golearn.LabelledGrid(x, []string{"a", "b"}, "class", []string{"no", "yes", "no"})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, labels, err := golearn.Labels(grid)
	fmt.Println(y, labels, err)
	// Output: [0 1 0] [no yes] <nil>
}
