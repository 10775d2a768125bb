package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
)

// paperRanks are the paper's Table 1: the rank of the best kernel by 1-KTA, CSMnorm and
// FSMerr.
var paperRanks = map[string][measured]float64{
	"australian": {1, 4, 4}, "breast-cancer": {3, 3, 2}, "diabetes-pima": {4, 3, 1}, "fourclass": {4, 3, 1}, "german-numer": {3, 3, 2},
	"heart": {4, 3, 1}, "ionosphere": {4, 1, 1}, "mushrooms": {1, 4, 1}, "vehicle": {3, 4, 2},
}

// The places of the kernels in kernelNames.
const (
	lin = iota
	poly
	rbf
	tanh
)

// printClaims counts what the paper reads off its figure 4, on all of its nine sets.
func (s settings) printClaims(out io.Writer, all []judged) error {
	lowest, near, highest := 0, 0, 0
	var missed, agreed [measured]int
	for _, j := range all {
		best := j.least(byError)
		if slices.Contains(best, poly) || slices.Contains(best, rbf) {
			lowest++
		}
		if low := j.rows[best[0]]; j.rows[poly].values[byError] <= low.values[byError]+2*low.se && j.rows[rbf].values[byError] <= low.values[byError]+2*low.se {
			near++
		}
		worst := j.most(byError)
		if slices.Contains(worst, lin) || slices.Contains(worst, tanh) {
			highest++
		}
		for m := range measured {
			if first := j.least(m); !slices.Contains(first, poly) && !slices.Contains(first, rbf) {
				missed[m]++
			}
			if last := j.most(m); slices.Contains(worst, last[0]) {
				agreed[m]++
			}
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "of %d sets\there\tpaper, of 9\t\n", len(all))
	fmt.Fprintf(w, "the error of RBF or Poly is the least\t%d\t9\t\n", lowest)
	fmt.Fprintf(w, "those of both are within 2 standard errors of the least\t%d\t9, by eye\t\n", near)
	fmt.Fprintf(w, "the error of Lin or Tanh is the largest\t%d\t9\t\n", highest)
	for m, paper := range []string{"6", "8", "1"} {
		fmt.Fprintf(w, "%s puts neither RBF nor Poly first\t%d\t%s\t\n", columnNames[m], missed[m], paper)
	}
	for m, paper := range []string{"0", "0", "5"} {
		fmt.Fprintf(w, "%s puts the kernel of the largest error last\t%d\t%s\t\n", columnNames[m], agreed[m], paper)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return nil
}

// rankOf is the rank by a measure of the kernels of the least error: the mean, where
// several have the same.
func (j judged) rankOf(best []int, m int) float64 {
	sum := 0.0
	for _, i := range best {
		sum += j.rows[i].ranks[m]
	}
	return sum / float64(len(best))
}

// printTable1 prints the ranks of the best kernels beside the paper's.
func (s settings) printTable1(out io.Writer, all []judged) error {
	fmt.Fprintln(out, "Table 1: the rank of the kernel with the least error under each measure, 1 for the first of four; in brackets the paper's")
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "set\tbest kernel\terror\t%s\t\n", strings.Join(columnNames[:measured], "\t"))
	var ranks [measured][]float64
	for _, j := range all {
		best := j.least(byError)
		var names []string
		for _, i := range best {
			names = append(names, kernelNames[i])
		}
		fmt.Fprintf(w, "%s\t%s\t%.4f (%.4f)", j.name(), strings.Join(names, " = "), j.rows[best[0]].values[byError], j.rows[best[0]].se)
		for m := range measured {
			rank := j.rankOf(best, m)
			ranks[m] = append(ranks[m], rank)
			fmt.Fprintf(w, "\t%.3g", rank)
			if p, ok := paperRanks[j.set]; ok {
				fmt.Fprintf(w, " (%.0f)", p[m])
			}
		}
		fmt.Fprintln(w, "\t")
	}
	fmt.Fprint(w, "mean ± sd\t\t")
	for m, paper := range []string{"3.00 ± 1.22", "3.11 ± 0.93", "1.67 ± 1.00"} {
		mean, sd := stat.MeanStdDev(ranks[m], nil)
		if len(all) == 1 {
			sd = 0
		}
		fmt.Fprintf(w, "\t%.2f ± %.2f (%s)", mean, sd, paper)
	}
	fmt.Fprintln(w, "\t")
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	printSteadiness(out, all, ranks)
	return nil
}

// printSteadiness says how far the mean ranks hang on what is left to chance.
func printSteadiness(out io.Writer, all []judged, ranks [measured][]float64) {
	for m := range measured {
		low, high := math.Inf(1), math.Inf(-1)
		for repeat := range all[0].rows[0].repeats {
			mean := 0.0
			for _, j := range all {
				var errors []float64
				for _, r := range j.rows {
					errors = append(errors, r.repeats[repeat])
				}
				var best []int
				for i, v := range errors {
					if v-slices.Min(errors) <= same {
						best = append(best, i)
					}
				}
				mean += j.rankOf(best, m) / float64(len(all))
			}
			low, high = min(low, mean), max(high, mean)
		}
		fmt.Fprintf(out, "%s: mean rank by the best kernel of a single cross-validation: %.2f to %.2f\n", columnNames[m], low, high)
	}
	for m := range measured - 1 {
		var differences []float64
		for i, r := range ranks[m] {
			differences = append(differences, r-ranks[measured-1][i])
		}
		if mean, sd := stat.MeanStdDev(differences, nil); sd > 0 {
			fmt.Fprintf(out, "%s less FSMerr, paired over the sets: %.2f, t = %.2f, %d degrees of freedom\n",
				columnNames[m], mean, mean/sd*math.Sqrt(float64(len(differences))), len(differences)-1)
		}
	}
}
