package report

import (
	"encoding/csv"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// sampleReport returns a report on sets a and b with two splits. Our methods are ridge, lssvm and svm.
func sampleReport() *Report {
	r := &Report{&standings.Record{Settings: standings.Conditions{Splits: 2}}}
	for _, set := range []string{"a", "b", "c"} {
		r.Sets = append(r.Sets, protocol.Description{Set: set, Task: methods.RegressionTask, Rows: 100, Features: 3, Available: 75, TrainRows: 75, TestRows: 25})
	}
	add := func(set, method string, seconds float64, errors ...float64) {
		for split := range 2 {
			c := protocol.Cell{Key: protocol.Key{Set: set, Method: method, Split: split}, Source: methods.SourceOf(method), Task: methods.RegressionTask, Status: protocol.StatusOverBudget}
			if split < len(errors) {
				c.Status = protocol.StatusOK
				c.Outcome = protocol.Outcome{Measures: map[string]float64{"NMSE": errors[split]}, FitSeconds: seconds * .75, PredictSeconds: seconds * .25}
			}
			r.Cells = append(r.Cells, c)
		}
	}
	add("a", "mean", 0, 1, 1)
	add("a", "ridge", 1, .5, .5)
	add("a", "lssvm", 3, .2, .2)
	add("a", "golearn-cart", 2, .4, .401)
	add("a", "sklearn-svm", 4, .2, .2)
	add("b", "mean", 0, 1, 1)
	add("b", "ridge", 1, .5, .9)
	add("b", "lssvm", 3, .31, .33)
	add("b", "golearn-cart", 5)
	add("b", "sklearn-svm", 4, .30, .32)
	add("c", "mean", 0, 1, 1)
	add("c", "ridge", 1, .5, .9)
	add("c", "lssvm", 3, .4)
	add("c", "golearn-cart", 1, .45, .45)
	add("c", "sklearn-svm", 4, .1, .2)
	r.Summarise()
	r.Analyse()
	return r
}

func TestRanks(t *testing.T) {
	a := sampleReport().Analyses[0]
	// On a, lssvm and sklearn-svm share the first rank. On b golearn-cart is missing, and on c lssvm is missing, because one of its
	// two splits is.
	assert.Equal(t, []standings.Standing{
		{Method: "sklearn-svm", Source: methods.SklearnSource, MeanRank: (1.5 + 1 + 1) / 3, Complete: 3},
		{Method: "lssvm", Source: methods.OursSource, MeanRank: (1.5 + 2 + 4) / 3, Complete: 2},
		{Method: "golearn-cart", Source: methods.GolearnSource, MeanRank: (3. + 4 + 2) / 3, Complete: 2},
		{Method: "ridge", Source: methods.OursSource, MeanRank: (4. + 3 + 3) / 3, Complete: 3},
	}, a.Methods)
	assert.InDelta(t, standings.CriticalDifference(4, 3), *a.CriticalDifference, 1e-12)
	assert.Contains(t, a.Pairs, standings.Pair{A: "lssvm", B: "golearn-cart", Wins: 1, Draws: 0, Losses: 0})
	assert.Contains(t, a.Pairs, standings.Pair{A: "golearn-cart", B: "lssvm", Wins: 0, Draws: 0, Losses: 1})
	assert.Contains(t, a.Pairs, standings.Pair{A: "lssvm", B: "sklearn-svm", Wins: 0, Draws: 2, Losses: 0}, "level on a, behind by the same on both splits of b")
	assert.Equal(t, "1", a.LeastOf(methods.OursSource))
	assert.Equal(t, "3", a.LeastOf(methods.SklearnSource))
	assert.Equal(t, "0", a.LeastOf(methods.GolearnSource))
	assert.Equal(t, "-", a.LeastOf(methods.KernlabSource))
}

// ofErrors returns a report of regressions with three splits. The map errors holds the errors by set and method, and names lists
// the methods in order.
func ofErrors(names []string, errors map[string]map[string][]float64) *Report {
	r := &Report{&standings.Record{Settings: standings.Conditions{Splits: 3}}}
	for _, set := range []string{"a", "b", "c"} {
		if errors[set] == nil {
			continue
		}
		r.Sets = append(r.Sets, protocol.Description{Set: set, Task: methods.RegressionTask, TrainRows: 75, TestRows: 25})
		for _, m := range names {
			for split, e := range errors[set][m] {
				r.Cells = append(r.Cells, protocol.Cell{
					Key: protocol.Key{Set: set, Method: m, Split: split}, Source: methods.SourceOf(m), Task: methods.RegressionTask, Status: protocol.StatusOK,
					Outcome: protocol.Outcome{Measures: map[string]float64{"NMSE": e}},
				})
			}
		}
	}
	r.Summarise()
	r.Analyse()
	return r
}

func TestRatios(t *testing.T) {
	a := sampleReport().Analyses[0]
	require.Equal(t, "ridge", a.Ratios.Reference, "the first of ours")
	byName := map[string]standings.Ratio{}
	var order []string
	for _, m := range a.Ratios.Methods {
		byName[m.Method], order = m, append(order, m.Method)
	}
	assert.Equal(t, []string{"sklearn-svm", "lssvm", "golearn-cart"}, order)
	assert.InDelta(t, math.Cbrt(.2/.5*.31/.7*.15/.7), *byName["sklearn-svm"].Mean, 1e-12)
	assert.InDelta(t, math.Sqrt(.2/.5*.32/.7), *byName["lssvm"].Mean, 1e-12, "of the two sets where it is complete")
	assert.Equal(t, 2, byName["golearn-cart"].Sets)
	assert.Zero(t, byName["lssvm"].Worse)

	methods := []string{"mean", "selection", "lssvm", "sklearn-svm"}
	r := ofErrors(methods, map[string]map[string][]float64{
		// lssvm is worse by 10.1%, by about as much on each split. sklearn-svm is worse by a third, with large differences between
		// splits.
		"a": {"mean": {1, 1, 1}, "selection": {.30, .31, .29}, "lssvm": {.331, .341, .32}, "sklearn-svm": {.2, .9, .1}},
		// for a set without noise, only the other mean is informative
		"b": {"mean": {1, 1, 1}, "selection": {.001, .002, .003}, "lssvm": {.011, .009, .0105}, "sklearn-svm": {.02, .021, .0201}},
		"c": {"mean": {1, 1, 1}, "selection": {.5, .6, .7}, "lssvm": {.5, .6, .7}, "sklearn-svm": {.201, .30, .4}},
	})
	got := r.Analyses[0].Ratios
	require.Equal(t, "selection", got.Reference)
	require.Len(t, got.Methods, 2, "the mean has no part")
	lssvm, svm := got.Methods[0], got.Methods[1]
	if lssvm.Method != "lssvm" {
		lssvm, svm = svm, lssvm
	}
	assert.Equal(t, []any{3, 2, 2}, []any{lssvm.Sets, lssvm.Noisy, lssvm.Worse})
	assert.InDelta(t, math.Sqrt(.992/.9), *lssvm.OfNoisy, 1e-9)
	assert.InDelta(t, math.Cbrt(.992/.9*.0305/.006), *lssvm.Mean, 1e-9)
	// With three sets, 1/27 of the samples contain only the set with the smallest ratio, and 1/27 only that with the largest one.
	assert.InDelta(t, 1, *lssvm.Low, 1e-9)
	assert.InEpsilon(t, .0305/.006, *lssvm.High, 1e-9)
	assert.Equal(t, []string{"a", "b"}, lssvm.ClearlyWorse)
	assert.Empty(t, lssvm.ClearlyBetter)
	assert.Equal(t, []string{"b"}, svm.ClearlyWorse, "on a its splits differ by more")
	assert.Equal(t, []string{"c"}, svm.ClearlyBetter)

	var b strings.Builder
	writeRatios(&b, r.Analyses[0], "### ", "")
	assert.Contains(t, b.String(), "### NMSE relative to selection\n")
	assert.Regexp(t, `\| lssvm +\| +kernelearn \| +3 \| +1\.776 \| +1\.000 to 5\.083 \| +2 \| +1\.050 \| +2 \| +2 \| +0 \|`, b.String())
	assert.Contains(t, b.String(), "Clearly better than selection:\n\n- c: sklearn-svm\n")
}

// A difference of less than a tenth is not clear. A difference that is the same on every split, or that comes from a single split,
// is not clear either. An error of 0 has no ratio.
func TestRatiosThatAreNotClear(t *testing.T) {
	of := func(selection, lssvm []float64) standings.Ratio {
		r := ofErrors([]string{"selection", "lssvm"}, map[string]map[string][]float64{"a": {"selection": selection, "lssvm": lssvm}})
		if len(r.Analyses[0].Ratios.Methods) == 0 {
			return standings.Ratio{}
		}
		return r.Analyses[0].Ratios.Methods[0]
	}
	assert.Len(t, of([]float64{.3, .3, .3}, []float64{.331, .332, .333}).ClearlyWorse, 1)
	assert.Empty(t, of([]float64{.3, .3, .3}, []float64{.328, .329, .327}).ClearlyWorse)
	assert.Empty(t, of([]float64{.3, .3, .3}, []float64{.4, .4, .4}).ClearlyWorse)
	assert.Empty(t, of([]float64{.3}, []float64{.4}).ClearlyWorse)
	assert.Equal(t, 1, of([]float64{.3}, []float64{.4}).Worse)
	assert.Zero(t, of([]float64{.3, .3, .3}, []float64{0, 0, 0}).Sets)
	assert.Nil(t, ofErrors([]string{"sklearn-svm"}, map[string]map[string][]float64{"a": {"sklearn-svm": {1, 1, 1}}}).Analyses[0].Ratios)

	var b strings.Builder
	writeRatios(&b, standings.Analysis{Criterion: standings.Criteria[0], Ratios: &standings.Ratios{Reference: "selection", Methods: []standings.Ratio{of([]float64{.3, .3, .3}, []float64{.331, .332, .333})}}}, "### ", "")
	assert.Contains(t, b.String(), "No method is clearly better than selection on any set.")
}

func TestCliques(t *testing.T) {
	var methods []standings.Standing
	for _, rank := range []float64{1, 1.5, 2.2, 3.5, 3.6, 5} {
		methods = append(methods, standings.Standing{MeanRank: rank})
	}
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}, {3, 4}}, cliques(methods, 1))
}

func TestFronts(t *testing.T) {
	r := sampleReport()
	require.Len(t, r.Fronts, 3)
	on := func(f standings.Front) (out []string) {
		for _, p := range f.Points {
			if p.OnFront {
				out = append(out, p.Method)
			}
		}
		return out
	}
	a, b, c := r.Fronts[0], r.Fronts[1], r.Fronts[2]
	assert.Equal(t, []string{"ridge", "golearn-cart", "lssvm"}, on(a), "sklearn-svm has no less error than lssvm and takes longer")
	assert.Equal(t, "lssvm", a.LeastPoint().Method, "of equals the faster")
	assert.True(t, a.OnFront && a.OnBetterHalf && a.Least && !a.LevelAndFaster)
	assert.Equal(t, "least", a.Verdict())
	assert.Empty(t, a.Elsewhere())

	assert.Equal(t, []string{"ridge", "lssvm", "sklearn-svm"}, on(b))
	assert.True(t, b.OnFront && b.OnBetterHalf && !b.Least)
	assert.False(t, b.LevelAndFaster, "a constant difference has standard error 0")

	assert.Equal(t, []string{"golearn-cart", "sklearn-svm"}, on(c), "ridge takes as long as golearn-cart; lssvm is not complete")
	assert.False(t, c.OnFront || c.OnBetterHalf || c.Least || c.LevelAndFaster)
	assert.Equal(t, "not on the front", c.Verdict())
	assert.Contains(t, c.Elsewhere(), "- c: sklearn-svm 0.1500, 4 s; kernelearn's best is ridge 0.7000, 1 s, ")
}

func TestLevelAndFaster(t *testing.T) {
	r := &Report{&standings.Record{Settings: standings.Conditions{Splits: 3}, Sets: []protocol.Description{{Set: "a", Task: methods.ClassificationTask, TrainRows: 75, TestRows: 25}}}}
	for method, right := range map[string][]float64{"lssvm": {.90, .92, .88}, "sklearn-svm": {.93, .90, .89}} {
		for split, v := range right {
			r.Cells = append(r.Cells, protocol.Cell{
				Key: protocol.Key{Set: "a", Method: method, Split: split}, Source: methods.SourceOf(method), Task: methods.ClassificationTask, Status: protocol.StatusOK,
				Outcome: protocol.Outcome{Measures: map[string]float64{"Accuracy": v, "GMean": v}, FitSeconds: float64(len(method))},
			})
		}
	}
	r.Analyse()
	f := r.Fronts[0]
	assert.Equal(t, "sklearn-svm", f.LeastPoint().Method)
	assert.True(t, f.LevelAndFaster)
	assert.False(t, f.Least)
	assert.Empty(t, f.Elsewhere())
}

func TestKindsAndLevels(t *testing.T) {
	r := sampleReport()
	k := r.Analyses[0].Kinds
	require.Len(t, k, 3, "all three sets have few rows and few features, and on none is ridge good")
	assert.Equal(t, "fewer than 300 training rows", k[0].Name)
	assert.Equal(t, "not nearly linear", k[2].Name)
	assert.Equal(t, r.Analyses[0].Methods, k[0].Methods)

	assert.Equal(t, "lssvm", r.Fronts[0].FastestLevel().Method)
	assert.Equal(t, "sklearn-svm", r.Fronts[1].FastestLevel().Method)
	assert.Equal(t, "sklearn-svm", r.Fronts[2].FastestLevel().Method)
	var b strings.Builder
	r.ties(&b, r.Analyses[0], "### Tied")
	assert.Regexp(t, `\| sklearn-svm +\| scikit-learn \| +3 \| +3 \| +2 \| +4 \|`, b.String())
	assert.Regexp(t, `\| lssvm +\| +kernelearn \| +1 \| +1 \| +1 \| +3 \|`, b.String())
}

func TestSectionsAndFiles(t *testing.T) {
	r := sampleReport()
	dir := t.TempDir()
	require.NoError(t, r.Write(dir))
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	assert.Regexp(t, `\| NMSE +\| regression \| +3 \| +4 \| +1 \| +0 \| +3 \| +- \| +- \| +- \| sklearn-svm, 1\.17 \|`, string(text))
	assert.Regexp(t, `\| lssvm +\| +kernelearn \| +2\.50 \| +2/3 \| +- \| +1/0/0 \| +0/2/0 \|`, string(text))
	assert.Regexp(t, `\| NMSE +\| regression \| +3 \| +2 \| +2 \| +1 \| +0 \| +1 \|`, string(text))
	assert.Contains(t, string(text), "Where a method of another source is the better choice")
	assert.Contains(t, string(text), "### NMSE relative to ridge\n")
	for _, name := range []string{"bars-nmse.png", "front-nmse.png", "ranks-nmse.png"} {
		assert.Contains(t, string(text), "("+name+")")
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		picture, err := png.Decode(f)
		require.NoError(t, err)
		assert.Greater(t, picture.Bounds().Dx(), 400)
		require.NoError(t, f.Close())
	}
	for name, rows := range map[string]int{"sets.csv": 4, "cells.csv": 31, "summary.csv": 16, "ranks.csv": 5, "pairs.csv": 13, "fronts.csv": 11, "front.csv": 5, "relations.csv": 1} {
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		records, err := csv.NewReader(f).ReadAll() // fails unless all rows have the same number of cells
		require.NoError(t, err, name)
		assert.Len(t, records, rows, name)
		require.NoError(t, f.Close())
	}
	content, err := os.ReadFile(filepath.Join(dir, "cells.csv"))
	require.NoError(t, err)
	assert.Contains(t, string(content), fmt.Sprintf(",b,regression,golearn-cart,golearn,0,over budget,0,0%s\n", strings.Repeat(",", 21)))
}

// Methods with the same errors share a rank, even if the errors are summed in another order.
func TestEqualMeansAreTies(t *testing.T) {
	a, b := []float64{0.1, 0.2, 0.3}, []float64{0.3, 0.2, 0.1}
	require.NotEqual(t, stat.Mean(a, nil), stat.Mean(b, nil), "they differ in the last digit")
	assert.Equal(t, standings.Significant(stat.Mean(a, nil)), standings.Significant(stat.Mean(b, nil)))
	assert.True(t, math.IsInf(standings.Significant(math.Inf(1)), 1))
}
