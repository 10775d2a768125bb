package arrow

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/adapters/arrow/internal/flatcheck"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// parquetSource reads the pages of the wanted columns on demand, so that a row group is never completely in memory.
type parquetSource struct {
	projection // chosen is nil unless the rows have durations
	in         Input
	file       *file.Reader
	arrows     *pqarrow.FileReader
	rows       pqarrow.RecordReader
	mem        *limited
	count      int64
}

func openParquet(in Input, want *request) (source, error) {
	props := parquet.NewReaderProperties(want.mem)
	props.BufferedStreamEnabled = true
	f, err := file.NewParquetReader(in, file.WithReadProps(props))
	if err != nil {
		return nil, err
	}
	if stored := f.MetaData().KeyValueMetadata().FindValue(flatcheck.ParquetMeta); stored != nil {
		if err := flatcheck.CheckStored(*stored); err != nil {
			return nil, err
		}
	}
	// Parallel reads are off, since arrow-go would panic on its own goroutines.
	arrows, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: int64(want.rows)}, want.mem)
	if err != nil {
		return nil, err
	}
	of, err := arrows.Schema()
	if err != nil {
		return nil, err
	}
	for j := range arrows.Manifest.Fields {
		if f := arrows.Manifest.Fields[j].Field; cells.IsDuration(f.Type) {
			f.Type = arrow.PrimitiveTypes.Int64
		}
	}
	return &parquetSource{projection: projection{of: of}, in: in, file: f, arrows: arrows, mem: want.mem}, nil
}

func (p *parquetSource) start(ctx context.Context, columns []int) (err error) {
	if p.file.NumRows() < 0 {
		return fault.Shape("the footer has", int(p.file.NumRows()), "rows", "want 0 or more")
	}
	if p.file.NumRowGroups() == 0 {
		return nil
	}
	leaves := make([]int, 0, len(columns)) // not nil, because nil selects all columns
	for _, j := range columns {
		leaves = leavesOf(leaves, p.arrows.Manifest.Fields[j])
	}
	if p.chosen = choose(p.of, columns); !slices.ContainsFunc(p.chosen.Fields(),
		func(f arrow.Field) bool { return cells.IsDuration(f.Type) }) {
		p.chosen = nil
	}
	p.rows, err = p.arrows.GetRecordReader(ctx, leaves, nil)
	return err
}

// leavesOf appends the indices of the Parquet columns that belong to a field.
func leavesOf(leaves []int, f pqarrow.SchemaField) []int {
	if f.IsLeaf() {
		return append(leaves, f.ColIndex)
	}
	for _, c := range f.Children {
		leaves = leavesOf(leaves, c)
	}
	return leaves
}

func (p *parquetSource) next() (arrow.RecordBatch, error) {
	if p.rows == nil {
		return nil, io.EOF
	}
	p.release()
	if p.rows.Next() {
		b := p.rows.RecordBatch()
		p.count += b.NumRows()
		if p.chosen == nil {
			return b, nil
		}
		p.cur = cells.Convert(p.mem, b, p.chosen)
		return p.cur, nil
	}
	if err := p.rows.Err(); err != nil {
		return nil, err
	}
	if p.count != p.file.NumRows() {
		return nil, fmt.Errorf("it ends after %d of %d rows", p.count, p.file.NumRows())
	}
	return nil, io.EOF
}

func (p *parquetSource) close() {
	defer closeInput(p.in)
	p.release()
	if p.rows != nil {
		p.rows.Release()
	}
}
