package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "p.png")
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-rows", "3000", "-chunk", "700", "-hidden", "30", "-out", picture}, &out, io.Discard))
	assert.Contains(t, out.String(), "streamed 3000 rows in 5 chunks of at most 700")
	found := regexp.MustCompile(`differ by at most (\S+); GMean (\S+) on`).FindStringSubmatch(out.String())
	require.Len(t, found, 3, out.String())
	difference, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	assert.Less(t, difference, 1e-9)
	gmean, err := strconv.ParseFloat(found[2], 64)
	require.NoError(t, err)
	assert.Greater(t, gmean, .85)
	f, err := os.Open(picture)
	require.NoError(t, err)
	defer f.Close()
	_, err = png.Decode(f)
	require.NoError(t, err)
}

// A file with three columns and three classes is read, and no picture is drawn.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	content := "a,b,c,kind\n"
	for i := range 60 {
		content += strconv.Itoa(i%7) + "," + strconv.Itoa(i%3*5) + "," + strconv.Itoa(i*i%11) + "," + []string{"x", "y", "z"}[i%3] + "\n"
	}
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-csv", path, "-labels", "x,y,z", "-chunk", "25", "-out", filepath.Join(t.TempDir(), "p.png")}, &out, io.Discard))
	assert.Contains(t, out.String(), "streamed 60 rows in 3 chunks")
	assert.NotContains(t, out.String(), "drawn")
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(content string) string {
		path := filepath.Join(dir, "bad.csv")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for want, args := range map[string][]string{
		`line 3: class "maybe" is none of [no yes]`:      {"-csv", file("a,b,c\n1,2,no\n3,4,maybe\n"), "-labels", "no,yes"},
		"-chunk 1: want 2 or more":                       {"-chunk", "1"},
		"-labels has 3 classes, what is generated has 2": {"-labels", "a,b,c"},
		"no such file": {"-csv", filepath.Join(dir, "none.csv")},
	} {
		err := run(context.Background(), args, io.Discard, io.Discard)
		assert.ErrorContains(t, err, want)
	}
	for content, want := range map[string]string{
		"a,b,c\n1,x,no\n": "line 2: strconv.ParseFloat", "a\nno\n": "1 columns, want numbers and a class", "a,b\n": "the stream has 0 blocks", "a,b\n1,no,3\n": "wrong number of fields",
		"": "EOF",
	} {
		assert.ErrorContains(t, run(context.Background(), []string{"-csv", file(content), "-labels", "no,yes"}, io.Discard, io.Discard), want, content)
	}
}

func TestReadChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	require.NoError(t, os.WriteFile(path, []byte("a,b,c\n1,2,no\n3,4,yes\n5,6,no\n"), 0o600))
	var sizes []int
	require.NoError(t, readChunks(path, []string{"no", "yes"}, 2, func(x *mat.Dense, y []int) error {
		sizes = append(sizes, len(y))
		if len(sizes) == 2 {
			assert.Equal(t, []float64{5, 6}, x.RawRowView(0))
			assert.Equal(t, []int{0}, y)
		}
		return nil
	}))
	assert.Equal(t, []int{2, 1}, sizes)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
