package table

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Options set the purpose of the columns. With the zero value or a nil pointer, every suitable column is a feature.
type Options struct {
	Target string // the column to predict; "": none
	// TargetLast makes the last column that Group, Weight and Drop do not name the target, if Target is "".
	TargetLast bool
	Task       Task   // the task of the target
	Group      string // the column of groups, such as patients: rows with the same value belong together; "": none
	Weight     string // the column of the weights of rows, numbers > 0; "": none
	// Drop lists columns that are left out.
	Drop []string
	// Kinds sets the kinds of columns by name, instead of the kinds that the cells suggest. An example is {"postcode":
	// table.Category}.
	Kinds map[string]Kind
	// Format describes how cells are written.
	Format Format
	// Schema is the schema of the rows to which a model was fitted. If it is set, rows are read with it, and the fields above must
	// be empty. Columns are matched by name, in any order. The target, the groups and the weights may be missing or have gaps. If
	// groups or weights are incomplete, those of the table are nil. If Format is zero, the format in the schema is used.
	Schema *Schema
}

// Format describes how the cells of a text file are written. The zero value is UTF-8 with commas, a header, and numbers such as
// 1234.5.
type Format struct {
	// NoHeader treats the first line as a row. Columns are then called "0", "1" and so on.
	NoHeader bool `json:"no_header,omitempty"`
	// Comma separates cells. If it is 0, ',' is used, or a tab in a file whose name ends in .tsv.
	Comma rune `json:"comma,omitempty"`
	// Decimal is the decimal mark of numbers. If it is 0, '.' is used.
	Decimal rune `json:"decimal,omitempty"`
	// Thousands separates groups of three digits. If it is 0, there is no separator.
	Thousands rune `json:"thousands,omitempty"`
	// Percent reads 10% as 0.1.
	Percent bool `json:"percent,omitempty"`
	// Missing lists the cells that are gaps. If it is nil, these are "", NA, N/A, n/a, NaN, nan, NULL, null, None, ?, -, ., \N and
	// #N/A.
	Missing []string `json:"missing,omitempty"`
	// WordsAsGaps reads the words in a column that consists almost entirely of numbers, or of times, as gaps. Otherwise they are an
	// error.
	WordsAsGaps bool `json:"words_as_gaps,omitempty"`
	// RoundIntegers rounds integers that a float64 cannot represent. Otherwise they are an error.
	RoundIntegers bool `json:"round_integers,omitempty"`
	// Latin1 selects Latin-1 in the Windows variant, code page 1252, instead of UTF-8.
	Latin1 bool `json:"latin1,omitempty"`
}

func (f Format) isZero() bool {
	return !f.NoHeader && f.Comma == 0 && f.Decimal == 0 && f.Thousands == 0 && !f.Percent && f.Missing == nil && !f.WordsAsGaps &&
		!f.RoundIntegers && !f.Latin1
}

// comma returns the separator of cells.
func (f Format) comma() rune {
	if f.Comma == 0 {
		return ','
	}
	return f.Comma
}

// parser returns the parser of the cells of a file, or an error for invalid rules.
func (f Format) parser() (*celltext.Parser, error) {
	return celltext.Rules{Missing: f.Missing, Decimal: f.Decimal, Thousands: f.Thousands, Percent: f.Percent, Latin1: f.Latin1}.
		Parser("table: Format")
}

// plain returns the parser of texts in UTF-8, for a Format for which parser returns no error.
func (f Format) plain() *celltext.Parser {
	f.Latin1 = false
	p, _ := f.parser()
	return p
}

// complete returns the options with their format, or an error if options contradict each other.
func (o *Options) complete() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	const typ = "table: Options"
	if out.Schema == nil {
		if out.Task < Auto || out.Task > Classification {
			return out, fault.Param(typ, "Task", out.Task, "Auto, Regression or Classification")
		}
		for _, name := range slices.Sorted(maps.Keys(out.Kinds)) {
			if k := out.Kinds[name]; k < Number || k > Duration {
				return out, fault.Param(typ, fmt.Sprintf("Kinds[%q]", name), int(k), "Number, Category, Time, Text, ID or Duration")
			}
		}
		return out, out.checkRoles()
	}
	if out.Target != "" || out.TargetLast || out.Task != Auto || out.Group != "" || out.Weight != "" || out.Drop != nil ||
		out.Kinds != nil {
		return out, fault.Param(typ, "Schema", "set", "nil with Target, Task, Group, Weight, Drop or Kinds, which it has itself")
	}
	if out.Format.isZero() {
		out.Format = out.Schema.Format
	}
	return out, out.Schema.check()
}

// checkRoles returns ErrParam for a column with two roles.
func (o *Options) checkRoles() error {
	var named []string
	for _, n := range append([]string{o.Target, o.Group, o.Weight}, o.Drop...) {
		if n != "" {
			named = append(named, n)
		}
	}
	if n, ok := celltext.Duplicate(named); ok {
		return fault.Param("table: Options", "Target, Group, Weight and Drop", strconv.Quote(n)+" twice", "each column for one thing")
	}
	for _, n := range named {
		if k := o.Kinds[n]; k != 0 && (n != o.Target || k > Category) {
			return fault.Param("table: Options", fmt.Sprintf("Kinds[%q]", n), k, "a feature, or the target as Number or Category")
		}
	}
	return nil
}

// completeTarget sets the target if TargetLast is set.
func (o *Options) completeTarget(columns []string) {
	if !o.TargetLast || o.Target != "" {
		return
	}
	for _, name := range slices.Backward(columns) {
		if name != "" && name != o.Group && name != o.Weight && !slices.Contains(o.Drop, name) {
			o.Target = name
			return
		}
	}
}

// checkColumns returns ErrParam if an option names a column that the input does not have.
func (o *Options) checkColumns(input string, header []string) error {
	named := map[string][]string{
		"Target": {o.Target}, "Group": {o.Group}, "Weight": {o.Weight}, "Drop": o.Drop, "Kinds": slices.Sorted(maps.Keys(o.Kinds)),
	}
	for _, field := range []string{"Target", "Group", "Weight", "Drop", "Kinds"} {
		for _, n := range named[field] {
			if n != "" && !slices.Contains(header, n) {
				return fault.Param(input, "Options."+field, strconv.Quote(n), "one of the columns "+celltext.List(header))
			}
		}
	}
	return nil
}
