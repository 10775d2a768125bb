// Shape fits the zero selection.Regressor, which fits a length for each column, and shows its result: the table of the search, the
// relevance of each column, and pictures of the relevances and of the effects of the most relevant columns. It compares the error
// on test rows with that of a single length for all standardised columns, chosen by entropy on the same split.
//
// The sets are read from -data DIR, a folder of CSV files with the target in the last column. Gaps are filled with the training
// median. Without the flag the program uses a set that the repository ships.
//
//	go run ./examples/shape -out DIR
//	go run ./examples/shape -data DIR -sets boston,california-housing -out DIR
package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // for a faster BLAS
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	shippedSets = "diabetes-progression"
	namedSets   = "boston,california-housing"
)

func main() { cli.Main("shape", run) }

// program holds the values of the flags.
type program struct {
	out, progress io.Writer
	pictures      string
	rows, effects int
	seed          uint64
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	p := program{out: out, progress: progress}
	flags := cli.NewFlags("shape", "shape learns a length for each column and shows which columns are relevant.", out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	names := flags.String("sets", "", "comma-separated names of regression sets; empty: "+namedSets+", or "+shippedSets+" without -data")
	flags.StringVar(&p.pictures, "out", "", "`folder` for the pictures; empty: none are drawn")
	flags.IntVar(&p.rows, "rows", 2000, "largest number of training rows, at least 3")
	flags.IntVar(&p.effects, "effects", 6, "largest number of columns with a picture of their effect")
	flags.Uint64Var(&p.seed, "seed", 1, "of the split")
	flags.AtLeast(3, "rows")
	flags.AtLeast(1, "effects")
	flags.Reads("data")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *names == "" {
		*names = shippedSets
		if *dir != "" {
			*names = namedSets
		}
	}
	var sets []*dataset.Set
	for _, name := range strings.Split(*names, ",") {
		set, err := dataset.Open(*dir, name)
		if err != nil {
			return err
		}
		if set.Y == nil {
			return fmt.Errorf("%s: its target is a class, want a number", name)
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		if err := p.show(ctx, set); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

// show fits models to some rows of a set and prints the results.
func (p program) show(ctx context.Context, set *dataset.Set) error {
	n, d := set.X.Dims()
	folds, err := validation.ShuffleSplit{Splits: 1, Seed: p.seed}.Split(n, nil)
	if err != nil {
		return err
	}
	train := folds[0].Train // rows in the order of the file, which may be sorted
	if len(train) > p.rows {
		order := rand.New(rand.NewPCG(p.seed, 0)).Perm(len(train))
		drawn := make([]int, p.rows)
		for i := range drawn {
			drawn[i] = train[order[i]]
		}
		train = drawn
	}
	x, y, _ := set.Rows(train)
	testX, testY, _ := set.Rows(folds[0].Test)
	if x, testX, err = dataset.Impute(x, testX); err != nil { // a machine with a single length does not support gaps
		return err
	}
	fmt.Fprintf(p.out, "%s: %s from %d columns, %d rows to train, %d to test on\n\n", set.Name, set.Target, d, len(y), len(testY))

	bar := progressbar.New(p.progress, "shape", 0)
	step := func(what string) {
		bar.Describe(set.Name + ": " + what)
		bar.Add(1)
	}
	observe := func(row search.TraceRow) {
		if row.Step != nil { // a step of a fit for many rows, between steps of the search
			step(row.Decision())
			return
		}
		step(fmt.Sprintf("search, step %d", row.Iteration))
	}
	learnt := &selection.Regressor{Observe: observe}
	one := &selection.Regressor{
		Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Search: &entropy.Search{}, Observe: observe,
	}
	if err := learnt.Fit(ctx, x, y); err != nil {
		return err
	}
	if err := one.Fit(ctx, x, y); err != nil {
		return err
	}
	opt := &inspection.Options{Names: set.Columns, Observe: func(s estimators.Step) { step("effects, " + s.Message) }}
	relevances, err := inspection.RegressorRelevances(ctx, learnt, x, opt)
	if err != nil {
		return err
	}
	if err := p.draw(ctx, set, learnt, x, relevances, opt); err != nil {
		return err
	}
	bar.Finish()
	fmt.Fprintf(p.out, "%v\n%v\n", learnt.Result(), relevances)
	return p.compare(learnt, one, testX, testY)
}

// compare prints the errors on the test rows.
func (p program) compare(learnt, one *selection.Regressor, x *mat.Dense, y []float64) error {
	table := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "on the test rows\tRMSE\tNMSE\tin the 95% interval\t")
	for _, m := range []struct {
		name  string
		model *selection.Regressor
	}{{"a length for each column", learnt}, {"one length (entropy)", one}} {
		mean, err := m.model.Predict(x)
		if err != nil {
			return err
		}
		low, high, err := m.model.PredictInterval(x, 0.95)
		if err != nil {
			return err
		}
		rmse, err := metrics.RMSE(y, mean, nil)
		if err != nil {
			return err
		}
		nmse, err := metrics.NMSE(y, mean, nil)
		if err != nil {
			return err
		}
		covered, _, err := metrics.Coverage(y, low, high, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%.4g\t%.4f\t%.1f%%\t\n", m.name, rmse, nmse, 100*covered)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.out)
	return err
}

// draw writes the two pictures of a set.
func (p program) draw(ctx context.Context, set *dataset.Set, model *selection.Regressor, x *mat.Dense, relevances inspection.Relevances,
	opt *inspection.Options) error {
	if p.pictures == "" {
		return nil
	}
	var effects []inspection.Effect
	for _, r := range relevances[:min(p.effects, len(relevances))] {
		e, err := inspection.RegressorEffect(ctx, model, x, r.Columns[0], opt)
		if err != nil {
			return err
		}
		effects = append(effects, e)
	}
	at := filepath.Join(p.pictures, "shape-"+set.Name)
	if err := effectplot.SaveRelevances(relevances, at+"-relevances.png"); err != nil {
		return err
	}
	return effectplot.SaveEffects(effects, set.Target, at+"-effects.png")
}
