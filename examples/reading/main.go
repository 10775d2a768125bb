// Reading shows how to interpret a fitted model. It prints and draws:
//
//   - the columns that its predictions need (permutation importance), and the contribution of each column to one prediction
//     (Shapley values);
//   - whether more rows or another setting would help (learning and validation curves);
//   - how well scores separate classes (ROC, precision against recall), and whether probabilities are calibrated (reliability).
//
// The pictures are written to a folder:
//
//	go run ./examples/reading -out docs
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() { cli.Main("reading", run) }

// program holds the common settings of all parts.
type program struct {
	dir      string
	seed     uint64
	out      io.Writer
	progress io.Writer
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("reading", "reading shows how to read a fitted model: importances, learning curves, ROC curves and reliability.",
		out)
	dir := flags.String("out", "", "`folder` for the pictures; empty: none")
	seed := flags.Uint64("seed", 1, "of splits and draws")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p := program{*dir, *seed, out, progress}
	for _, part := range []func(context.Context) error{p.columns, p.curves, p.classes} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bar returns an Observe function that draws a progress bar with the given name.
func (p program) bar(name string) func(estimators.Step) {
	bar := progressbar.New(p.progress, name, 0)
	return func(s estimators.Step) {
		bar.Set(s.Done, s.Message)
		if s.Done == 1 {
			bar.Finish()
		}
	}
}

// save draws a picture, if an output folder is set.
func (p program) save(name string, draw func(path string) error) error {
	if p.dir == "" {
		return nil
	}
	path := filepath.Join(p.dir, "reading-"+name+".png")
	if err := draw(path); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.out, "picture: %s\n\n", path)
	return err
}

// machine returns a pipeline with a kernel machine of the given gamma.
func machine(gamma float64) estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &lssvm.Regressor{Kernel: kernels.RBF{Gamma: gamma}}}
}

const gamma = 0.02

// columns prints which columns the predictions of diabetes progression need, and the contribution of each column to one prediction.
func (p program) columns(ctx context.Context) error {
	set, err := dataset.Open("", "diabetes-progression")
	if err != nil {
		return err
	}
	n, _ := set.X.Dims()
	folds, err := validation.Split(validation.ShuffleSplit{Splits: 1, Seed: p.seed}, n, nil)
	if err != nil {
		return err
	}
	x, y, _ := set.Rows(folds[0].Train)
	test, truth, _ := set.Rows(folds[0].Test)
	model := machine(gamma)
	if err := model.Fit(ctx, x, y); err != nil {
		return err
	}
	r, err := inspection.RegressorImportances(ctx, model, test, truth,
		&inspection.ImportanceOptions{Names: set.Columns, Seed: p.seed, Repeats: 30, Observe: p.bar("importance")})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "progression of diabetes, %d held-out rows\n\n%v\n", len(truth), r)
	if err := p.save("importance", func(path string) error { return effectplot.SaveImportances(r, path) }); err != nil {
		return err
	}
	var effects []inspection.Effect
	for _, c := range r.Columns[:3] {
		e, err := inspection.RegressorEffect(ctx, model, x, c.Columns[0], &inspection.Options{Names: set.Columns, Spread: true, Level: 0.8})
		if err != nil {
			return err
		}
		effects = append(effects, e)
	}
	if err := p.save("effects", func(path string) error { return effectplot.SaveEffects(effects, set.Target, path) }); err != nil {
		return err
	}
	e, err := inspection.Explain(ctx, model, test.RawRowView(0), x, &inspection.ExplainOptions{Names: set.Columns, Seed: p.seed})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "the first held-out row\n\n%v\n", e)
	return p.save("reasons", func(path string) error { return effectplot.SaveWaterfall(e, set.Target, path) })
}

// curves prints how the error falls with the number of rows, and how it depends on the length of the kernel.
func (p program) curves(ctx context.Context) error {
	set, err := dataset.Open("", "diabetes-progression")
	if err != nil {
		return err
	}
	opt := &inspection.CurveOptions{Splitter: validation.KFold{Folds: 5, Seed: p.seed}, Seed: p.seed, Observe: p.bar("learning curve")}
	learning, err := inspection.RegressorLearningCurve(ctx, machine(gamma), set.X, set.Y,
		[]int{20, 40, 80, 160, 320}, opt)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%v\n", learning)
	if err := p.save("learning", func(path string) error { return effectplot.SaveCurve(learning, path) }); err != nil {
		return err
	}
	opt.Observe = p.bar("validation curve")
	width := inspection.Setting{Name: "gamma", Values: []float64{0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}}
	validation, err := inspection.RegressorValidationCurve(ctx, width, machine, set.X, set.Y, opt)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%v\n", validation)
	return p.save("validation", func(path string) error { return effectplot.SaveCurve(validation, path) })
}

const (
	trainRows, testRows = 400, 2000
	width, kinds        = 4, 3
)

// classes prints how well three overlapping classes are separated, and whether probabilities are calibrated.
func (p program) classes(ctx context.Context) error {
	x, y := dataset.Clusters(trainRows+testRows, width, kinds, 3, 1, p.seed)
	train, test, truth := x.Slice(0, trainRows, 0, width), x.Slice(trainRows, trainRows+testRows, 0, width), y[trainRows:]
	var bins [][]metrics.Bin
	var names []string
	for _, learner := range []struct {
		name string
		estimators.Classifier
	}{{"lssvm", &lssvm.Classifier{}}, {"eem", &eem.KernelClassifier{}}} {
		if err := learner.Fit(ctx, train, y[:trainRows]); err != nil {
			return err
		}
		proba, err := learner.Classifier.(estimators.ProbaPredictor).PredictProba(test)
		if err != nil {
			return err
		}
		of, err := metrics.Calibration(truth, 1, mat.Col(nil, 1, proba), 10, metrics.EqualWidth)
		if err != nil {
			return err
		}
		bins, names = append(bins, of), append(names, learner.name)
		fmt.Fprintf(p.out, "%s, probabilities of class 1: off by %.3f\n", learner.name, metrics.CalibrationError(of))
		if len(bins) > 1 {
			continue
		}
		rocs, err := metrics.ROCOfScores(truth, learner.Classes(), proba, nil)
		if err != nil {
			return err
		}
		found, err := metrics.PrecisionRecallOfScores(truth, learner.Classes(), proba, nil)
		if err != nil {
			return err
		}
		for i, c := range rocs {
			fmt.Fprintf(p.out, "class %d: area %.3f, average precision %.3f (chance %.3f)\n", c.Class, c.Area, found[i].AveragePrecision,
				found[i].Base)
		}
		if err := p.save("roc", func(path string) error { return effectplot.SaveROC(rocs, nil, path) }); err != nil {
			return err
		}
		if err := p.save("precision", func(path string) error { return effectplot.SavePrecisionRecall(found, nil, path) }); err != nil {
			return err
		}
	}
	return p.save("reliability", func(path string) error { return effectplot.SaveReliability(bins, names, 0, path) })
}
