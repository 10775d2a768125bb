package main

import (
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-sets", "iris,house-prices", "-splits", "2"}, &out, io.Discard))
	text := out.String()
	assert.Contains(t, text, "iris: 150 × 4, 2 splits")
	assert.Contains(t, text, "house-prices: 1460 × 1, 2 splits")
	assert.Equal(t, len(classifiers)+len(regressors)-2, len(regexp.MustCompile(`p = `).FindAllString(text, -1)), "each line but the last is compared with it")
	for pattern, bounds := range map[string][2]float64{
		`&golearn\.Classifier\{\} +\| (\S+)`: {0.9, 1},
		`&golearn\.Regressor\{\} +\| (\S+)`:  {0.2, 0.5},
	} {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, m, "%s in\n%s", pattern, text)
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, v, bounds[0], pattern)
		assert.LessOrEqual(t, v, bounds[1], pattern)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"-sets none: no such set; there are iris, house-votes": {"-sets", "none"},
		"-splits 1: want 2 or more":                            {"-splits", "1"},
		"iris_headers.csv":                                     {"-data", t.TempDir()},
	} {
		assert.ErrorContains(t, run(t.Context(), args, io.Discard, io.Discard), want)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
