package main

import (
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestDrawn(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-splits", "1", "-rows", "120", "-out", dir}, &out, io.Discard))
	assert.Len(t, regexp.MustCompile(`(?m)^ *\w+ +\w+ +\d\.\d{4} +\d\.\d{4} +0\.\d{4} +[01] of 1`).FindAllString(out.String(), -1), len(learners)*len(ways)-1, out.String())
	f, err := os.Open(filepath.Join(dir, pictured))
	require.NoError(t, err)
	defer f.Close()
	_, err = png.Decode(f)
	require.NoError(t, err)
}

// A class that is predicted with probability 1 and is right half the time has a calibration error of a half.
func TestScored(t *testing.T) {
	p := mat.NewDense(2, 2, []float64{1, 0, 1, 0})
	got, err := scored([]int{3, 4}, []int{3, 4}, p)
	require.NoError(t, err)
	assert.InDelta(t, .5, got.off, 1e-12)
	assert.InDelta(t, 1, got.brier, 1e-12)
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{{"-splits", "0"}, {"-rows", "3"}, {"-data", t.TempDir()}, {"-second", t.TempDir()}, {"-classifiers", "lssvm,lsvm"}} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), "%v", args)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestGeometric(t *testing.T) {
	assert.Equal(t, "2.000", geometric([]float64{0, math.Log(4)}))
	assert.Equal(t, "-", geometric(nil))
	assert.Equal(t, "-", geometric([]float64{math.Inf(-1)}), "a classifier without raw probabilities")
}
