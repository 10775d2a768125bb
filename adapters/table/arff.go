package table

import (
	"io"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/adapters/table/internal/arff"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ReadARFF reads a file in Weka's format, optionally compressed with gzip. Options may be nil. Numeric, real and integer attributes
// are numbers. Nominal attributes are categories whose levels are the declared values, in their order. Strings are texts,
// categories or ids, and dates without a format are times. Only a question mark without quotes is a gap. A cell that a sparse row,
// such as {2 7, 5 red}, leaves out is 0, or the first value of a nominal attribute. Weights of rows, relational attributes and
// dates in formats other than ISO are errors.
//
// It returns the errors of [ReadCSV]. For a file that is not ARFF it returns ErrParam, which names the line.
func ReadARFF(path string, o *Options) (*Table, error) { return readFile(path, o, ParseARFF) }

// ParseARFF is like ReadARFF, but reads from r. Errors contain name, which may be that of a file.
func ParseARFF(name string, r io.Reader, o *Options) (*Table, error) {
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	if options.Format.Missing == nil {
		options.Format.Missing = []string{"?", ""} // "" is for rows of other formats
	}
	parser, err := options.Format.parser()
	if err != nil {
		return nil, fault.AddPlace(name, err)
	}
	if r, err = celltext.Unpacked(name, r); err != nil {
		return nil, err
	}
	file, err := arff.Open(name, r, parser)
	if err != nil {
		return nil, err
	}
	columns, in := make([]Column, len(file.Attributes)), &arffInput{name: name, file: file}
	kinds := map[arff.Type]Kind{arff.Numeric: Number, arff.Date: Time, arff.Nominal: Category, arff.String: Text}
	for j, of := range file.Attributes {
		columns[j] = Column{Name: of.Name, Kind: kinds[of.Type], Levels: of.Levels}
	}
	if in.rows, err = newIntake(name, columns, options); err != nil {
		return nil, err
	}
	for {
		row, err := file.Next()
		if err == io.EOF {
			return in.rows.table()
		}
		for j := 0; err == nil && j < len(row); j++ {
			err = in.cell(j, row[j])
		}
		if err != nil {
			return nil, err
		}
		in.rows.places = append(in.rows.places, file.Line)
		in.rows.rows++
	}
}

// arffInput is the Reader of ARFF files.
type arffInput struct {
	name string
	file *arff.Reader
	rows *intake
}

// cell appends a cell to column j.
func (a *arffInput) cell(j int, written arff.Cell) error {
	c := a.rows.columns[j]
	of, text := c.typed, written.Text
	cell := celltext.Cell{Kind: celltext.Word, Value: math.NaN()}
	switch missing := text == "?" || slices.Contains(a.rows.options.Format.Missing, text); {
	case missing && !written.Quoted:
		cell.Kind = celltext.Gap
	case of.levels != nil:
		if !slices.Contains(of.levels, text) {
			return a.file.Refused(c.place(), text, "one of its values "+celltext.List(of.levels))
		}
	case !of.words:
		want := celltext.Numbers
		if of.kind == Time {
			want = celltext.Times
		}
		if cell = a.rows.parser.Parse(text); !fits(cell.Kind, want) {
			return a.file.Refused(c.place(), text, "a "+of.kind.String()+", as its attribute says, or ? for a gap")
		}
	}
	c.add(cell, text, a.file.Line)
	return nil
}
