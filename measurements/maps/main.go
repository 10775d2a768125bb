// Maps measures the kernel maps of package transformers in three tables:
//
//   - The first compares the inner products of random features with the kernel, for each method of drawing the frequencies.
//   - The second lists the share of the kernel that landmarks do not explain, for each method of choosing them.
//   - The third lists the results of linear ridge regression on the features of all training rows. It compares them with the kernel
//     model, which is fitted to a subset of the rows.
//
// Features are scaled to unit variance. The kernel of the first two tables is the RBF with γ = 1/median squared distance. The
// kernel of the third is the one that the entropy selection chooses on a small number of rows.
//
//	go run -C measurements ./maps
//	go run -C measurements ./maps -data DIR
//	go run -C measurements ./maps -data DIR -tables models -models electricity
package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	shippedSets      = "diabetes-progression,breast-cancer-wdbc"
	defaultLandmarks = "abalone,california-housing,electricity"
	defaultModels    = "california-housing,electricity"
)

func main() { cli.Main("maps", run) }

// settings holds the values of the flags.
type settings struct {
	dir       string
	subset    int // rows of the kernel model
	search    int // rows on which the kernel is chosen
	features  int
	repeats   int
	seed      uint64
	landmarks int // upper limit
}

// table describes a table of the program. print calls done once for each of the steps.
type table struct {
	name  string
	sets  *string
	steps func(sets int) int
	print func(ctx context.Context, out io.Writer, sets []*dataset.Set, s settings, done func()) error
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var s settings
	flags := cli.NewFlags("maps",
		"maps measures how well random features and landmarks approximate a kernel, and what linear regression makes of them.", out)
	flags.StringVar(&s.dir, "data", "", "`folder` of CSV files; empty: the files of the repository")
	names := flags.String("tables", "samplers,landmarks,models", "comma separated: those to print")
	samplers := flags.String("samplers", "", "sets of the table of samplings; empty: as for landmarks")
	landmarks := flags.String("landmarks", "", "sets of the table of landmarks; empty: "+defaultLandmarks+", or what is shipped")
	models := flags.String("models", "", "sets of the table of models; empty: "+defaultModels+", or what is shipped")
	flags.IntVar(&s.subset, "subset", 5000, "training rows of the kernel model")
	flags.IntVar(&s.search, "search", 1000, "training rows on which the models' kernel is chosen")
	flags.IntVar(&s.features, "features", 500, "of the models' maps")
	flags.IntVar(&s.repeats, "repeats", 10, "seeds of the samplings and of the landmarks")
	flags.IntVar(&s.landmarks, "most", 400, "landmarks at most; the table has a quarter and a half of it, too")
	flags.Uint64Var(&s.seed, "seed", 1, "of splits and maps")
	flags.AtLeast(1, "subset", "search", "features", "repeats", "most")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all := []table{{"samplers", samplers, samplerSteps(s), samplerTable}, {"landmarks", landmarks, landmarkSteps(s), landmarkTable},
		{"models", models, modelSteps, modelTable}}
	chosen, sets, steps, err := open(all, *names, s.dir)
	if err != nil {
		return err
	}
	bar := progressbar.New(progress, "steps", steps)
	var text strings.Builder // printed after the progress bar has finished
	for i, t := range chosen {
		if err := t.print(ctx, &text, sets[i], s, func() { bar.Add(1) }); err != nil {
			return err
		}
	}
	bar.Finish()
	_, err = fmt.Fprint(out, text.String())
	return err
}

// open returns the named tables, the sets of each, and the total number of steps.
func open(all []table, names, dir string) (chosen []table, sets [][]*dataset.Set, steps int, err error) {
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, t := range all {
			if t.name != name {
				continue
			}
			found = true
			list := *t.sets
			switch {
			case list == "" && dir == "":
				list = shippedSets
			case list == "" && name == "models":
				list = defaultModels
			case list == "":
				list = defaultLandmarks
			}
			var opened []*dataset.Set
			for _, n := range strings.Split(list, ",") {
				set, err := dataset.Open(dir, n)
				if err != nil {
					return nil, nil, 0, err
				}
				opened = append(opened, set)
			}
			chosen, sets, steps = append(chosen, t), append(sets, opened), steps+t.steps(len(opened))
		}
		if !found {
			return nil, nil, 0, fmt.Errorf("no table %q: samplers, landmarks or models", name)
		}
	}
	return chosen, sets, steps, nil
}

// scaled replaces the missing values of a set and scales its columns to unit variance.
func scaled(ctx context.Context, set *dataset.Set) (*mat.Dense, error) {
	x, _, err := dataset.Impute(set.X, set.X)
	if err != nil {
		return nil, err
	}
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(ctx, x); err != nil {
		return nil, err
	}
	return scaler.Transform(x)
}
