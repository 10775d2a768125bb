package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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
	// The flush fails if write closes the file.
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

// Write removes the temporary files that killed programs left behind. It removes no other file, and none that is being written.
// Without locks it removes no recent file.
func TestLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be touched")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	old := time.Now().Add(-25 * time.Hour)
	leave := func(base string, at time.Time) *os.File {
		t.Helper()
		f, err := os.CreateTemp(dir, prefixOf(base)+"*"+suffix)
		require.NoError(t, err)
		require.NoError(t, os.Chtimes(f.Name(), at, at))
		return f
	}
	left := leave("model", old)
	require.NoError(t, left.Close())
	fresh, other, written := leave("model", time.Now()), leave("model2", old), leave("model", old)
	lock(written)
	require.NoError(t, Write(path, put("one")))
	kept := []*os.File{other, written}
	if !locks {
		kept = []*os.File{other, fresh}
	}
	want := []string{"model"}
	for _, f := range kept {
		want = append(want, filepath.Base(f.Name()))
	}
	assert.ElementsMatch(t, want, names(t, dir))
	for _, f := range []*os.File{fresh, other, written} {
		require.NoError(t, f.Close())
	}
	// The next Write removes the temporary file after its writer has ended.
	require.NoError(t, Write(path, put("two")))
	if locks {
		want = want[:2]
	}
	assert.ElementsMatch(t, want, names(t, dir))
}

// A write through a symbolic link to a missing file creates that file.
func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "elsewhere"), 0o755))
	link, hop := filepath.Join(dir, "link"), filepath.Join(dir, "hop")
	if err := os.Symlink("hop", link); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Symlink(filepath.Join("elsewhere", "model"), hop))
	for _, text := range []string{"one", "two"} {
		require.NoError(t, Write(link, put(text)))
		got, err := os.ReadFile(filepath.Join(dir, "elsewhere", "model"))
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
		for _, l := range []string{link, hop} {
			info, err := os.Lstat(l)
			require.NoError(t, err)
			assert.NotZero(t, info.Mode()&os.ModeSymlink, "%s stays a link", l)
		}
	}
	require.NoError(t, os.Symlink("circle", filepath.Join(dir, "circle")))
	assert.ErrorContains(t, Write(filepath.Join(dir, "circle"), put("one")), "symbolic links")
}

// Files with all names that the file system allows can be written.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("m", 255), strings.Repeat("é", 127)} {
		path := filepath.Join(dir, name)
		require.NoError(t, Write(path, put("one")))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "one", string(got))
	}
}

// Programs that write at the same time do not remove each other's temporary files, and leave none behind.
func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 30 {
				assert.NoError(t, Write(path, put(strings.Repeat(strconv.Itoa(i), 1000))))
			}
		}()
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat(string(got[:1]), 1000), string(got))
	assert.Equal(t, []string{"model"}, names(t, dir))
}
