package layers_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateEnglish = flag.Bool("update-english", false, "write testdata/english.txt, where the counts are not larger")

// stilted lists phrases that docs/style.md replaces.
var stilted = map[string]*regexp.Regexp{
	"headless definition": regexp.MustCompile(`^[A-Za-z]\w* (?:is|are) (?:that|what|those|whose|how|whether|where)\b`),
	"of anybody":          regexp.MustCompile(`(?i)\banybody\b`),
	"hang on":             regexp.MustCompile(`\bhangs? on\b`),
	"say":                 regexp.MustCompile(`\bsays? (?:what|how|whether|which|that|of|so)\b`),
	"so many":             regexp.MustCompile(`\bso many\b|\bsuch a one\b`),
	"but for":             regexp.MustCompile(`\bbut for\b`),
	"told":                regexp.MustCompile(`\b(?:is|are) told\b`),
	"private word":        regexp.MustCompile(`\b(?:bends?|bent|crowded|hands? over|whole)\b`),
	"negation":            regexp.MustCompile(`\bof (?:them|it) is not 0\b|\bnothing wrong\b`),
	"go on":               regexp.MustCompile(`\b(?:goes|go|went) on (?:with|from|to)\b`),
}

// longSentence is the number of words from which a sentence of the documents is too long.
const longSentence = 36

// stiltedIn counts the stilted phrases in a comment or paragraph.
func stiltedIn(text string) (count int) {
	text = strings.ReplaceAll(text, "whole number", "number") // is a usual term
	for _, p := range stilted {
		count += len(p.FindAllString(text, -1))
	}
	return count
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s+|$)|\n\s*\n|\n\s*(?:[-*]|\d+\.) `)
	notProse    = regexp.MustCompile("(?m)^(?:\\||#|    |<).*$|`[^`]*`|\\]\\([^)]*\\)")
)

// longIn counts the long sentences of a page outside tables, programs and code.
func longIn(page string) (count int) {
	var prose strings.Builder
	for i, part := range strings.Split("\n"+page, "\n```") {
		if i%2 == 0 {
			prose.WriteString(part)
		}
	}
	for _, s := range sentenceEnd.Split(notProse.ReplaceAllString(prose.String(), "x"), -1) {
		if len(strings.Fields(s)) >= longSentence {
			count++
		}
	}
	return count
}

// TestEnglish checks that no file has more stilted phrases or long sentences than testdata/english.txt allows. The numbers there
// may only fall. A file with fewer also fails, until -update-english writes the new number.
func TestEnglish(t *testing.T) {
	root, list := filepath.Join("..", ".."), filepath.Join("testdata", "english.txt")
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "*.go", "*.md").Output()
	if err != nil {
		t.Skip("no git:", err)
	}
	counts := map[string]int{}
	for _, path := range strings.Fields(string(out)) {
		data, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // removed, but not committed yet
		}
		require.NoError(t, err)
		n := 0
		if strings.HasSuffix(path, ".md") {
			if strings.HasSuffix(path, "docs/style.md") {
				continue // it quotes them
			}
			n = stiltedIn(string(data)) + longIn(string(data))
		} else {
			n = stiltedInComments(t, path, data)
		}
		if n > 0 {
			counts[path] = n
		}
	}
	require.Greater(t, len(counts), 0)
	allowed := map[string]int{}
	if data, err := os.ReadFile(list); err == nil {
		for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			name, number, ok := strings.Cut(line, " ")
			require.True(t, ok, line)
			allowed[name], err = strconv.Atoi(number)
			require.NoError(t, err)
		}
	}
	better, worse := false, false
	for _, path := range slices.Sorted(keysOf(counts, allowed)) {
		switch n, most := counts[path], allowed[path]; {
		case n > most && len(allowed) > 0:
			worse = true
			assert.LessOrEqual(t, n, most, "%s has more phrases that docs/style.md replaces, or longer sentences", path)
		case n < most:
			better = true
		}
	}
	if *updateEnglish && !worse {
		var b strings.Builder
		for _, path := range slices.SortedFunc(keysOf(counts, nil), func(a, b string) int { return cmp.Compare(a, b) }) {
			fmt.Fprintf(&b, "%s %d\n", path, counts[path])
		}
		require.NoError(t, os.WriteFile(list, []byte(b.String()), 0o644))
		return
	}
	assert.False(t, better, "go test ./internal/layers -run TestEnglish -update-english writes the smaller numbers")
}

// keysOf iterates over the union of the keys.
func keysOf(a, b map[string]int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range a {
			if !yield(k) {
				return
			}
		}
		for k := range b {
			if _, twice := a[k]; !twice && !yield(k) {
				return
			}
		}
	}
}

func stiltedInComments(t *testing.T, path string, data []byte) (n int) {
	file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ParseComments)
	require.NoError(t, err)
	for _, group := range file.Comments {
		n += stiltedIn(group.Text())
	}
	return n
}

func TestEnglishByHand(t *testing.T) {
	assert.Equal(t, 1, stiltedIn("of is that of one way"))
	assert.Equal(t, 2, stiltedIn("Rows of anybody that hang on the seed."))
	assert.Equal(t, 0, stiltedIn("Empty statistics are valid; FitStatistics rejects them."))
	long := strings.Repeat("word ", 36) + "end. Short one.\n\n```text\n" + strings.Repeat("word ", 50) + "\n```\n| " + strings.Repeat("cell ", 50) + "|\n"
	assert.Equal(t, 1, longIn(long))
}
