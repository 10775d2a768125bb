package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]+))?`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noID    = regexp.MustCompile(`[^\pL\pN_ -]|\]\([^)]*\)`)
)

// code matches code, in which f[T](x) looks like a link.
var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// hasHeading reports whether a page has a heading with this id, which GitHub derives from the words of the heading.
func hasHeading(page, id string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		if strings.ReplaceAll(noID.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == id {
			return true
		}
	}
	return false
}

// TestLinksOfPages checks that the links of the pages lead to existing files, including pictures, and to existing headings. In a clone
// the files must also be in the repository, since a file that .gitignore hides exists on one machine only.
func TestLinksOfPages(t *testing.T) {
	root := filepath.Join("..", "..")
	tracked := map[string]bool{}
	if files, err := exec.Command("git", "-C", root, "ls-files").Output(); err == nil {
		for _, f := range strings.Fields(string(files)) {
			tracked[f] = true
		}
	}
	links := 0
	all := pages(t, root)
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			target := filepath.Join(filepath.Dir(page), m[1])
			if m[1] == "" {
				target = page
			}
			if other, ok := all[target]; ok && m[2] != "" {
				assert.True(t, hasHeading(other, m[2]), "%s links to %s#%s, which has no such heading", page, m[1], m[2])
			}
			info, err := os.Stat(target)
			if !assert.NoError(t, err, "%s links to %s", page, m[1]) {
				continue
			}
			name, err := filepath.Rel(root, target)
			require.NoError(t, err)
			if len(tracked) > 0 && !info.IsDir() {
				assert.True(t, tracked[filepath.ToSlash(name)], "%s links to %s, which is not in the repository", page, m[1])
			}
		}
	}
	assert.Greater(t, links, 20)
}
