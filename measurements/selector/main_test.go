package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRunOnWhatIsShipped(t *testing.T) {
	var out bytes.Buffer
	folder := t.TempDir()
	require.NoError(t, run(context.Background(), []string{"-splits", "1", "-large", "1500", "-out", folder}, &out, io.Discard))
	text := out.String()
	m := regexp.MustCompile(`both: +(\d+\.\d+)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	ratio, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	assert.InDelta(t, 1, ratio, 0.2)
	assert.Regexp(t, `learner fits +2 against +146: 1/73`, text)
	m = regexp.MustCompile(`mean accuracy +(\d\.\d+) against (\d\.\d+)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	for _, v := range m[1:] {
		accuracy, err := strconv.ParseFloat(v, 64)
		require.NoError(t, err)
		assert.Greater(t, accuracy, 0.9)
	}
	assert.Regexp(t, `friedman1, 1500 × 10`, text)
	assert.Contains(t, text, "round 1: all 1500 rows on the learner's 300 features")
	m = regexp.MustCompile(`2000 other rows (\d\.\d+); of the noise alone (\d\.\d+)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	reached, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	assert.Less(t, reached, .1)
	m = regexp.MustCompile(`one RBF +(0\.\d+),(?s:.*)two RBFs \(Kernels2\) +(0\.\d+)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	assert.Less(t, m[2], m[1], "two scales find the seasons")
	for _, name := range []string{"diabetes-progression", "friedman1"} {
		assert.FileExists(t, filepath.Join(folder, "selector-"+name+".png"))
	}
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{{"-family", "none"}, {"-large", "-1"}, {"-metric", "none"}, {"-learner", "none"}, {"-learner", "eekm"}, {"-sets", "nowhere"}, {"-data", "/nowhere"}} {
		assert.Error(t, run(context.Background(), args, io.Discard, io.Discard), "%v", args)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
