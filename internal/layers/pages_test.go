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

// A page of docs/measured has at most measuredWords words, and its longer tables are CSV files. Any other page has at most mostWords.
// The pages of docs/measured/results contain the tables of the benchmark.
const (
	measuredWords = 1200
	mostWords     = 2500
)

// noZero matches a number between 0 and 1 without the leading zero.
var noZero = regexp.MustCompile(`(^|[^\w.])\.\d`)

// indented matches a line of an indented code block. Continuation lines in a list have less indentation.
var indented = regexp.MustCompile(`(?m)^(    |\t).*$`)

// pages returns the text of the pages in the root and in docs, by path.
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

// prose returns the pages that are read from the top: all except the changelog.
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

// TestLengthOfPages checks that a page can be read in minutes. The words of tables and the bars between their cells count as well.
func TestLengthOfPages(t *testing.T) {
	all := prose(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		most := mostWords
		if strings.HasSuffix(filepath.ToSlash(filepath.Dir(page)), "docs/measured") {
			most = measuredWords
		}
		assert.LessOrEqual(t, len(strings.Fields(all[page])), most, "words of %s", page)
	}
}

// withoutCode removes code but keeps its line ends, so that line numbers stay those of the page.
func withoutCode(page string) string {
	page = code.ReplaceAllStringFunc(page, func(block string) string {
		return strings.Repeat("\n", strings.Count(block, "\n"))
	})
	return indented.ReplaceAllString(page, "")
}

// TestNumbersOfPages checks that numbers between 0 and 1 have a leading zero, in text, tables and descriptions of pictures. Printed
// output is exempt.
func TestNumbersOfPages(t *testing.T) {
	all := prose(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		for i, line := range strings.Split(withoutCode(all[page]), "\n") {
			assert.NotRegexp(t, noZero, line, "%s:%d", page, i+1)
		}
	}
}

// TestNumbersAreFound checks that the search for numbers finds what it should and nothing else.
func TestNumbersAreFound(t *testing.T) {
	for _, text := range []string{".95", "a (.95)", "-.97", "±.003", "| .1 |", "+.02", ">.5", "x\n.5"} {
		assert.Regexp(t, noZero, withoutCode(text), text)
	}
	for _, text := range []string{"0.95", "v1.2", "1.2.3", "`.95`", "```\n.95\n```", "    .95", "end. 5", "...5", ".ci/run"} {
		assert.NotRegexp(t, noZero, withoutCode(text), text)
	}
}
