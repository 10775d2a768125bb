package layers

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// runsUserCode lists prefixes of functions that call kernels, estimators and transformers without a context.
var runsUserCode = []string{"Predict", "Decision", "PairDecision", "Transform", "InverseTransform", "AddBlock", "Fit"}

// TestPanicsAreHeld checks that a panic in a kernel, an Observe function or a BLAS becomes an error. Every exported function that
// takes a context, and every prediction, must begin with one of the openings or only call a method that does. The test also checks
// that goroutines start only where panics are caught.
func TestPanicsAreHeld(t *testing.T) {
	held := 0
	declared.Files(t, filepath.Join("..", ".."), []string{"examples", "measurements"}, func(path string, file *ast.File) {
		slashed := filepath.ToSlash(path)
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		if begun := goroutines(file); begun > 0 && !strings.Contains(slashed, "/adapters/") {
			assert.Contains(t, []string{"internal/parallel/parallel.go", "kernels/kerneltest/kernel_checks.go",
				"estimators/falkon/internal/rows/stream.go", "internal/testkit/campaign/campaign.go", "cmd/kernelearn/internal/server/server.go"},
				strings.TrimPrefix(slashed, "../../"), "goroutines are begun by package parallel, which holds their panics")
		}
		if strings.Contains(slashed, "/internal/") || strings.Contains(slashed, "test/") || strings.Contains(slashed, "/testdata/") ||
			strings.Contains(slashed, "/adapters/") && !strings.Contains(slashed, "/adapters/golearn/") {
			return
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !holds(f) {
				continue
			}
			held++
			assert.True(t, recovers(f) || delegates(f), "%s: %s begins with none of the openings", path, f.Name.Name)
		}
	})
	assert.Greater(t, held, 350, "the search for functions finds those that are there")
}

func goroutines(file *ast.File) (n int) {
	ast.Inspect(file, func(node ast.Node) bool {
		if _, ok := node.(*ast.GoStmt); ok {
			n++
		}
		return true
	})
	return n
}

// holds reports whether f must begin with one of the openings.
func holds(f *ast.FuncDecl) bool {
	if !f.Name.IsExported() || f.Type.Results == nil {
		return false
	}
	results := f.Type.Results.List
	if last, ok := results[len(results)-1].Type.(*ast.Ident); !ok || last.Name != "error" {
		return false
	}
	if p := f.Type.Params.List; len(p) > 0 {
		if typ, ok := p[0].Type.(*ast.SelectorExpr); ok && typ.Sel.Name == "Context" {
			return true
		}
	}
	for _, begin := range runsUserCode {
		if strings.HasPrefix(f.Name.Name, begin) {
			return true
		}
	}
	return false
}

func recovers(f *ast.FuncDecl) bool {
	if len(f.Body.List) == 0 {
		return false
	}
	first, ok := f.Body.List[0].(*ast.DeferStmt)
	if !ok {
		return false
	}
	switch called := first.Call.Fun.(type) {
	case *ast.SelectorExpr: // defer fault.Recover(&err)
		return openings["deferred "+text(called)]
	case *ast.CallExpr: // defer estimators.BeginFit(&ctx, observe)(&err)
		return openings[text(called.Fun)]
	}
	return false
}

// openings lists the functions that an exported function defers first, or whose result it defers.
var openings = map[string]bool{
	"deferred fault.Recover": true, "deferred fault.RecoverAs": true,
	"check.Begin": true, "progress.BeginFit": true, "estimators.BeginFit": true, "BeginFit": true,
}

// text returns a name as it appears in the source.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	}
	return ""
}

// delegates reports whether f only returns the result of an exported method of its receiver.
func delegates(f *ast.FuncDecl) bool {
	if f.Recv == nil || len(f.Recv.List[0].Names) == 0 || len(f.Body.List) != 1 {
		return false
	}
	out, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(out.Results) != 1 {
		return false
	}
	call, ok := out.Results[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !method.Sel.IsExported() {
		return false
	}
	of, ok := method.X.(*ast.Ident)
	return ok && of.Name == f.Recv.List[0].Names[0].Name
}
