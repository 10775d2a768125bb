// Selector compares two searches for a kernel parameter, by entropy and by a grid, on regression and classification sets. It prints
// the test error and the numbers of learner fits, kernel matrices and seconds. The learner is the least-squares SVM (balanced, for
// classes) or the one that -learner names.
//
// The sets are read from -data DIR, a folder of CSV files with the target last. Words are one-hot encoded, missing values are
// replaced with the training median, and rows without a target are dropped. Without -data the command uses the sets that the
// repository ships. It then also shows all decisions of two searches, one on a small set and one on -large rows, and compares
// kernels with one and two length scales on the carbon dioxide record.
//
//	go run -C measurements ./selector
//	go run -C measurements ./selector -large 100000 -out ../docs/measured
//	go run -C measurements ./selector -data DIR
//	go run -C measurements ./selector -data DIR -sets heart,sonar -family poly
//	go run -C measurements ./selector -data DIR -learner rvm
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	shippedSets = "diabetes-progression,breast-cancer-wdbc"
	// paperSets lists the available regression sets of the entropy paper, without abalone, whose size makes the grid slow.
	paperSets = "airquality,auto,auto-mpg,boston,breast-prognostic,energy,prostate,slump,student,triazines,yacht"
)

// preprocessing is a scaling of the columns.
type preprocessing struct {
	name  string
	steps func() []transformers.Transformer
}

var preprocessings = []preprocessing{
	{"z-score", func() []transformers.Transformer {
		return []transformers.Transformer{&scalers.StandardScaler{}}
	}},
	{"rms, unit rows", func() []transformers.Transformer {
		return []transformers.Transformer{&scalers.RMSScaler{}, &scalers.UnitRows{}}
	}},
}

func main() { cli.Main("selector", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("selector",
		"selector compares two searches for a kernel, by entropy and by a grid: errors, fits, kernel matrices and seconds.", out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	names := flags.String("sets", "", "comma separated names; empty: the regression sets of the entropy paper, or what is shipped")
	splits := flags.Int("splits", 10, "75/25 splits")
	seed := flags.Uint64("seed", 1, "of the splits")
	family := flags.String("family", "default",
		"default: RBF for the grid, and what an Entropy takes by itself, RBF and Matérn 5/2; rbf, both or poly: the same for both")
	chosenLearner := flags.String("learner", "lssvm", "lssvm, rvm, svm, or for classes alone eekm")
	metric := flags.String("metric", "accuracy", "what the grid maximises for classes: accuracy or gmean")
	large := flags.Int("large", 20_000, "rows of the large search that is shown without -data; 0: none are shown")
	pictures := flags.String("out", "", "`folder` for pictures of the searches that are shown")
	flags.AtLeast(1, "splits")
	flags.AtLeast(0, "large")
	flags.Reads("data")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	shown := *dir == "" && *large != 0
	if shown && *large < 2 {
		return fmt.Errorf("-large %d: want at least 2 rows, or 0", *large)
	}
	var classes metrics.Metric // zero value: accuracy
	switch *metric {
	case "accuracy":
	case "gmean":
		classes = metrics.Metric{Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean}
	default:
		return fmt.Errorf("-metric %s: want accuracy or gmean", *metric)
	}
	if *names == "" {
		*names = shippedSets
		if *dir != "" {
			*names = paperSets
		}
	}
	rbf, poly, matern := families.RBF{}, families.Polynomial{}, families.Matern{Nu: 2.5}
	families := map[string][2][]families.Family{ // families for the entropy and for the grid
		"default": {nil, {rbf}}, "rbf": {{rbf}, {rbf}}, "both": {{rbf, matern}, {rbf, matern}}, "poly": {{poly}, {poly}},
	}
	chosen, ok := families[*family]
	if !ok {
		return fmt.Errorf("-family %s: want default, rbf, both or poly", *family)
	}
	at := slices.IndexFunc(learners, func(l learner) bool { return l.name == *chosenLearner })
	if at < 0 {
		return fmt.Errorf("-learner %s: want lssvm, rvm, svm or eekm", *chosenLearner)
	}
	var regression, classification []*dataset.Set
	for _, name := range strings.Split(*names, ",") {
		set, err := dataset.Open(*dir, name)
		if err != nil {
			return err
		}
		if set.Y != nil && learners[at].regressor == nil {
			return fmt.Errorf("%s: its target is a number, and -learner %s is for classes", set.Name, *chosenLearner)
		}
		if set.Y != nil {
			regression = append(regression, set)
		} else {
			classification = append(classification, set)
		}
	}
	bar := progressbar.New(progress, "splits", (len(regression)+len(classification))*len(preprocessings)**splits)
	c := comparison{ctx: ctx, metric: classes, learner: learners[at], families: chosen[0], grid: chosen[1], splits: *splits, seed: *seed,
		done: func() { bar.Add(1) }}
	var tables strings.Builder // printed after the progress bar has finished
	if err := c.regression(&tables, regression); err != nil {
		return err
	}
	if err := c.classification(&tables, classification); err != nil {
		return err
	}
	bar.Finish()
	if _, err := fmt.Fprint(out, tables.String()); err != nil || !shown {
		return err
	}
	if err := show(ctx, out, *large, *pictures); err != nil {
		return err
	}
	return twoScales(ctx, out, *seed)
}

// comparison holds the settings of a run of the program.
type comparison struct {
	ctx     context.Context
	learner learner
	metric  metrics.Metric // for the grid, on classes
	// families are the kernels for the entropy search, or nil for its default kernels. grid holds the kernels for the grid.
	families, grid []families.Family
	splits         int
	seed           uint64
	done           func() // called after each split
}

func (c comparison) regression(out io.Writer, sets []*dataset.Set) error {
	if len(sets) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "set\trows\tscaling\tE\tNMSE entropy\tNMSE grid\tratio\tfits\tgrid\tmatrices\tgrid\tseconds\tgrid\t")
	logs := make([]float64, len(preprocessings)) // sums of log ratios
	var total pair
	for _, set := range sets {
		n, _ := set.X.Dims()
		for i, p := range preprocessings {
			t, err := c.compare(set, p, c.learner.regress)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", set.Name, p.name, err)
			}
			ratio := t.entropy.scores[0] / t.grid.scores[0]
			logs[i] += math.Log(ratio)
			fmt.Fprintf(table, "%s\t%d\t%s\t%.2f\t%.4f\t%.4f\t%.3f\t%s\n", set.Name, n, p.name, t.entropy.e, t.entropy.scores[0],
				t.grid.scores[0],
				ratio, t.costs())
			total.add(t)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	c.explain(out)
	all := 0.0
	for i, p := range preprocessings {
		fmt.Fprintf(out, "geometric mean of the ratio, %-16s %.4f\n", p.name+":", math.Exp(logs[i]/float64(len(sets))))
		all += logs[i]
	}
	fmt.Fprintf(out, "geometric mean of the ratio, both:            %.4f\n", math.Exp(all/float64(len(sets)*len(preprocessings))))
	total.print(out)
	return nil
}

func (c comparison) classification(out io.Writer, sets []*dataset.Set) error {
	if len(sets) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "set\trows\tscaling\tE\taccuracy entropy\tgrid\tGMean entropy\tgrid\tfits\tgrid\tmatrices\tgrid\tseconds\tgrid\t")
	var sums [4]float64
	var total pair
	for _, set := range sets {
		n, _ := set.X.Dims()
		for _, p := range preprocessings {
			t, err := c.compare(set, p, c.learner.classify)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", set.Name, p.name, err)
			}
			row := [4]float64{t.entropy.scores[0], t.grid.scores[0], t.entropy.scores[1], t.grid.scores[1]}
			for i, v := range row {
				sums[i] += v
			}
			fmt.Fprintf(table, "%s\t%d\t%s\t%.2f\t%.4f\t%.4f\t%.4f\t%.4f\t%s\n", set.Name, n, p.name, t.entropy.e, row[0], row[1], row[2],
				row[3],
				t.costs())
			total.add(t)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	c.explain(out)
	k := float64(len(sets) * len(preprocessings))
	fmt.Fprintf(out, "mean accuracy    %.4f against %.4f\n", sums[0]/k, sums[1]/k)
	fmt.Fprintf(out, "mean GMean       %.4f against %.4f\n", sums[2]/k, sums[3]/k)
	total.print(out)
	return nil
}

func (c comparison) explain(out io.Writer) {
	fmt.Fprintf(out, "\n%d splits; E is the mean entropy chosen; fits, matrices and seconds are sums over the splits. A matrix is "+
		"one\nthat the search made, or one for each fit.\n\n", c.splits)
}
