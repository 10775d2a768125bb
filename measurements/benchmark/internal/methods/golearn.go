package methods

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/naive"
	"github.com/sjwhitworth/golearn/trees"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
)

const (
	id3Prune  = 0.6 // share of rows that golearn's examples use for pruning
	treeDepth = 10
	bayesBins = 6
)

// OfGolearn lists the methods of golearn that need no C compiler. Some draw random numbers without a seed, or iterate over maps in
// an order that differs from run to run.
var OfGolearn = append([]Method{
	{
		Name: "golearn-id3", Source: GolearnSource, Unrepeatable: true,
		Configuration: fmt.Sprintf("golearn's ID3DecisionTree(%v)", id3Prune),
		classifier: func(uint64) estimators.Classifier {
			return &golearnClassifier{build: func(int) base.Classifier { return trees.NewID3DecisionTree(id3Prune) }}
		},
	},
	{
		Name: "golearn-cart", Source: GolearnSource,
		Configuration: fmt.Sprintf("golearn's CART trees, depth %d, Gini or squared error", treeDepth),
		Regressor:     func(uint64) estimators.Regressor { return &golearnTreeRegressor{} },
		classifier:    func(uint64) estimators.Classifier { return &golearnTreeClassifier{} },
	},
	{
		Name: "golearn-bayes", Source: GolearnSource,
		Configuration: fmt.Sprintf("golearn's BernoulliNBClassifier on columns of %d bins of equal width", bayesBins),
		classifier: func(uint64) estimators.Classifier {
			return &golearnClassifier{build: func(int) base.Classifier {
				return &golearn.Pipeline{Steps: []golearn.Step{golearn.Filter(binning), golearn.Filter(binary)},
					Final: naive.NewBernoulliNBClassifier()}
			}}
		},
	},
}, golearnCgoMethods...)

func binning(train base.FixedDataGrid) (base.Filter, error) {
	f := filters.NewBinningFilter(train, bayesBins)
	for _, a := range base.NonClassFloatAttributes(train) {
		if err := f.AddAttribute(a); err != nil {
			return nil, err
		}
	}
	return f, f.Train()
}

func binary(train base.FixedDataGrid) (base.Filter, error) {
	f := filters.NewBinaryConvertFilter()
	for _, a := range train.AllAttributes() {
		if err := f.AddAttribute(a); err != nil {
			return nil, err
		}
	}
	return f, f.Train()
}

// golearnClassifier adapts a classifier of golearn to our estimators. Within golearn.Pipeline it accepts rows without a class.
type golearnClassifier struct {
	build   func(columns int) base.Classifier
	numbers bool // set if the classifier accepts and returns the classes as numbers from 0

	fitted  *golearn.Pipeline
	classes []int
	names   []string // names of the columns
}

func (g *golearnClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	_, d := x.Dims()
	names, classes := columnNames(d), classesOf(y)
	grid, err := g.grid(x, names, classes, y)
	if err != nil {
		return err
	}
	fitted := &golearn.Pipeline{Final: g.build(d)}
	if err := fitted.FitContext(ctx, grid); err != nil {
		return err
	}
	g.fitted, g.classes, g.names = fitted, classes, names
	return nil
}

func (g *golearnClassifier) grid(x mat.Matrix, names []string, classes, y []int) (base.FixedDataGrid, error) {
	if g.numbers {
		return grids.TargetGrid(x, names, "class", positions(classes, y))
	}
	labels := make([]string, len(y))
	for i, v := range y {
		labels[i] = strconv.Itoa(v)
	}
	return grids.LabelledGrid(x, names, "class", labels)
}

func (g *golearnClassifier) Predict(x mat.Matrix) ([]int, error) {
	grid, err := grids.FeatureGrid(x, g.names)
	if err != nil {
		return nil, err
	}
	predicted, err := g.fitted.Predict(grid)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	out := make([]int, n)
	if g.numbers {
		at, err := grids.Targets(predicted)
		if err != nil {
			return nil, err
		}
		for i, v := range at {
			out[i] = g.classes[int(v)]
		}
		return out, nil
	}
	for i := range out {
		if out[i], err = strconv.Atoi(base.GetClass(predicted, i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g *golearnClassifier) Classes() []int { return slices.Clone(g.classes) }

// Clone returns an unfitted copy. The default copy of exported fields would lose the settings.
func (g *golearnClassifier) Clone() estimators.Classifier {
	return &golearnClassifier{build: g.build, numbers: g.numbers}
}

func columnNames(d int) []string {
	out := make([]string, d)
	for j := range out {
		out[j] = "x" + strconv.Itoa(j)
	}
	return out
}

func classesOf(y []int) []int {
	out := slices.Clone(y)
	slices.Sort(out)
	return slices.Compact(out)
}

// positions returns each label as a number from 0, its index in classes.
func positions(classes, y []int) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = float64(slices.Index(classes, v))
	}
	return out
}

// golearnTreeRegressor adapts golearn's CART tree, which returns a slice where the other models return a grid.
type golearnTreeRegressor struct {
	tree  *trees.CARTDecisionTreeRegressor
	names []string
}

func (g *golearnTreeRegressor) Fit(_ context.Context, x mat.Matrix, y []float64) error {
	_, d := x.Dims()
	names := columnNames(d)
	grid, err := grids.TargetGrid(x, names, "target", y)
	if err != nil {
		return err
	}
	tree := trees.NewDecisionTreeRegressor("mse", treeDepth)
	if err := tree.Fit(grid); err != nil {
		return err
	}
	g.tree, g.names = tree, names
	return nil
}

func (g *golearnTreeRegressor) Predict(x mat.Matrix) ([]float64, error) {
	grid, err := grids.FeatureGrid(x, g.names)
	if err != nil {
		return nil, err
	}
	return g.tree.Predict(grid), nil
}

// golearnTreeClassifier adapts golearn's CART tree for classes, which accepts them as numbers from 0.
type golearnTreeClassifier struct {
	tree    *trees.CARTDecisionTreeClassifier
	names   []string
	classes []int
}

func (g *golearnTreeClassifier) Fit(_ context.Context, x mat.Matrix, y []int) error {
	_, d := x.Dims()
	names, classes := columnNames(d), classesOf(y)
	grid, err := grids.TargetGrid(x, names, "class", positions(classes, y))
	if err != nil {
		return err
	}
	labels := make([]int64, len(classes))
	for i := range labels {
		labels[i] = int64(i)
	}
	tree := trees.NewDecisionTreeClassifier(trees.GINI, treeDepth, labels)
	if err := tree.Fit(grid); err != nil {
		return err
	}
	g.tree, g.names, g.classes = tree, names, classes
	return nil
}

func (g *golearnTreeClassifier) Predict(x mat.Matrix) ([]int, error) {
	grid, err := grids.FeatureGrid(x, g.names)
	if err != nil {
		return nil, err
	}
	at := g.tree.Predict(grid)
	out := make([]int, len(at))
	for i, v := range at {
		out[i] = g.classes[v]
	}
	return out, nil
}

func (g *golearnTreeClassifier) Classes() []int { return slices.Clone(g.classes) }
