package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/kernelearn/kernelearn/streaming"

	"gonum.org/v1/gonum/mat"
)

// write writes the rows to a CSV file, with a header and the target in the last column. Each number is read back exactly.
func (p program) write(ctx context.Context) error {
	f, err := os.Create(p.csv)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	from := p
	from.csv = ""
	err = from.writeTo(ctx, w)
	return errors.Join(err, w.Flush(), f.Close())
}

func (p program) writeTo(ctx context.Context, w io.Writer) error {
	var line []byte
	for j := range columns {
		line = append(line, "x"+strconv.Itoa(j+1)+","...)
	}
	if _, err := w.Write(append(line, "y\n"...)); err != nil {
		return err
	}
	for b, err := range p.blocks(p.rows) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i, y := range b.Y {
			line = line[:0]
			for _, v := range b.X.RawRowView(i) {
				line = append(strconv.AppendFloat(line, v, 'g', -1, 64), ',')
			}
			line = append(strconv.AppendFloat(line, y, 'g', -1, 64), '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the first n rows of a CSV file in blocks, which share their memory. It opens the file each time the rows are read.
func read(path string, block, n int) iter.Seq2[streaming.Block[float64], error] {
	return func(yield func(streaming.Block[float64], error) bool) {
		if err := readAll(path, block, n, func(b streaming.Block[float64]) bool { return yield(b, nil) }); err != nil {
			yield(streaming.Block[float64]{}, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// readAll calls visit with each block, until visit returns false.
func readAll(path string, block, n int, visit func(streaming.Block[float64]) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return err
	}
	d := len(header) - 1
	if d < 1 {
		return fmt.Errorf("it has %d columns, want numbers and a target", len(header))
	}
	x, y := make([]float64, block*d), make([]float64, block)
	for left := n; left > 0; {
		rows, err := readRows(r, min(block, left), d, x, y)
		if rows > 0 && !visit(streaming.Block[float64]{X: mat.NewDense(rows, d, x[:rows*d]), Y: y[:rows]}) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("it ends %d rows before the %d that are wanted", left-rows, n)
		}
		if err != nil {
			return err
		}
		left -= rows
	}
	return nil
}

// readRows reads up to the given number of rows into x and y. It returns the number that it read.
func readRows(r *csv.Reader, most, d int, x, y []float64) (int, error) {
	for i := range most {
		record, err := r.Read()
		if err != nil {
			return i, err
		}
		for j, cell := range record {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				line, _ := r.FieldPos(j)
				return i, fmt.Errorf("line %d: %w", line, err)
			}
			if j == d {
				y[i] = v
			} else {
				x[i*d+j] = v
			}
		}
	}
	return most, nil
}
