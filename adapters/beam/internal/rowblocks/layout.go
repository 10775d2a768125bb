package rowblocks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// TypeData begins the errors of a Data.
const TypeData = "kernelbeam: Data"

// Layout tells workers how the rows of a Data are stored.
type Layout struct {
	CSV        bool // all files are; else those are Parquet whose names say so
	Parquet    bool // all files are
	Features   []string
	Target     string
	Weight     string
	ID         string
	Classes    []string
	Labelled   bool
	Gaps       bool
	Round      bool
	Comma      rune
	Columns    []string
	WholeFiles bool
	Rules      celltext.Rules
	RangeBytes int64
}

// CheckDistinct returns an error where a column is to be two things.
func (r *Layout) CheckDistinct() error {
	if len(r.Features) == 0 {
		return fault.Param(TypeData, "Features", "none", "at least one column")
	}
	seen := map[string]bool{}
	for _, name := range append(slices.Clone(r.Features), r.Target, r.Weight, r.ID) {
		if name != "" && seen[name] {
			return fault.Param(TypeData, "Features, Target, Weight, ID", name, "each column once")
		}
		seen[name] = true
	}
	return nil
}

// Names returns the names of the columns of a file.
func (r *Layout) Names(ctx context.Context, path string) ([]string, error) {
	if r.parquet(path) {
		return parquetNames(ctx, path)
	}
	if r.Columns != nil {
		return r.Columns, nil
	}
	f, err := openCSV(ctx, path, r)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.names, nil
}

func (r *Layout) parquet(path string) bool {
	return r.Parquet || !r.CSV && strings.HasSuffix(strings.ToLower(path), ".parquet")
}

// columns are the places of a file's columns; -1 for what there is not to be.
type columns struct {
	features           []int
	target, weight, id int
	count              int // with those at the end without a name
	named              int
}

// columnsOf finds the columns by their names.
func (r *Layout) columnsOf(names []string) (columns, error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		if _, twice := at[name]; twice && (slices.Contains(r.Features, name) || name == r.Target || name == r.Weight || name == r.ID) {
			return columns{}, fmt.Errorf("two columns are named %q: %w", name, fault.ErrShape)
		}
		at[name] = i
	}
	c := columns{features: make([]int, len(r.Features)), target: -1, weight: -1, id: -1, count: len(names), named: len(names)}
	find := func(name string, to *int) error {
		if name == "" {
			return nil
		}
		i, ok := at[name]
		if !ok {
			return fmt.Errorf("no column %q; there are %s: %w", name, strings.Join(names, ", "), fault.ErrShape)
		}
		*to = i
		return nil
	}
	for i, name := range r.Features {
		c.features[i] = -1
		if err := find(name, &c.features[i]); err != nil {
			return c, err
		}
	}
	if err := find(r.Target, &c.target); err != nil {
		return c, err
	}
	if err := find(r.Weight, &c.weight); err != nil {
		return c, err
	}
	return c, find(r.ID, &c.id)
}
