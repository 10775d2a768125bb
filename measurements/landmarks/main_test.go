package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// lines returns the lines of a table, split into words.
func lines(text string) (out [][]string) {
	for _, line := range strings.Split(text, "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// The error is smaller with more rows and more landmarks. Saved measurements are not repeated.
func TestGrowth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.csv")
	args := []string{"-table", "growth", "-rows", "400,1600", "-landmarks", "100,200", "-cells", path}
	var out, again bytes.Buffer
	require.NoError(t, run(t.Context(), args, &out, io.Discard))
	got := lines(out.String())
	require.Len(t, got, 1+2*3, out.String())
	assert.Equal(t, []string{"100", "400"}, got[1][:2])
	assert.Less(t, got[2][5], got[1][5], "NMSE, of as many digits")
	assert.Less(t, got[4][5], got[1][5])
	assert.Contains(t, out.String(), "200 exponents in the rows: seconds ")
	ended, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, run(ended, args, &again, io.Discard))
	assert.Equal(t, out.String(), again.String())
	assert.ErrorIs(t, run(ended, append(args, "-seed", "9"), io.Discard, io.Discard), context.Canceled)
}

// A run that is divided into parts prints the same table as a single run, and draws a picture.
func TestCurves(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-sets", "diabetes-progression,breast-cancer-wdbc,sine,clusters", "-rows", "100,200", "-draws", "2", "-learners", "falkon,falkon-median"}
	var whole, again bytes.Buffer
	require.NoError(t, run(t.Context(), append(args, "-out", dir), &whole, io.Discard))
	text := whole.String()
	for _, want := range []string{
		"diabetes-progression, NMSE of 110 test rows, and processor seconds", "breast-cancer-wdbc, error rate of 142 test rows, and processor seconds",
		"clusters, error rate of 20000 test rows", "drawn: " + filepath.Join(dir, pictured),
	} {
		assert.Contains(t, text, want)
	}
	f, err := os.Open(filepath.Join(dir, pictured))
	require.NoError(t, err)
	defer f.Close()
	_, err = png.Decode(f)
	require.NoError(t, err)

	keep := append(args, "-cells", filepath.Join(dir, "cells.csv"))
	require.NoError(t, run(t.Context(), append(keep[:len(keep):len(keep)], "-draws", "1"), io.Discard, io.Discard))
	require.NoError(t, run(t.Context(), keep, &again, io.Discard))
	first, second := lines(text), lines(again.String())
	for i, words := range second {
		if strings.Contains(strings.Join(words, " "), "±") {
			assert.Equal(t, first[i][:4], words[:4], "except for the seconds")
		}
	}
}

// If a set has fewer rows than the largest size, its curve ends with all its rows.
func TestSizes(t *testing.T) {
	p := program{rows: []int{100, 200, 500}}
	assert.Equal(t, []int{100, 200, 332}, p.sizes(source{most: 332}))
	assert.Equal(t, []int{100, 200, 500}, p.sizes(source{most: 500}))
	assert.Equal(t, []int{50}, p.sizes(source{most: 50}))
	c := curve{points: []point{{rows: 1, error: 3}, {rows: 2, error: 2}, {rows: 3, error: 2.5}}}
	assert.Equal(t, []string{"3"}, c.rises())
	for _, name := range []string{"diabetes-progression", "sine", "clusters", "friedman1"} {
		src, err := open("", name)
		require.NoError(t, err)
		train, test, err := src.rows(150, 3)
		require.NoError(t, err)
		n, _ := train.x.Dims()
		m, _ := test.x.Dims()
		assert.Equal(t, []int{150, src.test}, []int{n, m})
		assert.Equal(t, 150, len(train.y)+len(train.labels))
		assert.Equal(t, src.test, len(test.y)+len(test.labels))
	}
}

// The answers of a peer are measured in the same way as ours. The script predicts the first target for all rows.
func TestPeer(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "peer.sh")
	// The header of p has one row, as in y, and as many columns as xt has rows.
	require.NoError(t, os.WriteFile(script, []byte(`cd "$1"
{ head -c 8 y; head -c 8 xt; for i in $(seq 3); do tail -c +17 y | head -c 8; done; } > p
echo 1.5 2.5
`), 0o600))
	p := program{python: "sh", script: script}
	train := part{x: mat.NewDense(2, 1, []float64{1, 2}), y: []float64{7, 8}}
	test := part{x: mat.NewDense(3, 1, nil), y: []float64{7, 7, 10}}
	v, err := p.boosting(t.Context(), "boosting", train, test, 1)
	require.NoError(t, err)
	assert.InDelta(t, 1.5, v.error, 1e-12, "3 of a variance of 2")
	assert.Equal(t, 1.5, v.seconds)
	assert.Equal(t, 2.5, v.processor)
	train.y, train.labels, test.y, test.labels = nil, []int{1, 0}, nil, []int{1, 0, 0}
	v, err = p.boosting(t.Context(), "boosting", train, test, 1)
	require.NoError(t, err)
	assert.InDelta(t, 2./3, v.error, 1e-12)

	require.NoError(t, os.WriteFile(script, []byte("echo no\n"), 0o600))
	_, err = p.boosting(t.Context(), "boosting", train, test, 1)
	assert.ErrorContains(t, err, `answered "no"`)
}

func TestErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "cells.csv")
	require.NoError(t, os.WriteFile(bad, []byte("a,b\n"), 0o600))
	for want, args := range map[string][]string{
		"-table none":                   {"-table", "none"},
		"-draws 0":                      {"-draws", "0"},
		"-rows 99":                      {"-rows", "99"},
		"-landmarks x":                  {"-landmarks", "x"},
		"there is no trees":             {"-learners", "trees"},
		"boosting wants -python":        {"-learners", "boosting"},
		"-table nystroem: want -python": {"-table", "nystroem"},
		"want a first line [table":      {"-cells", bad},
		"data set none":                 {"-sets", "none"},
	} {
		assert.ErrorContains(t, run(t.Context(), args, io.Discard, io.Discard), want)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// Times of n^1.5 and memory of n² have the exponents 1.5 and 2.
func TestExponents(t *testing.T) {
	var c curve
	for _, n := range []float64{10, 100, 1000} {
		c.points = append(c.points, point{rows: int(n), seconds: 3 * math.Pow(n, 1.5), megabytes: n * n})
	}
	seconds, megabytes := c.exponents()
	assert.InDelta(t, 1.5, seconds, 1e-12)
	assert.InDelta(t, 2, megabytes, 1e-12)
}
