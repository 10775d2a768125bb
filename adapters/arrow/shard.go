package arrow

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Format is the format of a file.
type Format int

// The formats of files.
const (
	ByName  Format = iota // selected by the extension of the name: .parquet, .pq; .arrow, .feather, .ipc, .arrows; .csv, .tsv
	Parquet               // Apache Parquet
	IPC                   // Arrow's interprocess format: files and streams, which their first bytes distinguish
	CSV                   // comma separated values
)

// String returns the format's name.
func (f Format) String() string {
	return enum.Name("Format", int(f), "ByName", "Parquet", "IPC", "CSV")
}

// Input is an open file, such as an *os.File or a *bytes.Reader. An Input that is an io.Closer is closed after use.
type Input interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Shard is a part of the rows: a file, or record batches. It is opened again for each pass over the rows.
type Shard struct {
	// Name appears in errors. It is the path of the file if neither Open nor Batches is set.
	Name string
	// Format is the format of the file. The zero value selects it by the extension of Name.
	Format Format
	// Open opens a file that is not on the disk. If it is nil, the file called Name is opened.
	Open func(ctx context.Context) (Input, error)
	// Batches returns a reader of record batches, which are used instead of a file. Each call must return the same batches.
	// Releasing the reader releases them.
	Batches func(ctx context.Context) (array.RecordReader, error)
	// MaxBytes limits the memory of a batch, in files of all formats except CSV. If it is 0, the limit is 1 GiB.
	MaxBytes int64

	mem memory.Allocator // nil: Go's
}

// Files returns a shard for each path.
func Files(paths ...string) []Shard {
	out := make([]Shard, len(paths))
	for i, p := range paths {
		out[i].Name = p
	}
	return out
}

// format returns the format of the file of s.
func (s Shard) format() (Format, error) {
	switch {
	case s.Format < ByName || s.Format > CSV:
		return 0, fault.Param(s.Name, "Shard.Format", int(s.Format), "ByName, Parquet, IPC or CSV")
	case s.Format != ByName:
		return s.Format, nil
	}
	switch ending(s.Name) {
	case ".parquet", ".pq":
		return Parquet, nil
	case ".arrow", ".feather", ".ipc", ".arrows":
		return IPC, nil
	case ".csv", ".tsv":
		return CSV, nil
	}
	return 0, fault.Param(s.Name, "Shard.Format", ByName, "one of Parquet, IPC and CSV for a name with that ending")
}

// ending returns the extension of a name in lower case. For compressed CSV files it is the one before .gz.
func ending(name string) string {
	name = strings.ToLower(name)
	if e := filepath.Ext(strings.TrimSuffix(name, ".gz")); e == ".csv" || e == ".tsv" {
		return e
	}
	return filepath.Ext(name)
}

// input opens the file.
func (s Shard) input(ctx context.Context) (Input, error) {
	if s.Open != nil {
		in, err := s.Open(ctx)
		if err == nil && in == nil {
			err = fault.Param("arrow: Shard", "Open", nil, "an Input or an error")
		}
		return in, err
	}
	f, err := os.Open(s.Name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		_ = f.Close()
		if err == nil {
			err = fault.Param("arrow: Shard", "Name", "a folder", "a file")
		}
		return nil, err
	}
	return f, nil
}

func closeInput(in Input) {
	if c, ok := in.(io.Closer); ok {
		_ = c.Close() // no error matters after reading
	}
}
