package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/report"
)

func TestRunOnWhatIsShipped(t *testing.T) {
	dir := t.TempDir()
	printed, err := bench(t, "-splits", "2", "-rows", "150", "-methods", "lssvm,mean,majority,ridge", "-budget", "1m", "-out", dir)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	assert.Equal(t, printed, string(text))
	assert.Contains(t, printed, "trained on 150 rows of 427, drawn at random, tested on 142")

	r := readReport(t, dir)
	require.Len(t, r.Sets, 2)
	assert.Equal(t, "breast-cancer-wdbc", r.Sets[0].Set)
	assert.Equal(t, "malignant", r.Sets[0].Positive)
	var methods []string
	for _, s := range r.Summary {
		methods = append(methods, s.Set[:4]+" "+s.Method)
		assert.Equal(t, 2, s.OK, s.Method)
		assert.NotNil(t, s.FitSeconds)
		assert.Positive(t, *s.ModelBytes, s.Method)
	}
	assert.Equal(t, []string{"brea majority", "brea ridge", "brea lssvm", "diab mean", "diab ridge", "diab lssvm"}, methods, "those that fit, in the order of the table")
	assert.Greater(t, r.Summary[2].Measures["Accuracy"].Mean, 0.9)
	assert.Greater(t, r.Summary[2].Measures["AUC"].Mean, 0.95)
	assert.InDelta(t, 0.5, r.Summary[0].Measures["AUC"].Mean, 1e-9)
	assert.InDelta(t, 1, r.Summary[3].Measures["NMSE"].Mean, 0.1)
	assert.Less(t, r.Summary[4].Measures["NMSE"].Mean, 0.7)
	assert.NotNil(t, r.Summary[4].Measures["NMSE"].SD)
	for _, c := range r.Cells {
		assert.Equal(t, protocol.StatusOK, c.Status)
		assert.Equal(t, 150, c.TrainRows)
		if c.PeakBytes != nil {
			assert.GreaterOrEqual(t, *c.PeakBytes, *c.BeforeBytes)
			assert.Greater(t, *c.BeforeBytes, int64(1<<20))
		}
	}

	again, err := bench(t, "-splits", "2", "-rows", "150", "-methods", "lssvm,mean,majority,ridge", "-budget", "1m", "-out", dir)
	require.NoError(t, err)
	assert.Equal(t, printed, again, "nothing is left to run")
}

const diabetes = "diabetes-progression"

func TestWhatFailsIsARowAndStopsNothing(t *testing.T) {
	dir := t.TempDir()
	out, err := bench(t, "-sets", diabetes, "-splits", "1", "-rows", "50", "-out", dir, "-budget", "1m",
		"-methods", "mean,panics,panics-aside,errs,exits,nan,chatty")
	require.NoError(t, err)
	want := map[string]string{
		"panics":       "panic: out of cheese; exit status 2",
		"panics-aside": "panic: out of mice; exit status 2",
		"errs":         "fit: no cheese today",
		"exits":        "going home; exit status 7",
		"nan":          "NMSE: predicted[0] is NaN",
	}
	for _, c := range readReport(t, dir).Cells {
		if message, bad := want[c.Method]; bad {
			assert.Equal(t, protocol.StatusFailed, c.Status, c.Method)
			assert.Contains(t, c.Error, message)
			assert.Contains(t, out, "- "+c.Method+" failed: ")
			assert.NotContains(t, c.Error, "goroutine")
		} else {
			assert.Equal(t, protocol.StatusOK, c.Status, "%s: %s", c.Method, c.Error)
		}
	}
	assert.Contains(t, out, "1 failed")
}

func TestOverBudget(t *testing.T) {
	dir := t.TempDir()
	address, begun := listen(t)
	t.Setenv(listenerVariable, address)
	// The budget is long enough for the process to begin. The process is ended after three times the budget in wall-clock time.
	_, err := bench(t, "-sets", diabetes, "-splits", "1", "-rows", "50", "-out", dir, "-methods", "hangs", "-budget", "2s")
	require.NoError(t, err)
	begun()() // returns: the process has ended
	r := readReport(t, dir)
	require.Len(t, r.Cells, 1)
	assert.Equal(t, protocol.StatusOverBudget, r.Cells[0].Status)
	assert.Empty(t, r.Cells[0].Measures)
	assert.Equal(t, 1, r.Summary[0].OverBudget)
}

func TestInterruptStopsTheCellAndRecordsNothing(t *testing.T) {
	dir := t.TempDir()
	address, begun := listen(t)
	t.Setenv(listenerVariable, address)
	ctx, cancel := context.WithCancel(t.Context())
	var ended func()
	go func() {
		ended = begun()
		cancel()
	}()
	err := run(ctx, []string{"-sets", diabetes, "-splits", "1", "-rows", "50", "-out", dir, "-methods", "mean,hangs", "-workers", "1", "-budget", "1h"}, io.Discard, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "interrupted with 1 of 2 cells left")
	ended()
	assert.FileExists(t, filepath.Join(dir, "cells", diabetes, "mean", "00.json"))
	assert.NoFileExists(t, filepath.Join(dir, "cells", diabetes, "hangs", "00.json"))
	assert.NoFileExists(t, filepath.Join(dir, "report.json"))
}

// parent starts the program as a separate process.
func parent(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program, append([]string{parentCommand}, args...)...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	require.NoError(t, cmd.Start())
	return cmd, &problems
}

func TestNoCellOutlivesAKilledParent(t *testing.T) {
	address, begun := listen(t)
	t.Setenv(listenerVariable, address)
	cmd, _ := parent(t, "-sets", diabetes, "-splits", "1", "-rows", "50", "-out", t.TempDir(), "-methods", "hangs", "-budget", "1h")
	ended := begun()
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	ended()
}

func TestKilledAtRandomAndResumed(t *testing.T) {
	args := func(dir string) []string {
		return []string{"-splits", "8", "-rows", "60", "-methods", "mean,majority,ridge,lssvm,panics", "-budget", "5m", "-out", dir}
	}
	undisturbed := t.TempDir()
	begun := time.Now()
	_, err := bench(t, args(undisturbed)...)
	require.NoError(t, err)
	whole := time.Since(begun)

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	for range 3 {
		cmd, problems := parent(t, args(dir)...)
		pause := time.Duration(random.Float64() * float64(whole) / 2)
		time.Sleep(pause)
		_ = cmd.Process.Kill() // may have ended by itself
		_ = cmd.Wait()
		done, err := filepath.Glob(filepath.Join(dir, "cells", "*", "*", "*.json"))
		require.NoError(t, err)
		t.Logf("killed after %v with %d cells: %s", pause, len(done), strings.TrimSpace(problems.String()[strings.LastIndex(problems.String(), "\r")+1:]))
	}
	_, err = bench(t, args(dir)...)
	require.NoError(t, err)
	assert.Equal(t, repeatable(t, undisturbed), repeatable(t, dir))

	// A cell with an incomplete file is run again, and a cell with a complete file is not.
	half := filepath.Join(dir, "cells", diabetes, "lssvm", "01.json")
	content, err := os.ReadFile(half)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(half, content[:len(content)/2], 0o600))
	marked := filepath.Join(dir, "cells", diabetes, "lssvm", "02.json")
	content, err = os.ReadFile(marked)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(marked, bytes.Replace(content, []byte(`"fit_seconds": `), []byte(`"fit_seconds": 77`), 1), 0o600))
	_, err = bench(t, args(dir)...)
	require.NoError(t, err)
	assert.Equal(t, repeatable(t, undisturbed), repeatable(t, dir))
	for _, c := range readReport(t, dir).Cells {
		assert.Equal(t, c.Set == diabetes && c.Method == "lssvm" && c.Split == 2, c.FitSeconds >= 77)
	}
}

func TestAnotherConfigurationIsNotMixedIn(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	file := filepath.Join(data, "own.csv")
	require.NoError(t, os.WriteFile(file, []byte(own), 0o600))
	args := []string{"-data", data, "-sets", "own", "-splits", "1", "-workers", "1", "-methods", "mean", "-out", dir}
	_, err := bench(t, args...)
	require.NoError(t, err)
	for _, c := range []struct{ flag, value, want string }{
		{"-seed", "2", "seed 1, this run has 2"},
		{"-rows", "5", "max_rows 0, this run has 5"},
		{"-budget", "3s", `budget "20s", this run has "3s"`},
		{"-workers", "2", "workers 1, this run has 2"},
	} {
		_, err := bench(t, append(args, c.flag, c.value)...)
		assert.ErrorContains(t, err, c.want)
		assert.ErrorContains(t, err, "take another -out")
	}

	_, err = bench(t, append(args, "-rows", "6")...)
	require.NoError(t, err, "a limit without effect does not change the configuration")
	_, err = bench(t, append(args, "-splits", "2")...)
	require.NoError(t, err, "more splits do not change the configuration")
	assert.Len(t, readReport(t, dir).Cells, 2)

	split := filepath.Join(dir, "splits", "own", "00-train.csv")
	content, err := os.ReadFile(split)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(split, append(content, "1,1,1\n"...), 0o600))
	_, err = bench(t, args...)
	assert.ErrorContains(t, err, "00-train.csv is not what this run would write")
	require.NoError(t, os.WriteFile(split, content, 0o600))

	path := filepath.Join(dir, "cells", "own", "mean", "00.json")
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(content, []byte("predicts the mean"), []byte("predicts the median"), 1), 0o600))
	_, err = bench(t, args...)
	assert.ErrorContains(t, err, `configuration "predicts the median`)
	require.NoError(t, os.WriteFile(path, content, 0o600))

	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(own, "21", "22", 1)), 0o600))
	_, err = bench(t, args...)
	assert.ErrorContains(t, err, "was made with sha256")
}

func TestWorkersGiveTheSame(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, workers := range []string{"1", "2"} {
		_, err := bench(t, "-splits", "1", "-rows", "40", "-methods", ownNames(), "-budget", "5m", "-workers", workers, "-out", dirs[i])
		require.NoError(t, err)
	}
	one, two := readReport(t, dirs[0]), readReport(t, dirs[1])
	require.Len(t, two.Cells, len(one.Cells))
	for i, c := range one.Cells {
		assert.Equal(t, protocol.StatusOK, c.Status, c.Method)
		assert.Equal(t, c.Measures, two.Cells[i].Measures, "%s on %s", c.Method, c.Set)
	}
	assert.Equal(t, one.Analyses, two.Analyses)
}

// ownNames returns the names of the methods of this module. Those of golearn are left out, because they return different numbers in
// each run.
func ownNames() string {
	var out []string
	for _, m := range slices.Concat(methods.Baselines, methods.Ours) {
		switch m.Name {
		case "rvm-grid", "eekm-grid": // they are slow, and no different from the other grids
		case methods.Budgeted: // it needs the seconds of a peer
		default:
			out = append(out, m.Name)
		}
	}
	return strings.Join(out, ",")
}

func TestOverBudgetIsNotRunAgain(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-sets", diabetes, "-splits", "3", "-rows", "50", "-out", dir, "-methods", "mean,errs,spins", "-budget", "1s", "-workers", "2"}
	printed, err := bench(t, args...)
	require.NoError(t, err)
	var statuses []string
	for _, c := range readReport(t, dir).Cells {
		if c.Method == "spins" {
			statuses = append(statuses, c.Status+": "+c.Error)
		}
		if c.Method == "errs" {
			assert.Equal(t, protocol.StatusFailed, c.Status, "a failing method is tried on each split")
		}
	}
	reason := "not run: over budget on split 0 of " + diabetes
	assert.Equal(t, []string{"over budget: ", reason, reason}, statuses)
	assert.Contains(t, printed, "1 over budget, 2 not run")

	// A continued run skips the same cells.
	require.NoError(t, os.Remove(filepath.Join(dir, "cells", diabetes, "spins", "02.json")))
	again, err := bench(t, args...)
	require.NoError(t, err)
	assert.Equal(t, printed, again)
}

func TestSynthetic(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-synthetic", "friedman1:1000x6", "-splits", "2", "-budget", "5s", "-methods", "mean,ridge,lssvm,spins", "-workers", "2", "-out", dir}
	printed, err := bench(t, args...)
	require.NoError(t, err)
	r := readReport(t, dir)
	var sets []string
	for _, d := range r.Sets {
		sets = append(sets, d.Set)
	}
	assert.Equal(t, []string{"friedman1-250x6", "friedman1-500x6", "friedman1-1000x6"}, sets)
	require.Len(t, r.Growth, 4)
	for _, g := range r.Growth {
		switch g.Method {
		case "mean":
			assert.Nil(t, g.Fit, "too short to tell")
			assert.InDelta(t, 1, g.Error, .1)
		case "ridge":
			assert.Equal(t, 1000, g.Most)
			assert.InDelta(t, .25, g.Error, .1, "two of five terms are not linear")
		case "lssvm":
			assert.Less(t, g.Error, .12)
			require.NotNil(t, g.Fit)
			assert.Equal(t, 3, g.Fit.Sizes)
		case "spins":
			assert.Zero(t, g.Most)
		}
	}
	for _, c := range r.Cells {
		if c.Method == "spins" && (c.Set != sets[0] || c.Split > 0) {
			assert.Equal(t, protocol.StatusNotRun, c.Status, "a method that exceeds the budget on few rows is not run on more")
		}
	}
	assert.Contains(t, printed, "## Growth")
	assert.FileExists(t, filepath.Join(dir, report.GrowthPicture))
	assert.FileExists(t, filepath.Join(dir, "growth.csv"))

	// The rows of a smaller size are the first rows of a larger one.
	few, _, err := protocol.ReadRows(filepath.Join(dir, "splits", sets[0], "01-train.csv"))
	require.NoError(t, err)
	many, _, err := protocol.ReadRows(filepath.Join(dir, "splits", sets[2], "01-train.csv"))
	require.NoError(t, err)
	assert.True(t, mat.Equal(few, many.Slice(0, 250, 0, 6)))
	other, _, err := protocol.ReadRows(filepath.Join(dir, "splits", sets[0], "00-train.csv"))
	require.NoError(t, err)
	assert.False(t, mat.Equal(few, other))
}

func TestQuickGivesWayToWhatIsGiven(t *testing.T) {
	s, _, err := parse([]string{"-quick", "-rows", "77", "-out", t.TempDir()}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, []any{quickSplits, 77, quickBudget}, []any{s.Splits, s.MaxRows, s.Budget})
	s, _, err = parse([]string{"-out", t.TempDir()}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, []any{0, 0, defaultBudget}, []any{s.Splits, s.MaxRows, s.Budget})
}

// The report of an archive has the tables of the run that wrote it, but not the share of the smallest class.
func TestReportOfArchive(t *testing.T) {
	data, dir, again := t.TempDir(), t.TempDir(), t.TempDir()
	archive := filepath.Join(t.TempDir(), "cells.csv.gz")
	rng := rand.New(rand.NewPCG(1, 1))
	var lines strings.Builder
	lines.WriteString("kind,size,weight,target\n")
	for range 80 {
		kind, size := rng.IntN(3), rng.NormFloat64()
		fmt.Fprintf(&lines, "%s,%.3f,%.3f,%.3f\n", []string{"a", "b", "c"}[kind], size, rng.NormFloat64(), size+float64(kind)+.1*rng.NormFloat64())
	}
	require.NoError(t, os.WriteFile(filepath.Join(data, "daag-science.csv"), []byte(lines.String()), 0o600))
	_, err := bench(t, "-third", data, "-splits", "2", "-threads", "2", "-methods", "lssvm,ridge", "-budget", "1m", "-archive", archive, "-out", dir)
	require.NoError(t, err)
	printed, err := bench(t, "-report", archive, "-out", again)
	require.NoError(t, err)
	assert.Contains(t, printed, "2 splits 75/25 a set, seed 1, 1m0s for a cell, all training rows")
	for _, name := range []string{"summary.csv", "cells.csv", "ranks.csv", "pairs.csv", "nmse-third.md", "ratios.md", "profiles.png"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(again, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), name)
	}
	compared := t.TempDir()
	_, err = bench(t, "-report", archive, "-earlier", filepath.Join(again, "summary.csv"), "-out", compared)
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(compared, "changes.md"))
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^\| lssvm +\| +1 \| .*\| +0 \| +0 \| +2.0 \| +2.0 \| +2 \| +1.00 \|$`, string(page), "the same run")
	_, err = bench(t, "-report", archive, "-earlier", filepath.Join(again, "ranks.csv"), "-out", compared)
	assert.ErrorContains(t, err, "ranks.csv: no column")
	_, err = bench(t, "-report", filepath.Join(data, "none.csv.gz"), "-out", again)
	assert.ErrorContains(t, err, "none.csv.gz")
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-sets", "nowhere"}, "-sets nowhere: no such set; there are breast-cancer-wdbc, diabetes-progression"},
		{[]string{"-sets", diabetes + "," + diabetes}, "twice"},
		{[]string{"-methods", "lssvm,magic"}, "-methods magic: no such method; there are mean, majority, selection, selection-lengths"},
		{[]string{"-sets", diabetes, "-methods", "majority"}, "none of -methods fits"},
		{[]string{"-data", t.TempDir()}, "holds none of the sets"},
		{[]string{"-splits", "-1"}, "-splits -1: want 0 or more"},
		{[]string{"-earlier", "main.go"}, "-earlier: want -report"},
		{[]string{"-rows", "1"}, "-rows 1: want 0 or >= 2"},
		{[]string{"-budget", "-1s"}, "-budget -1s: want whole seconds"},
		{[]string{"-budget", "1500ms"}, "-budget 1.5s: want whole seconds"},
		{[]string{"-workers", "0"}, "-workers 0: want 1 or more"},
		{[]string{"-threads", "0"}, "-threads 0: want 1 or more"},
		{[]string{"-threads", "2", "-workers", "2"}, "-workers 2: want 1 with -threads 2"},
		{[]string{"-second", t.TempDir()}, "holds none of the sets of the second collection"},
		{[]string{"-out", ""}, "-out"},
		{[]string{"-methods", "scikit-learn"}, "sklearn-kernel-ridge is run by another program"},
		{[]string{"-python", "no-such-python"}, "-python: exec: \"no-such-python\""},
		{[]string{"-rscript", os.Args[0], "-scripts", "nowhere"}, "-scripts: stat nowhere"},
		{[]string{"-synthetic", "friedman2:1000x10"}, "want friedman1:ROWSxCOLUMNS"},
		{[]string{"-synthetic", "friedman1:1000x10y"}, "want friedman1:ROWSxCOLUMNS"},
		{[]string{"-synthetic", "friedman1:1000x4"}, "5 columns"},
		{[]string{"-synthetic", "friedman1:100x10"}, "250 rows"},
		{[]string{"-synthetic", "friedman1:1000x10", "-sets", diabetes}, "in place of"},
		{[]string{"lssvm"}, `unexpected argument "lssvm"`},
		{[]string{"-nonsense"}, "nonsense"},
	} {
		_, err := bench(t, append([]string{"-out", t.TempDir()}, c.args...)...)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
