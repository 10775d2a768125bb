package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

const (
	leastRows = 20 // of a slice
	mostParts = 4  // number of ranges of a column of numbers
	mostWeak  = 10 // largest number of slices in the report
)

// FindWeak returns the slices of a table whose share of good rows is clearly below the share for all rows. The upper bound of
// Wilson's 95% interval, widened for the number of slices (Bonferroni), is below the share for all rows. The worst slices come
// first.
func FindWeak(t *table.Table, good []bool) (weak []Slice, overall float64, err error) {
	for _, g := range good {
		if g {
			overall += 1 / float64(len(good))
		}
	}
	type part struct {
		column, values string
		rows           []int
	}
	var parts []part
	categories := t.Schema.Categories()
	for j, name := range t.Schema.Names() {
		column := make([]float64, t.Rows())
		for i := range column {
			column[i] = t.X.At(i, j)
		}
		add := func(values string, in func(v float64) bool) {
			p := part{column: name, values: values}
			for i, v := range column {
				if in(v) {
					p.rows = append(p.rows, i)
				}
			}
			if len(p.rows) >= leastRows && len(p.rows) < len(column) {
				parts = append(parts, p)
			}
		}
		add("gaps", math.IsNaN)
		if slices.Contains(categories, j) {
			for code, level := range levels(t.Schema, name) {
				add(level, func(v float64) bool { return v == float64(code) })
			}
			continue
		}
		ends := quantiles(column)
		for k := range len(ends) - 1 {
			low, high, last := ends[k], ends[k+1], k == len(ends)-2
			add(fmt.Sprintf("%.4g to %.4g", low, high), func(v float64) bool { return v >= low && (v < high || last && v == high) })
		}
	}
	for _, p := range parts {
		b := metrics.Bin{Count: len(p.rows)}
		for _, i := range p.rows {
			if good[i] {
				b.Frequency += 1 / float64(len(p.rows))
			}
		}
		b.Frequency = min(b.Frequency, 1)
		_, high, err := b.Interval(1 - 0.05/float64(len(parts)))
		if err != nil {
			return nil, 0, err
		}
		if high >= overall {
			continue
		}
		s := Slice{Column: p.column, Values: p.values, Rows: b.Count, Share: b.Frequency}
		if s.Low, s.High, err = b.Interval(0.95); err != nil {
			return nil, 0, err
		}
		weak = append(weak, s)
	}
	slices.SortStableFunc(weak, func(a, b Slice) int { return cmp.Compare(a.High, b.High) })
	return weak[:min(len(weak), mostWeak)], overall, nil
}

// levels returns the levels of a category as texts.
func levels(s *table.Schema, name string) []string {
	for _, c := range s.Columns {
		if c.Name == name {
			return c.Levels
		}
	}
	return nil
}

// quantiles returns the upper ends of ranges with about the same number of rows.
func quantiles(column []float64) (ends []float64) {
	sorted := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return nil
	}
	for k := range mostParts {
		ends = append(ends, sorted[k*len(sorted)/mostParts])
	}
	return slices.Compact(append(ends, sorted[len(sorted)-1]))
}
