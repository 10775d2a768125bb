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
	assert.Regexp(t, `(?s)loss of NMSE +s\.e\. *\n +(bmi|s5) .*\n +s[12] .*NMSE of the rows as they are: 0\.5`, out.String())
	assert.Regexp(t, `(?s)column +contribution.*prediction \d+.*, by closed form\n`, out.String())
	assert.Regexp(t, `(?m)^ +320 +0\.4\d+ `, out.String())
	assert.Regexp(t, `(?m)^class 2: area 0\.9\d+, average precision 0\.8`, out.String())
	for _, name := range []string{"importance", "effects", "reasons", "learning", "validation", "roc", "precision", "reliability"} {
		f, err := os.Open(filepath.Join(dir, "reading-"+name+".png"))
		require.NoError(t, err)
		_, err = png.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	var silent strings.Builder
	require.NoError(t, run(context.Background(), nil, &silent, io.Discard))
	assert.NotContains(t, silent.String(), "picture")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, run(ended, nil, io.Discard, io.Discard), context.Canceled)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
