package kernelbeam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Data names the files of rows and the purpose of their columns.
type Data struct {
	// Files are paths of Beam's file systems, in which * and ? match as in filepath.Match. Examples are "rows/*.csv", or
	// "s3://bucket/rows/*.parquet" if the program imports that file system. All workers must have access to them.
	Files []string
	// Format is the format of the files. 0 selects Parquet for names that end in .parquet, and CSV for all others.
	Format Format
	// Rows creates a PCollection of Row, and is used instead of Files. It is called once for each pass, and must return the same
	// rows each time, in any order. It cannot be combined with other fields.
	Rows func(s beam.Scope) beam.PCollection

	// Options set the purpose of the columns and the format of text files, as for table.ReadCSV. Without Options.Schema the schema
	// is learnt from at most a million cells of the first file that has rows. [Report] holds this schema. For a classifier, a
	// target without a Task holds classes. To find all levels and classes, learn the schema from all rows with table.Source.Learn.
	Options table.Options
	ID      string // name of a column that is copied next to the predictions and is not a feature; "": none
	// WholeFiles reads each CSV file from its beginning to its end, so that quoted fields may contain line breaks. Otherwise files
	// are read in ranges of bytes, and such a line break is an error. If any of Files has a name that ends in .gz (gzip), all files
	// are read from beginning to end.
	WholeFiles bool
}

// Format is a file format.
type Format int

// The formats of files.
const (
	FormatCSV Format = iota + 1
	FormatParquet
)

// Row is an element of Data.Rows.
type Row struct {
	X      []float64 // NaN for gaps
	Y      float64   // the target, or the label as an integer
	Weight float64   // 0 means 1
	ID     string    // copied next to the prediction, and into errors
}

// layout checks d and returns the layout with which workers read rows. If labelled is true, targets are labels. If targets is
// false, d need not name a target.
func (d *Data) layout(ctx context.Context, labelled, targets bool, rangeBytes int64) (*rowblocks.Layout, error) {
	if d == nil {
		return nil, fault.Param("kernelbeam", "data", "nil", "where rows are")
	}
	r := &rowblocks.Layout{CSV: d.Format == FormatCSV, Parquet: d.Format == FormatParquet,
		Schema: d.Options.Schema, Format: d.Options.Format, ID: d.ID, Labelled: labelled, Targets: targets, RangeBytes: rangeBytes,
		WholeFiles: d.WholeFiles || slices.ContainsFunc(d.Files, rowblocks.NamedPacked)}
	if d.Rows != nil {
		if len(d.Files) > 0 {
			return nil, fault.Param(rowblocks.TypeData, "Files", d.Files, "none beside Rows")
		}
		return r, nil
	}
	switch {
	case len(d.Files) == 0:
		return nil, fault.Param(rowblocks.TypeData, "Files", "none", "paths, or Rows")
	case d.Format < 0 || d.Format > FormatParquet:
		return nil, fault.Param(rowblocks.TypeData, "Format", int(d.Format), "FormatCSV or FormatParquet")
	}
	if err := d.checkOptions(); err != nil {
		return nil, err
	}
	if err := d.learn(ctx, r); err != nil {
		return nil, err
	}
	task := table.Regression
	if labelled {
		task = table.Classification
	}
	if targets && r.Schema.Task != task {
		return nil, fault.Param(rowblocks.TypeData, "Task of the schema", r.Schema.Task, task.String()+" with a target, as the estimator's")
	}
	if c, _ := r.Schema.Target(); targets && c.Name == d.ID {
		return nil, fault.Param(rowblocks.TypeData, "ID", d.ID, "a column that is not the target")
	}
	_, err := r.Schema.Encoder()
	return r, err
}

// checkOptions checks d.Options and d.ID.
func (d *Data) checkOptions() error {
	o := d.Options
	c := o.Format.Comma
	if o.Schema != nil && c == 0 {
		c = o.Schema.Format.Comma
	}
	switch {
	case c == '"' || c == '\n' || c == '\r' || c > 127 || c < 0:
		return fault.Param(rowblocks.TypeData, "Format.Comma", string(c), "one ASCII character that is no quote and no line break")
	case o.Schema != nil && (o.Target != "" || o.TargetLast || o.Weight != "" || o.Drop != nil || o.Kinds != nil || o.Task != table.Auto):
		return fault.Param(rowblocks.TypeData, "Options.Schema", "set", "nil with Target, Task, Weight, Drop or Kinds, which it has itself")
	}
	return check.Text(rowblocks.TypeData, "ID", d.ID)
}

// learn sets the schema of r: a copy of the one in d.Options, or one that is learnt from the first file with rows.
func (d *Data) learn(ctx context.Context, r *rowblocks.Layout) error {
	files, err := d.list(ctx)
	if err != nil {
		return err
	}
	if r.Schema != nil {
		if reflect.ValueOf(d.Options.Format).IsZero() {
			r.Format = r.Schema.Format
		}
		by := *r.Schema
		by.Format = r.Format
		r.Schema = &by
		return nil
	}
	for _, path := range files {
		if r.Schema, err = d.learnFrom(ctx, r, path); r.Schema != nil || err != nil {
			return err
		}
	}
	return fault.Shape("kernelbeam: "+files[len(files)-1]+", as the files before it, has", 0, "rows", "want at least 1")
}

// learnFrom learns a schema from the first rows of a file. It returns nil for a file without rows.
func (d *Data) learnFrom(ctx context.Context, r *rowblocks.Layout, path string) (*table.Schema, error) {
	columns, rows, err := r.Head(ctx, path)
	var wrong *rowblocks.Finding
	if errors.As(err, &wrong) {
		return nil, newDataError(ctx, wrong)
	}
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	options := d.Options
	if options.Task == table.Auto && (options.Target != "" || options.TargetLast) {
		if options.Task = table.Regression; r.Labelled {
			options.Task = table.Classification
		}
	}
	if d.ID != "" {
		options.Drop = append(slices.Clone(options.Drop), d.ID)
	}
	// A word in a column of numbers makes its row a bad row. It must not be an error of the column.
	options.Format.WordsAsGaps, options.Format.RoundIntegers = true, true
	source := table.Source{Name: path, Read: func(context.Context) (table.Reader, error) {
		return &headOf{columns: columns, rows: rows}, nil
	}}
	s, err := source.Learn(ctx, &options)
	if err != nil {
		return nil, err
	}
	s.Format = d.Options.Format
	return s, nil
}

// list returns the names of all files. It returns an error if no file matches a pattern.
func (d *Data) list(ctx context.Context) (out []string, err error) {
	for _, glob := range d.Files {
		names, err := beamfiles.List(ctx, glob)
		if err != nil {
			return nil, fmt.Errorf("kernelbeam: %s: %w", glob, err)
		}
		if len(names) == 0 {
			return nil, fault.Param(rowblocks.TypeData, "Files", glob, "a pattern that some file has")
		}
		out = append(out, names...)
	}
	return out, nil
}

// headOf implements table.Reader for the first rows of a file.
type headOf struct {
	columns []table.Column
	rows    [][]any
	at      int
}

// Columns implements table.Reader.
func (h *headOf) Columns() []table.Column { return h.columns }

// Next implements table.Reader.
func (h *headOf) Next(_ context.Context, to []*table.Cells, most int) (n int, err error) {
	if h.at == len(h.rows) {
		return 0, io.EOF
	}
	for ; n < most && h.at < len(h.rows); n++ {
		for j, c := range to {
			if c == nil {
				continue
			}
			if err := c.Append(h.rows[h.at][j]); err != nil {
				return 0, err
			}
		}
		h.at++
	}
	return n, nil
}

// Close implements table.Reader.
func (h *headOf) Close() error { return nil }
