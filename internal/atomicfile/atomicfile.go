// Package atomicfile replaces a file as a whole: whoever opens the path finds
// either all of the old content or all of the new.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write calls write with a temporary file beside path, flushes it to the disk
// and renames it to path. If write or any step after it fails, the file that
// stood at path is as it was and the temporary one is gone. A new file can be
// read and written by its owner only; a replaced file keeps its permissions,
// and a symbolic link stays one.
func Write(path string, write func(w io.Writer) error) (err error) {
	if target, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		path = target
	}
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
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
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	syncDir(dir)
	return nil
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
