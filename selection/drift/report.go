package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Statistic identifies the test of a column.
type Statistic int

// The statistics of columns.
const (
	KolmogorovSmirnov Statistic = iota + 1 // for numbers: the largest difference of the distribution functions
	ChiSquared                             // for categories: Pearson's statistic of the counts of the levels
)

// String returns the usual symbol of the statistic.
func (s Statistic) String() string {
	switch s {
	case KolmogorovSmirnov:
		return "D"
	case ChiSquared:
		return "χ²"
	}
	return fmt.Sprintf("Statistic(%d)", int(s))
}

// Column holds the comparison of one column.
type Column struct {
	Name      string
	Index     int // position of the column
	By        Statistic
	Statistic float64
	P         float64 // p-value: probability of a statistic at least as large if the distributions are equal
	AdjustedP float64 // adjusted for the number of columns
	// TrainGaps and NewGaps are the fractions of gaps.
	TrainGaps, NewGaps float64
}

// Joint holds the test of all columns together.
type Joint struct {
	MMD2 float64 // the squared maximum mean discrepancy, which may be negative for equal distributions
	P    float64 // by permutation
	// TrainRows and NewRows are the numbers of rows compared, which Options.Rows limits.
	TrainRows, NewRows int
}

// Report is the result of [Test].
type Report struct {
	Columns            []Column // in ascending order of P
	Joint              Joint
	TrainRows, NewRows int
	Permutations       int
}

// Drifted returns the columns whose adjusted p-value is below a level, such as 0.05.
func (r Report) Drifted(level float64) []Column {
	return slices.DeleteFunc(slices.Clone(r.Columns), func(c Column) bool { return !(c.AdjustedP < level) })
}

// String returns a table.
func (r Report) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "column\tstatistic\tp\tadjusted p\tgaps before\tgaps now\n")
	for _, c := range r.Columns {
		fmt.Fprintf(w, "%s\t%v = %.3g\t%.2g\t%.2g\t%.3g%%\t%.3g%%\n", c.Name, c.By, c.Statistic, c.P, c.AdjustedP,
			100*c.TrainGaps, 100*c.NewGaps)
	}
	fmt.Fprintf(w, "all columns\tMMD² = %.3g\t%.2g\t\t\t\n", r.Joint.MMD2, r.Joint.P)
	_ = w.Flush() // writing to a strings.Builder does not fail
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return fmt.Sprintf("%s\n%d rows before and %d now; joint test of %d and %d rows with %d permutations\n",
		strings.Join(lines, "\n"), r.TrainRows, r.NewRows, r.Joint.TrainRows, r.Joint.NewRows, r.Permutations)
}

// adjust sets the adjusted p-values with Holm's method.
func adjust(columns []Column) {
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(columns[a].P, columns[b].P) })
	least := 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(columns)-k)*columns[i].P))
		columns[i].AdjustedP = least
	}
}
