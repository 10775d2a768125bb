package main

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out, io.Discard))
	found := regexp.MustCompile(`Overall accuracy: (\d\.\d+)`).FindAllStringSubmatch(out.String(), -1)
	require.Len(t, found, 2, out.String())
	for i, floor := range []float64{0.8, 0.9} {
		accuracy, err := strconv.ParseFloat(found[i][1], 64)
		require.NoError(t, err)
		assert.Greater(t, accuracy, floor)
	}
	assert.Error(t, run(t.Context(), []string{"-data", t.TempDir()}, io.Discard, io.Discard), "a folder without the file")
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
