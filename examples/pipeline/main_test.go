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
	text := out.String()
	for pattern, floor := range map[string]float64{`test accuracy (\d\.\d+)`: 0.85, `accuracy: mean (\d\.\d+)`: 0.93} {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, m, "%s in\n%s", pattern, text)
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		assert.Greater(t, v, floor)
	}
	m := regexp.MustCompile(`(\w+): .*\(it is (\w+)\)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	assert.Equal(t, m[2], m[1])
	assert.Error(t, run(t.Context(), []string{"-data", t.TempDir()}, io.Discard, io.Discard), "a folder without the file")
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
