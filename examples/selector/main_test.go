package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunOnWhatIsShipped(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-splits", "1"}, &out, io.Discard))
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
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{{"-family", "none"}, {"-learner", "none"}, {"-learner", "svm"}, {"-sets", "nowhere"}, {"-data", "/nowhere"}} {
		assert.Error(t, run(context.Background(), args, io.Discard, io.Discard), "%v", args)
	}
}
