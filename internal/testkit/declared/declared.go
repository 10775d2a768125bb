// Package declared finds the types declared in the source of the module, for tests that fail if one is missing from a list.
package declared

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Types returns the exported types, as "package.Type", that have one of these methods, in the packages of a folder and below it.
// The method may be declared for the type itself, or for an unexported type that it embeds from its package. Methods of embedded
// exported types are not found. Tests, internal packages, adapters, examples and testdata are skipped.
func Types(tb testing.TB, root string, methods ...string) (out []string) {
	tb.Helper()
	has := map[string]bool{}       // by folder and name
	parts := map[string][]string{} // unexported embedded types of an exported struct
	full := map[string]string{}
	Files(tb, root, []string{"internal", "adapters", "examples", "measurements"}, func(path string, file *ast.File) {
		dir := filepath.Dir(path) + "."
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && slices.Contains(methods, d.Name.Name) {
					name := baseName(d.Recv.List[0].Type)
					has[dir+name], full[dir+name] = true, file.Name.Name+"."+name
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
						full[dir+t.Name.Name] = file.Name.Name + "." + t.Name.Name
						parts[dir+t.Name.Name] = hiddenParts(dir, t)
					}
				}
			}
		}
	})
	for typ, name := range full {
		_, base, _ := strings.Cut(name, ".")
		if ast.IsExported(base) && (has[typ] || slices.ContainsFunc(parts[typ], func(p string) bool { return has[p] })) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hiddenParts returns the unexported types that a struct embeds, as folder and name.
func hiddenParts(dir string, t *ast.TypeSpec) (out []string) {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range s.Fields.List {
		if name := baseName(f.Type); len(f.Names) == 0 && name != "" && !ast.IsExported(name) {
			out = append(out, dir+name)
		}
	}
	return out
}

// Lists fails for each type found by Types that is not in the named list, unless the map except contains a reason for it. It also
// fails for reasons that are not needed.
func Lists(tb testing.TB, name string, list []string, except map[string]string, root string, methods ...string) {
	tb.Helper()
	found := Types(tb, root, methods...)
	if len(found) == 0 {
		tb.Errorf("%s: no type below %s has a method of %v", name, root, methods)
	}
	for _, typ := range found {
		reason, excused := except[typ]
		switch listed := slices.Contains(list, typ); {
		case listed && excused:
			tb.Errorf("%s has %s, but is declared not to: %s", name, typ, reason)
		case !listed && !excused:
			tb.Errorf("%s has no line for %s", name, typ)
		}
	}
	for typ := range except {
		if !slices.Contains(found, typ) {
			tb.Errorf("%s excuses %s, which does not exist", name, typ)
		}
	}
}

// Name returns the name of v's type as Types returns it.
func Name(v any) string { return strings.TrimPrefix(fmt.Sprintf("%T", v), "*") }

// Files calls visit for each Go file, except tests, in a folder and below it. It skips folders whose names are listed in without.
func Files(tb testing.TB, root string, without []string, visit func(path string, file *ast.File)) {
	tb.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name == "testdata" || name[0] == '.' || name[0] == '_' || slices.Contains(without, name)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(path, file)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// baseName returns the name of a type without pointer and type arguments, or "" for a type from another package.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
