// Rvm evaluates the relevance vector machine with the ten-split protocol of the table in its specification. It prints the
// classification error or, for regressions, the mean squared error divided by the variance of the test targets. It also prints the
// number of relevance vectors, the seconds of a fit, and the results of kernlab, dlib and others on the same splits.
//
// The protocol is a folder with two files for each set. NAME.csv contains the rows with the target first and no header. Column k of
// NAME.split.csv holds the 1-based training rows of split k.
//
//	go run -C measurements ./papers/rvm -protocol DIR
//
// With -friedman it shows instead how the time of a fit grows with the number of rows. With -rscript it compares this with
// kernlab's time on the same rows. With -large it shows a run with a number of rows n for which an n×n matrix is too large.
//
//	go run -C measurements ./papers/rvm -friedman 250,500,1000,2000
//	go run -C measurements ./papers/rvm -friedman 250,500,1000,2000 -rscript Rscript
//	go run -C measurements ./papers/rvm -large landmarks
//	go run -C measurements ./papers/rvm -large empty
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// set is a set of the protocol with its fixed γ. It also holds the error, the number of relevance vectors and the seconds of the
// other programs.
type set struct {
	name    string
	gamma   float64
	classes bool
	others  string
}

var sets = []set{
	{"sinc", 0.5, false, "kernlab 0.0802 / 8.1 / 0.41, dlib 0.0767 / 7.4 / 0.05"},
	{"prostate", 0.1, false, "kernlab 0.4705 / 3.7 / 0.12, dlib 0.4644 / 4.1 / 0.005"},
	{"airq", 3, false, "kernlab 0.4013 / 5.2 / 0.04, dlib 0.4292 / 4.0 / 0.005"},
	{"airq_imp", 3, false, ""},
	{"boston", 6, false, "kernlab 0.1910 / 26.7 / 1.10, dlib 0.1881 / 29.1 / 3.5"},
	{"pima", 0.05, true, "dlib 0.2224 / 5.8 / 0.25, SVC 0.2143 / 162 / 0.03"},
	{"iono", 0.1, true, "dlib 0.0989 / 18.4 / 3.2, SVC 0.0545 / 101 / 0.02"},
	{"ripley", 2, true, "dlib 0.0944 / 4.7 / 2.6, SVC 0.0960 / 205 / 0.04"},
}

func main() { cli.Main("rvm", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("rvm", "rvm measures the relevance vector machine beside the machines of other libraries, on the same rows.", out)
	sizes := flags.String("friedman", "250,500,1000",
		"comma separated `numbers` of rows of Friedman's first function, without the other tables")
	dir := flags.String("protocol", "", "`folder` of the protocol's files, for its table")
	big := flags.String("large", "", "a fit of many rows: landmarks (50000 rows) or empty (10000 rows from the empty model)")
	rscript := flags.String("rscript", "", "`program` that runs R, for kernlab beside ours in the table of -friedman")
	script := flags.String("script", filepath.Join("benchmark", "peers", "kernlab_rvm.R"), "`file` that it runs")
	flags.Reads("protocol")
	flags.Runs("rscript", "script")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *big != "":
		return large(ctx, out, *big)
	case *dir != "":
		return protocol(ctx, *dir, out, progress)
	}
	var n []int
	for _, text := range strings.Split(*sizes, ",") {
		v, err := strconv.Atoi(text)
		if err != nil || v < 2 {
			return fmt.Errorf("-friedman %s: want numbers of at least 2 rows", *sizes)
		}
		n = append(n, v)
	}
	return growth(ctx, out, n, *rscript, *script)
}

// protocol prints the table.
func protocol(ctx context.Context, dir string, out, progress io.Writer) error {
	bar := progressbar.New(progress, "sets", len(sets))
	var text strings.Builder // printed after the progress bar has finished
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "set\trows\terror\tvectors\tseconds\tothers: error / vectors / seconds")
	inside, tested := 0.0, 0.0
	for _, s := range sets {
		r, err := s.run(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(table, "%s\t%d\t%.4f\t%.1f\t%.3f\t%s\n", s.name, r.rows, r.error, r.vectors, r.seconds, s.others)
		inside, tested = inside+r.inside, tested+r.tested
		bar.Add(1)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&text, "\nmeans of the splits. Nominal 95%% intervals of the regression sets cover %.1f%% of %.0f test rows.\n",
		100*inside/tested, tested)
	bar.Finish()
	_, err := fmt.Fprint(out, text.String())
	return err
}

// result holds the means over the splits of a set, and the number of test rows inside their intervals.
type result struct {
	rows                    int
	error, vectors, seconds float64
	inside, tested          float64
}

func (s set) run(ctx context.Context, dir string) (result, error) {
	data, err := readNumbers(filepath.Join(dir, s.name+".csv"))
	if err != nil {
		return result{}, err
	}
	splits, err := readNumbers(filepath.Join(dir, s.name+".split.csv"))
	if err != nil {
		return result{}, err
	}
	n, _ := data.Dims()
	_, k := splits.Dims()
	out := result{rows: n}
	for j := range k {
		train, test := divide(data, mat.Col(nil, j, splits))
		var one result
		if s.classes {
			one, err = s.classify(ctx, train, test)
		} else {
			one, err = s.regress(ctx, train, test)
		}
		if err != nil {
			return result{}, fmt.Errorf("split %d: %w", j+1, err)
		}
		out.error += one.error / float64(k)
		out.vectors += one.vectors / float64(k)
		out.seconds += one.seconds / float64(k)
		out.inside, out.tested = out.inside+one.inside, out.tested+one.tested
	}
	return out, nil
}

// part holds the rows of one side of a split.
type part struct {
	x *mat.Dense
	y []float64
}

func divide(data *mat.Dense, training []float64) (train, test part) {
	n, d := data.Dims()
	in := make([]bool, n)
	for _, v := range training {
		in[int(v)-1] = true
	}
	for want, p := range map[bool]*part{true: &train, false: &test} {
		var rows []float64
		for i := range n {
			if in[i] == want {
				row := data.RawRowView(i)
				p.y = append(p.y, row[0])
				rows = append(rows, row[1:]...)
			}
		}
		p.x = mat.NewDense(len(p.y), d-1, rows)
	}
	return train, test
}

func (s set) regress(ctx context.Context, train, test part) (result, error) {
	r := &rvm.Regressor{Kernel: kernels.RBF{Gamma: s.gamma}}
	start := time.Now()
	if err := r.Fit(ctx, train.x, train.y); err != nil {
		return result{}, err
	}
	seconds := time.Since(start).Seconds()
	mean, variance, err := r.PredictVariance(test.x)
	if err != nil {
		return result{}, err
	}
	nmse, err := metrics.NMSE(test.y, mean, nil)
	if err != nil {
		return result{}, err
	}
	share, _, err := metrics.NormalCoverage(test.y, mean, variance, 0.95, nil)
	n := float64(len(test.y))
	// In the protocol, the divisor of the variance is n-1, and that of the error is n.
	return result{error: nmse * (n - 1) / n, vectors: float64(len(r.RelevanceIndices())), seconds: seconds, inside: math.Round(share * n),
		tested: n}, err
}

func (s set) classify(ctx context.Context, train, test part) (result, error) {
	c := &rvm.Classifier{Kernel: kernels.RBF{Gamma: s.gamma}}
	start := time.Now()
	if err := c.Fit(ctx, train.x, labels(train.y)); err != nil {
		return result{}, err
	}
	seconds := time.Since(start).Seconds()
	p, err := c.Predict(test.x)
	if err != nil {
		return result{}, err
	}
	accuracy, err := metrics.Accuracy(labels(test.y), p, nil)
	return result{error: 1 - accuracy, vectors: float64(len(c.RelevanceIndices())), seconds: seconds}, err
}

func labels(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

func readNumbers(path string) (*mat.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: no rows", path)
	}
	out := mat.NewDense(len(records), len(records[0]), nil)
	for i, record := range records {
		for j, cell := range record {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: row %d, column %d: %w", path, i+1, j+1, err)
			}
			out.Set(i, j, v)
		}
	}
	return out, nil
}
