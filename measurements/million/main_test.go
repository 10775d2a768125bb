package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// lines returns the lines of the table, split into columns, without seconds and memory.
func lines(_ *testing.T, out string) (cells [][]string) {
	for _, line := range strings.Split(out, "\n") {
		if fields := strings.Fields(line); len(fields) == 10 && regexp.MustCompile(`^\d+$`).MatchString(fields[0]) {
			cells = append(cells, append(fields[:4:4], fields[6:]...))
		}
	}
	return cells
}

// The error decreases with more rows, the coverage of the intervals is close to their level, and rows from a file give the same
// results.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	picture, path := filepath.Join(dir, "p.png"), filepath.Join(dir, "rows.csv")
	var out, again bytes.Buffer
	args := []string{"-rows", "2500", "-points", "2", "-block", "700", "-out", picture}
	require.NoError(t, run(context.Background(), args, &out, io.Discard))
	cells := lines(t, out.String())
	require.Len(t, cells, 2, out.String())
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		require.NoError(t, err)
		return v
	}
	for i, rows := range []string{"791", "2500"} {
		assert.Equal(t, rows, cells[i][0])
		assert.InDelta(t, 95, number(cells[i][6]), 2, "coverage")
		if i > 0 {
			assert.Less(t, number(cells[i][4]), number(cells[i-1][4]), "NMSE without noise")
			assert.Less(t, number(cells[i][5]), number(cells[i-1][5]), "NMSE")
		}
	}
	assert.Less(t, number(cells[1][4]), .03)
	f, err := os.Open(picture)
	require.NoError(t, err)
	defer f.Close()
	_, err = png.Decode(f)
	require.NoError(t, err)

	require.NoError(t, run(context.Background(), append(args, "-csv", path), &again, io.Discard))
	assert.Contains(t, again.String(), "2500 rows written to "+path)
	assert.Equal(t, cells, lines(t, again.String()))
}

func TestSizes(t *testing.T) {
	assert.Equal(t, []int{10_000, 31_623, 100_000, 316_228, 1_000_000}, program{rows: 1_000_000, points: 5}.sizes())
	assert.Equal(t, []int{700}, program{rows: 700, points: 1}.sizes())
	assert.Equal(t, []int{500}, program{rows: 500, points: 3}.sizes())
}

// The file contains the generated rows, and they are read in blocks of the requested size.
func TestRead(t *testing.T) {
	p := program{rows: 25, block: 10, seed: 3, csv: filepath.Join(t.TempDir(), "rows.csv")}
	require.NoError(t, p.write(context.Background()))
	x, y := dataset.Friedman1(25, columns, 3)
	n, sizes := 0, []int(nil)
	for b, err := range p.blocks(23) {
		require.NoError(t, err)
		sizes = append(sizes, len(b.Y))
		assert.True(t, mat.Equal(x.Slice(n, n+len(b.Y), 0, columns), b.X))
		assert.Equal(t, y[n:n+len(b.Y)], b.Y)
		n += len(b.Y)
	}
	assert.Equal(t, []int{10, 10, 3}, sizes)
	for range p.blocks(25) {
		break // yield is not called again after it has returned false
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(content string) string {
		path := filepath.Join(dir, "bad.csv")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	assert.ErrorIs(t, first(filepath.Join(dir, "none.csv")), os.ErrNotExist)
	assert.ErrorIs(t, first(file("")), io.EOF)
	assert.ErrorContains(t, first(file("y\n1\n")), "it has 1 columns, want numbers and a target")
	assert.ErrorContains(t, first(file("a,y\n1,2\n3,x\n")), `line 3: strconv.ParseFloat: parsing "x"`)
	assert.ErrorContains(t, first(file("a,y\n1,2\n3,4,5\n")), "line 3: wrong number of fields")
	assert.ErrorContains(t, first(file("a,y\n1,2\n")), "it ends 3 rows before the 4 that are wanted")

	assert.ErrorContains(t, run(context.Background(), []string{"-rows", "10"}, io.Discard, io.Discard), "-rows 10")
	picture := filepath.Join(dir, "p.png")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"-rows", "1000", "-out", picture}, {"-rows", "1000", "-out", picture, "-csv", filepath.Join(dir, "f.csv")}} {
		assert.ErrorIs(t, run(cancelled, args, io.Discard, io.Discard), context.Canceled)
	}
}

// first returns the first error from reading a file.
func first(path string) error {
	for _, err := range read(path, 2, 4) {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// A fit that took longer than a better one is left out of the curve of the smallest error.
func TestLeastErrors(t *testing.T) {
	points := leastErrors([]result{{seconds: 100, clean: 0.1}, {seconds: 10, clean: 0.01}, {seconds: 1000, clean: 0.001}, {seconds: 1000, clean: 0.01}})
	assert.Equal(t, plotter.XYs{{X: 1, Y: -2}, {X: 3, Y: -3}}, points)
}
