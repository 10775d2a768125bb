package main

import (
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-out", dir, "-sweeps", "5", "-components", "20"}, &out, io.Discard))
	assert.Regexp(t, `120 months ahead: root mean squared error \d\.\d\d ppm`, out.String(), "less than ten")
	assert.Regexp(t, `(?m)^  1970: .* 95% band`, out.String())
	assert.Regexp(t, `(?m)^  mean: .* [89]\d% within|^  mean: .* 100% within`, out.String())
	for _, name := range []string{"co2-forecast.png", "co2-density.png"} {
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		picture, err := png.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		assert.Greater(t, picture.Bounds().Dx(), 400, name)
		colors := map[[3]uint32]bool{}
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				r, g, b, _ := picture.At(x, y).RGBA()
				colors[[3]uint32{r, g, b}] = true
			}
		}
		assert.Greater(t, len(colors), 50, "%s: something is drawn", name)
	}
	assert.Error(t, run(context.Background(), []string{"-data", dir}, io.Discard, io.Discard))
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
