package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "picture.png")
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-picture", path}, &out, io.Discard))
	text := out.String()

	number := func(pattern string) float64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, m, "%s in\n%s", pattern, text)
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		return v
	}
	assert.Greater(t, number(`golearn [^\n]*?  +(0\.\d+)`), 0.85)
	assert.Greater(t, number(`kernelearn LS-SVM, scaled +(0\.\d+)`), 0.95)
	assert.Greater(t, number(`nothing set +(0\.\d+)`), 0.95)

	const row = ` +[\d.e-]+ +\d+ +`
	assert.Equal(t, 1.0, number(`entropy`+row+`(\d+)`), "learner fits")
	assert.Equal(t, 73.0, number(`grid`+row+`(\d+)`), "learner fits")
	byEntropy, byGrid := number(`entropy`+row+`\d+ +(0\.\d+)`), number(`grid`+row+`\d+ +(0\.\d+)`)
	assert.InDelta(t, byGrid, byEntropy, 0.05)

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 500)
}

func TestUnknownFlag(t *testing.T) {
	assert.Error(t, run(context.Background(), []string{"-data", t.TempDir()}, io.Discard, io.Discard), "a folder without the files")
	assert.Error(t, run(context.Background(), []string{"-nonsense"}, io.Discard, io.Discard))
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
