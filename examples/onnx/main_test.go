package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// onPage returns the code block in the given language from docs/onnx.md.
func onPage(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "onnx.md"))
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, m, "docs/onnx.md has a block of %s", language)
	lines := strings.Count(strings.TrimSpace(string(m[1])), "\n") + 1
	assert.LessOrEqual(t, lines, 10, "lines of %s", language)
	return string(m[1])
}

// model writes the model to a temporary folder, and returns the numbers that the Go program prints.
func model(t *testing.T) (folder string, want []float64) {
	t.Helper()
	folder = t.TempDir()
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-out", filepath.Join(folder, "model.onnx")}, &out, io.Discard))
	return folder, numbers(t, out.String())
}

func numbers(t *testing.T, text string) (out []float64) {
	t.Helper()
	for _, s := range regexp.MustCompile(`-?\d+\.\d+`).FindAllString(text, -1) {
		v, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		out = append(out, v)
	}
	require.Len(t, out, 4, text)
	return out
}

// missing skips the test because a runtime is missing. If the runtime is required, as in .ci/run, it fails the test.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("KERNELEARN_ONNXRUNTIME") == "required" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// docs/onnx.md shows the numbers that the program prints.
func TestPage(t *testing.T) {
	_, want := model(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "onnx.md"))
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^    \[.*\] \[.*\]$`).Find(page)
	require.NotNil(t, m)
	assert.InDeltaSlice(t, want, numbers(t, string(m)), 1e-6)
}

// The Python program in docs/onnx.md prints the same numbers as the Go program.
func TestPython(t *testing.T) {
	folder, want := model(t)
	python := os.Getenv("KERNELEARN_PYTHON")
	if python == "" {
		python = "python3"
	}
	program := onPage(t, "python")
	if out, err := exec.Command(python, "-c", "import numpy, onnxruntime").CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("%s has no onnxruntime: set KERNELEARN_PYTHON to an interpreter that has (%s)", python, bytes.TrimSpace(out)))
	}
	cmd := exec.Command(python, "-c", program)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.InDeltaSlice(t, want, numbers(t, string(out)), 1e-7) // numpy prints fewer digits
}

// The browser program in docs/onnx.md prints the same numbers. Its runtime is installed from npm, and its rows pass through
// WebAssembly, as in a browser.
func TestBrowser(t *testing.T) {
	folder, want := model(t)
	page := onPage(t, "html")
	script := regexp.MustCompile(`(?s)<script type="module">\n(.*?)</script>`).FindStringSubmatch(page)
	require.NotNil(t, script)
	program := regexp.MustCompile(`"https://[^"]*"`).ReplaceAllString(script[1], `"onnxruntime-web"`)
	require.NotEqual(t, script[1], program)
	modules := os.Getenv("KERNELEARN_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "onnxruntime-web")); modules == "" || err != nil {
		missing(t, "KERNELEARN_NODE_MODULES is not a folder with onnxruntime-web: npm install --ignore-scripts onnxruntime-web, and set it to node_modules")
	}
	require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "page.mjs"), []byte(program), 0o600))
	cmd := exec.Command("node", "page.mjs")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out[max(0, len(out)-500):]))
	assert.InDeltaSlice(t, want, numbers(t, string(out)), 1e-8)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
