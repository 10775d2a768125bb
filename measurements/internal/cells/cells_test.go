package cells

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var header = []string{"what", "number"}

func read(path string) (*Cells[string, int], error) {
	return Read(path, header, func(r []string) (string, int, error) {
		v, err := strconv.Atoi(r[1])
		return r[0], v, err
	}, func(k string, v int) []string { return []string{k, strconv.Itoa(v)} })
}

// Added measurements are read the next time, and the last one with a key is used. Without a file nothing is saved.
func TestCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.csv")
	for _, file := range []string{path, ""} {
		c, err := read(file)
		require.NoError(t, err)
		require.NoError(t, c.Add("a, b", 1))
		require.NoError(t, c.Add("c", 2))
		require.NoError(t, c.Add("c", 3))
		assert.Equal(t, map[string]int{"a, b": 1, "c": 3}, c.At)
		again, err := read(file)
		require.NoError(t, err)
		if file == "" {
			assert.Empty(t, again.At)
		} else {
			assert.Equal(t, c.At, again.At)
		}
	}
	for text, says := range map[string]string{
		"a,b\n1,2\n": "want a first line [what number]", "": "want a first line", "what,number\nx,y\n": "record 1", "what,number\nx\n": "wrong number of fields",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := read(path)
		assert.ErrorContains(t, err, says)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(left))
	}
}
