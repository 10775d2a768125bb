// Zeros compares two objectives of shape.Search on targets of which many are equal: the log evidence and the leave-one-out error.
// The sets are tables of R packages, in a clone of a public repository:
//
//	git clone https://github.com/vincentarelbundock/Rdatasets
//	go run -C measurements ./zeros -rdatasets Rdatasets
//
// None of them is in a collection of the benchmark. A Matérn kernel with ν = 5/2 learns a length for each standardised column of up
// to 800 rows, and predicts the others.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() { cli.Main("zeros", run) }

const (
	fitRows   = 800
	manyEqual = .4 // as in package shape

	nmse       = "NMSE"
	logDensity = "log density"
)

// task is a target of a table, without the columns that contain it.
type task struct{ set, target, dropped string }

var tasks = []task{
	{"AER/Affairs", "affairs", ""}, {"AER/Affairs", "rating", ""},
	{"AER/DoctorVisits", "visits", ""}, {"AER/DoctorVisits", "illness", ""}, {"AER/DoctorVisits", "reduced", ""},
	{"AER/RecreationDemand", "trips", ""}, {"AER/RecreationDemand", "quality", ""},
	{"COUNT/badhealth", "numvisit", ""},
	{"Ecdat/Mroz", "hearnw", "work hoursw wagew"},
	{"Ecdat/Tobacco", "stobacco", ""}, {"Ecdat/Tobacco", "salcohol", ""},
	{"Ecdat/Workinghours", "hours", ""}, {"Ecdat/Workinghours", "owned", "mortgage"},
	{"pscl/bioChemists", "art", ""},
	{"wooldridge/bwght", "cigs", "packs"},
	{"wooldridge/charity", "gift", "respond"}, {"wooldridge/charity", "respond", "gift"},
	{"wooldridge/crime1", "narr86", "nfarr86 nparr86"}, {"wooldridge/crime1", "black", "hispan"}, {"wooldridge/crime1", "durat", ""},
	{"wooldridge/crime1", "avgsen", "tottime"},
	{"wooldridge/fringe", "pension", "annbens hrbens vacdays sicklve insur beratio peratio vserat"},
	{"wooldridge/fringe", "insur", "annbens hrbens vacdays sicklve pension beratio peratio vserat"},
	{"wooldridge/fringe", "union", ""},
	{"wooldridge/mroz", "hours", "inlf wage repwage lwage"},
	{"wooldridge/mroz", "inlf", "hours wage repwage lwage"}, {"wooldridge/mroz", "kidslt6", ""},
	{"wooldridge/smoke", "cigs", ""}, {"wooldridge/smoke", "restaurn", ""},
}

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("zeros", "zeros compares objectives on targets of which many are equal.", out)
	dir := flags.String("rdatasets", "", "the `folder` of a clone of github.com/vincentarelbundock/Rdatasets")
	splits := flags.Int("splits", 3, "random splits")
	seed := flags.Uint64("seed", 7, "of the splits")
	flags.AtLeast(1, "splits")
	flags.Reads("rdatasets")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("want -rdatasets")
	}
	fmt.Fprintf(out, "| set | target | share of one value | NMSE | with the leave-one-out error | log density | with the leave-one-out error |\n|%s\n",
		strings.Repeat("---|", 7))
	ratios, gains := map[bool][]float64{}, map[bool][]float64{}
	for _, t := range tasks {
		rows, err := table.ReadCSV(filepath.Join(*dir, "csv", t.set+".csv"),
			&table.Options{Target: t.target, Task: table.Regression, Drop: append(strings.Fields(t.dropped), "rownames")})
		if err != nil {
			return err
		}
		share := distinct.MostCommon(rows.Targets, nil)
		evidence, err := score(ctx, rows, shape.RestrictedEvidence, *splits, *seed)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", t.set, t.target, err)
		}
		left, err := score(ctx, rows, shape.LeaveOneOutError, *splits, *seed)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", t.set, t.target, err)
		}
		fmt.Fprintf(out, "| %s | %s | %.2f | %.3f | %.3f | %.3f | %.3f |\n", t.set, t.target, share, evidence.Mean(nmse), left.Mean(nmse),
			evidence.Mean(logDensity), left.Mean(logDensity))
		many := share >= manyEqual
		ratios[many] = append(ratios[many], math.Log(left.Mean(nmse)/evidence.Mean(nmse)))
		gains[many] = append(gains[many], left.Mean(logDensity)-evidence.Mean(logDensity))
	}
	fmt.Fprint(out, "\n| share of one value | targets | geometric mean ratio of NMSE | median gain of the log density |\n|---|---|---|---|\n")
	for _, many := range []bool{true, false} {
		slices.Sort(gains[many])
		name := fmt.Sprintf("less than %g", manyEqual)
		if many {
			name = fmt.Sprintf("at least %g", manyEqual)
		}
		fmt.Fprintf(out, "| %s | %d | %.3f | %.3f |\n", name, len(ratios[many]), math.Exp(stat.Mean(ratios[many], nil)),
			stat.Quantile(.5, stat.LinInterp, gains[many], nil))
	}
	return nil
}

// score returns the mean scores over random splits.
func score(ctx context.Context, rows *table.Table, objective shape.Objective, splits int, seed uint64) (validation.Scores, error) {
	model := &selection.Regressor{
		Preprocess: []transformers.Transformer{&columnwise.Imputer{Statistic: columnwise.Median}, &scalers.StandardScaler{Clip: true}},
		Space:      selection.Kernels[estimators.Regressor](nil, families.Matern{Nu: 2.5}),
		Search:     &shape.Search{Objective: objective},
	}
	return validation.CrossValidateRegressor(ctx, model, rows.X, rows.Targets, &validation.Options{
		Splitter: validation.ShuffleSplit{Splits: splits, TestFraction: max(.25, 1-fitRows/float64(rows.Rows())), Seed: seed},
		Metrics: []metrics.Metric{
			{Name: nmse, Values: metrics.NMSE},
			{Name: logDensity, LargerIsBetter: true, Variance: metrics.LogDensity},
		},
	})
}
