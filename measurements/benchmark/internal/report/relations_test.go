package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

func TestZeros(t *testing.T) {
	// On all sets sklearn-svm is better than selection, and lssvm, a method of this module, is better than both.
	errors := map[string]map[string][]float64{}
	for _, set := range []string{"a", "b", "c"} {
		errors[set] = map[string][]float64{"selection": {.3, .31, .29}, "lssvm": {.1, .1, .1}, "sklearn-svm": {.2, .2, .2}, "sklearn-forest": {.4, .4, .4}}
	}
	all := []string{"selection", "lssvm", "sklearn-svm", "sklearn-forest"}
	z := ofErrors(all, errors).Analyses[0].Zeros
	require.Len(t, z, 2)
	assert.Equal(t, []any{"all methods", 4, 3., "lssvm", 1., standings.ReadingWithin}, []any{z[0].Among, z[0].Methods, z[0].MeanRank, z[0].First, z[0].FirstRank, z[0].Reading})
	assert.InDelta(t, standings.CriticalDifference(4, 3), *z[0].CriticalDifference, 1e-12)
	assert.Equal(t, []any{"the peers", 3, 2., "sklearn-svm", 1., standings.ReadingWithin}, []any{z[1].Among, z[1].Methods, z[1].MeanRank, z[1].First, z[1].FirstRank, z[1].Reading})
	assert.InDelta(t, standings.CriticalDifference(3, 3), *z[1].CriticalDifference, 1e-12)

	for _, set := range []string{"a", "b", "c"} {
		errors[set]["selection"] = []float64{.05, .05, .05}
	}
	r := ofErrors(all, errors)
	z = r.Analyses[0].Zeros
	assert.Equal(t, []string{standings.ReadingFirst, standings.ReadingFirst}, []string{z[0].Reading, z[1].Reading})
	assert.Equal(t, standings.ZeroMethod, z[0].First)
	var b strings.Builder
	r.answers(&b)
	assert.Regexp(t, `\| NMSE, regression +\| +3 \| +the peers \| +3 \| +1\.00 \| +selection \| +1\.00 \| +\d\.\d\d \| +first \|`, b.String())

	// With many sets, the last of ten methods is clearly behind.
	far := &Report{&standings.Record{Settings: standings.Conditions{Splits: 1}}}
	names := append([]string{"selection"}, standings.Rivals...)
	for i := range 40 {
		set := fmt.Sprint("set", i)
		far.Sets = append(far.Sets, protocol.Description{Set: set, Task: methods.RegressionTask, TrainRows: 75, TestRows: 25})
		for j, m := range names {
			far.Cells = append(far.Cells, protocol.Cell{Key: protocol.Key{Set: set, Method: m}, Source: methods.SourceOf(m), Task: methods.RegressionTask, Status: protocol.StatusOK,
				Outcome: protocol.Outcome{Measures: map[string]float64{"NMSE": 1 - float64(j)/10}}})
		}
	}
	far.Analyse()
	assert.Equal(t, standings.ReadingBehind, far.Analyses[0].Zeros[0].Reading)
	assert.Nil(t, ofErrors([]string{"lssvm", "ridge"}, map[string]map[string][]float64{"a": {"lssvm": {1}, "ridge": {1}}}).Analyses[0].Zeros)
	assert.Equal(t, standings.ReadingNoTest, ofErrors([]string{"lssvm", "selection"}, map[string]map[string][]float64{"a": {"lssvm": {.5}, "selection": {1}}}).Analyses[0].Zeros[0].Reading)
}

func TestRelations(t *testing.T) {
	r := ofErrors([]string{"selection", "lssvm", "lightgbm", "sklearn-forest"}, map[string]map[string][]float64{
		"a": {"selection": {.30, .31, .29}, "lssvm": {.1, .11, .1}, "lightgbm": {.50, .52, .49}, "sklearn-forest": {.30, .29, .31}},
		"b": {"selection": {.30, .31, .29}, "lssvm": {.1, .11, .1}, "lightgbm": {.10, .12, .10}, "sklearn-forest": {.30, .29, .31}},
		"c": {"lssvm": {.1, .11, .1}, "lightgbm": {.10, .12, .10}},
	})
	a := r.Analyses[0]
	assert.Equal(t, []standings.Relation{
		{Ours: "selection", Peer: "lightgbm", Better: []string{"a"}, Worse: []string{"b"}, OnlyTheirs: []string{"c"}},
		{Ours: "lssvm", Peer: "lightgbm", Better: []string{"a"}, Ties: []string{"b", "c"}},
		{Ours: "selection", Peer: "sklearn-forest", Ties: []string{"a", "b"}},
		{Ours: "lssvm", Peer: "sklearn-forest", Better: []string{"a", "b"}, OnlyOurs: []string{"c"}},
	}, a.Relations)
	var b strings.Builder
	r.answers(&b)
	assert.Regexp(t, `\| lightgbm +\| 1-0-1 −1 \|`, b.String())
	assert.Equal(t, []string{"", "NMSE", methods.RegressionTask, "lssvm", "sklearn-forest", "2", "0", "0", "1", "0", "a b", ""}, r.relationTable()[4])

	one := ofErrors([]string{"selection", "lightgbm"}, map[string]map[string][]float64{"a": {"selection": {.3}, "lightgbm": {.5}}})
	assert.Empty(t, one.Analyses[0].Relations, "a single split has no test")
}

func TestOverview(t *testing.T) {
	o := sampleReport().Overviews[0]
	// The relative errors are: sklearn-svm 1, 1, 1; lssvm 1, 1.03, none; ridge 2.5, 2.26, 4.67; golearn-cart 2.0025, none, 3.
	var got []string
	for _, p := range o.Points {
		got = append(got, fmt.Sprintf("%s %.4f %v %v %d/%d", p.Method, p.Error, p.Seconds, p.OnFront, p.Complete, p.Sets))
	}
	assert.Equal(t, []string{
		"ridge 2.5000 1 true 3/3", "golearn-cart 3.0000 2 false 2/3", "lssvm 1.0323 3 true 2/3", "sklearn-svm 1.0000 4 true 3/3",
	}, got)
}

// Methods that do not support a criterion are left out of its comparison. A method that supports it but fails is not complete.
func TestPartialCriteria(t *testing.T) {
	r := &Report{&standings.Record{}}
	for _, set := range []string{"a", "b"} {
		r.Sets = append(r.Sets, protocol.Description{Set: set, Task: methods.RegressionTask, TrainRows: 75, TestRows: 25})
		for _, m := range []string{"selection", "lssvm", "lightgbm"} {
			c := protocol.Cell{Key: protocol.Key{Set: set, Method: m}, Source: methods.SourceOf(m), Task: methods.RegressionTask, Status: protocol.StatusOK, Outcome: protocol.Outcome{Measures: map[string]float64{"NMSE": 1}}}
			if m == "selection" || m == "lssvm" && set == "a" {
				c.Measures["NLPD"] = -2
			}
			r.Cells = append(r.Cells, c)
		}
	}
	r.Analyse()
	require.Len(t, r.Analyses, 2)
	assert.Len(t, r.Analyses[0].Methods, 3)
	assert.Equal(t, []standings.Standing{{Method: "selection", Source: methods.OursSource, MeanRank: 1.25, Complete: 2}, {Method: "lssvm", Source: methods.OursSource, MeanRank: 1.75, Complete: 1}}, r.Analyses[1].Methods)
	require.Len(t, r.Overviews, 1, "measures that may be negative have no ratio")
}

// The page of the sets is short enough with all sets of both collections.
func TestSetsPage(t *testing.T) {
	r := &Report{&standings.Record{}}
	for i := range 92 {
		d := protocol.Description{Set: fmt.Sprint("set-", i), Task: methods.RegressionTask, Collection: protocol.FirstCollection, Rows: 12_345, Features: 10, TrainRows: 75, TestRows: 25}
		if i%2 == 1 {
			d.Task = methods.ClassificationTask
		}
		if i > 46 {
			d.Collection = protocol.SecondCollection
		}
		r.Sets = append(r.Sets, d)
		for _, m := range []string{"selection", "lssvm", "sklearn-forest"} {
			for split := range 3 {
				e := 0.5 + 0.01*float64(split*len(m))
				if m == "sklearn-forest" {
					e /= 2
				}
				r.Cells = append(r.Cells, protocol.Cell{Key: protocol.Key{Set: d.Set, Method: m, Split: split}, Source: methods.SourceOf(m), Task: d.Task, Status: protocol.StatusOK,
					Outcome: protocol.Outcome{Measures: map[string]float64{"NMSE": e, "Accuracy": 1 - e, "GMean": 1 - e}}})
			}
		}
	}
	r.Analyse()
	var b strings.Builder
	r.setsPage(&b)
	words := strings.Fields(strings.ReplaceAll(b.String(), "|", " "))
	assert.Less(t, len(words), 2500)
	assert.Regexp(t, `\| set-0 +\| +12 345 \| +10 \| +0\.5900 \| +lssvm \| +0\.5500 \| sklearn-forest \| +0\.3200 \| +worse \|`, b.String())
	assert.Equal(t, 4, strings.Count(b.String(), "\n## "))
}

// A report of two collections has all pictures and pages, and -redraw draws its pictures again from the tables.
func TestPagesAndPicturesOfTwoCollections(t *testing.T) {
	r := ofErrors([]string{"selection", "lssvm", "lightgbm", "sklearn-forest"}, map[string]map[string][]float64{
		"a": {"selection": {.30, .31, .29}, "lssvm": {.1, .11, .09}, "lightgbm": {.50, .52, .48}, "sklearn-forest": {.30, .29, .31}},
		"b": {"selection": {.30, .31, .29}, "lssvm": {.1, .11, .09}, "lightgbm": {.10, .14, .12}, "sklearn-forest": {.30, .29, .31}},
		"c": {"selection": {.20, .22, .21}, "lssvm": {.1, .11, .09}, "lightgbm": {.10, .14, .12}},
	})
	for i, collection := range []string{protocol.FirstCollection, protocol.FirstCollection, protocol.SecondCollection} {
		r.Sets[i].Collection = collection
	}
	for i := range r.Cells {
		r.Cells[i].FitSeconds = float64(len(r.Cells[i].Method))
	}
	r.Summary, r.Analyses, r.Overviews, r.Fronts = nil, nil, nil, nil
	r.Summarise()
	r.Analyse()
	dir := t.TempDir()
	require.NoError(t, r.Write(dir))
	for name, want := range map[string][]string{
		"nmse.md":         {"# NMSE, regression, the first collection\n", "(methods.md)", "(ranks-nmse.png)", "## Tied with the smallest error\n"},
		"nmse-second.md":  {"# NMSE, regression, the second collection\n", "(ranks-nmse-second.png)"},
		"methods.md":      {"## Ranks\n", "## Error against time\n", "## Measures\n", "## Methods\n"},
		"sets.md":         {"| a "},
		"ratios.md":       {"\n## NMSE relative to selection\n", "\n## NMSE relative to selection, second collection\n"},
		"costs.md":        {"# Seconds, memory and files, the first collection\n", "\n## Regression\n", "| lightgbm       |"},
		"costs-second.md": {"# Seconds, memory and files, the second collection\n", "\n## Regression\n"},
		"report.md":       {"The first collection:\n\n| selection against |", "The second collection:\n", "(relations.png)"},
	} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		for _, part := range want {
			assert.Contains(t, string(content), part, name)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(dir, "*.png"))
	require.NoError(t, err)
	require.Len(t, pictures, 9, "bars, front and ranks of two collections, overview, profiles, relations")
	before := map[string][]byte{}
	for _, path := range pictures {
		before[path], err = os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
	}
	require.NoError(t, Redraw(dir))
	for path, content := range before {
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(content, again), path)
	}

	table, err := os.ReadFile(filepath.Join(dir, "relations.csv"))
	require.NoError(t, err)
	for _, n := range []string{"-1", "1e9"} {
		wrong := regexp.MustCompile(`(?m)^([^,]*,NMSE,regression,selection,lightgbm),1,`).ReplaceAll(table, []byte("$1,"+n+","))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "relations.csv"), wrong, 0o600))
		assert.ErrorContains(t, Redraw(dir), "relations.csv: line 2, better: ", "of %s", n)
	}
}
