package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func put(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	require.NoError(t, Write(path, put("one")))
	require.NoError(t, Write(path, put("two")))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "two", string(got))
	assert.Equal(t, []string{"model"}, names(t, dir))
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	require.NoError(t, Write(path, put("one")))
	full := errors.New("disk full")
	err := Write(path, func(w io.Writer) error {
		if err := put("half of tw")(w); err != nil {
			return err
		}
		return full
	})
	require.ErrorIs(t, err, full)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "one", string(got))
	assert.Equal(t, []string{"model"}, names(t, dir), "the temporary file is gone")
}

func TestFailureAfterTheWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	require.NoError(t, Write(path, put("one")))
	// A writer that closes the file makes the flush fail.
	err := Write(path, func(w io.Writer) error { return w.(io.Closer).Close() })
	require.ErrorIs(t, err, os.ErrClosed)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "one", string(got))
	assert.Equal(t, []string{"model"}, names(t, dir))
}

func TestWriteWhereNothingCanBe(t *testing.T) {
	dir := t.TempDir()
	require.Error(t, Write(filepath.Join(dir, "absent", "model"), put("x")))
	require.Error(t, Write(dir, put("x")), "a directory is not replaced")
	assert.Empty(t, names(t, dir))
}

func TestPermissionsAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Unix permissions")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "model"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o644))
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, Write(link, put("two")))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "two", string(got))
}
