package guide

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrograms compiles and runs what the pages show, but for what needs a nested module: that has such a test too.
func TestPrograms(t *testing.T) { Run(t, "") }

// TestPagesAreShort holds what a reader may expect of a page: a program that fits on a screen or two, formatted, and a
// few minutes of prose.
func TestPagesAreShort(t *testing.T) {
	pages := map[string]bool{}
	for _, p := range Programs(t) {
		pages[p.Page] = true
		formatted, err := format.Source([]byte(p.Source))
		require.NoError(t, err, p.Page)
		assert.Equal(t, string(formatted), p.Source, "%s: gofmt", p.Page)
		assert.LessOrEqual(t, strings.Count(p.Source, "\n"), 76, "lines of a program in %s", p.Page)
	}
	for page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		words := len(strings.Fields(prose(string(text))))
		assert.True(t, words >= 200 && words <= 700, "%s has %d words besides programs and what they print", page, words)
	}
	assert.Greater(t, len(pages), 10)
}

// prose is a page without its fenced blocks.
func prose(text string) string {
	var out strings.Builder
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

// TestIndexHasEveryPage holds that the first page of the guide leads to each other one.
func TestIndexHasEveryPage(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "guide")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" {
			assert.Contains(t, string(index), "]("+name+")")
		}
	}
	assert.Greater(t, len(pages), 10)
}

// TestEveryModuleRunsItsPrograms holds that a nested module whose programs stand in the guide has the test that runs them.
func TestEveryModuleRunsItsPrograms(t *testing.T) {
	for _, p := range Programs(t) {
		if p.Module == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.Module), "guide_test.go"))
		if assert.NoError(t, err, p.Page) {
			assert.Contains(t, string(text), `guide.Run(t, "`+p.Module+`")`)
		}
	}
}

// TestWhatIsMissingIsFound holds that a page cannot lose its program, or what it prints, unseen.
func TestWhatIsMissingIsFound(t *testing.T) {
	const source = "```go\npackage main\n\nimport \"" + library + "/adapters/beam\"\n```\n"
	modules := []string{"adapters/beam"}
	got, err := programs("docs/guide/a.md", "text\n"+source+"prints\n```text\n1\n```\n"+source+"```text\n2\n```\n", modules)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "1\n", got[0].Output)
	assert.Equal(t, "a-11", got[1].Name)
	assert.Equal(t, "adapters/beam", got[1].Module)
	for text, want := range map[string]string{
		"no block":                               "no program",
		source:                                   "line 1: no block of text",
		source + "```sh\nls\n```\n":              "line 1: no block of text",
		source + "```text\n```\n":                "line 1: no block of text",
		"\n```go\npackage main\n":                "line 2: the block is not closed",
		"```go\nx := 1\n```\n```text\n1\n```":    "line 1: ",
		"```go\npackage a\n```\n```text\n1\n":    "line 4: the block is not closed",
		"```go\npackage a\n```\n```text\n1\n```": "line 1: package a",
	} {
		_, err := programs("a.md", text, modules)
		assert.ErrorContains(t, err, want, text)
	}
}
