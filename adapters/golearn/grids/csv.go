package grids

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// defaultComma is what stands between the cells of a line.
const defaultComma = ','

// CSVOptions says how to read a CSV file. The zero value, like a nil pointer, is UTF-8 with a header line, the last column as
// the class, and types that the cells tell.
type CSVOptions struct {
	// NoHeader says that the first line is data. The columns are then called "0",
	// "1" and so on, as golearn does.
	NoHeader bool
	// Class names the column that is the class attribute; "" is that of Like, or the last one.
	Class string
	// NoClass says that no column is.
	NoClass bool
	// Categorical names columns to be categorical even if all their cells are
	// numbers: a class of 1, 2 and 3, a postcode.
	Categorical []string
	// Ignore names columns that are left out: an id, notes. "" stands for all that have no name.
	Ignore []string
	// Like is the grid that a model was fitted to. A column that it has becomes an attribute of the same type, whatever its
	// cells happen to be: words that are all numbers, or all gaps. Other columns are read as without it.
	Like base.FixedDataGrid
	// WordsAsGaps makes gaps of the words of a column that is nearly all numbers, or times, in place of an error.
	WordsAsGaps bool
	// RoundIntegers rounds integers that a float64 does not hold to the last digit, in place of an error.
	RoundIntegers bool
	// Missing lists the cells that stand for a gap; nil is "", NA, N/A, n/a, NaN, nan, NULL, null, None, ?, -, ., \N and #N/A.
	Missing []string
	// Comma stands between cells; 0 is ','.
	Comma rune
	// Decimal is the decimal mark of numbers; 0 is '.'.
	Decimal rune
	// Thousands stands between groups of three digits; 0: nothing does.
	Thousands rune
	// Percent makes 0.1 of 10%.
	Percent bool
	// Latin1 says that the file is Latin-1 as Windows writes it, code page 1252, and not UTF-8.
	Latin1 bool
}

// ReadCSV reads a file into a grid. White space around cells is dropped, but for a Comma that is
// white space itself. A column all of whose cells, but for gaps, are decimal numbers becomes a float attribute; so does one of
// ISO dates or times (2024-02-29, 2024-02-29T12:30:00Z), in seconds since 1970, UTC. Any other is
// a categorical one, its categories in the order in which they first occur.
// A gap is NaN in a float column and the category "?" in a categorical
// one: golearn's own parser makes it 0 or the first category. As golearn does,
// the grid lists the attributes of a type together.
//
// A column that is nearly all numbers, or times, four of five at least, and has other words is an
// estimators.MixedColumnError, which has the words and their lines. Whether they are gaps (Missing, WordsAsGaps), numbers by other
// marks (Decimal, Thousands, Percent) or categories (Categorical) is for the caller to say.
//
// Errors name the file and the line: ErrShape for a line with more or fewer cells
// than the first, or for no data; ErrParam for a column name that comes twice or is empty, for
// an option that names no column, for text that is not UTF-8, and for an integer that a float64 does not hold; ErrNotFinite for
// a number that is too large for a float64; those of the
// file system and of encoding/csv. While the file is read memory is about its size, 16 bytes a cell and 150 bytes a column.
func ReadCSV(path string, opt *CSVOptions) (*base.DenseInstances, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("grids: ReadCSV: %w", err)
	}
	defer f.Close()
	return ParseCSV(path, f, opt)
}

// ParseCSV is ReadCSV for a reader; the name, which may be a file's, stands in the
// errors.
func ParseCSV(name string, r io.Reader, opt *CSVOptions) (*base.DenseInstances, error) {
	t, err := parseTable(name, r, opt.withDefaults())
	if err != nil {
		return nil, err
	}
	return t.Grid()
}

func (o *CSVOptions) withDefaults() CSVOptions {
	var out CSVOptions
	if o != nil {
		out = *o
	}
	if out.Comma == 0 {
		out.Comma = defaultComma
	}
	return out
}

func (o CSVOptions) parser(name string) (*celltext.Parser, error) {
	return celltext.Rules{Missing: o.Missing, Decimal: o.Decimal, Thousands: o.Thousands, Percent: o.Percent,
		Latin1: o.Latin1}.Parser(name + ": CSVOptions")
}

func parseTable(name string, r io.Reader, o CSVOptions) (*gridtable.Table, error) {
	parser, err := o.parser(name)
	if err != nil {
		return nil, err
	}
	records, err := celltext.Open(name, r, parser, celltext.Layout{Comma: o.Comma, NoHeader: o.NoHeader})
	if err != nil {
		return nil, err
	}
	s, err := o.sheet(name, records, parser)
	if err != nil {
		return nil, err
	}
	for {
		cells, err := records.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.add(cells, records.Line())
		}
		if err != nil {
			return nil, err
		}
	}
	if s.rows == 0 {
		return nil, fault.Shape(fmt.Sprintf("%s:%d: the file ends with", name, max(1, records.Line())), 0, "data lines", "want at least 1")
	}
	return s.table()
}

// sheet checks the names of the columns, and returns what takes in their cells.
func (o CSVOptions) sheet(name string, records *celltext.Records, parser *celltext.Parser) (*csvSheet, error) {
	header := records.Names()
	s := &csvSheet{file: name, opt: o, parser: parser, class: -1}
	if err := o.like(s); err != nil {
		return nil, err
	}
	if len(header) == 0 {
		return s, nil // the file ends
	}
	if err := o.checkColumns(name, header); err != nil {
		return nil, err
	}
	for j, n := range header {
		if !slices.Contains(o.Ignore, n) {
			s.keep, s.names = append(s.keep, j), append(s.names, n)
		}
	}
	line := fmt.Sprintf("%s:%d", name, records.Line())
	if err := celltext.CheckNames(line, s.names); err != nil {
		return nil, err
	}
	if n, ok := celltext.Duplicate(s.names); ok {
		return nil, fault.Param(line, "column name", strconv.Quote(n)+" twice", "each once")
	}
	if len(s.names) == 0 {
		return nil, fault.Shape(line+": there are", 0, "columns that Ignore does not name", "want at least 1")
	}
	s.columns, s.known = make([]celltext.Column, len(s.names)), make([]gridtable.Kind, len(s.names))
	for k, n := range s.names {
		if s.known[k] = s.liked[n].Kind; slices.Contains(o.Categorical, n) {
			s.known[k] = gridtable.CategoricalKind
		}
	}
	switch {
	case o.NoClass:
	case o.Class != "":
		s.class = slices.Index(s.names, o.Class)
	case o.Like != nil:
		s.class = slices.Index(s.names, s.likedClass)
	default:
		s.class = len(s.names) - 1
	}
	return s, nil
}

// like describes the attributes of Like.
func (o CSVOptions) like(s *csvSheet) error {
	if o.Like == nil {
		return nil
	}
	t, err := gridtable.Read(o.Like)
	if err != nil {
		return err
	}
	s.liked = map[string]gridtable.Column{}
	for name, of := range t.ByName() {
		s.liked[name] = of[len(of)-1].Column.Owned()
	}
	if len(t.Classes) > 0 {
		s.likedClass = t.Classes[0].Column.Name
	}
	return nil
}

// checkColumns checks that the columns which the options name are among those of the header.
func (o CSVOptions) checkColumns(name string, header []string) error {
	if !o.NoClass && o.Class != "" && (!slices.Contains(header, o.Class) || slices.Contains(o.Ignore, o.Class)) {
		return fault.Param(name, "CSVOptions.Class", strconv.Quote(o.Class), "one of the columns "+strings.Join(header, ", "))
	}
	for field, list := range map[string][]string{"Categorical": o.Categorical, "Ignore": o.Ignore} {
		for _, c := range list {
			if !slices.Contains(header, c) && c != "" {
				return fault.Param(name, "CSVOptions."+field, strconv.Quote(c), "columns out of "+strings.Join(header, ", "))
			}
		}
	}
	return nil
}
