package kernelbeam

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme

	"github.com/kernelearn/kernelearn/internal/celltext"
)

// list returns the files of a pattern, in order.
func list(ctx context.Context, glob string) ([]string, error) {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, glob)
	slices.Sort(names)
	return names, err
}

// opened is a file from some place on.
type opened struct {
	io.Reader
	of io.ReadCloser
	fs filesystem.Interface
}

// open opens a file at an offset. Where the file system cannot seek, what stands before is read.
func open(ctx context.Context, path string, offset int64) (*opened, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	f, err := fs.OpenRead(ctx, path)
	if err != nil {
		fs.Close()
		return nil, err
	}
	o := &opened{f, f, fs}
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
func (o *opened) Close() error { return errors.Join(o.of.Close(), o.fs.Close()) }

// size returns that of a file.
func size(ctx context.Context, path string) (int64, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	return fs.Size(ctx, path)
}

// read reads a whole file.
func read(ctx context.Context, path string) ([]byte, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return filesystem.Read(ctx, fs, path)
}

// write writes a file as a whole, where the file system can rename: the last of several that write it stays.
func write(ctx context.Context, path string, data []byte) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	if _, ok := fs.(filesystem.Renamer); !ok {
		return filesystem.Write(ctx, fs, path, data)
	}
	part := path + "." + unique() + ".part"
	if err := filesystem.Write(ctx, fs, part, data); err != nil {
		return err
	}
	return filesystem.Rename(ctx, fs, part, path)
}

// rename moves a file.
func rename(ctx context.Context, from, to string) error {
	fs, err := filesystem.New(ctx, from)
	if err != nil {
		return err
	}
	defer fs.Close()
	return filesystem.Rename(ctx, fs, from, to)
}

// unique returns a name that nobody else has.
func unique() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// scratch is a directory for one fit.
type scratch struct {
	dir   string
	local bool // made for it, and removed with all that is in it
}

// newScratch makes one below temp, or, where that is "", in the system's.
func newScratch(temp string) (*scratch, error) {
	if temp == "" {
		dir, err := os.MkdirTemp("", "kernelearn-")
		return &scratch{dir, true}, err
	}
	dir := strings.TrimSuffix(temp, "/") + "/kernelearn-" + unique()
	return &scratch{dir, !strings.Contains(temp, "://")}, nil
}

// path returns that of a file in it.
func (s *scratch) path(name string) string { return s.dir + "/" + name }

// remove takes it away, as far as the file system can.
func (s *scratch) remove(ctx context.Context) error {
	if s.local {
		return os.RemoveAll(s.dir)
	}
	return removeAll(ctx, s.dir+"/*")
}

// removeAll removes the files of a pattern, where the file system can.
func removeAll(ctx context.Context, glob string) error {
	names, err := list(ctx, glob)
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

// lineAt returns the number, from 1, of the line that begins at an offset.
func lineAt(ctx context.Context, path string, offset int64) (int64, error) {
	f, err := open(ctx, path, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if packed(text) {
		if text, err = unpack(text); err != nil {
			return 0, err
		}
	}
	mark, err := celltext.SkipMark(path, text)
	if err != nil {
		return 0, err
	}
	var rows io.Reader = text
	if celltext.ReturnsAlone(text) {
		rows = celltext.NewLines(path, text, celltext.Layout{})
	}
	in, line, buf := io.LimitReader(rows, offset-int64(mark)), int64(1), make([]byte, 1<<16)
	for {
		n, err := in.Read(buf)
		line += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err == io.EOF {
			return line, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
	}
}
