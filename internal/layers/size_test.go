package layers

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostLines limits the lines of code of a package, so that it stays one idea on one page of documentation.
const mostLines = 2500

// TestPackagesAreSmall counts the lines of code of every package in this module and in the nested ones, without tests, blank lines
// and comments.
func TestPackagesAreSmall(t *testing.T) {
	root := filepath.Join("..", "..")
	lines := map[string]int{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		lines[filepath.ToSlash(folder)] += linesOfCode(source)
		return err
	}))
	for _, known := range []string{"kernels", "adapters/arrow", "measurements/benchmark/internal/report"} {
		assert.Positive(t, lines[known], "the search finds %s", known)
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		assert.LessOrEqual(t, lines[folder], mostLines, "%s has %d lines of code: cut it into rooms", folder, lines[folder])
	}
}

// linesOfCode counts the lines that have a token. In a string over several lines it counts those that are not blank.
func linesOfCode(source []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	seen := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(seen)
		}
		if tok == token.SEMICOLON && text == "\n" { // inserted by the scanner
			continue
		}
		first := file.Line(pos)
		for i, line := range strings.Split(text, "\n") {
			if i == 0 || strings.TrimSpace(line) != "" {
				seen[first+i] = true
			}
		}
	}
}

func TestLinesOfCode(t *testing.T) {
	source := "// Package p.\npackage p\n\n/* a\nb */\nvar s = `one\n\ntwo` // and a comment\n\nfunc f() {\n\ts = \"\"\n}\n"
	assert.Equal(t, 6, linesOfCode([]byte(source)))
}
