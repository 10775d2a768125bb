package main

import (
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-draws", "1", "-sizes", "100x8"}, &out, io.Discard))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 1+len(problems))
	numbers := regexp.MustCompile(`\d\.\d\d`).FindAllString(lines[1], -1)
	require.Len(t, numbers, 6)
	for i, most := range []float64{0.5, 1.2, 1.2, 0.3, 0.6, 0.6} {
		v, err := strconv.ParseFloat(numbers[i], 64)
		require.NoError(t, err)
		assert.Less(t, v, most, lines[1])
	}
}

func TestErrors(t *testing.T) {
	for want, args := range map[string][]string{
		"-draws 0":              {"-draws", "0"},
		`-sizes "300": want at`: {"-sizes", "300"},
		`-sizes "5x8"`:          {"-sizes", "5x8"},
	} {
		assert.ErrorContains(t, run(context.Background(), args, io.Discard, io.Discard), want)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, run(ended, []string{"-draws", "1", "-sizes", "100x8"}, io.Discard, io.Discard), context.Canceled)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
