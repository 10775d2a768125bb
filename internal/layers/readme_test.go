package layers_test

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators/estimatortest"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/kernels/kerneltest"
	"github.com/kernelearn/kernelearn/selection/selectiontest"
)

// TestPackagesPageHasEveryPackage checks that the table of docs/packages.md has exactly one row for each package outside internal
// and examples, that the row names the package's kernels, families, estimators, transformers and strategies, and that it counts the
// checks of a suite correctly.
func TestPackagesPageHasEveryPackage(t *testing.T) {
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "docs", "packages.md"))
	require.NoError(t, err)
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| (.*)$").FindAllStringSubmatch(string(data), -1) {
		rows[m[1]] = m[2]
	}
	packages := map[string]bool{}
	declared.Files(t, root, []string{"internal", "examples", "measurements"}, func(path string, _ *ast.File) {
		dir, err := filepath.Rel(root, filepath.Dir(path))
		require.NoError(t, err)
		packages[filepath.ToSlash(dir)] = true
	})
	assert.True(t, packages["kernels"], "the search finds the known uses")
	for p := range packages {
		_, ok := rows[p]
		assert.True(t, ok, "docs/packages.md lacks %s", p)
	}
	for p := range rows {
		assert.True(t, packages[p], "docs/packages.md has a row for %s, which does not exist", p)
	}
	for _, typ := range declared.Types(t, root, "Eval", "Kernel", "Fit", "Choose") {
		pkg, name, _ := strings.Cut(typ, ".")
		var own []string // several packages may have this name, such as grid
		for p, row := range rows {
			if path.Base(p) == pkg {
				own = append(own, row)
			}
		}
		assert.Regexp(t, `\b`+name+`\b`, strings.Join(own, "\n"), "the row of docs/packages.md for %s does not name it", typ)
	}
	for p, n := range map[string]int{
		"kernels/kerneltest": len(kerneltest.Checks()), "estimators/estimatortest": len(estimatortest.Checks()), "selection/selectiontest": len(selectiontest.Checks()),
	} {
		assert.Contains(t, rows[p], fmt.Sprintf("%d checks", n), p)
	}
}
