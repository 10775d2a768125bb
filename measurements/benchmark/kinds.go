package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	fewestOfKind = 3   // sets that a kind has to have
	manyFeatures = 30  // at least
	smallShare   = 0.2 // of the smallest class, at most
	linearMargin = 1.1 // times the least error of all, that of ridge at most
	namedMethods = 5   // of a kind in the report
)

// kind is the mean ranks on the sets that have something in common, the best first.
type kind struct {
	Name    string     `json:"name"`
	Sets    []string   `json:"sets"`
	Methods []standing `json:"methods"`
}

// kinds groups the sets; ranks has a slice for each of them.
func (r results) kinds(ranks [][]float64) (out []kind) {
	linear := func(d description) bool {
		least, _ := r.front(d).leastError()
		return r.error(d.Set, "ridge") <= linearMargin*least
	}
	for _, k := range []struct {
		name string
		has  func(description) bool
	}{
		{"fewer than 300 training rows", func(d description) bool { return d.TrainRows < 300 }},
		{"300 to 999 training rows", func(d description) bool { return d.TrainRows >= 300 && d.TrainRows < 1000 }},
		{"1000 training rows or more", func(d description) bool { return d.TrainRows >= 1000 }},
		{fmt.Sprintf("%d features or more", manyFeatures), func(d description) bool { return d.Features >= manyFeatures }},
		{fmt.Sprintf("fewer than %d features", manyFeatures), func(d description) bool { return d.Features < manyFeatures }},
		{fmt.Sprintf("smallest class at most %.0f%%", 100*smallShare),
			func(d description) bool { return d.Smallest > 0 && d.Smallest <= smallShare }},
		{fmt.Sprintf("smallest class over %.0f%%", 100*smallShare), func(d description) bool { return d.Smallest > smallShare }},
		{fmt.Sprintf("nearly linear: ridge within %.0f%% of the least error", 100*(linearMargin-1)), linear},
		{"not nearly linear", func(d description) bool { return !linear(d) }},
	} {
		one := kind{Name: k.name}
		sums := make([]float64, len(r.methods))
		complete := make([]int, len(r.methods))
		for i, d := range r.sets {
			if !k.has(d) {
				continue
			}
			one.Sets = append(one.Sets, d.Set)
			for j, m := range r.methods {
				sums[j] += ranks[i][j]
				if _, ok := r.errors[[2]string{d.Set, m}]; ok {
					complete[j]++
				}
			}
		}
		if len(one.Sets) < fewestOfKind {
			continue
		}
		for j, m := range r.methods {
			one.Methods = append(one.Methods, standing{Method: m, Source: sourceOf(m), MeanRank: sums[j] / float64(len(one.Sets)),
				Complete: complete[j]})
		}
		slices.SortStableFunc(one.Methods, func(a, b standing) int { return cmp.Compare(a.MeanRank, b.MeanRank) })
		out = append(out, one)
	}
	return out
}

// leastError is that of all methods, if any is complete.
func (f front) leastError() (float64, bool) {
	if len(f.Points) == 0 {
		return 0, false
	}
	return f.least().Error, true
}

// byKind writes the best methods of each kind, and the best of each other source.
func (a analysis) byKind(b *strings.Builder, heading string) {
	if len(a.Kinds) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\nMean ranks on the sets of each kind that has at least %d sets: the %d best methods, and the best method of "+
		"each source.\n\n", heading, fewestOfKind, namedMethods)
	lines := [][]string{slices.Concat([]string{"kind", "sets", "best"}, sources)}
	for _, k := range a.Kinds {
		var best []string
		for _, m := range k.Methods[:min(namedMethods, len(k.Methods))] {
			best = append(best, m.String())
		}
		line := []string{k.Name, fmt.Sprint(len(k.Sets)), strings.Join(best, ", ")}
		for _, source := range sources {
			text := "-"
			if i := slices.IndexFunc(k.Methods, func(m standing) bool { return m.Source == source && m.Complete > 0 }); i >= 0 {
				text = k.Methods[i].String()
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	align(b, lines)
}

// String is a standing in a cell of a table.
func (s standing) String() string { return fmt.Sprintf("%s %.1f", s.Method, s.MeanRank) }

// levels writes on how many sets each method is level with the least error, and what it
// takes.
func (r *report) levels(b *strings.Builder, a analysis, heading string) {
	type row struct {
		method, source        string
		least, level, fastest int
		seconds               []float64
	}
	rows := map[string]*row{}
	var order []*row
	for _, m := range a.Methods {
		rows[m.Method] = &row{method: m.Method, source: m.Source}
		order = append(order, rows[m.Method])
	}
	total := 0
	for _, f := range r.Fronts {
		if !f.is(a.criterion) {
			continue
		}
		total++
		least := f.least()
		rows[f.fastestLevel().Method].fastest++
		for _, p := range f.Points {
			one := rows[p.Method]
			one.seconds = append(one.seconds, p.Seconds)
			if p.Error == least.Error {
				one.least++
			}
			if p.level(least) {
				one.level++
			}
		}
	}
	slices.SortStableFunc(order, func(x, y *row) int { return cmp.Compare(y.level, x.level) })
	fmt.Fprintf(b, "\n%s\n\nThe number of sets, of %d, on which a method is level with the least error (at most one standard error of the "+
		"difference behind),\nhas the least error itself, or is the fastest of the level methods; and its median seconds.\n\n", heading, total)
	lines := [][]string{{"method", "source", "level", "least", "fastest level method", "median s"}}
	for _, one := range order {
		lines = append(lines, []string{one.method, one.source, fmt.Sprint(one.level), fmt.Sprint(one.least), fmt.Sprint(one.fastest),
			dashed(one.seconds)})
	}
	align(b, lines)
}
