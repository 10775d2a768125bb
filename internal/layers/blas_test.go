package layers

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// computing lists the functions of blas64 that package fast also provides, and the methods of matrices.
var computing = map[string]bool{
	"Gemm": true, "Symm": true, "Syrk": true, "Trmm": true, "Trsm": true, "Gemv": true, "Symv": true, "Trsv": true,
	"Trmv": true, "Syr2": true, "Dot": true, "Axpy": true, "Nrm2": true, "Scal": true,
}

// TestOneBLAS checks that the library computes through package fast rather than blas64, and that only adapters register a BLAS.
func TestOneBLAS(t *testing.T) {
	files := 0
	declared.Files(t, filepath.Join("..", ".."), []string{"examples", "measurements", "adapters"}, func(path string, file *ast.File) {
		slashed := filepath.ToSlash(path)
		if strings.HasSuffix(path, "_test.go") || strings.Contains(slashed, "internal/fast/") || strings.Contains(slashed, "internal/testkit/blasbench/") {
			return
		}
		files++
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := f.X.(*ast.Ident); ok && from.Name == "blas64" {
				assert.False(t, computing[f.Sel.Name] || f.Sel.Name == "Use", "%s calls blas64.%s", path, f.Sel.Name)
			}
			return true
		})
	})
	assert.Greater(t, files, 200, "the search for files finds those that are there")
}
