package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// A run with files whose last line is incomplete continues from the complete lines, and prints the same tables.
func TestRunAndResume(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "results.csv")
	args := []string{"-quick", "-sets", "xor,eq12", "-methods", "perceptron,linear,features,gabasr", "-results", file, "-out", dir}
	var first strings.Builder
	require.NoError(t, run(context.Background(), args, &first, io.Discard))
	assert.Regexp(t, `(?m)^xor +0\.\d{4} +0\.\d{4} +0\.\d{4} \[0\.9800\]`, first.String())
	assert.Regexp(t, `(?m)^eq12 +-?0\.\d{4} +-?0\.\d{4} +0\.9\d{3}`, first.String())
	assert.Regexp(t, `95% intervals of `+"`gabasr`"+` cover \d+\.\d% of 6[23] test rows`, first.String())
	written, err := os.ReadFile(filepath.Join(dir, "gabasr.md"))
	require.NoError(t, err)
	assert.Equal(t, first.String(), string(written))

	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, content[:len(content)-20], 0o644))
	var second strings.Builder
	require.NoError(t, run(context.Background(), append(args, "-workers", "1"), &second, io.Discard))
	withoutSeconds := func(s string) string { return s[:strings.Index(s, "## What sampling does")] }
	assert.Equal(t, withoutSeconds(first.String()), withoutSeconds(second.String()))
	var third strings.Builder
	require.NoError(t, run(context.Background(), append(args, "-report"), &third, io.Discard))
	assert.Equal(t, second.String(), third.String())

	for _, bad := range [][]string{{"-methods", "none"}, {"-sets", "none"}, {"-data", dir, "-sets", "boston"}} {
		assert.Error(t, run(context.Background(), bad, io.Discard, io.Discard), "%v", bad)
	}
}

// The page in docs contains the last sections that the command writes.
func TestLastSections(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "measured", "gabasr.md"))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(page), lastSections))
}

// Differences are relative to the variant with all covariances. Fewer covariances take less memory and return the same means.
func TestCovariances(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-quick", "-covariances", "-sets", "xor,mauna-loa-co2-monthly"}, &out, io.Discard))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 1+2*len(variants), "the series, and its forecast: xor has no numbers")
	all, one := strings.Fields(lines[1]), strings.Fields(lines[2])
	assert.Equal(t, []string{"0.00%", "0.00%", "0.0%"}, all[len(all)-3:])
	assert.NotEqual(t, "0.0%", one[len(one)-1])
	assert.Equal(t, all[5], one[5], "the error is that of the means")
	size := func(fields []string) float64 {
		v, err := strconv.ParseFloat(fields[3], 64)
		require.NoError(t, err)
		return v
	}
	assert.Less(t, 3*size(one), size(all))
	assert.Contains(t, lines[1+len(variants)], "mauna-loa-co2-monthly, forecast")
}

func TestGenerated(t *testing.T) {
	s := xor(3)
	right := 0
	for i, l := range s.Labels {
		if (s.X.At(i, 0)*s.X.At(i, 1) > 0) == (l == 1) {
			right++
		}
	}
	// A cloud crosses an axis with probability Φ(-2) = 0.0228, and exactly one of two axes with probability 0.0445.
	assert.InDelta(t, 1-.0445, float64(right)/xorRows, 0.01)
	series := mixtureSeries(3)
	assert.Len(t, series.Y, mixtureRows)
	assert.InDelta(t, 1, stat.Variance(series.Y, nil), 0.9, "as many unit weights as features, over the features' number of pairs")
	assert.Equal(t, series.Y, mixtureSeries(3).Y)
	assert.NotEqual(t, series.Y, mixtureSeries(4).Y)
}

func TestPerceptronSeparates(t *testing.T) {
	s := settings{seed: 1, quick: true}
	set, err := s.open("breast-cancer-wdbc")
	require.NoError(t, err)
	folds, err := s.folds(set)
	require.NoError(t, err)
	p, err := prepare(context.Background(), set, folds[0], true)
	require.NoError(t, err)
	v, err := perceptron(context.Background(), p)
	require.NoError(t, err)
	assert.Greater(t, v["auc"], 0.95)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
