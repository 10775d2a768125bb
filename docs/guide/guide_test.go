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

	// The test imports all packages that the programs import, so that go test does not use a cached result after the library has
	// changed.
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

// TestPrograms compiles and runs the programs of the pages. Programs that need a nested module are run by a test of that module.
func TestPrograms(t *testing.T) { guide.Run(t, "") }

// TestTheCacheKnowsTheLibrary checks that this test imports every package that the programs import.
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

// inCode matches text in back quotes. The other expression matches the name of a package, followed by an exported name.
var (
	inCode = regexp.MustCompile("`[^`\n]+`")
	name   = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
)

// TestNamesOfPagesAreThere checks that the packages of the repository export every name that the pages use.
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

// TestPagesAreShort checks that programs are formatted and fit on a screen or two, and that reading the prose of a page takes a few
// minutes.
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

// prose returns the text of a page without its fenced blocks.
func prose(text string) string {
	var out strings.Builder
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

// TestIndexHasEveryPage checks that the first page of the guide links to every other page.
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

// TestEveryModuleRunsItsPrograms checks that each nested module with programs in the guide has a test that runs them.
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

// TestNotebook compares the notebook with the pages, and runs it if its kernel is installed.
func TestNotebook(t *testing.T) { guide.Notebook(t) }
