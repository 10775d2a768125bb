package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/examples/internal/dataset"
)

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-out", dir, "-draws", "2"}, &out, io.Discard))
	for _, name := range []string{bandPicture, coveragePicture} {
		assert.Contains(t, out.String(), name)
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(10000))
	}
}

// A row for each set and level, with shares of test rows, and a last one of all sets.
func TestTable(t *testing.T) {
	var out strings.Builder
	shipped, err := dataset.Folder("").Open("diabetes-progression.csv")
	require.NoError(t, err)
	dir := t.TempDir()
	data, err := io.ReadAll(shipped)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "diabetes-progression.csv"), data, 0o600))
	require.NoError(t, run(t.Context(), []string{"-data", dir, "-sets", "diabetes-progression", "-splits", "2", "-rows", "240"}, &out, io.Discard))
	rows := regexp.MustCompile(`(?m)^ *diabetes-progression +240 +(0\.\d+)\*? +\d\.\d+`).FindAllStringSubmatch(out.String(), -1)
	assert.Len(t, rows, len(levels), out.String())
	assert.Len(t, regexp.MustCompile(`(?m)^ *all +(0\.\d+ +\d short *){6}$`).FindAllString(out.String(), -1), len(levels), out.String())

	for _, args := range [][]string{{"-splits", "0"}, {"-rows", "5"}, {"-data", dir, "-sets", "nope"}} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), "%v", args)
	}
}
