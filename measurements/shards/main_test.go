package main

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// Fits from 4 and 64 parts equal the fit from one part.
func TestShards(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-rows", "1500"}, &out, io.Discard))
	found := regexp.MustCompile(`(?m)^ ?(\d+) parts: NMSE (\S+), predictions at most (\S+) from`).FindAllStringSubmatch(out.String(), -1)
	require.Len(t, found, 3)
	for _, m := range found {
		nmse, err := strconv.ParseFloat(m[2], 64)
		require.NoError(t, err)
		assert.Less(t, nmse, .2)
		apart, err := strconv.ParseFloat(m[3], 64)
		require.NoError(t, err)
		assert.Less(t, apart, 1e-9, m[0])
	}
}

// The table contains a row for each number of features, and the three errors in it are similar.
func TestRidges(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-ridges", "-draws", "1"}, &out, io.Discard))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		require.Len(t, cells, 6)
		least, err := strconv.ParseFloat(cells[3], 64)
		require.NoError(t, err)
		for _, c := range cells[4:] {
			v, err := strconv.ParseFloat(c, 64)
			require.NoError(t, err)
			assert.InDelta(t, least, v, .1)
		}
	}
	assert.Error(t, run(t.Context(), []string{"-ridges", "-sets", "breast-cancer-wdbc"}, io.Discard, io.Discard))
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
