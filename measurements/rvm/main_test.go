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
	require.NoError(t, run(context.Background(), []string{"-out", dir}, &out, io.Discard))
	assert.Regexp(t, `sin\(x\)/x .*: [3-9] relevance vectors of 100 rows`, out.String())
	assert.Regexp(t, `carbon dioxide .*: [1-6][0-9] relevance vectors of 108 rows`, out.String())
	for _, name := range []string{"rvm-regression.png", "rvm-classes.png"} {
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
	assert.Error(t, run(context.Background(), []string{"-data", dir}, &out, io.Discard))
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
