// Package atomicfile replaces a file as a whole: whoever opens the path finds
// either all of the old content or all of the new.
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

// Write calls write with a temporary file beside path, flushes it to the disk
// and renames it to path. If write or any step after it fails, the file that
// stood at path is as it was and the temporary one is gone. A new file can be
// read and written by its owner only; a replaced file keeps its permissions,
// and a symbolic link stays one, also one that leads to no file yet. Temporary files
// that killed programs have left of the same path are removed.
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
			// The first failure is the one to report.
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
	// Where files have locks that of the temporary one is held until it has its name, lest another program remove it.
	if !locks {
		if err := tmp.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	if locks {
		_ = tmp.Close() // all of it is on the disk
	}
	syncDir(dir)
	return nil
}

// create makes a temporary file and locks it.
func create(dir, prefix string) (*os.File, error) {
	for {
		tmp, err := os.CreateTemp(dir, prefix+"*"+suffix)
		if err != nil {
			return nil, err
		}
		lock(tmp)
		// Before it was locked another program may have taken it for one that was left, and removed it.
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

// WriteBytes is Write of these bytes.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// mostLinks is how many symbolic links are followed, as by Linux.
const mostLinks = 40

// follow returns the path at the end of symbolic links, whether there is a file or not.
func follow(path string) (string, error) {
	for range mostLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return path, nil // what is wrong, the writing says
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
	// readable is how much of the file's name a temporary one begins with: a name has 255 bytes at most.
	readable = 40
)

// prefixOf is what the names of temporary files of a base name begin with, and those of no other.
func prefixOf(base string) string {
	h := fnv.New64a()
	h.Write([]byte(base))
	return fmt.Sprintf(".%s.%016x.", strings.ToValidUTF8(base[:min(len(base), readable)], ""), h.Sum64())
}

// removeLeftovers removes temporary files that nobody holds a lock of. What cannot be removed stays.
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

// syncDir makes the rename itself durable. Some file systems cannot sync a
// directory, and the new file is complete either way, so failing is no error.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	_ = d.Sync()
	_ = d.Close()
}
