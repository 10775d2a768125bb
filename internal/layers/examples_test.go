package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryExportedTypeHasAnExample holds that each exported type outside internal
// and examples is the subject of an Example of its package, by the Example's name, or
// is named in the body of one that prints something.
func TestEveryExportedTypeHasAnExample(t *testing.T) {
	root := filepath.Join("..", "..")
	types, shown := map[string][]string{}, map[string]map[string]bool{} // by folder
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case name == "internal", name == "examples", name == "testdata", strings.HasPrefix(name, ".") && path != root:
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if shown[dir] == nil {
			shown[dir] = map[string]bool{}
		}
		if strings.HasSuffix(path, "_test.go") {
			mentions(file, shown[dir])
		} else {
			types[dir] = append(types[dir], exportedTypes(file)...)
		}
		return nil
	}))
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

// mentions adds what the Examples of a file are named after and name.
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
		if len(examples) == 1 && len(file.Decls) > 1 { // go doc shows such a file whole
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
