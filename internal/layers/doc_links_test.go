package layers_test

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var looksLikeLink = regexp.MustCompile(`\[\*?(?:[a-z]\w*\.)?[A-Z]\w+(?:\.[A-Z]\w*)?\]`)

// TestDocLinksResolve checks that links in the documentation of exported names resolve, so that renamed or moved names leave no
// dead link.
func TestDocLinksResolve(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \",\"}}", "../../...").Output()
	require.NoError(t, err)
	packages := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		parts := strings.Split(line, " ")
		if strings.Contains(parts[0], "/internal/") || parts[2] == "" {
			continue
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range strings.Split(parts[2], ",") {
			f, err := parser.ParseFile(fset, filepath.Join(parts[1], name), nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, f)
		}
		p, err := doc.NewFromFiles(fset, files, parts[0])
		require.NoError(t, err)
		packages++
		look := func(name, text string) {
			for _, block := range p.Parser().Parse(text).Content {
				for _, dead := range plainLinks(block) {
					assert.Fail(t, "a dead link", "%s: the documentation of %s has %s", parts[0], name, dead)
				}
			}
		}
		look("the package", p.Doc)
		for _, f := range p.Funcs {
			look(f.Name, f.Doc)
		}
		for _, v := range append(p.Consts, p.Vars...) {
			look(strings.Join(v.Names, ", "), v.Doc)
		}
		for _, typ := range p.Types {
			look(typ.Name, typ.Doc)
			for _, f := range append(typ.Funcs, typ.Methods...) {
				look(typ.Name+"."+f.Name, f.Doc)
			}
			for _, v := range typ.Consts {
				look(strings.Join(v.Names, ", "), v.Doc)
			}
		}
	}
	assert.Greater(t, packages, 40)
}

// plainLinks returns names in brackets that did not resolve.
func plainLinks(block comment.Block) (dead []string) {
	text := func(parts []comment.Text) {
		for _, part := range parts {
			switch part := part.(type) {
			case comment.Plain:
				dead = append(dead, looksLikeLink.FindAllString(string(part), -1)...)
			case comment.Italic:
				dead = append(dead, looksLikeLink.FindAllString(string(part), -1)...)
			}
		}
	}
	switch block := block.(type) {
	case *comment.Paragraph:
		text(block.Text)
	case *comment.Heading:
		text(block.Text)
	case *comment.List:
		for _, item := range block.Items {
			for _, inner := range item.Content {
				dead = append(dead, plainLinks(inner)...)
			}
		}
	}
	return dead
}
