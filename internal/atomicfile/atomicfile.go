// Package atomicfile replaces a file in one step: a reader of the path finds either the complete old content or the complete new
// content.
package atomicfile

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write calls write with a temporary file in the folder of path, flushes the file to the disk and renames it to path. If write or
// any later step fails, the temporary file is removed and the file at path is unchanged. A new file is readable and writable by its
// owner only. A replaced file keeps its permissions, and a symbolic link stays a link, even if its target does not exist yet. Write
// also removes temporary files for the same path that killed programs left behind.
func Write(path string, write func(w io.Writer) error) (err error) {
	if path, err = follow(path); err != nil {
		return err
	}
	dir, prefix := filepath.Dir(path), prefixOf(filepath.Base(path))
	removeLeftovers(dir, prefix)
	tmp, err := create(dir, prefix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// Only the first failure is reported.
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	if old, statErr := os.Stat(path); statErr == nil {
		if !old.Mode().IsRegular() {
			return &os.PathError{Op: "replace", Path: path, Err: errors.New("not a regular file")}
		}
		if err := tmp.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	// If the system has file locks, the lock must be held until the file is renamed. Otherwise another program might remove the
	// file.
	if !locks {
		if err := tmp.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	if locks {
		_ = tmp.Close() // the content is already on the disk
	}
	syncDir(dir)
	return nil
}

// create creates a temporary file and locks it.
func create(dir, prefix string) (*os.File, error) {
	for {
		tmp, err := os.CreateTemp(dir, prefix+"*"+suffix)
		if err != nil {
			return nil, err
		}
		lock(tmp)
		// Before the lock, another program may have taken the file for a leftover and removed it.
		ours, err := tmp.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Lstat(tmp.Name()); err == nil && os.SameFile(ours, there) {
				return tmp, nil
			}
		}
		_ = tmp.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(tmp.Name())
			return nil, err
		}
	}
}

// WriteBytes writes data to path, like Write.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// mostLinks is the number of symbolic links that are followed, the same as in Linux.
const mostLinks = 40

// follow returns the path at the end of symbolic links, whether or not it exists.
func follow(path string) (string, error) {
	for range mostLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return path, nil // the write will report the error
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &os.PathError{Op: "write", Path: path, Err: errors.New("too many symbolic links")}
}

const (
	suffix = ".tmp"
	// readable is the number of bytes of the file's name with which a temporary name begins. Names are limited to 255 bytes.
	readable = 40
)

// prefixOf returns the prefix of the names of temporary files for a base name. Different base names have different prefixes.
func prefixOf(base string) string {
	h := fnv.New64a()
	h.Write([]byte(base))
	return fmt.Sprintf(".%s.%016x.", strings.ToValidUTF8(base[:min(len(base), readable)], ""), h.Sum64())
}

// removeLeftovers removes temporary files that no program has locked. It ignores failures.
func removeLeftovers(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), suffix) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if old, err := e.Info(); err == nil {
			removeAbandoned(path, old)
		}
	}
}

// syncDir makes the rename durable. It ignores failures, because some file systems cannot sync a directory, and the new file is
// complete in any case.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	_ = d.Sync()
	_ = d.Close()
}
