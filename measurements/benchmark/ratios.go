package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	noisyError    = 0.01 // a set is noisy where no method has less error
	clearlyRatio  = 1.1
	clearlyErrors = 2.0 // standard errors of the difference
)

const ratioLegend = `"Ratio" is the geometric mean of a method's error over that of %s, the first method of kernelearn, over the sets where both are
complete. "Ratio there" is the same over the noisy sets alone, those where the least error of all methods is above %v: sets that are
learnt to the last digit do not decide it. "Worse" counts the sets where a method's error is larger. "Clearly worse" and "clearly
better" count those where the errors differ by more than a tenth and by more than two corrected standard errors of the difference.
With one split there are no such sets, and a difference that is the same on every split counts as none.
`

// ratios are the errors of methods over those of a reference.
type ratios struct {
	Reference string  `json:"reference"`
	Methods   []ratio `json:"methods"` // the least geometric mean first; without the reference
}

// ratio is a method beside the reference, over the sets where both are complete.
type ratio struct {
	Method  string   `json:"method"`
	Source  string   `json:"source"`
	Sets    int      `json:"sets"`
	Mean    *float64 `json:"geometric_mean"`
	Noisy   int      `json:"noisy_sets"`
	OfNoisy *float64 `json:"geometric_mean_of_noisy"`
	Worse   int      `json:"worse"`
	// The names of the sets.
	ClearlyWorse  []string `json:"clearly_worse,omitempty"`
	ClearlyBetter []string `json:"clearly_better,omitempty"`
}

// ratios compares all methods with the first of ours; nil where there is none, or no other.
func (r results) ratios() *ratios {
	at := slices.IndexFunc(r.methods, func(m string) bool { return sourceOf(m) == oursSource })
	if at < 0 || len(r.methods) < 2 {
		return nil
	}
	out := &ratios{Reference: r.methods[at]}
	for _, m := range r.methods {
		if m == out.Reference {
			continue
		}
		if one := r.ratio(m, out.Reference); one.Sets > 0 {
			out.Methods = append(out.Methods, one)
		}
	}
	slices.SortStableFunc(out.Methods, func(a, b ratio) int { return cmp.Compare(*a.Mean, *b.Mean) })
	return out
}

func (r results) ratio(method, reference string) ratio {
	out := ratio{Method: method, Source: sourceOf(method)}
	all, noisy := 0.0, 0.0
	for _, d := range r.sets {
		own, of := r.error(d.Set, method), r.error(d.Set, reference)
		if !(own > 0 && of > 0) { // one is not complete, or has no error, which has no logarithm
			continue
		}
		log := math.Log(own / of)
		out.Sets++
		all += log
		if least, _ := r.front(d).leastError(); least > noisyError {
			out.Noisy++
			noisy += log
		}
		if own > of {
			out.Worse++
		}
		c, ok := r.compare(d, method, reference)
		if !ok || c.StandardError == 0 || math.Abs(log) <= math.Log(clearlyRatio) || math.Abs(c.Mean) <= clearlyErrors*c.StandardError {
			continue
		}
		if own > of {
			out.ClearlyWorse = append(out.ClearlyWorse, d.Set)
		} else {
			out.ClearlyBetter = append(out.ClearlyBetter, d.Set)
		}
	}
	out.Mean, out.OfNoisy = geometric(all, out.Sets), geometric(noisy, out.Noisy)
	return out
}

// geometric is the mean of so many ratios of a sum of logarithms.
func geometric(sum float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	v := math.Exp(sum / float64(n))
	return &v
}

// ratios writes the errors beside the ranks.
func (a analysis) ratios(b *strings.Builder, level, where string) {
	if a.Ratios == nil || len(a.Ratios.Methods) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s%s relative to %s\n\n"+ratioLegend+"\n", level, a.Name+where, a.Ratios.Reference, a.Ratios.Reference, noisyError)
	lines := [][]string{{"method", "source", "sets", "ratio", "noisy sets", "ratio there", "worse", "clearly worse", "clearly better"}}
	better := map[string][]string{} // the methods that are, by set
	for _, m := range a.Ratios.Methods {
		lines = append(lines, []string{
			m.Method, m.Source, strconv.Itoa(m.Sets), scaled("%.3f", m.Mean, 1), strconv.Itoa(m.Noisy), scaled("%.3f", m.OfNoisy, 1),
			strconv.Itoa(m.Worse), strconv.Itoa(len(m.ClearlyWorse)), strconv.Itoa(len(m.ClearlyBetter)),
		})
		for _, set := range m.ClearlyBetter {
			better[set] = append(better[set], m.Method)
		}
	}
	align(b, lines)
	if len(better) == 0 {
		fmt.Fprintf(b, "\nNo method is clearly better than %s on any set.\n", a.Ratios.Reference)
		return
	}
	fmt.Fprintf(b, "\nClearly better than %s:\n\n", a.Ratios.Reference)
	for _, set := range a.Sets {
		if names := better[set]; names != nil {
			fmt.Fprintf(b, "- %s: %s\n", set, strings.Join(names, ", "))
		}
	}
}
