package layers_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// TestDifferencesOfProducts checks that v-v, which is 0 for a finite v, is not applied to an unrounded product. Compilers for
// processors with fused multiply-subtract, such as arm64, combine the two, and the difference is then the rounding error of the
// product. A conversion to float64 rounds the product.
func TestDifferencesOfProducts(t *testing.T) {
	found := 0
	declared.Files(t, filepath.Join("..", ".."), nil, func(path string, file *ast.File) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			products, differences := map[string]bool{}, map[string]bool{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for i, left := range n.Lhs {
						name, ok := left.(*ast.Ident)
						if !ok || len(n.Lhs) != len(n.Rhs) {
							continue
						}
						if b, ok := unwrapped(n.Rhs[i]).(*ast.BinaryExpr); ok && b.Op == token.MUL && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) || n.Tok == token.MUL_ASSIGN {
							products[name.Name] = true
						}
					}
				case *ast.BinaryExpr:
					x, ok := n.X.(*ast.Ident)
					y, also := n.Y.(*ast.Ident)
					if ok && also && n.Op == token.SUB && x.Name == y.Name {
						differences[x.Name] = true
					}
				}
				return true
			})
			for name := range differences {
				found++
				assert.False(t, products[name], "%s: %s: %s-%s of a product: convert it to float64", path, f.Name.Name, name, name)
			}
		}
	})
	assert.Greater(t, found, 20, "the search finds those that are there")
}

func unwrapped(e ast.Expr) ast.Expr {
	for {
		p, ok := e.(*ast.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}
