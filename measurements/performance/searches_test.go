package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/dataset"
)

// standIn is the variable that makes this program the Python of a test. Each task takes 0.5 s, and its error is the value of the
// variable. If the value ends in hangs, halving never finishes.
const (
	standIn = "PERFORMANCE_STAND_IN"
	hangs   = " hangs"
)

func TestMain(m *testing.M) {
	measure, ok := os.LookupEnv(standIn)
	if !ok {
		os.Exit(m.Run())
	}
	measure, hanging := strings.CutSuffix(measure, hangs)
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if hanging && strings.HasSuffix(os.Args[2], "_halving") {
			time.Sleep(time.Hour)
		}
		fmt.Println(0.5, measure)
	}
}

// Every search runs, on few rows and without the peers.
func TestSearches(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-searches", "-scale", "0.01", "-rounds", "1", "-seeds", "2"}, &out, io.Discard))
	for _, s := range searches() {
		assert.Regexp(t, `(?m)^ *`+s.name+` +\d+ +\d\.\d+ +\S+ +NaN`, out.String())
	}
	for _, args := range [][]string{{"-searches", "-only", "ridge"}, {"-only", "sine300"}, {"-searches", "-seeds", "0"}, {"-jobs", "0"}, {"-rounds", "-1"}} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), "%v", args)
	}
}

// The table contains the results of a peer. A search that does not finish is stopped and has no result.
func TestSearchesBesideAPeer(t *testing.T) {
	t.Setenv(standIn, "0.25"+hangs)
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-searches", "-only", "sine300", "-scale", "0.2", "-rounds", "2", "-seeds", "2",
		"-python", os.Args[0], "-peer-limit", "2s"}, &out, io.Discard))
	m := regexp.MustCompile(`sine300 +60 +(\d\.\d+) +(\S+) +0\.2500 +0\.5 +NaN +> 2 +(\S+) +\S+ +\d of 2 +(\S+) +NaN`).FindStringSubmatch(out.String())
	require.NotNil(t, m, out.String())
	var v [4]float64
	for i := range v {
		_, err := fmt.Sscan(m[i+1], &v[i])
		require.NoError(t, err)
	}
	assert.InDelta(t, v[0]/0.25, v[2], 1e-3)
	assert.InDelta(t, v[1]/0.5, v[3], 1e-2*v[1]+1e-3)
}

// Results in the file are not measured again, and a file with different content is left unchanged.
func TestSearchResults(t *testing.T) {
	t.Setenv(standIn, "0.25")
	file := filepath.Join(t.TempDir(), "results.csv")
	table := func(seeds string) string {
		var out strings.Builder
		require.NoError(t, run(t.Context(), []string{"-searches", "-only", "sine300", "-scale", "0.2", "-rounds", "1", "-seeds", seeds,
			"-python", os.Args[0], "-results", file}, &out, io.Discard))
		return out.String()
	}
	table("1")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(kept), "\n"), "%s", kept)
	row := "sine300,60,1,1,0.5,7,0.25,70,0.4,14,0.125,3.5"
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(keptHeader, ",")+"\n"+row+"\n"), 0o600))
	assert.Regexp(t, `sine300 +60 +0\.5000 +7 +0\.2500 +70 +0\.4000 +14 +2\.000 +NaN +0 of 1 +0\.100 +0\.500 +0\.2 +0\.1250 +3\.5 +0\.500`, table("1"))
	table("2")
	kept, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(kept), row)
	assert.Equal(t, 3, strings.Count(string(kept), "\n"), "%s", kept)

	require.NoError(t, os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600))
	require.Error(t, run(t.Context(), []string{"-searches", "-results", file}, io.Discard, io.Discard))
	kept, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "a,b\n1,2\n", string(kept))
}

// The error is compared with that of the better peer, separately for each seed.
func TestSearchLine(t *testing.T) {
	s := search{name: "a", rows: 1000, wanted: 0.1}
	line := s.line(options{scale: 1}, [measured]reached{
		{errors: []float64{0.1, 0.3}, seconds: []float64{1, 2}},
		{errors: []float64{0.5, 0.5}, seconds: []float64{15, 15}},
		{errors: []float64{0.2, 0.2}, seconds: []float64{2, 4}},
		{errors: []float64{0.1, 0.1}, seconds: []float64{5, 7}},
	})
	assert.Equal(t, "a 1000 0.2000 1.5 0.5000 15 0.2000 3 1.000 0.500 1 of 2 0.100 0.500 0.1 0.1000 6 0.500 ", strings.ReplaceAll(line, "\t", " "))
}

// The peer reads the same rows to which our search is fitted. They are standardised with statistics of the training rows.
func TestSearchRows(t *testing.T) {
	s := searches()[0]
	var train, test drawn
	ours := s.ours
	s.ours = func(seed uint64, a, b drawn) work {
		train, test = a, b
		return ours(seed, a, b)
	}
	dir := t.TempDir()
	_, _, err := s.prepare(context.Background(), folder(dir), 1, 3)
	require.NoError(t, err)
	assert.InDelta(t, 0, stat.Mean(train.y, nil), 1e-12)
	assert.InDelta(t, 1, stat.StdDev(train.y, nil), 1e-12)
	x, y := dataset.Sine(300+searchTest, searchColumns, 3)
	require.Len(t, test.y, searchTest)
	slope := (test.y[1] - test.y[0]) / (y[301] - y[300])
	assert.InDelta(t, slope, 1/stat.StdDev(y[:300], nil), 1e-9)
	assert.InDelta(t, (x.At(300, 2)-x.At(0, 2))/(test.x.At(0, 2)-train.x.At(0, 2)), stat.StdDev(col(x.RawMatrix().Data, 2)[:300], nil), 1e-9)
	for _, name := range []string{"x", "y", "xt", "yt", "gammas", "alphas"} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
}

func col(data []float64, j int) (out []float64) {
	for i := j; i < len(data); i += searchColumns {
		out = append(out, data[i])
	}
	return out
}

func TestStandardError(t *testing.T) {
	assert.InDelta(t, 1, standardError([]float64{1, 3}), 1e-12)
	assert.True(t, math.IsNaN(standardError([]float64{1})))
}
