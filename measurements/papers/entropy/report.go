package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/dataset"
)

// summary holds the results of a family on a set.
type summary struct {
	family
	set    string
	params []float64
	points [][]point // by parameter and split
	train  link
	test   link // of the monotonic test errors
	curve  parabola
	best   int       // index of the parameter with the smallest mean test error
	found  [][]point // by search and split
}

// summarise summarises the results. It requires all points for the settings.
func (s settings) summarise(r *results, sets []*dataset.Set) []summary {
	var out []summary
	for _, f := range s.families {
		for _, set := range sets {
			v := summary{family: f, set: set.Name, params: s.params(f, set.Name)}
			for _, param := range v.params {
				var at []point
				for split := range s.splits {
					at = append(at, r.done[s.place(set, f, split, nameOf(param))])
				}
				v.points = append(v.points, at)
			}
			for _, search := range searches {
				var by []point
				for split := range s.splits {
					by = append(by, r.done[s.place(set, f, split, search.name)])
				}
				v.found = append(v.found, by)
			}
			v.relate()
			out = append(out, v)
		}
	}
	return out
}

// relate computes the correlations, the parabola and the best parameter. Like the paper's figures, they use the points of all
// splits together.
func (v *summary) relate() {
	entropies := v.all(entropyOf)
	tests := v.all(func(p point) float64 { return p.test })
	v.train = linkOf(entropies, v.all(func(p point) float64 { return p.train }))
	v.curve = fitParabola(entropies, tests)
	v.test = linkOf(entropies, monotonic(entropies, tests, v.curve.lowest()))
	for i, at := range v.points {
		if mean(at, testOf) < mean(v.points[v.best], testOf) {
			v.best = i
		}
	}
}

func (v *summary) all(value func(point) float64) (out []float64) {
	for _, at := range v.points {
		for _, p := range at {
			out = append(out, value(p))
		}
	}
	return out
}

func testOf(p point) float64 { return p.test }

func entropyOf(p point) float64 { return p.entropy }

func mean(points []point, value func(point) float64) float64 {
	return stat.Mean(valuesOf(points, value), nil)
}

func valuesOf(points []point, value func(point) float64) (out []float64) {
	for _, p := range points {
		out = append(out, value(p))
	}
	return out
}

// report prints the tables of the selected families.
func (s settings) report(out io.Writer, found []summary) error {
	intercept := "no intercept"
	if s.intercept {
		intercept = "an intercept"
	}
	fmt.Fprintf(out, "Relevance vector machine with %s; splits: %d, seed %d; in brackets the paper's\n", intercept, s.splits, s.seed)
	if s.data == "" {
		fmt.Fprintln(out, "Without -data: what the repository ships, which is none of the paper's sets.")
	}
	for _, table := range []struct {
		title  string
		print  func(io.Writer, []summary)
		family string
	}{
		{"Table 3: entropy and training NMSE, RBF", printTrain, "rbf"},
		{"Table 4: entropy and training NMSE, normalised polynomial", printTrain, "poly"},
		{"Table 5: entropy and training NMSE, asymptotic ELM kernel", printTrain, "elm"},
		{"Table 6: entropy and test NMSE made monotonic, RBF", printTest, "rbf"},
		{"Table 7: entropy and test NMSE made monotonic, normalised polynomial", printTest, "poly"},
		{"Table 8: entropy at the least point of the parabola through the test NMSE, RBF", printLowest, "rbf"},
		{"Table 9: entropy at the least point of the parabola through the test NMSE, normalised polynomial", printLowest, "poly"},
		{"Table 10: the grid's best σ and the one that the search finds, RBF", printSearch, "rbf"},
		{"Table 11: the grid's best degree and the one that the search finds, normalised polynomial", printSearch, "poly"},
		{"The searches, RBF: test NMSE", printSearches, "rbf"},
		{"The searches, normalised polynomial: test NMSE", printSearches, "poly"},
	} {
		var of []summary
		for _, v := range found {
			if v.name == table.family {
				of = append(of, v)
			}
		}
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s\n\n", table.title)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		table.print(w, of)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// withPaper formats a number, followed by the paper's number in brackets, if there is one.
func withPaper(format string, v, paper float64) string {
	text := fmt.Sprintf(format, v)
	if math.IsNaN(v) {
		text = "none"
	}
	if !math.IsNaN(paper) {
		text += fmt.Sprintf(" ("+format+")", paper)
	}
	return text
}

func printTrain(w io.Writer, of []summary) {
	printLinks(w, of, func(v summary) link { return v.train }, func(p paperOf) link { return p.train })
}

func printTest(w io.Writer, of []summary) {
	printLinks(w, of, func(v summary) link { return v.test }, func(p paperOf) link { return p.test })
}

func printLinks(w io.Writer, of []summary, ours func(summary) link, paper func(paperOf) link) {
	fmt.Fprintln(w, "set\tSpearman\tPearson")
	for _, v := range of {
		is, was := ours(v), paper(v.paper())
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.set, withPaper("%.3f", is.spearman, was.spearman), withPaper("%.3f", is.pearson, was.pearson))
	}
}

func printLowest(w io.Writer, of []summary) {
	fmt.Fprintln(w, "set\tentropy\tof single splits\tat the grid's best")
	for _, v := range of {
		var single []float64
		for split := range v.points[0] {
			var x, y []float64
			for _, at := range v.points {
				x, y = append(x, at[split].entropy), append(y, at[split].test)
			}
			single = append(single, fitParabola(x, y).lowest())
		}
		fmt.Fprintf(w, "%s\t%s\t%.3f to %.3f\t%.3f\n", v.set, withPaper("%.3f", v.curve.lowest(), v.paper().lowest),
			slices.Min(single), slices.Max(single), mean(v.points[v.best], entropyOf))
	}
}

// printSearch prints means over the splits. For the parameter that the search found, it prints the median.
func printSearch(w io.Writer, of []summary) {
	fmt.Fprintln(w, "set\tbest\tfound\tits entropy\tbest NMSE\tfound NMSE\tgrid points\tevaluations\tin the band")
	var ours, paper [5]float64
	counted := 0
	for _, v := range of {
		p := v.paper()
		found := v.found[0]
		params := valuesOf(found, func(p point) float64 { return p.param })
		slices.Sort(params)
		is := [5]float64{
			mean(found, entropyOf), mean(v.points[v.best], testOf), mean(found, testOf),
			float64(len(v.params)), mean(found, func(p point) float64 { return float64(p.tried) }),
		}
		was := [5]float64{p.entropy, p.bestError, p.foundError, p.tried, p.searchTried}
		inBand := 0
		for _, f := range found {
			if f.inBand() {
				inBand++
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d of %d\n", v.set, withPaper("%.4g", v.params[v.best], p.best),
			withPaper("%.4g", stat.Quantile(0.5, stat.Empirical, params, nil), p.found),
			columns(is, was), inBand, len(found))
		if !math.IsNaN(p.best) && v.set != "abalone" {
			counted++
			for i := range is {
				ours[i] += is[i]
				paper[i] += was[i]
			}
		}
	}
	if counted < 2 {
		return
	}
	for i := range ours {
		ours[i] /= float64(counted)
		paper[i] /= float64(counted)
	}
	fmt.Fprintf(w, "mean of %d\t\t\t%s\n", counted, columns(ours, paper))
}

func columns(is, was [5]float64) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", withPaper("%.3f", is[0], was[0]), withPaper("%.3f", is[1], was[1]), withPaper("%.3f", is[2], was[2]),
		withPaper("%.0f", is[3], was[3]), withPaper("%.1f", is[4], was[4]))
}

// printSearches prints the errors with the parameters that the searches chose. For comparison it prints the smallest error of the
// grid, which is chosen with the test rows. It also prints the number of kernel matrices that each search computed.
func printSearches(w io.Writer, of []summary) {
	fmt.Fprint(w, "set\tgrid's best")
	for _, search := range searches {
		fmt.Fprintf(w, "\t%s", search.name)
	}
	fmt.Fprintln(w, "\tmatrices")
	logs := make([]float64, len(searches)) // logarithms of the ratios to the grid's best error
	for _, v := range of {
		best := mean(v.points[v.best], testOf)
		fmt.Fprintf(w, "%s\t%.4f", v.set, best)
		matrices := ""
		for i, by := range v.found {
			e := mean(by, testOf)
			logs[i] += math.Log(e/best) / float64(len(of))
			fmt.Fprintf(w, "\t%.4f", e)
			matrices += fmt.Sprintf("%5.1f", mean(by, func(p point) float64 { return float64(p.tried) }))
		}
		fmt.Fprintf(w, "\t%s\n", matrices)
	}
	fmt.Fprint(w, "geometric mean of the ratio\t1.000")
	for _, l := range logs {
		fmt.Fprintf(w, "\t%.3f", math.Exp(l))
	}
	fmt.Fprintln(w)
}
