package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func output(t *testing.T, args ...string) string {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), args, &out, io.Discard))
	return out.String()
}

// The tables are the same without earlier results and with a file of results that ends in the middle of a line.
func TestGMeans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.csv")
	args := []string{"-quick", "-folds", "3", "-repeats", "2", "-methods", "eem-rbf-data,welm-tanh,eekm"}
	fresh := output(t, args...)
	assert.Regexp(t, `breast-cancer-wdbc +9\d\.\d +[89]\d\.\d +9\d\.\d`, fresh)
	args = append(args, "-results", path)
	assert.Equal(t, fresh, output(t, args...))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 3*2*3, bytes.Count(content, []byte("\n")))
	require.NoError(t, os.WriteFile(path, content[:len(content)/2], 0o600))
	assert.Equal(t, fresh, output(t, args...))
	// Here the second cross-validation lacks a fold.
	require.NoError(t, os.WriteFile(path, content[:bytes.LastIndex(content[:len(content)-1], []byte("\n"))+1], 0o600))
	assert.Regexp(t, `breast-cancer-wdbc.* \[1\]`, output(t, append(args, "-report")...))
	require.NoError(t, os.WriteFile(path, content, 0o600))
	// Another seed uses other cells of the file.
	assert.NotEqual(t, fresh, output(t, append(args, "-seed", "2")...))
	require.NoError(t, os.WriteFile(path, []byte("a,b\n"), 0o600))
	require.ErrorContains(t, run(context.Background(), args, io.Discard, io.Discard), "line 1")
}

// Each method with a small grid separates the classes.
func TestMethods(t *testing.T) {
	out := output(t, "-quick", "-folds", "3", "-repeats", "1")
	header, row, ok := strings.Cut(out[strings.Index(out, "set "):], "\n")
	require.True(t, ok)
	assert.Equal(t, append([]string{"set"}, methodNames()...), strings.Fields(header))
	row, _, _ = strings.Cut(row, "\n")
	cells := strings.Fields(row)
	require.Len(t, cells, 1+len(methods))
	for i, m := range methods {
		assert.Greater(t, cells[i+1], "87", m.name)
	}
}

func TestDivergences(t *testing.T) {
	out := output(t, "-table", "divergence", "-draws", "20")
	assert.Regexp(t, `breast-cancer-wdbc +569( +[-01.]\d*\.?\d+){6}`, out)
	assert.Equal(t, out, output(t, "-table", "divergence", "-draws", "20", "-workers", "1"), "the workers change nothing")
}

func TestRanks(t *testing.T) {
	assert.Equal(t, []float64{3, 0.5, 2, 0.5}, ranks([]float64{9, -1, 3, -1}))
}

func TestFlags(t *testing.T) {
	for want, args := range map[string][]string{
		`"knn" is none of`: {"-methods", "knn"}, "-repeats 0": {"-repeats", "0"}, `-table "x"`: {"-table", "x"},
		"3 classes, want 2": {"-data", t.TempDir(), "-sets", "three"},
	} {
		if len(args) == 4 {
			require.NoError(t, os.WriteFile(filepath.Join(args[1], "three.csv"), []byte("a,y\n1,p\n2,q\n3,r\n"), 0o600))
		}
		assert.ErrorContains(t, run(context.Background(), args, io.Discard, io.Discard), want)
	}
}

func TestReference(t *testing.T) {
	assert.Len(t, reference, 12)
	assert.Equal(t, 85.0, reference["oil-spill"]["svm"])
	assert.Equal(t, strings.Split(comparedSets, ","), func() (out []string) {
		for _, name := range strings.Split(comparedSets, ",") {
			if reference[name] != nil {
				out = append(out, name)
			}
		}
		return out
	}())
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
