package kernelbeam

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Data says where rows are, and what their columns mean.
type Data struct {
	// Files are paths of Beam's file systems, in which * and ? match as in filepath.Match: "rows/*.csv", or
	// "s3://bucket/rows/*.parquet" where the program imports that file system. All workers have to reach them.
	Files []string
	// Format of the files; 0: Parquet where a name ends in .parquet, and CSV where not.
	Format Format
	// Rows, in place of Files, makes a PCollection of Row. It is called once for each pass, and
	// the same rows have to come each time, in any order. Only the fields Gaps and Classes go with it.
	Rows func(s beam.Scope) beam.PCollection

	Features []string // names of columns, in the order of the model's; nil: all of the first file that nothing else names
	Target   string   // the column of targets, or of labels
	Weight   string   // the column of weights; "": each row has weight 1
	ID       string   // a column that is copied beside predictions; "": none
	Ignore   []string // columns that are no features where Features is nil; "" is one without a name
	// Classes are the texts that stand for the labels 0, 1, ... in the column of labels, of which there may be
	// no other; nil: labels are whole numbers.
	Classes []string
	// Gaps takes the fields that CSV.Missing lists, and nulls, for gaps, NaNs for a columnwise.Imputer; without, such rows are bad.
	Gaps bool
	// RoundIntegers rounds integers that a float64 does not hold to the last digit; without, such rows are bad.
	RoundIntegers bool
	CSV           CSV
}

// CSV says how CSV files are written. The zero value is for commas and a line of names in each file.
type CSV struct {
	Comma   rune     // between fields; 0: ','
	Columns []string // names of the columns, in files without a line of them
	// WholeFiles reads each file from its beginning to its end, so that quoted fields may have line breaks. Without, files are
	// read in ranges of bytes, where such a break cannot be told from the end of a row: it is an error. So are files
	// that gzip has compressed read, which is set where one of Data.Files ends in .gz.
	WholeFiles bool
	// Missing lists the fields that are gaps; nil: "", NA, N/A, n/a, NaN, nan, NULL, null, None, ?, -, ., \N and #N/A.
	Missing   []string
	Decimal   rune // the decimal mark of numbers; 0: '.'
	Thousands rune // between groups of three digits; 0: nothing
	Percent   bool // 10% is 0.1
	Latin1    bool // files are Latin-1 as Windows writes it, code page 1252, and not UTF-8
}

func (c CSV) rules() celltext.Rules {
	return celltext.Rules{Missing: c.Missing, Decimal: c.Decimal, Thousands: c.Thousands, Percent: c.Percent, Latin1: c.Latin1}
}

// Format is that of files.
type Format int

// The formats.
const (
	FormatCSV Format = iota + 1
	FormatParquet
)

// Row is an element of Data.Rows.
type Row struct {
	X      []float64 // NaN for gaps
	Y      float64   // the target, or the label, a whole number
	Weight float64   // 0: 1
	ID     string    // stands beside the prediction, and in errors
}

// layout checks d, and returns what workers read; labelled says that targets are labels. Without targets d may
// name none.
func (d *Data) layout(ctx context.Context, labelled, targets bool, rangeBytes int64) (*rowblocks.Layout, error) {
	if d == nil {
		return nil, fault.Param("kernelbeam", "data", "nil", "where rows are")
	}
	r := &rowblocks.Layout{CSV: d.Format == FormatCSV, Parquet: d.Format == FormatParquet, Features: d.Features, Target: d.Target,
		Weight: d.Weight, ID: d.ID, Classes: d.Classes,
		Labelled: labelled, Gaps: d.Gaps,
		Round: d.RoundIntegers, Rules: d.CSV.rules(), Comma: d.CSV.Comma, Columns: d.CSV.Columns, RangeBytes: rangeBytes,
		WholeFiles: d.CSV.WholeFiles || slices.ContainsFunc(d.Files, rowblocks.NamedPacked)}
	if r.Comma == 0 {
		r.Comma = ','
	}
	if err := d.checkTexts(); err != nil {
		return nil, err
	}
	if d.Rows != nil {
		if len(d.Files) > 0 {
			return nil, fault.Param(rowblocks.TypeData, "Files", d.Files, "none beside Rows")
		}
		return r, nil
	}
	switch {
	case len(d.Files) == 0:
		return nil, fault.Param(rowblocks.TypeData, "Files", "none", "paths, or Rows")
	case r.Comma == '"' || r.Comma == '\n' || r.Comma == '\r' || r.Comma > 127 || r.Comma < 0:
		return nil, fault.Param(rowblocks.TypeData, "CSV.Comma", string(r.Comma), "one ASCII character that is no quote and no line break")
	case d.Format < 0 || d.Format > FormatParquet:
		return nil, fault.Param(rowblocks.TypeData, "Format", int(d.Format), "FormatCSV or FormatParquet")
	case targets && d.Target == "":
		return nil, fault.Param(rowblocks.TypeData, "Target", `""`, "the name of a column")
	case len(d.Classes) > 0 && !labelled:
		return nil, fault.Param(rowblocks.TypeData, "Classes", d.Classes, "none for a regressor")
	}
	if _, err := r.Rules.Parser(rowblocks.TypeData + ": CSV"); err != nil {
		return nil, err
	}
	first, err := d.first(ctx)
	if err != nil {
		return nil, err
	}
	if r.Features == nil {
		if r.Features, err = d.allFeatures(ctx, r, first); err != nil {
			return nil, err
		}
	}
	if !targets {
		r.Target, r.Weight = "", ""
	}
	return r, r.CheckDistinct()
}

// checkTexts returns ErrParam unless all names are UTF-8: workers would get others.
func (d *Data) checkTexts() error {
	for field, texts := range map[string][]string{"Features": d.Features, "Target": {d.Target}, "Weight": {d.Weight}, "ID": {d.ID},
		"Ignore":  d.Ignore,
		"Classes": d.Classes, "CSV.Columns": d.CSV.Columns, "CSV.Missing": d.CSV.Missing} {
		if err := check.Text(rowblocks.TypeData, field, texts...); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first file; it is an error if a pattern has none.
func (d *Data) first(ctx context.Context) (string, error) {
	first := ""
	for _, glob := range d.Files {
		names, err := beamfiles.List(ctx, glob)
		if err != nil {
			return "", fmt.Errorf("kernelbeam: %s: %w", glob, err)
		}
		if len(names) == 0 {
			return "", fault.Param(rowblocks.TypeData, "Files", glob, "a pattern that some file has")
		}
		if first == "" {
			first = names[0]
		}
	}
	return first, nil
}

// allFeatures are the columns of the first file that has some that are not named otherwise.
func (d *Data) allFeatures(ctx context.Context, r *rowblocks.Layout, first string) ([]string, error) {
	names, err := r.Names(ctx, first)
	var wrong *rowblocks.Finding
	if errors.As(err, &wrong) {
		return nil, newDataError(ctx, wrong)
	}
	if err != nil {
		return nil, err
	}
	other := slices.DeleteFunc([]string{d.Target, d.Weight, d.ID}, func(s string) bool { return s == "" })
	other = append(other, d.Ignore...)
	out := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return slices.Contains(other, s) })
	if err := celltext.CheckNames("its first line", out); err != nil {
		return nil, &DataError{File: first, Line: 1, Reason: err.Error(), Err: fault.ErrParam}
	}
	if len(out) == 0 {
		return nil, &DataError{File: first, Reason: "no columns but those of targets and weights: set Data.Features", Err: fault.ErrShape}
	}
	return out, nil
}
