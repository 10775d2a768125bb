package beamfiles

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // for paths without a scheme
)

// within calls f with the file system of a path.
func within[R any](ctx context.Context, path string, f func(fs filesystem.Interface) (R, error)) (none R, _ error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return none, err
	}
	defer fs.Close()
	return f(fs)
}

// List returns the files that match a pattern, in order.
func List(ctx context.Context, glob string) ([]string, error) {
	names, err := within(ctx, glob, func(fs filesystem.Interface) ([]string, error) { return fs.List(ctx, glob) })
	slices.Sort(names)
	return names, err
}

// File reads a file from the offset at which it was opened.
type File struct {
	io.Reader
	source io.ReadCloser
	fs     filesystem.Interface
}

// Open opens a file for reading from an offset. If the file system cannot seek, Open reads and discards the bytes before the
// offset.
func Open(ctx context.Context, path string, offset int64) (*File, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	f, err := fs.OpenRead(ctx, path)
	if err != nil {
		fs.Close()
		return nil, err
	}
	o := &File{f, f, fs}
	if offset > 0 {
		if s, ok := f.(io.Seeker); ok {
			_, err = s.Seek(offset, io.SeekStart)
		} else {
			_, err = io.CopyN(io.Discard, f, offset)
		}
		if err != nil {
			o.Close()
			return nil, err
		}
	}
	return o, nil
}

// Close closes the file.
func (o *File) Close() error { return errors.Join(o.source.Close(), o.fs.Close()) }

// Size returns the size of a file.
func Size(ctx context.Context, path string) (int64, error) {
	return within(ctx, path, func(fs filesystem.Interface) (int64, error) { return fs.Size(ctx, path) })
}

// Read returns the contents of a file.
func Read(ctx context.Context, path string) ([]byte, error) {
	return within(ctx, path, func(fs filesystem.Interface) ([]byte, error) { return filesystem.Read(ctx, fs, path) })
}

// Write writes a file. If the file system can rename files, the file appears only when it is complete. If several calls write the
// same file at once, the last one determines its contents.
func Write(ctx context.Context, path string, data []byte) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	if _, ok := fs.(filesystem.Renamer); !ok {
		return filesystem.Write(ctx, fs, path, data)
	}
	part := path + "." + Unique() + ".part"
	if err := filesystem.Write(ctx, fs, part, data); err != nil {
		return err
	}
	return filesystem.Rename(ctx, fs, part, path)
}

// Rename moves a file.
func Rename(ctx context.Context, from, to string) error {
	fs, err := filesystem.New(ctx, from)
	if err != nil {
		return err
	}
	defer fs.Close()
	return filesystem.Rename(ctx, fs, from, to)
}

// Unique returns a random name for a file that no other call returns.
func Unique() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Scratch is a directory for one fit.
type Scratch struct {
	dir   string
	local bool // a local directory is removed with everything in it
}

// NewScratch returns a new Scratch in the directory temp. If temp is "", the system's directory for temporary files is used.
func NewScratch(temp string) (*Scratch, error) {
	if temp == "" {
		dir, err := os.MkdirTemp("", "kernelearn-")
		return &Scratch{dir, true}, err
	}
	dir := strings.TrimSuffix(temp, "/") + "/kernelearn-" + Unique()
	return &Scratch{dir, !strings.Contains(temp, "://")}, nil
}

// Path returns the path of a file in the directory.
func (s *Scratch) Path(name string) string { return s.dir + "/" + name }

// Remove removes the directory and its files, as far as the file system can.
func (s *Scratch) Remove(ctx context.Context) error {
	if s.local {
		return os.RemoveAll(s.dir)
	}
	return RemoveAll(ctx, s.dir+"/*")
}

// RemoveAll removes the files that match a pattern, if the file system can remove files.
func RemoveAll(ctx context.Context, glob string) error {
	names, err := List(ctx, glob)
	if err != nil {
		return err
	}
	for _, name := range names {
		fs, err := filesystem.New(ctx, name)
		if err != nil {
			return err
		}
		if r, ok := fs.(filesystem.Remover); ok {
			err = r.Remove(ctx, name)
		}
		if err = errors.Join(err, fs.Close()); err != nil {
			return err
		}
	}
	return nil
}
