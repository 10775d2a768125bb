package kernelbeam

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
)

// parquetTable implements tableWriter for Parquet.
type parquetTable struct {
	out   *pqarrow.FileWriter
	build *array.RecordBuilder
}

// openWriter hides the method Close, so that the file stays open.
type openWriter struct{ io.Writer }

func newParquetTable(w io.Writer, t *predictionTable) (*parquetTable, error) {
	prediction := arrow.Field{Name: "prediction", Type: arrow.PrimitiveTypes.Float64}
	if t.texts != nil {
		prediction.Type = arrow.BinaryTypes.String
	}
	fields := []arrow.Field{
		{Name: "file", Type: arrow.BinaryTypes.String}, {Name: "at", Type: arrow.PrimitiveTypes.Int64},
		{Name: "id", Type: arrow.BinaryTypes.String}, prediction,
	}
	for _, name := range t.names {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
	}
	schema := arrow.NewSchema(fields, nil)
	out, err := pqarrow.NewFileWriter(schema, openWriter{w}, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	return &parquetTable{out, array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

func (p *parquetTable) write(places []rowblocks.Place, t *predictionTable) error {
	for i, at := range places {
		p.build.Field(0).(*array.StringBuilder).Append(at.File)
		p.build.Field(1).(*array.Int64Builder).Append(at.At)
		p.build.Field(2).(*array.StringBuilder).Append(at.ID)
		if t.texts != nil {
			p.build.Field(3).(*array.StringBuilder).Append(t.texts[i])
		} else {
			p.build.Field(3).(*array.Float64Builder).Append(t.numbers[i])
		}
		for j, column := range t.columns {
			p.build.Field(4 + j).(*array.Float64Builder).Append(column[i])
		}
	}
	batch := p.build.NewRecordBatch()
	defer batch.Release()
	return p.out.WriteBuffered(batch)
}

func (p *parquetTable) close() error {
	p.build.Release()
	return errors.Join(p.out.Close())
}
