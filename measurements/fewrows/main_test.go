package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// If a shipped set has few rows and additional columns of noise, the error with the prior is close to the error of one length.
func TestRunOnWhatIsShipped(t *testing.T) {
	var out, again bytes.Buffer
	args := []string{"-rows", "50,400", "-noise", "0,40", "-splits", "2"}
	require.NoError(t, run(context.Background(), args, &out, io.Discard))
	text := out.String()
	m := regexp.MustCompile(`(?m)^ +50 +40 +1 +2 +(\S+) +(\d) +(\S+) +(\d) +(\S+) +(\d)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	var ratios []float64
	for _, at := range []int{1, 3, 5} {
		v, err := strconv.ParseFloat(m[at], 64)
		require.NoError(t, err)
		ratios = append(ratios, v)
	}
	assert.InDelta(t, 1, ratios[0], .15)
	assert.Greater(t, ratios[1], ratios[0], "no prior")
	assert.Greater(t, ratios[2], ratios[0], "leave-one-out")
	assert.Regexp(t, `(?m)^ +400 +40 +0 +0 *$`, text, "the set has no 400 training rows")
	assert.Regexp(t, `(?m)^ +4 +\d`, text, "four runs in all")
	require.NoError(t, run(context.Background(), args, &again, io.Discard))
	assert.Equal(t, text, again.String())
}

// The kernels of kinds are compared with the program's family, and the one with the largest evidence is listed.
func TestKinds(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-rows", "300", "-noise", "0", "-splits", "1", "-kinds"}, &out, io.Discard))
	m := regexp.MustCompile(`(?m)^ +300 +0 +1 +1 +(\S+) +\d +(\S+) +\d +(\S+) +\d +(\S+) +\d`).FindStringSubmatch(out.String())
	require.NotNil(t, m, out.String())
	assert.Contains(t, append([]string{"1.000"}, m[1:4]...), m[4])
	assert.NotEqual(t, m[1], m[2])
	assert.Contains(t, out.String(), "relative to Matern(nu=2.5)")
}

// The ratios of a row are averaged as logarithms, and those above 1.1 are counted.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	tab := table{ways: shapes, to: "one length", rows: []row{
		{rows: 30, sets: map[string]bool{"a": true, "b": true}, least: 30, most: 30, ratios: [][]float64{{.5, 2}, {1.1, 1.11}, {4, 1}}},
		{rows: allRows, noise: 9, sets: map[string]bool{"a": true}, least: 72, most: 379, ratios: [][]float64{{.25}, {1}, {1.2}}},
	}}
	require.NoError(t, tab.print(&out))
	lines := strings.Split(out.String(), "\n")
	assert.Equal(t, strings.Fields("30 0 2 2 1.000 1 1.105 1 2.000 1"), strings.Fields(lines[1]))
	assert.Equal(t, strings.Fields("all (72-379) 9 1 1 0.250 0 1.000 0 1.200 1"), strings.Fields(lines[2]))
	assert.Equal(t, strings.Fields("3 1 1 2"), strings.Fields(lines[3]))
	assert.InDelta(t, 2, geometricMean([]float64{1, 4}), 1e-12)
}

// Columns of noise follow the columns of the set, and a row has the same noise in every part.
func TestPart(t *testing.T) {
	set := &dataset.Set{X: mat.NewDense(3, 1, []float64{1, 2, 3}), Y: []float64{10, 20, 30}}
	x, y := (&comparison{}).part(set, []int{2, 0}, []float64{.1, .2, .3, .4, .5, .6}, 2)
	assert.True(t, mat.Equal(mat.NewDense(2, 3, []float64{3, .5, .6, 1, .1, .2}), x))
	assert.Equal(t, []float64{30, 10}, y)
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-rows", "3"}, {"-rows", "x"}, {"-noise", "-1"}, {"-noise", "all"}, {"-splits", "0"}, {"-nu", "2"},
		{"-sets", "nowhere"}, {"-sets", "breast-cancer-wdbc"}, {"-data", "/nowhere"}, {"-none"},
	} {
		assert.Error(t, run(context.Background(), args, io.Discard, io.Discard), "%v", args)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, run(cancelled, []string{"-rows", "30"}, io.Discard, io.Discard), context.Canceled)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
