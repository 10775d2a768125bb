package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// point holds means over the draws.
type point struct {
	rows int
	// deviation is the standard error of error, or NaN for a single draw. seconds is the sum over all processors, if known.
	error, deviation, seconds, megabytes float64
}

// curve holds the results of a learner on a set.
type curve struct {
	learner string
	points  []point
}

// setCurves holds the curves of all learners on a set.
type setCurves struct {
	set, what string
	curves    []curve
}

// curves measures, prints and draws the curves.
func (p program) curves(ctx context.Context, out io.Writer) error {
	var all []setCurves
	for _, name := range p.sets {
		src, err := open(p.dir, name)
		if err != nil {
			return err
		}
		c := setCurves{set: name, what: "NMSE"}
		if src.classes {
			c.what = "error rate"
		}
		for _, learner := range p.learners {
			c.curves = append(c.curves, curve{learner: learner})
		}
		for _, n := range p.sizes(src) {
			if err := p.measure(ctx, src, n, &c); err != nil {
				return err
			}
		}
		all = append(all, c)
		if err := c.print(out, src); err != nil {
			return err
		}
	}
	p.compare(out, all)
	if p.out == "" {
		return nil
	}
	path := filepath.Join(p.out, pictured)
	if err := drawCurves(path, all); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "drawn:", path)
	return err
}

// sizes returns the requested sizes. It replaces those above the number of all training rows with that number.
func (p program) sizes(src source) []int {
	out := slices.DeleteFunc(slices.Clone(p.rows), func(n int) bool { return n > src.most })
	if len(out) < len(p.rows) || len(out) == 0 {
		out = append(out, src.most) // fewer than requested
	}
	return slices.Compact(out)
}

// measure adds a point of n rows to each curve.
func (p program) measure(ctx context.Context, src source, n int, to *setCurves) error {
	for i, learner := range p.learners {
		var errors, seconds, megabytes []float64
		for _, seed := range p.seeds() {
			v, err := p.measured(key{"curves", src.name, learner, n, 0, seed}, func() (value, error) {
				train, test, err := src.rows(n, seed)
				if err != nil {
					return value{}, err
				}
				if peers[learner] {
					return p.boosting(ctx, learner, train, test, seed)
				}
				return ours(ctx, learner, train, test)
			})
			if err != nil {
				return err
			}
			took := v.processor
			if math.IsNaN(took) {
				took = v.seconds
			}
			errors, seconds, megabytes = append(errors, v.error), append(seconds, took), append(megabytes, v.megabytes)
		}
		mean, deviation := stat.MeanStdDev(errors, nil)
		to.curves[i].points = append(to.curves[i].points,
			point{n, mean, deviation / math.Sqrt(float64(len(errors))), stat.Mean(seconds, nil), stat.Mean(megabytes, nil)})
	}
	return nil
}

// print writes a table with a line for each number of rows.
func (c setCurves) print(out io.Writer, src source) error {
	fmt.Fprintf(out, "\n%s, %s of %d test rows, and processor seconds\n%9s", c.set, c.what, src.test, "rows")
	for _, l := range c.curves {
		fmt.Fprintf(out, " %26s", l.learner)
	}
	fmt.Fprintln(out)
	for i, first := range c.curves[0].points {
		fmt.Fprintf(out, "%9d", first.rows)
		for _, l := range c.curves {
			q := l.points[i]
			spread := ""
			if !math.IsNaN(q.deviation) {
				spread = fmt.Sprintf("± %.5f", q.deviation)
			}
			fmt.Fprintf(out, " %9.5f %9s %6.1f", q.error, spread, q.seconds)
		}
		fmt.Fprintln(out)
	}
	for _, l := range c.curves {
		if seconds, memory := l.exponents(); len(l.points) > 1 {
			fmt.Fprintf(out, "%s: exponents in the rows: seconds %.2f, memory %.2f\n", l.learner, seconds, memory)
		}
		if rises := l.rises(); len(rises) > 0 {
			fmt.Fprintf(out, "the error of %s rises at %s rows\n", l.learner, strings.Join(rises, ", "))
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}

// exponents returns the slopes of the logarithms of seconds and megabytes against the logarithm of the number of rows.
func (c curve) exponents() (seconds, megabytes float64) {
	var logs [3][]float64
	for _, p := range c.points {
		for i, v := range []float64{float64(p.rows), p.seconds, p.megabytes} {
			logs[i] = append(logs[i], math.Log(v))
		}
	}
	_, seconds = stat.LinearRegression(logs[0], logs[1], nil, false)
	_, megabytes = stat.LinearRegression(logs[0], logs[2], nil, false)
	return seconds, megabytes
}

// rises lists the numbers of rows at which the error is larger than at the previous number.
func (c curve) rises() (out []string) {
	for i := 1; i < len(c.points); i++ {
		if c.points[i].error > c.points[i-1].error {
			out = append(out, fmt.Sprint(c.points[i].rows))
		}
	}
	return out
}

// compare counts, for each of our learners and each peer, the sets on which our error with all rows is at most that of the peer.
func (p program) compare(out io.Writer, all []setCurves) {
	for i, learner := range p.learners {
		for j, peer := range p.learners {
			if peers[learner] || !peers[peer] {
				continue
			}
			count, lost := 0, []string(nil)
			for _, c := range all {
				own, theirs := c.curves[i].points, c.curves[j].points
				a, b := own[len(own)-1].error, theirs[len(theirs)-1].error
				if a <= b {
					count++
				} else {
					lost = append(lost, fmt.Sprintf("%s %.4g for %.4g", c.set, a, b))
				}
			}
			fmt.Fprintf(out, "%s has no more error than %s on %d of %d sets with all rows", learner, peer, count, len(all))
			if lost != nil {
				fmt.Fprintf(out, "; more on %s", strings.Join(lost, ", "))
			}
			fmt.Fprintln(out)
		}
	}
}
