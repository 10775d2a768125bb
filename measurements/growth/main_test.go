package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// A run that is divided into parts prints the same tables as a single run, and repeats no measurement.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cells.csv")
	args := []string{"-sets", "diabetes-progression,breast-cancer-wdbc,sine", "-rows", "30,50", "-exact", "30", "-landmarks", "20", "-draws", "2"}
	var whole bytes.Buffer
	require.NoError(t, run(t.Context(), append(args, "-out", dir), &whole, io.Discard))
	assert.FileExists(t, filepath.Join(dir, pictured))
	for _, text := range []string{
		"diabetes-progression, NMSE of 110 test rows", "breast-cancer-wdbc, error rate of 142 test rows",
		"30 lssvm 2 ", "30 nystroem20 2 ", "50 nystroem20 2 ",
	} {
		assert.Contains(t, strings.Join(strings.Fields(whole.String()), " "), text)
	}

	keep := append(args, "-cells", file)
	for _, part := range [][]string{{"-sets", "sine", "-draws", "1"}, {"-draws", "1", "-seed", "2"}} {
		require.NoError(t, run(t.Context(), append(keep[:len(keep):len(keep)], part...), io.Discard, io.Discard))
	}
	var again bytes.Buffer
	require.NoError(t, run(t.Context(), keep, &again, io.Discard))
	assert.Equal(t, errorsOf(whole.String()), errorsOf(again.String()), "except for the seconds")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	assert.Len(t, lines, 1+3*3*2*2, "sets, places, searches, draws")

	ended, stop := context.WithCancel(t.Context())
	stop()
	assert.NoError(t, run(ended, keep, io.Discard, io.Discard), "everything is kept")
	assert.ErrorIs(t, run(ended, append(keep, "-seed", "9"), io.Discard, io.Discard), context.Canceled)
}

// errorsOf returns the lines of the tables without the last two columns.
func errorsOf(text string) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		if words := strings.Fields(line); strings.Contains(line, "±") && len(words) == 14 {
			out = append(out, strings.Join(words[:12], " "))
		}
	}
	return out
}

func TestErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.csv")
	require.NoError(t, os.WriteFile(bad, []byte("set,rows\n"), 0o600))
	for _, args := range [][]string{
		{"-rows", "many"}, {"-rows", "5"}, {"-draws", "0"}, {"-landmarks", "0"}, {"-exact", "-1"}, {"-sets", "nowhere"},
		{"-sets", "diabetes-progression", "-rows", "400"}, {"-cells", bad}, {"-data", "/nowhere"},
	} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), "%v", args)
	}
}

// The rows of a smaller size are among those of a larger one. The test rows are the same for all sizes, and are not training rows.
func TestDraws(t *testing.T) {
	for _, name := range []string{"sine", "breast-cancer-wdbc"} {
		src, err := open("", name)
		require.NoError(t, err)
		few, tested, err := src.rows(50, src.test, 3)
		require.NoError(t, err)
		many, same, err := src.rows(90, src.test, 3)
		require.NoError(t, err)
		assert.True(t, mat.Equal(tested.x, same.x), name)
		assert.Equal(t, tested.labels, same.labels, name)
		assert.Equal(t, tested.y, same.y, name)
		_, d := few.x.Dims()
		assert.True(t, mat.Equal(few.x, many.x.Slice(0, 50, 0, d)), name)
		seen := map[string]bool{}
		for i := range src.test {
			seen[fmt.Sprint(tested.x.RawRowView(i))] = true
		}
		for i := range 90 {
			assert.False(t, seen[fmt.Sprint(many.x.RawRowView(i))], name)
		}
		other, _, err := src.rows(50, src.test, 4)
		require.NoError(t, err)
		assert.False(t, mat.Equal(few.x, other.x), name)
	}
}

func TestTestRows(t *testing.T) {
	for n, want := range map[int]int{400: 100, 1000: 500, 1499: 999, 11_183: 1183, 14_980: 2000, 20_640: 640, 45_312: 2000} {
		assert.Equal(t, want, testRows(n), "%d rows", n)
	}
}

func TestPlaces(t *testing.T) {
	s := settings{sizes: []int{500, 1000, 5000, 10_000, 20_000}, exact: 5000, landmarks: 500}
	assert.Equal(t, []place{{"lssvm", 500}, {"lssvm", 1000}, {"lssvm", 5000}, {"nystroem500", 5000}, {"nystroem500", 10_000}}, s.places(source{most: 12_000}))
	assert.Equal(t, []place{{"lssvm", 500}, {"lssvm", 1000}}, s.places(source{most: 4000}))
	assert.Equal(t, []place{{"nystroem500", 10_000}, {"nystroem500", 20_000}}, settings{sizes: s.sizes[3:], exact: 5000, landmarks: 500}.places(source{}))
}

// rises lists only steps between points of the same learner. above lists a point if the mean difference exceeds its standard error.
func TestSays(t *testing.T) {
	at := func(learner string, rows int, entropy, grid []float64) point {
		return point{place: place{learner, rows}, seeds: []uint64{1, 2}[:len(entropy)], entropy: entropy, grid: grid}
	}
	c := curve{points: []point{
		at("a", 10, []float64{.5, .7}, []float64{.5, .6}), // above by .05 ± .05
		at("a", 20, []float64{.5, .6}, []float64{.4, .5}), // by .1 ± 0
		at("b", 20, []float64{.9, .9}, []float64{.9, .9}),
		at("b", 40, []float64{.9, 1.1}, []float64{1, 1.2}),
	}}
	assert.Equal(t, []string{"entropy, b: +0.1000 from 20 to 40 rows, standard error 0.1000"}, c.rises())
	assert.Equal(t, []string{"entropy is above the grid by 0.1000 at 20 rows, a"}, c.above())
	c.points = c.points[2:3]
	assert.Equal(t, []string{"entropy: the error falls all along"}, c.rises())
	assert.Equal(t, []string{"entropy is nowhere above the grid by more than a standard error"}, c.above())
	c.points = []point{at("a", 10, []float64{.6}, []float64{.5})}
	assert.Len(t, c.above(), 1)
	assert.Contains(t, c.above()[0], "0.1000 at 10 rows", "one draw has no standard error")
}

func TestSigned(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	c := &signed{build: func() estimators.Regressor { return &ridge.Regressor{} }}
	require.NoError(t, c.Fit(t.Context(), x, []int{7, 7, 7, 4, 4, 4}))
	p, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, []int{7, 7, 7, 4, 4, 4}, p)
	assert.Equal(t, []int{4, 7}, c.Classes())
	for _, labels := range [][]int{{1, 1, 1, 1, 1, 1}, {1, 2, 3, 1, 2, 3}} {
		assert.ErrorContains(t, c.Fit(t.Context(), x, labels), "for two")
	}
	assert.Equal(t, []int{4, 7}, c.Classes(), "a failed Fit keeps the earlier model")
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
