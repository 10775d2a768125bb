package table

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ReadCSV reads a CSV file, optionally compressed with gzip. Options may be nil.
//
// Errors name the file and the line. They are
//
//   - ErrShape for a line with more or fewer cells than the first, and for a file without rows;
//   - estimators.MixedColumnError, an ErrParam, for a column that consists almost entirely of numbers, or of times, but also
//     contains words;
//   - ErrParam for a column that Options names and the file lacks, for a name that occurs twice, and for text that is not UTF-8;
//   - ErrParam for a gap in the target, the groups or the weights, and for an integer that a float64 cannot represent;
//   - ErrNotFinite for a number that is too large for a float64;
//   - errors of the file system and of encoding/csv.
//
// It needs about as much memory as the size of the file plus 25 bytes for each cell.
func ReadCSV(path string, o *Options) (*Table, error) { return readFile(path, o, ParseCSV) }

// ParseCSV is like ReadCSV, but reads from r. Errors contain name, which may be that of a file.
func ParseCSV(name string, r io.Reader, o *Options) (*Table, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	return Source{Name: name, Open: open}.Table(context.Background(), o)
}

// readFile opens a file and parses it.
func readFile(path string, o *Options, parse func(string, io.Reader, *Options) (*Table, error)) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	defer f.Close()
	return parse(path, f, o)
}

// csvInput is the Reader of CSV files.
type csvInput struct {
	io.Closer
	records *celltext.Records
}

func openCSV(name string, f io.ReadCloser, options Options) (*csvInput, error) {
	parser, err := options.Format.parser()
	if err != nil {
		return nil, fault.AddPlace(name, err)
	}
	r, err := celltext.Unpacked(name, f)
	if err != nil {
		return nil, err
	}
	layout := celltext.Layout{Comma: celltext.Comma(options.Format.Comma, name), NoHeader: options.Format.NoHeader}
	records, err := celltext.Open(name, r, parser, layout)
	if err != nil {
		return nil, err
	}
	header := records.Names()
	if len(header) == 0 {
		return nil, noRows(name)
	}
	place := fmt.Sprintf("%s:%d", name, max(1, records.Line()))
	if i := strings.IndexAny(header[0], ";\t|"); len(header) == 1 && i >= 0 && options.Format.Comma == 0 {
		return nil, fault.Param(place, "Options.Format.Comma", strconv.QuoteRune(layout.Comma),
			fmt.Sprintf("the separator of the cells, perhaps %q", header[0][i]))
	}
	return &csvInput{f, records}, nil
}

// Columns implements Reader.
func (in *csvInput) Columns() []Column { return header(in.records.Names()) }

// Next implements Reader.
func (in *csvInput) Next(_ context.Context, to []*Cells, most int) (n int, err error) {
	for ; n < most; n++ {
		texts, err := in.records.Next()
		if err == io.EOF && n > 0 {
			return n, nil // the next call returns the error again
		}
		if err != nil {
			return 0, err
		}
		line := in.records.Line()
		placed := false
		for j, c := range to {
			if c == nil {
				continue
			}
			if !placed {
				c.of.places, placed = append(c.of.places, line), true
			}
			c.add(c.of.parser.Parse(texts[j]), texts[j], line)
		}
	}
	return n, nil
}

func noRows(input string) error {
	return fault.Shape(input+": there are", 0, "rows", "want at least 1")
}
