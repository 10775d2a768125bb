package guide

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatIsMissingIsFound checks that a page without its program or output is an error.
func TestWhatIsMissingIsFound(t *testing.T) {
	const source = "```go\npackage main\n\nimport \"" + Library + "/adapters/beam\"\n```\n"
	modules := []string{"adapters/beam"}
	got, err := programs("docs/guide/a.md", "text\n"+source+"prints\n```text\n1\n```\n"+source+"```text\n2\n```\n", modules)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "1\n", got[0].Output)
	assert.Equal(t, "a-11", got[1].Name)
	assert.Equal(t, "adapters/beam", got[1].Module)
	for text, want := range map[string]string{
		"no block":                               "no program",
		source:                                   "line 1: no text block",
		source + "```sh\nls\n```\n":              "line 1: no text block",
		source + "```text\n```\n":                "line 1: no text block",
		"\n```go\npackage main\n":                "line 2: the block is not closed",
		"```go\nx := 1\n```\n```text\n1\n```":    "line 1: ",
		"```go\npackage a\n```\n```text\n1\n":    "line 4: the block is not closed",
		"```go\npackage a\n```\n```text\n1\n```": "line 1: package a",
	} {
		_, err := programs("a.md", text, modules)
		assert.ErrorContains(t, err, want, text)
	}
}
