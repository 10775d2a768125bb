package layers

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// TestContextsCarryProgressAlone checks that contexts carry only cancellation and progress: only internal/progress puts a value
// into one.
func TestContextsCarryProgressAlone(t *testing.T) {
	found := 0
	declared.Files(t, filepath.Join("..", ".."), nil, func(path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			f, ok := n.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "WithValue" {
				return true
			}
			if from, ok := f.X.(*ast.Ident); ok && from.Name == "context" {
				found++
				assert.Contains(t, filepath.ToSlash(path), "internal/progress/", "%s calls context.WithValue", path)
			}
			return true
		})
	})
	assert.Positive(t, found, "the search finds the calls in internal/progress")
}
