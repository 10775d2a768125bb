package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// The limits of the rule. docs/measured/third-collection.md explains them.
const (
	leastRows, mostRows       = 1000, 66_666 // three quarters of 66 666 rows are at most 50 000 training rows
	leastColumns, mostColumns = 4, 300       // columns without the target
	mostClasses, leastOfClass = 30, 20
	mostBytes                 = 4 << 20 // of a file of R
)

// frame is a table of texts. A gap is an empty cell.
type frame struct {
	names []string
	rows  [][]string
}

func (f frame) column(j int) []string {
	out := make([]string, len(f.rows))
	for i, row := range f.rows {
		out[i] = row[j]
	}
	return out
}

// pick returns the given columns and rows.
func (f frame) pick(columns []int, keep func(row []string) bool) frame {
	pick := func(from []string) []string {
		out := make([]string, len(columns))
		for i, j := range columns {
			out[i] = from[j]
		}
		return out
	}
	out := frame{names: pick(f.names)}
	for _, row := range f.rows {
		if keep(row) {
			out.rows = append(out.rows, pick(row))
		}
	}
	return out
}

// numbers returns a column as numbers, in which a gap is NaN. It returns false if a cell is a word.
func numbers(cells []string) ([]float64, bool) {
	out := make([]float64, len(cells))
	for i, cell := range cells {
		out[i] = math.NaN()
		if cell == "" {
			continue
		}
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// isClass reports whether a target is a class: if it has words, or only two values.
func isClass(target []string) bool {
	if _, number := numbers(target); !number {
		return true
	}
	return len(counts(target)) == 2
}

func counts(cells []string) map[string]int {
	out := map[string]int{}
	for _, cell := range cells {
		if cell != "" {
			out[cell]++
		}
	}
	return out
}

// features applies the rule to the columns of a table. It returns the table with the target as the last column, or the reason why
// the table is left out.
func (f frame) features(target string) (out frame, reason string) {
	at := slices.Index(f.names, target)
	cells := f.column(at)
	class, size := isClass(cells), counts(cells)
	f = f.pick(upTo(len(f.names)), func(row []string) bool {
		return row[at] != "" && (!class || size[row[at]] >= leastOfClass)
	})
	if n := len(f.rows); n < leastRows || n > mostRows {
		return frame{}, strconv.Itoa(n) + " rows with a target"
	}
	cells = f.column(at)
	switch k := len(counts(cells)); {
	case k < 2:
		return frame{}, "one value of the target"
	case class && k > mostClasses:
		return frame{}, strconv.Itoa(k) + " classes"
	}
	var columns []int
	for j := range f.names {
		if j != at && !f.useless(j, cells) {
			columns = append(columns, j)
		}
	}
	if d := len(columns); d < leastColumns || d > mostColumns {
		return frame{}, strconv.Itoa(d) + " columns"
	}
	return f.pick(append(columns, at), func([]string) bool { return true }), ""
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// useless reports whether a column is constant, numbers the rows, or is the target in another form.
func (f frame) useless(j int, target []string) bool {
	cells := f.column(j)
	if len(counts(cells)) < 2 {
		return true
	}
	values, number := numbers(cells)
	if number && numbersRows(values) {
		return true
	}
	wanted, isNumber := numbers(target)
	return number && isNumber && sameOrder(values, wanted) || sameWords(cells, target)
}

// numbersRows reports whether the values increase by 1 from row to row.
func numbersRows(values []float64) bool {
	for i, v := range values {
		if v != values[0]+float64(i) {
			return false
		}
	}
	return true
}

// sameOrder reports whether two columns order the rows in the same way, or in reverse, where both have a value.
func sameOrder(a, b []float64) bool {
	var pairs [][2]float64
	for i := range a {
		if !math.IsNaN(a[i]) {
			pairs = append(pairs, [2]float64{a[i], b[i]})
		}
	}
	slices.SortFunc(pairs, func(p, q [2]float64) int { return cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1])) })
	up, down := true, true
	for i := 1; i < len(pairs); i++ {
		p, q := pairs[i-1], pairs[i]
		up = up && (p[0] == q[0]) == (p[1] == q[1]) && p[1] <= q[1]
		down = down && (p[0] == q[0]) == (p[1] == q[1]) && p[1] >= q[1]
	}
	return up || down
}

// sameWords reports whether each value of one column belongs to one value of the other, and vice versa, where both have a value.
func sameWords(a, b []string) bool {
	to, from := map[string]string{}, map[string]string{}
	for i := range a {
		if a[i] == "" {
			continue
		}
		if w, ok := to[a[i]]; ok && w != b[i] {
			return false
		}
		if w, ok := from[b[i]]; ok && w != a[i] {
			return false
		}
		to[a[i]], from[b[i]] = b[i], a[i]
	}
	return true
}
