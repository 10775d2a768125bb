package guide_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/internal/testkit/guide"

	// What the programs import, so that go test does not take an outcome from its cache when the library has changed.
	_ "github.com/kernelearn/kernelearn/adapters/golearn"
	_ "github.com/kernelearn/kernelearn/adapters/golearn/grids"
	_ "github.com/kernelearn/kernelearn/adapters/onnx"
	_ "github.com/kernelearn/kernelearn/adapters/table"
	_ "github.com/kernelearn/kernelearn/estimators"
	_ "github.com/kernelearn/kernelearn/estimators/calibration"
	_ "github.com/kernelearn/kernelearn/estimators/conformal"
	_ "github.com/kernelearn/kernelearn/estimators/eem"
	_ "github.com/kernelearn/kernelearn/estimators/falkon"
	_ "github.com/kernelearn/kernelearn/estimators/forecast"
	_ "github.com/kernelearn/kernelearn/estimators/gabasr"
	_ "github.com/kernelearn/kernelearn/estimators/lssvm"
	_ "github.com/kernelearn/kernelearn/estimators/modelfile"
	_ "github.com/kernelearn/kernelearn/estimators/novelty"
	_ "github.com/kernelearn/kernelearn/estimators/pipeline"
	_ "github.com/kernelearn/kernelearn/estimators/ridge"
	_ "github.com/kernelearn/kernelearn/estimators/svm"
	_ "github.com/kernelearn/kernelearn/examples/data"
	_ "github.com/kernelearn/kernelearn/kernels"
	_ "github.com/kernelearn/kernelearn/kernels/families"
	_ "github.com/kernelearn/kernelearn/selection"
	_ "github.com/kernelearn/kernelearn/selection/drift"
	_ "github.com/kernelearn/kernelearn/selection/entropy"
	_ "github.com/kernelearn/kernelearn/selection/grid"
	_ "github.com/kernelearn/kernelearn/selection/inspection"
	_ "github.com/kernelearn/kernelearn/selection/metrics"
	_ "github.com/kernelearn/kernelearn/selection/search"
	_ "github.com/kernelearn/kernelearn/selection/threshold"
	_ "github.com/kernelearn/kernelearn/selection/validation"
	_ "github.com/kernelearn/kernelearn/sparse"
	_ "github.com/kernelearn/kernelearn/streaming"
	_ "github.com/kernelearn/kernelearn/transformers"
	_ "github.com/kernelearn/kernelearn/transformers/columnwise"
	_ "github.com/kernelearn/kernelearn/transformers/featuremap"
	_ "github.com/kernelearn/kernelearn/transformers/scalers"
	_ "github.com/kernelearn/kernelearn/transformers/text"
)

// TestPrograms compiles and runs what the pages show, but for what needs a nested module: that has such a test too.
func TestPrograms(t *testing.T) { guide.Run(t, "") }

// TestTheCacheKnowsTheLibrary holds that this test imports what the programs do.
func TestTheCacheKnowsTheLibrary(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "guide_test.go", nil, parser.ImportsOnly)
	require.NoError(t, err)
	imported := map[string]bool{}
	for _, s := range file.Imports {
		imported[s.Path.Value] = true
	}
	for _, p := range guide.Programs(t) {
		program, err := parser.ParseFile(token.NewFileSet(), p.Page, p.Source, parser.ImportsOnly)
		require.NoError(t, err)
		for _, s := range program.Imports {
			if strings.HasPrefix(s.Path.Value, `"`+guide.Library+"/") && p.Module == "" {
				assert.True(t, imported[s.Path.Value], "%s imports %s", p.Page, s.Path.Value)
			}
		}
	}
}

// inCode is a word or more in a typewriter's letters, and a name of a package and of something in it.
var (
	inCode = regexp.MustCompile("`[^`\n]+`")
	name   = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
)

// TestNamesOfPagesAreThere holds that the pages name what the packages of the repository export.
func TestNamesOfPagesAreThere(t *testing.T) {
	root := filepath.Join("..", "..")
	packages := map[string]map[string]bool{}
	declared.Files(t, root, []string{"internal", "examples", "measurements"}, func(_ string, file *ast.File) {
		names := packages[file.Name.Name]
		if names == nil {
			names = map[string]bool{}
			packages[file.Name.Name] = names
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	})
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	require.NoError(t, err)
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, code := range inCode.FindAllString(prose(string(text)), -1) {
			for _, m := range name.FindAllStringSubmatch(code, -1) {
				if names := packages[m[1]]; names != nil && m[1] != "main" {
					count++
					assert.True(t, names[m[2]], "%s names %s.%s, which does not exist", page, m[1], m[2])
				}
			}
		}
	}
	assert.Greater(t, count, 100)
}

// TestPagesAreShort holds what a reader may expect of a page: a program that fits on a screen or two, formatted, and a
// few minutes of prose.
func TestPagesAreShort(t *testing.T) {
	pages := map[string]bool{}
	for _, p := range guide.Programs(t) {
		pages[p.Page] = true
		formatted, err := format.Source([]byte(p.Source))
		require.NoError(t, err, p.Page)
		assert.Equal(t, string(formatted), p.Source, "%s: gofmt", p.Page)
		assert.LessOrEqual(t, strings.Count(p.Source, "\n"), 76, "lines of a program in %s", p.Page)
	}
	for page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		words := len(strings.Fields(prose(string(text))))
		most := 700
		if filepath.Base(page) == "README.md" {
			most = 1100
		}
		assert.True(t, words >= 200 && words <= most, "%s has %d words besides programs and what they print", page, words)
	}
	assert.Greater(t, len(pages), 10)
}

// prose is a page without its fenced blocks.
func prose(text string) string {
	var out strings.Builder
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

// TestIndexHasEveryPage holds that the first page of the guide leads to each other one.
func TestIndexHasEveryPage(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "guide")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" {
			assert.Contains(t, string(index), "]("+name+")")
		}
	}
	assert.Greater(t, len(pages), 10)
}

// TestEveryModuleRunsItsPrograms holds that a nested module whose programs stand in the guide has the test that runs them.
func TestEveryModuleRunsItsPrograms(t *testing.T) {
	for _, p := range guide.Programs(t) {
		if p.Module == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.Module), "guide_test.go"))
		if assert.NoError(t, err, p.Page) {
			assert.Contains(t, string(text), `guide.Run(t, "`+p.Module+`")`)
		}
	}
}

// TestNotebook compares the notebook with the pages, and runs it where its kernel is installed.
func TestNotebook(t *testing.T) { guide.Notebook(t) }
