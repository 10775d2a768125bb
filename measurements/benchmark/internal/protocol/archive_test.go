package protocol

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

// Cells that were archived are finished in another folder, with all their numbers. Cells that are there already are kept.
func TestArchive(t *testing.T) {
	s := Settings{Out: t.TempDir(), Archive: filepath.Join(t.TempDir(), "cells.csv.gz")}
	require.NoError(t, s.ReadArchive(), "a missing archive is empty")
	peak := int64(1 << 40)
	cells := []Cell{
		{Key: Key{Set: "a", Method: "ridge", Seed: 1 << 63, Budget: "10m0s", Configuration: "z-score, \"quoted\"; λ"}, Status: StatusOK, Rows: 7,
			Outcome: Outcome{Measures: map[string]float64{"NMSE": 0.1 + 0.2, "NLPD": -1e-300}, FitSeconds: 1. / 3, PeakBytes: &peak}},
		{Key: Key{Set: "b", Method: "peer", Split: 2, Trials: 30}, Status: StatusFailed, Outcome: Outcome{Error: "line\nbreak"}},
	}
	jobs := func(out string) (jobs []Job) {
		for _, c := range cells {
			jobs = append(jobs, Job{Key: c.Key, path: filepath.Join(out, "cells", c.Set, c.Method, "0"+string(rune('0'+c.Split))+".json")})
		}
		return jobs
	}
	for i, j := range jobs(s.Out) {
		require.NoError(t, j.Save(cells[i]))
	}
	require.NoError(t, s.WriteArchive())

	s.Out = t.TempDir()
	kept := cells[1]
	kept.Error = "another"
	require.NoError(t, jobs(s.Out)[1].Save(kept))
	require.NoError(t, s.ReadArchive())
	got, err := jobs(s.Out)[0].Finished()
	require.NoError(t, err)
	assert.Equal(t, &cells[0], got)
	got, err = jobs(s.Out)[1].Finished()
	require.NoError(t, err)
	assert.Equal(t, "another", got.Error)

	var empty bytes.Buffer
	require.NoError(t, gzip.NewWriter(&empty).Close())
	require.NoError(t, os.WriteFile(s.Archive, empty.Bytes(), 0o600))
	assert.EqualError(t, s.ReadArchive(), s.Archive+": no header")
	require.NoError(t, os.WriteFile(s.Archive, []byte("no gzip"), 0o600))
	assert.ErrorContains(t, s.ReadArchive(), s.Archive)
}

// A report of an archive contains the sets in the order of the collection, and only the splits that all methods have finished. A
// method that does not fit a task is not expected there.
func TestFromArchive(t *testing.T) {
	s := Settings{Out: t.TempDir(), Archive: filepath.Join(t.TempDir(), "cells.csv.gz")}
	save := func(set, task, method string, split int) {
		c := Cell{Key: Key{Set: set, Method: method, Split: split, Seed: 1, Budget: "10m0s"}, Task: task, Status: StatusOK, Rows: 40, Features: 3,
			TrainRows: 30, TestRows: 10}
		require.NoError(t, Job{Key: c.Key, path: filepath.Join(s.Out, "cells", set, method, fmt.Sprintf("%02d.json", split))}.Save(c))
	}
	for split := range 2 {
		save("aer-cps1988", methods.RegressionTask, "lssvm", split)
		save("aer-cps1988", methods.RegressionTask, "ridge", split)
		save("daag-dengue", methods.ClassificationTask, "lssvm", split)
	}
	save("daag-dengue", methods.ClassificationTask, "eem", 0)
	save("another", methods.RegressionTask, "ridge", 0)
	require.NoError(t, s.WriteArchive())
	sets, cells, unfinished, err := FromArchive(s.Archive)
	require.NoError(t, err)
	require.Len(t, sets, 2)
	assert.Equal(t, []string{"daag-dengue", "aer-cps1988"}, []string{sets[0].Set, sets[1].Set}, "sets with fewer rows first")
	assert.Len(t, sets[0].Classes, 2)
	assert.True(t, sets[0].Gaps)
	assert.Len(t, sets[1].Categories, 4)
	assert.Equal(t, []int{40, 30, 10}, []int{sets[1].Rows, sets[1].TrainRows, sets[1].TestRows})
	var got []string
	for _, c := range cells {
		got = append(got, fmt.Sprint(c.Set, " ", c.Method, " ", c.Split))
	}
	assert.Equal(t, []string{"daag-dengue lssvm 0", "daag-dengue eem 0", "aer-cps1988 ridge 0", "aer-cps1988 ridge 1", "aer-cps1988 lssvm 0",
		"aer-cps1988 lssvm 1"}, got)
	assert.Equal(t, 1, unfinished, "eem has not finished the second split of daag-dengue")

	_, _, _, err = FromArchive(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	s.Out = t.TempDir()
	save("another", methods.RegressionTask, "ridge", 0)
	require.NoError(t, s.WriteArchive())
	_, _, _, err = FromArchive(s.Archive)
	assert.ErrorContains(t, err, "no set of the second or third collection")
}

// Sets of the third collection keep their gaps and the codes of their categories. Their budget does not depend on their rows, and
// the method with an allowance runs after the method that determines it.
func TestThirdCollection(t *testing.T) {
	dir := t.TempDir()
	text := "kind,size,class\n"
	for i := range 60 {
		size := "2.5"
		if i%10 == 0 {
			size = ""
		}
		text += []string{"b", "a", "c"}[i%3] + "," + size + "," + []string{"no", "yes"}[i%2] + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "daag-dengue.csv"), []byte(text), 0o600))
	sets, err := Choose("", "", dir, "")
	require.NoError(t, err)
	require.Equal(t, []NamedSet{{Name: "daag-dengue", Folder: dir, Collection: ThirdCollection}}, sets)
	_, err = Choose("", "", t.TempDir(), "")
	assert.ErrorContains(t, err, "none of the sets of the third collection")

	s := Settings{Sets: sets, Splits: 1, Seed: 1, Budget: 600e9, Threads: 2, Workers: 1, Trials: 30, Out: t.TempDir()}
	prepared, err := s.PrepareAll(t.Context())
	require.NoError(t, err)
	p := prepared[0]
	assert.Equal(t, []int{0}, p.Categories)
	assert.Equal(t, []string{"no", "yes"}, p.Classes)
	x, y, err := ReadRows(p.path(0, "train"))
	require.NoError(t, err)
	gaps, codes := 0, map[float64]bool{}
	for i := range y {
		codes[x.At(i, 0)] = true
		if v := x.At(i, 1); v != v {
			gaps++
		} else {
			assert.InDelta(t, 2.5, v, 0)
		}
	}
	assert.Equal(t, map[float64]bool{0: true, 1: true, 2: true}, codes)
	assert.Positive(t, gaps)

	s.Methods = named(t, "selection", "selection-budget", "catboost-tuned")
	jobs := s.Jobs(p)
	require.Len(t, jobs, 3)
	of := map[string]Job{}
	for _, j := range jobs {
		of[j.Key.Method] = j
		assert.Equal(t, []uint64{1200, 720}, []uint64{j.Seconds, j.Clock}, "processor seconds of two threads, and wall-clock seconds")
	}
	assert.Greater(t, of["selection-budget"].Round, of["catboost-tuned"].Round)
	assert.Equal(t, []int{0, 30}, []int{of["selection"].Key.Trials, of["catboost-tuned"].Key.Trials})

	budgeted := of["selection-budget"]
	assert.ErrorContains(t, budgeted.Allow(), "selection-budget needs a cell of catboost-tuned")
	peer := of["catboost-tuned"]
	c := peer.Cell()
	c.Status = StatusOverBudget
	require.NoError(t, peer.Save(c))
	assert.ErrorContains(t, budgeted.Allow(), "which is over budget")
	c.Status, c.FitSeconds = StatusOK, 12.5
	require.NoError(t, peer.Save(c))
	require.NoError(t, budgeted.Allow())
	assert.InDelta(t, 12.5, budgeted.Allowance, 0)
}

func named(t *testing.T, names ...string) (out []methods.Method) {
	for _, name := range names {
		m, ok := methods.Named(name)
		require.True(t, ok, name)
		out = append(out, m)
	}
	return out
}
