package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/report"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

func TestSplitsBySize(t *testing.T) {
	bySize := protocol.Settings{}
	for rows, want := range map[int]int{8: 10, 1000: 10, 1001: 3, 1_000_000: 3} {
		assert.Equal(t, want, bySize.SplitsOf(rows), rows)
		assert.Equal(t, 7, protocol.Settings{Splits: 7}.SplitsOf(rows))
	}
	assert.Equal(t, "10 of sets up to 1000 rows, 3 of larger ones", protocol.SplitsBySize)

	// A custom set without -splits and -rows keeps all its rows and has ten splits.
	data, dir := t.TempDir(), t.TempDir()
	var b strings.Builder
	b.WriteString("a,y\n")
	for i := range 1001 {
		fmt.Fprintf(&b, "%d,%d\n", i, i%7)
	}
	require.NoError(t, os.WriteFile(filepath.Join(data, "large.csv"), []byte(b.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(data, "small.csv"), []byte(own), 0o600))
	printed, err := bench(t, "-data", data, "-sets", "large,small", "-methods", "mean", "-out", dir)
	require.NoError(t, err)
	r := readReport(t, dir)
	splits := map[string]int{}
	for _, c := range r.Cells {
		splits[c.Set]++
	}
	assert.Equal(t, map[string]int{"large": 3, "small": 10}, splits)
	assert.Equal(t, r.Sets[0].Available, r.Sets[0].TrainRows)
	assert.Contains(t, printed, "Splits 75/25: 10 of sets up to 1000 rows, 3 of larger ones, seed 1, 20s of the processor for a cell, all training rows")
}

func TestThreadsTakeTheClock(t *testing.T) {
	s, _, err := parse([]string{"-threads", "2"}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, 1, s.Workers)
	dir := t.TempDir()
	printed, err := bench(t, "-threads", "2", "-sets", diabetes, "-splits", "1", "-rows", "50", "-methods", "mean,naps", "-out", dir)
	require.NoError(t, err)
	assert.Contains(t, printed, "each on 2 threads")
	assert.Contains(t, printed, "Seconds are by the clock")
	for _, c := range readReport(t, dir).Cells {
		if c.Method == "naps" {
			assert.GreaterOrEqual(t, c.FitSeconds, nap.Seconds(), "a wait counts, by the clock")
		}
	}
	dir = t.TempDir()
	printed, err = bench(t, "-sets", diabetes, "-splits", "1", "-rows", "50", "-methods", "mean,naps", "-out", dir)
	require.NoError(t, err)
	assert.Contains(t, printed, "each on one thread")
}

// The sets of the second collection are read like all others, with words, missing values and class labels. They have tables of
// their own.
func TestSecondCollection(t *testing.T) {
	names := collection.Names(collection.Second())
	require.Len(t, names, 45)
	for _, name := range names {
		_, there := dataset.ProtocolOf(name)
		assert.False(t, there, "%s has exceptions", name)
	}
	second := t.TempDir()
	var classes, numbers strings.Builder
	classes.WriteString("x1,x2,x3,target\n")
	numbers.WriteString("x1,x2,target\n")
	for i := range 60 {
		gap := fmt.Sprint(i % 9)
		if i == 7 {
			gap = ""
		}
		fmt.Fprintf(&classes, "%d,%s,%s,c%d\n", i%5, gap, []string{"low", "high", ""}[i%3], i%3)
		fmt.Fprintf(&numbers, "%d,%d,%v\n", i%5, i%7, float64(i%5)+0.01*float64(i%7))
	}
	require.NoError(t, os.WriteFile(filepath.Join(second, "wine.csv"), []byte(classes.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(second, "servo.csv"), []byte(numbers.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(second, "boston.csv"), []byte(numbers.String()), 0o600))

	set, err := dataset.OpenByRule(second, "wine")
	require.NoError(t, err)
	assert.Equal(t, []string{"x1", "x2", "x3=high", "x3=low"}, set.Columns)
	assert.Equal(t, []string{"c0", "c1", "c2"}, set.Classes)
	assert.True(t, math.IsNaN(set.X.At(7, 1)), "a gap is filled from the training rows of a split")
	assert.Equal(t, []float64{0, 0}, []float64{set.X.At(2, 2), set.X.At(2, 3)}, "a gap is not a word")

	got, err := protocol.Choose("", second, "", "")
	require.NoError(t, err)
	assert.Equal(t, []protocol.NamedSet{{Name: "servo", Folder: second, Collection: protocol.SecondCollection}, {Name: "wine", Folder: second, Collection: protocol.SecondCollection}}, got, "in the order of the list, and no others")

	data := ownFolder(t)
	require.NoError(t, os.WriteFile(filepath.Join(data, "prostate.csv"), []byte(strings.Replace(numbers.String(), "target", "lpsa", 1)), 0o600))
	dir := t.TempDir()
	printed, err := bench(t, "-data", data, "-second", second, "-splits", "2", "-methods", "mean,majority,ridge,lssvm", "-budget", "1m", "-out", dir)
	require.NoError(t, err)
	r := readReport(t, dir)
	assert.Equal(t, []string{protocol.FirstCollection, protocol.SecondCollection, protocol.SecondCollection}, []string{r.Sets[0].Collection, r.Sets[1].Collection, r.Sets[2].Collection})
	var titles []string
	for _, a := range r.Analyses {
		titles = append(titles, a.Title())
		require.Len(t, a.Sets, 1)
	}
	assert.Equal(t, []string{
		"NMSE, regression, the first collection", "NLPD, regression, the first collection", "CRPS, regression, the first collection",
		"NMSE, regression, the second collection", "NLPD, regression, the second collection", "CRPS, regression, the second collection",
		"error rate, classification, the second collection", "1 - GMean, classification, the second collection",
		"log loss, classification, the second collection", "Brier, classification, the second collection",
	}, titles)
	for _, c := range r.Cells {
		assert.Equal(t, protocol.StatusOK, c.Status, c.Error)
	}
	assert.Contains(t, printed, "### By NMSE, regression, the second collection\n")
	for _, file := range []string{"ranks-nmse.png", "ranks-nmse-second.png", "front-errorrate-second.png", report.OverviewPicture, "sets.md", "front.csv"} {
		assert.FileExists(t, filepath.Join(dir, file))
	}
	content, err := os.ReadFile(filepath.Join(dir, "cells.csv"))
	require.NoError(t, err)
	assert.Contains(t, string(content), "\nthe second collection,wine,classification,majority,")

	require.NoError(t, os.WriteFile(filepath.Join(data, "servo.csv"), []byte(numbers.String()), 0o600))
	_, err = protocol.Choose(data, second, "", "prostate,servo")
	assert.NoError(t, err)
}
