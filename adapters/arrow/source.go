package arrow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	blockRows       = 4096
	defaultMaxBytes = 1 << 30
)

// request holds the settings with which a shard is read.
type request struct {
	name   string // of the shard
	mem    *limited
	rows   int          // largest number of rows of a batch, if the format does not determine it
	format table.Format // of CSV files
}

// source is an open shard. Its schema is available at once, its batches after start.
type source interface {
	schema() *arrow.Schema
	start(ctx context.Context, columns []int) error // columns holds indices of the schema in ascending order
	next() (arrow.RecordBatch, error)               // valid until the next call; io.EOF at the end
	close()
}

// reading is a shard during a pass. Its methods return the panics of arrow-go as errors.
type reading struct {
	name  string
	in    source
	batch arrow.RecordBatch
	first int // number of rows before the batch
}

// open opens a shard and checks its settings.
func (s Shard) open(ctx context.Context, format table.Format) (*reading, error) {
	r := &reading{name: s.Name}
	if s.Name == "" {
		r.name = "record batches"
		if s.Batches == nil {
			return nil, fault.Param("arrow: Shard", "Name", `""`, "the path of a file")
		}
	}
	if _, err := s.format(); err != nil && s.Batches == nil {
		return nil, err
	}
	if s.MaxBytes < 0 {
		return nil, fault.Param(r.name, "Shard.MaxBytes", s.MaxBytes, ">= 1, or 0 for 1 GiB")
	}
	want := &request{name: r.name, rows: blockRows, format: format,
		mem: &limited{Allocator: s.allocator(), limit: cmp.Or(s.MaxBytes, defaultMaxBytes)}}
	in, rows, err := s.acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	err = guarded(r.name, "", func() (err error) {
		if rows != nil {
			r.in = &batches{projection{of: rows.Schema()}, rows}
			return nil
		}
		r.in, err = s.begin(in, want)
		return err
	})
	if err != nil {
		if in != nil {
			closeInput(in)
		}
		return nil, err
	}
	return r, nil
}

func (s Shard) allocator() memory.Allocator {
	if s.mem == nil {
		return memory.DefaultAllocator
	}
	return s.mem
}

// acquire opens the file, or the reader of record batches.
func (s Shard) acquire(ctx context.Context) (Input, array.RecordReader, error) {
	if s.Batches == nil {
		in, err := s.input(ctx)
		return in, nil, err
	}
	rows, err := s.Batches(ctx)
	if err == nil && rows == nil {
		err = fault.Param("arrow: Shard", "Batches", nil, "a RecordReader or an error")
	}
	return nil, rows, err
}

// begin returns the source that reads an input in the format of s.
func (s Shard) begin(in Input, want *request) (source, error) {
	format, err := s.format()
	if err != nil {
		return nil, errNamed{err}
	}
	switch format {
	case Parquet:
		return openParquet(in, want)
	case IPC:
		return openIPC(in, want)
	default:
		return openCSV(in, want)
	}
}

func (r *reading) schema() *arrow.Schema { return r.in.schema() }

func (r *reading) start(ctx context.Context, columns []int) error {
	return guarded(r.name, "", func() error { return r.in.start(ctx, columns) })
}

// next reads the next batch. It returns false if there are no more batches.
func (r *reading) next(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if r.batch != nil {
		r.first += int(r.batch.NumRows())
		r.batch = nil
	}
	err := guarded(r.name, r.rowPlace(), func() (err error) {
		r.batch, err = r.in.next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			r.batch, err = nil, nil
		}
		return err
	})
	return r.batch != nil, err
}

func (r *reading) rowPlace() string {
	if r.first == 0 {
		return ""
	}
	return fmt.Sprintf("after %d rows: ", r.first)
}

// close releases all resources. It ignores errors, which would hide an earlier one.
func (r *reading) close() {
	_ = guarded(r.name, "", func() error {
		r.in.close()
		return nil
	})
}

// projection holds the columns to read from a source, and its last batch.
type projection struct {
	of      *arrow.Schema // of all columns
	columns []int
	chosen  *arrow.Schema
	cur     arrow.RecordBatch // nil: no batch to release
}

func (p *projection) schema() *arrow.Schema { return p.of }

func (p *projection) start(_ context.Context, columns []int) error {
	p.columns, p.chosen = columns, choose(p.of, columns)
	return nil
}

// take makes the chosen columns of a batch the current batch, and returns it.
func (p *projection) take(batch arrow.RecordBatch) arrow.RecordBatch {
	arrays := make([]arrow.Array, len(p.columns))
	for i, j := range p.columns {
		arrays[i] = batch.Column(j)
	}
	p.cur = array.NewRecordBatch(p.chosen, arrays, batch.NumRows())
	return p.cur
}

func (p *projection) release() {
	if p.cur != nil {
		p.cur.Release()
		p.cur = nil
	}
}

// batches is a source of record batches.
type batches struct {
	projection
	rows array.RecordReader
}

func (b *batches) next() (arrow.RecordBatch, error) {
	b.release()
	if !b.rows.Next() {
		if err := b.rows.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	batch := b.rows.RecordBatch()
	if int(batch.NumCols()) != b.of.NumFields() {
		return nil, fault.Shape("a batch has", int(batch.NumCols()), "columns", "the schema has %d", b.of.NumFields())
	}
	return b.take(batch), nil
}

func (b *batches) close() {
	b.release()
	b.rows.Release()
}

// choose returns a schema with the given columns of another one.
func choose(of *arrow.Schema, columns []int) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, j := range columns {
		fields[i] = of.Field(j)
	}
	meta := of.Metadata()
	return arrow.NewSchema(fields, &meta)
}
