package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// way is a method of fitting lengths, with a kernel.
type way struct {
	name   string
	shape  shape.Search
	family families.Family // nil: that of the program
}

// shapes lists the methods that are compared with one length for all columns.
var shapes = []way{
	{"prior", shape.Search{}, nil},
	{"no prior", shape.Search{NoPrior: true}, nil},
	{"leave-one-out", shape.Search{Objective: shape.LeaveOneOutError}, nil},
}

// kinds lists the kernels that are compared with the program's family. All of them have fitted lengths. The last entry is the
// kernel with the largest evidence.
var kinds = []way{
	{"Matérn 3/2", shape.Search{}, families.Matern{Nu: 1.5}},
	{"RBF", shape.Search{}, families.RBF{}},
	{"rational quadratic", shape.Search{}, families.RationalQuadratic{}},
	{"largest evidence", shape.Search{}, nil},
}

// worse is the ratio above which a run counts as worse than one length.
const worse = 1.1

// comparison holds the settings of one run of the program.
type comparison struct {
	sets        []*dataset.Set
	rows, noise []int
	splits      int
	seed        uint64
	family      families.Family
	ways        []way  // shapes or kinds
	done        func() // called after each size of each split
}

// ofKinds reports whether the kernels of kinds are compared.
func (c *comparison) ofKinds() bool { return &c.ways[0] == &kinds[0] }

// row is a row of the table. It holds the ratios of all runs for each method.
type row struct {
	rows, noise int
	least, most int // training rows
	sets        map[string]bool
	ratios      [][]float64
}

type table struct {
	ways []way
	to   string // reference of the errors
	rows []row
}

// measure fits the kernels for every size of every split of every set. A set with fewer training rows than a size is left out for
// that size.
func (c *comparison) measure(ctx context.Context) (table, error) {
	out := table{ways: c.ways, to: "one length for all columns"}
	if c.ofKinds() {
		out.to = fmt.Sprintf("%v", c.family)
	}
	for _, noise := range c.noise {
		for _, size := range c.rows {
			r := row{rows: size, noise: noise, sets: map[string]bool{}, ratios: make([][]float64, len(c.ways)), least: math.MaxInt}
			for _, set := range c.sets {
				for split := range c.splits {
					if err := c.add(ctx, &r, set, split); err != nil {
						return out, fmt.Errorf("%s, split %d: %w", set.Name, split, err)
					}
					c.done()
				}
			}
			out.rows = append(out.rows, r)
		}
	}
	return out, nil
}

// add fits the kernels to the first rows of a split, which are in random order. The rows of a size are among those of a larger one,
// and the test rows are the same for all sizes.
func (c *comparison) add(ctx context.Context, r *row, set *dataset.Set, split int) error {
	n, _ := set.X.Dims()
	rng := rand.New(rand.NewPCG(c.seed, uint64(split)))
	order := rng.Perm(n)
	testRows, trainRows := order[:n/4], order[n/4:]
	if r.rows > len(trainRows) {
		return nil
	}
	if r.rows != allRows {
		trainRows = trainRows[:r.rows]
	}
	columns := make([]float64, n*r.noise) // drawn for all rows, so that they do not depend on the size
	for i := range columns {
		columns[i] = rng.NormFloat64()
	}
	x, y := c.part(set, trainRows, columns, r.noise)
	x2, y2 := c.part(set, testRows, columns, r.noise)
	_, d := x.Dims()
	base := way{name: "one length", shape: shape.Search{Groups: make([]int, d)}}
	if c.ofKinds() {
		base = way{name: c.family.String()}
	}
	one, evidence, err := c.errorOf(ctx, base, x, x2, y, y2)
	if err != nil {
		return fmt.Errorf("%s: %w", base.name, err)
	}
	best := one
	for i, s := range c.ways {
		e := best
		if !c.ofKinds() || s.family != nil {
			var score float64
			if e, score, err = c.errorOf(ctx, s, x, x2, y, y2); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if score > evidence {
				best, evidence = e, score
			}
		}
		r.ratios[i] = append(r.ratios[i], e/one)
	}
	r.sets[set.Name] = true
	r.least, r.most = min(r.least, len(trainRows)), max(r.most, len(trainRows))
	return nil
}

// part returns the given rows of a set with their columns of noise.
func (c *comparison) part(set *dataset.Set, rows []int, columns []float64, noise int) (*mat.Dense, []float64) {
	x, y, _ := set.Rows(rows)
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d+noise, nil)
	for i, r := range rows {
		copy(out.RawRowView(i), x.RawRowView(i))
		copy(out.RawRowView(i)[d:], columns[r*noise:(r+1)*noise])
	}
	return out, y
}

// errorOf fits a kernel. It returns the mean squared error on the test rows, divided by the variance of their targets, and the
// value of the objective.
func (c *comparison) errorOf(ctx context.Context, w way, x, x2 *mat.Dense, y, y2 []float64) (nmse, score float64, err error) {
	family := c.family
	if w.family != nil {
		family = w.family
	}
	model := &selection.Regressor{
		Preprocess: []transformers.Transformer{&columnwise.Imputer{Statistic: columnwise.Median}, &scalers.StandardScaler{Clip: true}},
		Space:      selection.Kernels[estimators.Regressor](nil, family),
		Search:     &w.shape,
	}
	if err := model.Fit(ctx, x, y); err != nil {
		return 0, 0, err
	}
	p, err := model.Predict(x2)
	if err != nil {
		return 0, 0, err
	}
	nmse, err = metrics.NMSE(y2, p, nil)
	return nmse, model.Result().Score, err
}

// print writes the geometric means over the sets, and the number of runs that were worse than one length by more than a tenth.
func (t table) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "rows\tnoise\tsets\truns\t")
	for _, s := range t.ways {
		fmt.Fprintf(w, "%s\tworse\t", s.name)
	}
	fmt.Fprintln(w)
	total, counts := 0, make([]int, len(t.ways))
	for _, r := range t.rows {
		runs := len(r.ratios[0])
		if runs == 0 {
			fmt.Fprintf(w, "%d\t%d\t0\t0\t\n", r.rows, r.noise)
			continue
		}
		size := fmt.Sprint(r.rows)
		if r.rows == allRows {
			size = fmt.Sprintf("all (%d-%d)", r.least, r.most)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t", size, r.noise, len(r.sets), runs)
		total += runs
		for i, ratios := range r.ratios {
			n := len(ratios) - len(slices.DeleteFunc(slices.Clone(ratios), func(v float64) bool { return v > worse }))
			counts[i] += n
			fmt.Fprintf(w, "%.3f\t%d\t", geometricMean(ratios), n)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\t\t\t%d\t", total)
	for _, n := range counts {
		fmt.Fprintf(w, "\t%d\t", n)
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nTest NMSE relative to %s, geometric means; worse: runs of more than 1.1.\n", t.to)
	return err
}

func geometricMean(v []float64) float64 {
	sum := 0.0
	for _, r := range v {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(v)))
}
