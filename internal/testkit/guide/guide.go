// Package guide compiles and runs the programs of docs/guide, for tests that compare their output with the pages. A program that
// imports a nested module, such as adapters/beam, is run by a test of that module.
package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Library is the path of the module at the root of the repository.
const Library = "github.com/kernelearn/kernelearn"

var update = flag.Bool("update-guide", false, "write what the programs of docs/guide print into their pages")

// Program is a program of a page with its documented output.
type Program struct {
	Name   string // name of the page, with a line number for a second program
	Page   string // path of the page
	Source string
	Files  map[string]string // input files by name
	Output string
	Module string // folder of the nested module that it imports, or ""
}

// drivers maps the packages of other libraries that a program may import to the nested module that requires them.
var drivers = map[string]string{"modernc.org/sqlite": "docs/guide/sqlite"}

// block is a fenced block of a page.
type block struct {
	language string
	text     string
	line     int // line of the opening fence, from 1
}

func blocks(text string) (out []block, err error) {
	open := false
	for i, line := range strings.SplitAfter(text, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !open:
			out, open = append(out, block{language: strings.TrimSpace(language), line: i + 1}), true
		case fence:
			open = false
		case open:
			out[len(out)-1].text += line
		}
	}
	if open {
		return nil, fmt.Errorf("line %d: the block is not closed", out[len(out)-1].line)
	}
	return out, nil
}

// programs returns the programs of a page. Each Go block is a program, and the text block after it is its output. A block whose
// language is csv with a file name is an input file of the following programs.
func programs(page, text string, modules []string) (out []Program, err error) {
	all, err := blocks(text)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for i, b := range all {
		if name, ok := strings.CutPrefix(b.language, "csv "); ok {
			files[name] = b.text
		}
		if b.language != "go" || filepath.Base(page) == readme && !strings.HasPrefix(b.text, "package ") {
			continue
		}
		if i+1 == len(all) || all[i+1].language != "text" || all[i+1].text == "" {
			return nil, fmt.Errorf("line %d: no text block with the output follows the program", b.line)
		}
		p := Program{Name: strings.TrimSuffix(filepath.Base(page), ".md"), Page: page, Source: b.text, Files: maps.Clone(files),
			Output: all[i+1].text}
		if len(out) > 0 {
			p.Name += "-" + strconv.Itoa(b.line)
		}
		file, err := parser.ParseFile(token.NewFileSet(), page, b.text, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", b.line, err)
		}
		if file.Name.Name != "main" {
			return nil, fmt.Errorf("line %d: package %s, want a program", b.line, file.Name.Name)
		}
		for _, s := range file.Imports {
			for _, m := range modules {
				if path := strings.Trim(s.Path.Value, `"`); path == Library+"/"+m || strings.HasPrefix(path, Library+"/"+m+"/") {
					p.Module = m
				}
			}
			if m, ok := drivers[strings.Trim(s.Path.Value, `"`)]; ok {
				p.Module = m
			}
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no program")
	}
	return out, nil
}

// root returns the folder of the repository.
func root(tb testing.TB) string {
	tb.Helper()
	_, file, _, ok := runtime.Caller(0)
	require.True(tb, ok)
	dir := filepath.Join(filepath.Dir(file), "..", "..", "..")
	if !filepath.IsAbs(dir) { // in a test built with -trimpath
		tb.Skip("the source is not known")
	}
	return dir
}

// nested returns the folders of the nested modules.
func nested(tb testing.TB, root string) (out []string) {
	tb.Helper()
	require.NoError(tb, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if dir := filepath.Dir(path); err == nil && d.Name() == "go.mod" && dir != root {
			name, err := filepath.Rel(root, dir)
			require.NoError(tb, err)
			out = append(out, filepath.ToSlash(name))
		}
		return err
	}))
	return out
}

// readme is the name of two files: the index of docs/guide, which has no programs, and the README of the repository, which has code
// fragments as well as a program.
const readme = "README.md"

// Programs returns all programs of docs/guide and of the README. A page without a program, or a program without output, is a
// failure.
func Programs(tb testing.TB) (out []Program) {
	tb.Helper()
	root := root(tb)
	modules := nested(tb, root)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	require.NoError(tb, err)
	pages = append(slices.DeleteFunc(pages, func(page string) bool { return filepath.Base(page) == readme }), filepath.Join(root, readme))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(tb, err)
		some, err := programs(page, string(text), modules)
		require.NoError(tb, err, page)
		out = append(out, some...)
	}
	return out
}

// Run compiles the programs of docs/guide that import a nested module. If module is "", it compiles those that import none. The
// programs are in a module outside the repository, as a reader's would be. Run compares the output of each program with its page.
func Run(t *testing.T, module string) {
	if testing.Short() {
		t.Skip("compiles and runs programs")
	}
	root := root(t)
	var mine []Program
	for _, p := range Programs(t) {
		if p.Module == module {
			mine = append(mine, p)
		}
	}
	require.NotEmpty(t, mine, "docs/guide has no program of module %q", module)

	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(module), "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
	call(t, dir, "mod", "init", "example.com/guide")
	call(t, dir, append([]string{"mod", "edit"}, requirements(t, filepath.Join(root, filepath.FromSlash(module)))...)...)
	for _, m := range slices.Compact([]string{"", module}) {
		if slices.Contains(slices.Collect(maps.Values(drivers)), m) {
			continue // no program imports a package of this nested module
		}
		path := strings.TrimSuffix(Library+"/"+m, "/")
		call(t, dir, "mod", "edit", "-require", path+"@v0.0.0", "-replace", path+"="+filepath.Join(root, filepath.FromSlash(m)))
	}
	// All programs share one executable, since linking takes longer than most of them. Each becomes a package whose main function
	// is renamed.
	var imports, cases strings.Builder
	for i, p := range mine {
		folder := filepath.Join(dir, fmt.Sprint("program", i))
		require.NoError(t, os.Mkdir(folder, 0o755))
		source := strings.Replace(strings.Replace(p.Source, "package main", "package program", 1), "func main()", "func Main()", 1)
		require.Contains(t, source, "func Main()", p.Page)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "program.go"), []byte(source), 0o644))
		fmt.Fprintf(&imports, "\tprogram%d %q\n", i, fmt.Sprint("example.com/guide/program", i))
		fmt.Fprintf(&cases, "\tcase %q:\n\t\tprogram%d.Main()\n", p.Name, i)
	}
	source := "package main\n\nimport (\n\t\"os\"\n\n" + imports.String() +
		")\n\nfunc main() {\n\tname := os.Args[1]\n\tos.Args = os.Args[:1]\n\tswitch name {\n" + cases.String() + "\t}\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
	name := filepath.Join(dir, "programs")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	call(t, dir, "build", "-ldflags", "-s -w", "-o", name)
	for _, p := range mine {
		t.Run(p.Name, func(t *testing.T) {
			folder := t.TempDir()
			for file, text := range p.Files {
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644))
			}
			got := start(t, folder, name, p.Name)
			if *update && got != p.Output {
				write(t, p, got)
				return
			}
			assert.Equal(t, p.Output, got, "the output differs from that in %s; -update-guide writes it there", p.Page)
		})
	}
}

// requirements returns flags of go mod edit for all requirements of a module. With them, the module outside the repository seldom
// needs go.mod files other than those that the builds of the repository need.
func requirements(t *testing.T, dir string) (flags []string) {
	t.Helper()
	var module struct {
		Go      string
		Require []struct{ Path, Version string }
	}
	require.NoError(t, json.Unmarshal([]byte(start(t, dir, "go", "mod", "edit", "-json")), &module))
	flags = []string{"-go=" + module.Go}
	for _, r := range module.Require {
		if r.Path != Library {
			flags = append(flags, "-require="+r.Path+"@"+r.Version)
		}
	}
	return flags
}

// call runs the go command, which may fetch go.mod files that the builds of the repository do not need.
func call(t *testing.T, dir string, args ...string) {
	t.Helper()
	start(t, dir, "go", args...)
}

// start returns the output of a command. It fails if the command fails or takes five minutes, since the first build may take long.
func start(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, messages bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &messages
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local")
	require.NoError(t, cmd.Run(), "%s %s: %s%s", filepath.Base(name), strings.Join(args, " "), out.String(), messages.String())
	return out.String()
}

// write puts a program's output into its page.
func write(t *testing.T, p Program, got string) {
	t.Helper()
	text, err := os.ReadFile(p.Page)
	require.NoError(t, err)
	before, after, found := strings.Cut(string(text), p.Source)
	require.True(t, found)
	const fence = "```text\n"
	require.Contains(t, after, fence+p.Output)
	text = []byte(before + p.Source + strings.Replace(after, fence+p.Output, fence+got, 1))
	require.NoError(t, os.WriteFile(p.Page, text, 0o644))
}
