package layers

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostWords are as many as one reads at a sitting.
const mostWords = 2500

// noZero is a number below one without the zero before its point.
var noZero = regexp.MustCompile(`(^|[^\w.])\.\d`)

// indented is a line of an indented block of code. A line that continues a point of a list has
// fewer spaces.
var indented = regexp.MustCompile(`(?m)^(    |\t).*$`)

// pages are the pages at the root of the repository and in docs, by their paths.
func pages(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	read := func(path string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		out[path] = string(text)
	}
	top, err := filepath.Glob(filepath.Join(root, "*.md"))
	require.NoError(t, err)
	for _, path := range top {
		read(path)
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".md" {
			read(path)
		}
		return err
	})
	require.NoError(t, err)
	return out
}

// prose are the pages that are read from the top, which is all but the list of changes.
func prose(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	out := pages(t, root)
	delete(out, filepath.Join(root, "CHANGELOG.md"))
	require.Contains(t, out, filepath.Join(root, "README.md"))
	require.Contains(t, out, filepath.Join(root, "CONTRIBUTING.md"))
	require.Contains(t, out, filepath.Join(root, "docs", "measured", "results", "sets.md"))
	return out
}

// TestLengthOfPages holds that a page is read in minutes. The words of tables, and the bars
// between their cells, count as well.
func TestLengthOfPages(t *testing.T) {
	all := prose(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		assert.LessOrEqual(t, len(strings.Fields(all[page])), mostWords, "words of %s", page)
	}
}

// withoutCode keeps the line ends of code, so that lines have the numbers they have in the page.
func withoutCode(page string) string {
	page = code.ReplaceAllStringFunc(page, func(block string) string {
		return strings.Repeat("\n", strings.Count(block, "\n"))
	})
	return indented.ReplaceAllString(page, "")
}

// TestNumbersOfPages holds that numbers are written with the zero before their point, in text,
// tables and the descriptions of pictures. What a program prints stands as it was printed.
func TestNumbersOfPages(t *testing.T) {
	all := prose(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		for i, line := range strings.Split(withoutCode(all[page]), "\n") {
			assert.NotRegexp(t, noZero, line, "%s:%d", page, i+1)
		}
	}
}

// TestNumbersAreFound holds that the search for numbers sees what it is for, and no more.
func TestNumbersAreFound(t *testing.T) {
	for _, text := range []string{".95", "a (.95)", "-.97", "±.003", "| .1 |", "+.02", ">.5", "x\n.5"} {
		assert.Regexp(t, noZero, withoutCode(text), text)
	}
	for _, text := range []string{"0.95", "v1.2", "1.2.3", "`.95`", "```\n.95\n```", "    .95", "end. 5", "...5", ".ci/run"} {
		assert.NotRegexp(t, noZero, withoutCode(text), text)
	}
}
