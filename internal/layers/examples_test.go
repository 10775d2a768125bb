package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// TestEveryExportedTypeHasAnExample checks that each exported type outside internal and examples is the subject of an Example of
// its package, or is used in the body of an Example with output.
func TestEveryExportedTypeHasAnExample(t *testing.T) {
	types, shown := map[string][]string{}, map[string]map[string]bool{} // by folder
	declared.Files(t, filepath.Join("..", ".."), []string{"internal", "examples", "measurements"}, func(path string, file *ast.File) {
		dir := filepath.Dir(path)
		types[dir] = append(types[dir], exportedTypes(file)...)
	})
	for dir := range types {
		shown[dir] = map[string]bool{}
		tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		require.NoError(t, err)
		for _, path := range tests {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			require.NoError(t, err)
			mentions(file, shown[dir])
		}
	}
	count := 0
	for dir, names := range types {
		for _, name := range names {
			count++
			assert.True(t, shown[dir][name], "%s.%s is in no Example", filepath.Base(dir), name)
		}
	}
	assert.Greater(t, count, 50, "the search for types finds those that are there")
}

func exportedTypes(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				if name := spec.(*ast.TypeSpec).Name; name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// mentions records the subjects of the Examples in a file and the names they use.
func mentions(file *ast.File, shown map[string]bool) {
	printing := 0
	for _, c := range file.Comments {
		if strings.HasPrefix(strings.ToLower(c.Text()), "output:") || strings.HasPrefix(strings.ToLower(c.Text()), "unordered output:") {
			printing++
		}
	}
	if printing == 0 {
		return
	}
	var examples []*ast.FuncDecl
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
			examples = append(examples, f)
		}
	}
	for _, f := range examples {
		subject, _, _ := strings.Cut(strings.TrimPrefix(f.Name.Name, "Example"), "_")
		shown[subject] = true
		var part ast.Node = f.Body
		if len(examples) == 1 && len(file.Decls) > 1 { // go doc shows the complete file
			part = file
		}
		ast.Inspect(part, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				shown[s.Sel.Name] = true
			}
			return true
		})
	}
}
