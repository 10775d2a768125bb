package table

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"os"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// Source provides rows for several passes. They come from a CSV file, a file of another format, or several files ([Join]). Only
// Table holds all rows in memory at once.
type Source struct {
	Name string // part of errors
	// Open opens a CSV file.
	Open func() (io.ReadCloser, error)
	// Read opens a file of another format, and is used instead of Open. Package adapters/arrow provides Read for Parquet and Arrow
	// files.
	Read func(ctx context.Context) (Reader, error)

	parts []Source // the sources of Join
}

// Reader reads the rows of a file in a format that this package does not support.
type Reader interface {
	// Columns returns the names of the columns and what the format declares about them. Kind is Time, Duration or Category if the
	// format declares it. It is Text for texts that are words even if they look like numbers. It is 0 if the cells determine the
	// kind. Levels are set if they are known. For a column that cannot be read, the Role is LeftOut, and a Note names the type.
	Columns() []Column
	// Next appends the cells of up to most rows to each column, and returns the number of rows. The slice to is the same in all
	// calls. Its entries are nil for columns that are not read. After the last row the error is io.EOF.
	Next(ctx context.Context, to []*Cells, most int) (rows int, err error)
	io.Closer
}

// File returns the source of a CSV file, optionally compressed with gzip.
func File(path string) Source {
	return Source{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// Join returns a source of the rows of several sources, one source after the other. The columns of the first source are matched by
// name in the others, in any order. Additional columns of the other sources are not read.
func Join(sources ...Source) Source {
	switch len(sources) {
	case 0:
		return Source{}
	case 1:
		return sources[0]
	}
	return Source{Name: fmt.Sprintf("%s and %d more", sources[0].Name, len(sources)-1), parts: sources}
}

// all returns the joined sources, or s itself if it is not a Join.
func (s Source) all() (out []Source) {
	if s.parts == nil {
		return []Source{s}
	}
	for _, p := range s.parts {
		out = append(out, p.all()...)
	}
	return out
}

// reader opens a source that is not a Join.
func (s Source) reader(ctx context.Context, o Options) (Reader, error) {
	switch {
	case s.Read != nil:
		return s.Read(ctx)
	case s.Open == nil:
		return nil, fault.Param("table: Source", "Open and Read", "nil", "a function")
	}
	f, err := s.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	in, err := openCSV(s.Name, f, o)
	if err != nil {
		_ = f.Close() // no error matters after reading
		return nil, err
	}
	return in, nil
}

// collection holds the state of a pass over a source.
type collection struct {
	Source
	options Options
	rows    int                    // the number of rows of a block
	wanted  func(name string) bool // the columns to read; nil: all
	do      func(*intake) error    // called with each block, whose memory the next block reuses

	in *intake // nil before the first part
}

// run reads all rows, and returns the last block, which is not full and has not been passed to do.
func (c *collection) run(ctx context.Context) (_ *intake, err error) {
	defer fault.Recover(&err)
	for _, part := range c.all() {
		if err := c.part(ctx, part); err != nil {
			return nil, err
		}
	}
	return c.in, nil
}

// part reads the rows of one of the joined sources.
func (c *collection) part(ctx context.Context, s Source) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, err := s.reader(ctx, c.options)
	if err != nil {
		return err
	}
	defer from.Close()
	columns := from.Columns()
	if c.in == nil {
		if c.in, err = newIntake(s.Name, columns, c.options); err != nil {
			return err
		}
		c.in.input = c.Name
		for _, of := range c.in.columns {
			of.unread = of.unread || c.wanted != nil && !c.wanted(of.name)
		}
	}
	to, err := c.in.begin(s.Name, columns)
	if err != nil {
		return err
	}
	for {
		n, err := from.Next(ctx, to, min(c.rows-c.in.rows, defaultBlock))
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = c.in.took(n)
		}
		if err != nil {
			return err
		}
		if c.in.rows < c.rows {
			continue
		}
		if err := c.do(c.in); err != nil {
			return err
		}
		c.in.forget()
	}
}

// defaultBlock is the default number of rows of a block.
const defaultBlock = 4096

// each calls do for consecutive blocks of rows. The last block may have fewer rows.
func (s Source) each(ctx context.Context, o Options, rows int, wanted func(string) bool, do func(*intake) error) error {
	if rows == 0 {
		rows = defaultBlock
	}
	c := &collection{Source: s, options: o, rows: rows, wanted: wanted, do: do}
	in, err := c.run(ctx)
	if err != nil || in.rows == 0 {
		return err
	}
	return do(in)
}

// Table reads all rows into memory. Options may be nil. It returns the errors of [ReadCSV] and of the reader, or ctx's error.
func (s Source) Table(ctx context.Context, o *Options) (_ *Table, err error) {
	defer check.Begin(&ctx)(&err)
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	in, err := (&collection{Source: s, options: options, rows: math.MaxInt}).run(ctx)
	if err != nil {
		return nil, err
	}
	return in.table()
}

// Tables yields the rows, read with a schema, in tables of n rows, for predictions of files that do not fit in memory. If n is 0, a
// table has 4096 rows. The last table may have fewer rows. A table is overwritten when the next one is requested. Targets, labels,
// groups and weights are nil. WriteCSV writes all columns of a single source, but only the features of a joined source. A source
// without rows has no tables. The iterator yields the errors of [Source.Table].
func (s Source) Tables(ctx context.Context, schema *Schema, n int) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		err := checkBlocks(schema, n)
		if err == nil {
			var wanted func(string) bool
			if s.parts != nil { // the columns of the joined sources may differ
				wanted = wantedBy[streaming.None](schema)
			}
			err = s.each(check.Context(ctx), Options{Schema: schema, Format: schema.Format}, n, wanted, func(in *intake) error {
				t, err := in.encode(schema, false)
				if err == nil && !yield(t, nil) {
					return errStopped
				}
				return err
			})
		}
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}
