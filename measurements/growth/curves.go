package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
)

// curve holds the results of both searches on a set.
type curve struct {
	set    string
	what   string // name of the error
	test   int    // number of test rows
	points []point
}

// point is a place of a curve, with an error for each seed.
type point struct {
	place
	seeds         []uint64
	entropy, grid []float64
	seconds       [2]float64 // means of entropy and grid
}

// mean holds a mean and its standard error, which is NaN for a single value.
type mean struct{ value, error float64 }

func meanOf(v []float64) mean {
	m, sd := stat.MeanStdDev(v, nil)
	return mean{m, stat.StdErr(sd, float64(len(v)))}
}

func (m mean) String() string { return fmt.Sprintf("%.4f ± %.4f", m.value, m.error) }

// differences returns the differences between two searches, or between two sizes, on the same draws.
func differences(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// curves returns the curves from all draws that are kept, even if their seeds were not requested.
func (s settings) curves(sources []source, kept measurements) (out []curve) {
	for _, src := range sources {
		c := curve{set: src.name, what: "NMSE", test: src.test}
		if src.classes {
			c.what = "error rate"
		}
		for _, p := range s.places(src) {
			q := point{place: p, seeds: kept.seeds(src.name, p)}
			for _, seed := range q.seeds {
				a := kept.At[key{src.name, p.learner, p.rows, byEntropy, seed}]
				b := kept.At[key{src.name, p.learner, p.rows, byGrid, seed}]
				q.entropy, q.grid = append(q.entropy, a.error), append(q.grid, b.error)
				q.seconds[0] += a.seconds / float64(len(q.seeds))
				q.seconds[1] += b.seconds / float64(len(q.seeds))
			}
			c.points = append(c.points, q)
		}
		out = append(out, c)
	}
	return out
}

// print writes a table for each set, and a summary of the curves.
func print(w io.Writer, curves []curve) error {
	for _, c := range curves {
		fmt.Fprintf(w, "%s, %s of %d test rows, mean ± standard error over the draws\n\n", c.set, c.what, c.test)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "rows\tlearner\tdraws\tentropy\tgrid\tdifference\tseconds\tgrid\t")
		for _, p := range c.points {
			fmt.Fprintf(table, "%d\t%s\t%d\t%v\t%v\t%v\t%.1f\t%.1f\t\n", p.rows, p.learner, len(p.seeds), meanOf(p.entropy), meanOf(p.grid),
				meanOf(differences(p.entropy, p.grid)), p.seconds[0], p.seconds[1])
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
		for _, line := range slices.Concat(c.rises(), c.above()) {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// rises lists the steps of a learner to more rows at which the error of the search by entropy does not fall.
func (c curve) rises() (out []string) {
	for i := 1; i < len(c.points); i++ {
		less, more := c.points[i-1], c.points[i]
		if less.learner != more.learner {
			continue
		}
		if a, b := meanOf(less.entropy).value, meanOf(more.entropy).value; b >= a {
			text := fmt.Sprintf("entropy, %s: %+.4f from %d to %d rows", more.learner, b-a, less.rows, more.rows)
			if slices.Equal(less.seeds, more.seeds) {
				text += fmt.Sprintf(", standard error %.4f", meanOf(differences(more.entropy, less.entropy)).error)
			}
			out = append(out, text)
		}
	}
	if out == nil {
		out = []string{"entropy: the error falls all along"}
	}
	return out
}

// above lists the points where entropy has a larger error than the grid, by more than the standard error of their difference. A
// single draw has no standard error, so that any excess is listed.
func (c curve) above() (out []string) {
	for _, p := range c.points {
		d := meanOf(differences(p.entropy, p.grid))
		if math.IsNaN(d.error) {
			d.error = 0
		}
		if d.value > d.error {
			out = append(out, fmt.Sprintf("entropy is above the grid by %.4f at %d rows, %s", d.value, p.rows, p.learner))
		}
	}
	if out == nil {
		out = []string{"entropy is nowhere above the grid by more than a standard error"}
	}
	return out
}
