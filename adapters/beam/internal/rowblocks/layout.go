package rowblocks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// TypeData is the prefix of errors of a Data.
const TypeData = "kernelbeam: Data"

// Layout describes how the rows of a Data are stored. Workers receive it.
type Layout struct {
	CSV        bool          // all files are CSV; if neither CSV nor Parquet is set, the name of a file determines its format
	Parquet    bool          // all files are Parquet
	Schema     *table.Schema // nil for a PCollection, and until it is learnt
	Format     table.Format
	ID         string
	Labelled   bool
	Targets    bool // the target and the weights are also read
	WholeFiles bool
	RangeBytes int64
}

// parser returns the parser of the cells of text files.
func (r *Layout) parser() (*celltext.Parser, error) {
	f := r.Format
	return celltext.Rules{Missing: f.Missing, Decimal: f.Decimal, Thousands: f.Thousands, Percent: f.Percent, Latin1: f.Latin1}.
		Parser(TypeData + ": Format")
}

// names returns the column names of the schema, for text files without a header.
func (r *Layout) names() (out []string) {
	if r.Schema == nil {
		return nil
	}
	for _, c := range r.Schema.Columns {
		out = append(out, c.Name)
	}
	return out
}

func (r *Layout) parquet(path string) bool {
	return r.Parquet || !r.CSV && strings.HasSuffix(strings.ToLower(path), ".parquet")
}

// place holds the index of a column in a file, and its index in the schema.
type place struct{ file, schema int }

// columns holds the places of a file's columns.
type columns struct {
	encoder        *table.Encoder
	features       []place
	target, weight place // -1: none
	id             int   // -1: none
	count          int   // includes columns without a name at the end
	named          int
}

// columnsOf finds the columns by their names.
func (r *Layout) columnsOf(names []string) (c columns, err error) {
	if c.encoder, err = r.Schema.Encoder(); err != nil {
		return c, err
	}
	c.target, c.weight, c.id, c.count, c.named = place{-1, -1}, place{-1, -1}, -1, len(names), len(names)
	find := func(name string) (int, error) {
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return i, fmt.Errorf("no column %q; there are %s: %w", name, strings.Join(names, ", "), fault.ErrShape)
		case slices.Contains(names[i+1:], name):
			return i, fmt.Errorf("two columns are named %q: %w", name, fault.ErrShape)
		}
		return i, nil
	}
	for k, of := range r.Schema.Columns {
		wanted := of.Role == table.Feature || r.Targets && (of.Role == table.Target || of.Role == table.Weight)
		if !wanted {
			continue
		}
		i, err := find(of.Name)
		if err != nil {
			return c, err
		}
		switch at := (place{i, k}); of.Role {
		case table.Target:
			c.target = at
		case table.Weight:
			c.weight = at
		default:
			c.features = append(c.features, at)
		}
	}
	if r.ID != "" {
		c.id, err = find(r.ID)
	}
	return c, err
}

// Head returns the columns of a file and its first rows, from which a schema is learnt. Rows with another number of fields are left
// out.
func (r *Layout) Head(ctx context.Context, path string) ([]table.Column, [][]any, error) {
	if r.parquet(path) {
		return parquetHead(ctx, path)
	}
	return r.csvHead(ctx, path)
}

// headRows returns the number of rows from which a schema with the given number of columns is learnt.
func headRows(columns int) int { return max(1000, blockCells/max(1, columns)) }
