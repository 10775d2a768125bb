package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// makeFiles writes files of rows to a folder. Their rows do not depend on the number of files.
func makeFiles(ctx context.Context, where string) error {
	if err := os.MkdirAll(where, 0o755); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	row := make([]float64, *width+1)
	for s := range *shards {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := (s+1)**rows / *shards - s**rows / *shards
		path := filepath.Join(where, fmt.Sprintf("rows-%04d.%s", s, *format))
		write := writeCSV
		if *format == "parquet" {
			write = writeParquet
		}
		if err := write(path, n, func() []float64 { draw(rng, row); return row }); err != nil {
			return err
		}
	}
	return nil
}

// draw fills row with random features, followed by a target that depends on them.
func draw(rng *rand.Rand, row []float64) {
	d := len(row) - 1
	y := rng.NormFloat64()
	for j := range d {
		row[j] = math.Round(1e4*(rng.NormFloat64()*float64(1+j%3)+float64(j))) / 1e4
		y += float64(j%5-2) * row[j]
	}
	row[d] = y + 5*math.Sin(row[0])
}

// names returns the names of the columns.
func names() []string {
	var out []string
	for j := range *width {
		out = append(out, fmt.Sprintf("x%d", j))
	}
	return append(out, "y")
}

func writeCSV(path string, n int, next func() []float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	for j, name := range names() {
		if j > 0 {
			out.WriteByte(',')
		}
		out.WriteString(name)
	}
	out.WriteByte('\n')
	var buf []byte
	for range n {
		buf = buf[:0]
		for j, v := range next() {
			if j > 0 {
				buf = append(buf, ',')
			}
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		}
		out.Write(append(buf, '\n'))
	}
	if err := out.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func writeParquet(path string, n int, next func() []float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	var fields []arrow.Field
	for _, name := range names() {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
	}
	schema := arrow.NewSchema(fields, nil)
	out, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		f.Close()
		return err
	}
	build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer build.Release()
	const batch = 65536 // number of rows of a row group
	for from := 0; from < n; from += batch {
		for range min(batch, n-from) {
			for j, v := range next() {
				build.Field(j).(*array.Float64Builder).Append(v)
			}
		}
		record := build.NewRecordBatch()
		err := out.Write(record)
		record.Release()
		if err != nil {
			f.Close()
			return err
		}
	}
	return out.Close() // closes the file too
}
