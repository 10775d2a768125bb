package cli

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parse parses the arguments of a program with one flag of each kind.
func parse(args ...string) (help string, err error) {
	var out strings.Builder
	f := NewFlags("example", "example does nothing.", &out)
	f.Int("rows", 10, "rows of the table")
	f.Uint64("draws", 5, "draws")
	f.String("data", "", "`folder` of tables")
	f.String("csv", "default.csv", "`file` to read")
	f.String("out", "", "`folder` for pictures")
	f.String("cells", "", "`file` that keeps results")
	f.String("python", "", "`program` that runs Python")
	f.String("script", "default.py", "`file` that it runs")
	f.AtLeast(2, "rows")
	f.AtLeast(1, "draws")
	f.Reads("data", "csv")
	f.Writes("out", "cells")
	f.Runs("python", "script")
	err = f.Parse(args)
	return out.String(), err
}

func TestFlagsAreCheckedByParse(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	for _, args := range [][]string{
		nil, {"-rows", "2", "-draws", "1"}, {"-data", dir, "-csv", file, "-out", dir, "-cells", file}, {"-python", "go", "-script", file},
	} {
		_, err := parse(args...)
		assert.NoError(t, err, "%v", args)
	}
	for want, args := range map[string][]string{
		"-rows 1: want 2 or more":                                {"-rows", "1"},
		"-draws 0: want 1 or more":                               {"-draws", "0"},
		`invalid value "many" for flag -rows`:                    {"-rows", "many"},
		"-data: stat " + file + "s: no such file":                {"-data", file + "s"},
		"-data " + file + ": want a folder":                      {"-data", file},
		"-csv " + dir + ": want a file, this is a folder":        {"-csv", dir},
		"-out: mkdir " + file + ": not a directory":              {"-out", file},
		"-cells: open " + dir + ": is a directory":               {"-cells", dir},
		`-python: exec: "no such program"`:                       {"-python", "no such program"},
		"-script: stat default.py: no such file":                 {"-python", "go"},
		"flag provided but not defined: -row (-h lists":          {"-row", "3"},
		`unexpected argument "3" (-h lists the flags)`:           {"3"},
		"-script: stat " + file + "s: no such file or directory": {"-script", file + "s"},
	} {
		_, err := parse(args...)
		assert.ErrorContains(t, err, want)
	}
}

func TestHelpBeginsWithASentence(t *testing.T) {
	help, err := parse("-h")
	assert.ErrorIs(t, err, flag.ErrHelp)
	assert.True(t, strings.HasPrefix(help, "example does nothing.\n\nFlags:\n  -cells file\n"), help)
}

// Writes creates missing folders and does not change existing files.
func TestWritesLeavesFilesAsTheyAre(t *testing.T) {
	dir := t.TempDir()
	kept, fresh, folder := filepath.Join(dir, "kept"), filepath.Join(dir, "new", "fresh"), filepath.Join(dir, "a", "b")
	require.NoError(t, os.WriteFile(kept, []byte("text"), 0o600))
	for _, args := range [][]string{{"-cells", kept}, {"-cells", fresh}, {"-out", folder}} {
		_, err := parse(args...)
		require.NoError(t, err, "%v", args)
	}
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	assert.NoFileExists(t, fresh)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestArgumentsAfterTheFlags(t *testing.T) {
	var out strings.Builder
	f := NewFlags("show", "show shows files.", &out)
	f.Arguments("model files")
	require.NoError(t, f.Parse([]string{"a", "b"}))
	assert.Equal(t, []string{"a", "b"}, f.Args())
	assert.ErrorContains(t, f.Parse(nil), "want model files")
	require.ErrorIs(t, f.Parse([]string{"-h"}), flag.ErrHelp)
	assert.Equal(t, "show shows files.\n\nArguments: model files\n", out.String())
}

func TestMistakesOfAProgramPanic(t *testing.T) {
	f := NewFlags("example", "", io.Discard)
	f.String("name", "", "without a kind of path")
	assert.Panics(t, func() { f.Reads("name") })
	assert.Panics(t, func() { f.AtLeast(1, "none") })
}
