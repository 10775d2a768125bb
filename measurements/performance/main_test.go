package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// Every item runs, on few rows and without the peers.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-scale", "0.01", "-rounds", "1", "-blas", "simdblas"}, &out, io.Discard))
	for _, it := range items() {
		assert.Contains(t, out.String(), it.name)
	}
	assert.Error(t, run(context.Background(), []string{"-only", "nothing"}, &out, io.Discard))
	assert.Error(t, run(context.Background(), []string{"-blas", "nothing"}, &out, io.Discard))
}

// The page contains the table of the measurements in the repository, and -draw accepts the results that a run writes.
func TestDraw(t *testing.T) {
	measured := filepath.Join("..", "..", "docs", "measured")
	var table strings.Builder
	require.NoError(t, run(t.Context(), []string{"-draw", filepath.Join(measured, "results", "performance.json")}, &table, io.Discard))
	page, err := os.ReadFile(filepath.Join(measured, "performance.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), table.String(), "performance.md is not what -draw prints")

	file := filepath.Join(t.TempDir(), "few.json")
	var printed, drawn strings.Builder
	require.NoError(t, run(t.Context(), []string{"-scale", "0.01", "-rounds", "1", "-blas", "simdblas", "-only", "kernel,ridge", "-json", file}, &printed, io.Discard))
	require.NoError(t, run(t.Context(), []string{"-draw", file}, &drawn, io.Discard))
	assert.Contains(t, printed.String(), drawn.String())
	assert.Contains(t, drawn.String(), "| kernel | - |")
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
