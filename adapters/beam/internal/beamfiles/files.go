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
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme
)

// within gives f the file system of a path.
func within[R any](ctx context.Context, path string, f func(fs filesystem.Interface) (R, error)) (none R, _ error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return none, err
	}
	defer fs.Close()
	return f(fs)
}

// List returns the files of a pattern, in order.
func List(ctx context.Context, glob string) ([]string, error) {
	names, err := within(ctx, glob, func(fs filesystem.Interface) ([]string, error) { return fs.List(ctx, glob) })
	slices.Sort(names)
	return names, err
}

// File is a file from some place on.
type File struct {
	io.Reader
	source io.ReadCloser
	fs     filesystem.Interface
}

// Open opens a file at an offset. Where the file system cannot seek, what stands before is read.
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

// Size returns that of a file.
func Size(ctx context.Context, path string) (int64, error) {
	return within(ctx, path, func(fs filesystem.Interface) (int64, error) { return fs.Size(ctx, path) })
}

// Read reads a whole file.
func Read(ctx context.Context, path string) ([]byte, error) {
	return within(ctx, path, func(fs filesystem.Interface) ([]byte, error) { return filesystem.Read(ctx, fs, path) })
}

// Write writes a file as a whole, where the file system can rename: the last of several that write it stays.
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

// Unique returns a name that nobody else has.
func Unique() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Scratch is a directory for one fit.
type Scratch struct {
	dir   string
	local bool // made for it, and removed with all that is in it
}

// NewScratch makes one below temp, or, where that is "", in the system's.
func NewScratch(temp string) (*Scratch, error) {
	if temp == "" {
		dir, err := os.MkdirTemp("", "kernelearn-")
		return &Scratch{dir, true}, err
	}
	dir := strings.TrimSuffix(temp, "/") + "/kernelearn-" + Unique()
	return &Scratch{dir, !strings.Contains(temp, "://")}, nil
}

// Path returns that of a file in it.
func (s *Scratch) Path(name string) string { return s.dir + "/" + name }

// Remove takes it away, as far as the file system can.
func (s *Scratch) Remove(ctx context.Context) error {
	if s.local {
		return os.RemoveAll(s.dir)
	}
	return RemoveAll(ctx, s.dir+"/*")
}

// RemoveAll removes the files of a pattern, where the file system can.
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
