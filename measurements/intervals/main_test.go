package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
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

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-out", dir, "-draws", "2"}, &out, io.Discard))
	for _, name := range []string{bandPicture, coveragePicture} {
		assert.Contains(t, out.String(), name)
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(10000))
	}
}

// The table contains a row for each set and level, with shares of the test rows, and a last row for all sets.
func TestTable(t *testing.T) {
	var out strings.Builder
	shipped, err := dataset.Folder("").Open("diabetes-progression.csv")
	require.NoError(t, err)
	dir := t.TempDir()
	data, err := io.ReadAll(shipped)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "diabetes-progression.csv"), data, 0o600))
	require.NoError(t, run(t.Context(), []string{"-data", dir, "-sets", "diabetes-progression", "-splits", "2", "-rows", "240"}, &out, io.Discard))
	rows := regexp.MustCompile(`(?m)^ *diabetes-progression +240 +(0\.\d+)\*? +\d\.\d+`).FindAllStringSubmatch(out.String(), -1)
	assert.Len(t, rows, len(levels), out.String())
	assert.Len(t, regexp.MustCompile(`(?m)^ *all +(0\.\d+ +\d short *){6}$`).FindAllString(out.String(), -1), len(levels), out.String())

	script := filepath.Join(dir, "peer.sh")
	// The file of bounds contains the bounds of all levels, one below the other, for 110 test rows. Here they are the first values
	// of xt.
	require.NoError(t, os.WriteFile(script, []byte(`cd "$1"
{ printf '\003\0\0\0\0\0\0\0'; head -c 8 xt; tail -c +17 xt | head -c 2640; } > low
cp low high
`), 0o600))
	out.Reset()
	require.NoError(t, run(t.Context(), []string{"-data", dir, "-sets", "diabetes-progression", "-splits", "1", "-rows", "100", "-python", "sh", "-script", script}, &out, io.Discard))
	assert.Regexp(t, `(?m)^ *diabetes-progression +100 .*0\.000\* +0\.000 +0\.000\* +0\.000$`, out.String())

	for _, args := range [][]string{{"-data", dir, "-classes", "-sets", "diabetes-progression"}, {"-splits", "0"}, {"-rows", "5"}, {"-data", dir, "-sets", "nope"}} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), "%v", args)
	}
}

// thirdsOf divides the rows into thirds by the widths of their intervals. The fitted spread finds the generated noise: quiet rows
// have narrower intervals than noisy ones.
func TestSpread(t *testing.T) {
	assert.Equal(t, []int{2, 0, 1, 2, 0, 1}, thirdsOf([]float64{0, 0, 0, 0, 0, 0}, []float64{6, 1, 3, 5, 2, 4}))
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-spread", "-splits", "1", "-rows", "120"}, &out, io.Discard))
	row := regexp.MustCompile(`(?m)^ *CV\+, spread +0\.\d+ +(\d\.\d+) +0\.\d+ +(\d\.\d+) +[01]\.\d+ +(\d\.\d+) +0\.\d+ +\d\.\d+$`).FindStringSubmatch(out.String())
	require.NotNil(t, row, out.String())
	quiet, err := strconv.ParseFloat(row[1], 64)
	require.NoError(t, err)
	noisy, err := strconv.ParseFloat(row[3], 64)
	require.NoError(t, err)
	assert.Greater(t, noisy, 2*quiet)
	assert.Contains(t, out.String(), "generated, 120 rows")
}

// The table contains a row for each set and level. believed returns the smallest set of classes whose probabilities sum to at least
// the level.
func TestSetsOfClasses(t *testing.T) {
	var out, data strings.Builder
	data.WriteString("a,b,class\n")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 120 {
		fmt.Fprintf(&data, "%g,%g,%c\n", rng.NormFloat64()+float64(i%3), rng.NormFloat64(), "xyz"[i%3])
	}
	data.WriteString("0,0,w\n") // a class of one row is left out
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "three.csv"), []byte(data.String()), 0o600))
	require.NoError(t, run(t.Context(), []string{"-data", dir, "-sets", "three", "-classes", "-splits", "2"}, &out, io.Discard))
	assert.Len(t, regexp.MustCompile(`(?m)^ *three +90 +3 +(0|1)\.\d+\*? +[123]\.\d+`).FindAllString(out.String(), -1), len(levels), out.String())

	got, err := believed(fixed{mat.NewDense(3, 3, []float64{.7, .2, .1, .3, .3, .4, 0, 0, 1})}, nil, .65)
	require.NoError(t, err)
	assert.Equal(t, [][]int{{5}, {9, 5}, {9}}, got)
}

// fixed is a classifier with given probabilities.
type fixed struct{ p *mat.Dense }

func (fixed) Classes() []int                                { return []int{5, 7, 9} }
func (fixed) Fit(context.Context, mat.Matrix, []int) error  { return nil }
func (fixed) Predict(mat.Matrix) ([]int, error)             { return nil, nil }
func (f fixed) PredictProba(mat.Matrix) (*mat.Dense, error) { return f.p, nil }

func TestProgram(t *testing.T) { clitest.Check(t, main) }
