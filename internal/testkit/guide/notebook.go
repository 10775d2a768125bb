package guide

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cell is a cell in Jupyter's notebook format 4.5.
type cell struct {
	ID             string          `json:"id"`
	Type           string          `json:"cell_type"`
	Metadata       map[string]any  `json:"metadata"`
	Source         string          `json:"source"`
	ExecutionCount json.RawMessage `json:"execution_count,omitempty"` // null for code, and absent for text
	Outputs        []output        `json:"outputs,omitzero"`
}

// output is the output of a cell.
type output struct {
	Type string `json:"output_type"`
	Name string `json:"name"`
	Text string `json:"text"`
}

// notebookPages are the pages of the notebook in order.
var notebookPages = []string{"README", "reading-data", "explaining-predictions", "rare-classes"}

// Notebook compares docs/guide/tour.ipynb with the programs of the README and of three pages. With -update-guide it writes the
// notebook. If jupyter and the gonb kernel are installed, it runs the notebook and compares the outputs.
func Notebook(t *testing.T) {
	path := filepath.Join(root(t), "docs", "guide", "tour.ipynb")
	cells := notebookCells(t)
	data, err := json.MarshalIndent(map[string]any{"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{"kernelspec": map[string]string{"name": "gonb", "display_name": "Go (gonb)", "language": "go"},
			"language_info": map[string]string{"name": "go"}}}, "", " ")
	require.NoError(t, err)
	data = append(data, '\n')
	if *update {
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(got), "-update-guide writes the notebook from the pages")
	runNotebook(t, path, cells)
}

// notebookCells returns the cells of the programs. A separate cell writes each input file.
func notebookCells(t *testing.T) (cells []cell) {
	add := func(kind, source string, outputs []output) {
		c := cell{ID: strings.Repeat("0", 7) + string(rune('a'+len(cells))), Type: kind, Metadata: map[string]any{}, Source: source}
		if kind == "code" {
			c.ExecutionCount, c.Outputs = json.RawMessage("null"), append([]output{}, outputs...)
		}
		cells = append(cells, c)
	}
	add("markdown", "# kernelearn in a notebook\n\nThe programs of the README and of three pages of the guide, for the Go kernel gonb. "+
		"Start jupyter in the folder of this file.", nil)
	add("code", "!*go mod edit -replace github.com/kernelearn/kernelearn=../..", nil)
	all := Programs(t)
	for _, page := range notebookPages {
		at := slices.IndexFunc(all, func(p Program) bool { return p.Name == page })
		require.GreaterOrEqual(t, at, 0, page)
		p := all[at]
		text, err := os.ReadFile(p.Page)
		require.NoError(t, err)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		add("markdown", "## "+title, nil)
		for _, name := range slices.Sorted(maps.Keys(p.Files)) {
			add("code", "%%writefile "+name+"\n"+p.Files[name], nil)
		}
		add("code", strings.TrimSpace(strings.TrimPrefix(p.Source, "package main\n")), []output{{"stream", "stdout", p.Output}})
	}
	return cells
}

// runNotebook runs the notebook if its kernel is installed.
func runNotebook(t *testing.T, path string, cells []cell) {
	for _, program := range []string{"gonb", "jupyter"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("not run: %v", err)
			return
		}
	}
	out := filepath.Join(t.TempDir(), "ran.ipynb")
	text, err := exec.CommandContext(t.Context(), "jupyter", "nbconvert", "--to", "notebook", "--execute",
		"--output", out, path).CombinedOutput()
	require.NoError(t, err, string(text))
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	var ran struct{ Cells []cell }
	require.NoError(t, json.Unmarshal(data, &ran))
	require.Len(t, ran.Cells, len(cells))
	for i, c := range cells {
		if len(c.Outputs) == 0 {
			continue
		}
		printed := ""
		for _, o := range ran.Cells[i].Outputs {
			if o.Name == "stdout" {
				printed += o.Text
			}
		}
		assert.Equal(t, c.Outputs[0].Text, printed, "cell %d", i)
	}
}
