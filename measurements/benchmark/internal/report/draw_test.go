package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"

	"github.com/kernelearn/kernelearn/internal/plotstyle"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// A diagram of ranks contains the best methods, and the best of each source, for any number of methods.
func TestRanked(t *testing.T) {
	var a standings.Analysis
	for i := range 30 {
		source := methods.OursSource
		switch {
		case i == 20 || i == 25:
			source = methods.GolearnSource
		case i == 3 || i == 22:
			source = methods.SklearnSource
		}
		a.Methods = append(a.Methods, standings.Standing{Method: fmt.Sprint(i), Source: source, MeanRank: float64(i)})
	}
	var names []string
	for _, m := range a.Ranked() {
		names = append(names, m.Method)
	}
	assert.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "20"}, names)
}

// The axis of ranks contains everything that is drawn on it, including the critical difference.
func TestRanksAxis(t *testing.T) {
	methods := []standings.Standing{{MeanRank: 2.3}, {MeanRank: 4.1}}
	low, high := ranksDiagram{methods: methods}.axis()
	assert.Equal(t, [2]float64{2, 5}, [2]float64{low, high})
	low, high = ranksDiagram{methods: methods, critical: 12.06}.axis()
	assert.LessOrEqual(t, low+12.06, high)
}

// No axis of errors begins below 0. The panel names the methods on the front and the best of each source.
func TestFrontPanels(t *testing.T) {
	r := sampleReport()
	shown := r.shownFronts(standings.Criteria[0])
	require.Len(t, shown, 3)
	assert.Equal(t, "c", shown[2].Set, "where methods take the least time")
	for _, f := range shown {
		p, err := panel(f)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, p.Y.Min, 0.0)
		assert.Less(t, p.Y.Min, p.Y.Max)
		assert.LessOrEqual(t, p.Y.Min, f.LeastPoint().Error)
	}
	many := &Report{&standings.Record{}}
	for i := range 20 {
		many.Fronts = append(many.Fronts, standings.Front{Criterion: standings.Criteria[1], Set: fmt.Sprint(i), Points: []standings.Point{{Seconds: float64(i)}}})
	}
	assert.Len(t, many.shownFronts(standings.Criteria[1]), mostFronts)
	assert.Equal(t, "19", many.shownFronts(standings.Criteria[1])[0].Set)
	assert.Empty(t, many.shownFronts(standings.Criteria[0]))
}

// Each method of a source is in one panel, and no panel has more curves than there are colours.
func TestGrownMethods(t *testing.T) {
	r := &Report{&standings.Record{}}
	for _, rows := range []int{100, 1000, 10000} {
		r.Sets = append(r.Sets, protocol.Description{Set: fmt.Sprint(rows), Task: methods.RegressionTask, TrainRows: rows})
	}
	for i := range 8 {
		name := fmt.Sprint("m", i)
		r.Growth = append(r.Growth, standings.Growth{Method: name, Source: methods.OursSource})
		for j, d := range r.Sets {
			if j <= i%3 {
				seconds := float64(i+1) * float64(d.TrainRows)
				r.Summary = append(r.Summary, standings.Summary{Set: d.Set, Method: name, FitSeconds: &seconds})
			}
		}
	}
	var names []string
	for _, m := range r.grown(methods.OursSource) {
		names = append(names, m.name)
	}
	assert.Equal(t, []string{"m2", "m5", "m1", "m4", "m7", "m0", "m3", "m6"}, names, "most rows first, then the fastest")
	assert.Empty(t, r.grown(methods.GolearnSource))
	require.Greater(t, len(names), plotstyle.MaxCurves)
	path := filepath.Join(t.TempDir(), "growth.png")
	require.NoError(t, r.drawGrowth(path))
	assert.FileExists(t, path)
}

// The pictures that -redraw draws from the tables of a report are the same as the pictures of the report.
func TestRedraw(t *testing.T) {
	r := sampleReport()
	dir := t.TempDir()
	require.NoError(t, r.Write(dir))
	names := []string{"bars-nmse.png", "front-nmse.png", "ranks-nmse.png"}
	before := map[string][]byte{}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		before[name] = content
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	require.NoError(t, Redraw(dir))
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, before[name], content, name)
	}

	again, err := readSummary(filepath.Join(dir, "summary.csv"))
	require.NoError(t, err)
	again.Analyse()
	require.Len(t, again.Fronts, len(r.Fronts))
	for i, f := range r.Fronts {
		for j, p := range f.Points {
			assert.Equal(t, p.Method, again.Fronts[i].Points[j].Method)
			assert.Equal(t, p.OnFront, again.Fronts[i].Points[j].OnFront)
			assert.InDelta(t, p.Seconds, again.Fronts[i].Points[j].Seconds, 1e-12)
		}
	}
	assert.False(t, math.IsNaN(again.Analyses[0].Methods[0].MeanRank))

	assert.ErrorIs(t, Redraw(t.TempDir()), os.ErrNotExist)
	bad := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bad, "summary.csv"), []byte("set,method\na,b\n"), 0o600))
	assert.ErrorContains(t, Redraw(bad), `no column "collection"`)
	content, err := os.ReadFile(filepath.Join(dir, "summary.csv"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(bad, "summary.csv"), content, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(bad, "ranks.csv"), []byte("collection,criterion,method,source,mean_rank,complete_sets\n,NMSE,ridge,kernelearn,x,3\n"), 0o600))
	assert.ErrorContains(t, Redraw(bad), "line 2, mean_rank")
}

// A curve rises by one set at the seconds of each set near the smallest error, and ends at the last seconds of all methods.
func TestProfile(t *testing.T) {
	assert.Equal(t, plotter.XYs{{X: -1}, {X: 0}, {X: 0, Y: .25}, {X: 1, Y: .25}, {X: 1, Y: .5}, {X: 2, Y: .5}},
		profile([]float64{1, 10}, 4, -1, 2))
	assert.Equal(t, plotter.XYs{{X: -1}, {X: 2}}, profile(nil, 4, -1, 2), "near the smallest error on no set")
}

// The error of ridge is within a tenth of the smallest on a alone, that of falkon on no set, and lssvm has the smallest on all sets.
// Selection is included if it is near the smallest on no set.
func TestProfiled(t *testing.T) {
	r := ofErrors([]string{"selection", "ridge", "lssvm", "falkon"}, map[string]map[string][]float64{
		"a": {"selection": {.4}, "ridge": {.32}, "lssvm": {.3}, "falkon": {.9}},
		"b": {"selection": {.4}, "ridge": {.4}, "lssvm": {.3}, "falkon": {.9}},
		"c": {"selection": {.305}, "ridge": {.9}, "lssvm": {.3}, "falkon": {.9}},
	})
	for i := range r.Cells {
		r.Cells[i].FitSeconds = float64(i)
	}
	r.Overviews = nil
	r.Analyse()
	var names []string
	for _, p := range r.Overviews[0].Profiled(2) {
		names = append(names, p.Method)
	}
	assert.Equal(t, []string{"selection", "lssvm"}, names, "selection first, and of the others the one near the smallest error most often")
	all := r.Overviews[0].Profiled(4)
	require.Len(t, all, 3, "without falkon")
	for _, p := range all {
		assert.Equal(t, map[string][]float64{"selection": {8}, "ridge": {1}, "lssvm": {2, 6, 10}}[p.Method], p.Near)
	}
	r = ofErrors([]string{"selection", "lssvm"}, map[string]map[string][]float64{"a": {"selection": {.4}, "lssvm": {.3}}})
	assert.Len(t, r.Overviews[0].Profiled(2), 2)
}
