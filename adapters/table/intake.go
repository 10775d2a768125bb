package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// intake takes in the rows of an input. What a column is its last cell may decide, so all cells are kept until then, in a few
// slices for each column.
type intake struct {
	input   string // a file's name
	options Options
	parser  *celltext.Parser
	columns []*cells
	places  []int // the lines of rows; nil: the numbers of rows, from 1
	rows    int
}

// cells holds the cells of a column.
type cells struct {
	name  string
	typed typed
	stats celltext.Column
	skip  bool // nothing but the text is looked at

	kinds  []celltext.Kind
	values []float64
	text   []byte
	ends   []int // of each cell in text
}

// typed holds the type that an input declares for a column.
type typed struct {
	kind   Kind     // 0: what the cells tell
	levels []string // of a Category, in their order
	words  bool     // cells are texts, even where they look like numbers
}

// newIntake begins an input with columns of the given names; the ones without are numbered.
func newIntake(input string, header []string, o Options) (*intake, error) {
	parser, err := o.Format.parser()
	if err != nil {
		return nil, fault.AddPlace(input, err)
	}
	t := &intake{input: input, options: o, parser: parser}
	if o.Schema == nil {
		if err := o.checkColumns(input, header); err != nil {
			return nil, err
		}
	}
	for j, name := range header {
		c := &cells{name: name, skip: name == "" || slices.Contains(o.Drop, name)}
		if name == "" {
			c.name = fmt.Sprintf("column %d", j+1)
		}
		t.columns = append(t.columns, c)
	}
	if n, ok := celltext.Duplicate(t.names()); ok {
		return nil, fault.Param(input, "column name", strconv.Quote(n)+" twice", "each once")
	}
	if o.Schema != nil {
		return t, t.checkPresent()
	}
	return t, nil
}

func (t *intake) names() []string {
	out := make([]string, len(t.columns))
	for j, c := range t.columns {
		out[j] = c.name
	}
	return out
}

// checkPresent returns ErrParam for a feature of the schema that the input lacks.
func (t *intake) checkPresent() error {
	names := t.names()
	for _, c := range t.options.Schema.Columns {
		if c.Role == Feature && !slices.Contains(names, c.Name) {
			return &CellError{0, c.Name, fault.Param(t.input, "column", strconv.Quote(c.Name)+", which is missing",
				"all features of the schema; there are "+someOf(names))}
		}
	}
	return nil
}

// addTexts takes in a row of texts, as a file has them.
func (t *intake) addTexts(row []string, line int) {
	for j, text := range row {
		t.columns[j].add(t.parser.Parse(text), text, line)
	}
	t.places = append(t.places, line)
	t.rows++
}

// add takes in a cell.
func (c *cells) add(cell celltext.Cell, text string, line int) {
	if !c.skip {
		c.stats.Add(cell, text, line)
	}
	c.kinds = append(c.kinds, cell.Kind)
	c.values = append(c.values, cell.Value)
	c.text = append(c.text, text...)
	c.ends = append(c.ends, len(c.text))
}

// at returns the text of row i.
func (c *cells) at(i int) string {
	from := 0
	if i > 0 {
		from = c.ends[i-1]
	}
	return string(c.text[from:c.ends[i]])
}

// place names the column in an error.
func (c *cells) place() string { return fmt.Sprintf("column %q", c.name) }

// gaps counts the rows without a value.
func (c *cells) gaps() (n int) {
	for _, k := range c.kinds {
		if k == celltext.Gap {
			n++
		}
	}
	return n
}

// forget drops all rows, but not the statistics of their cells.
func (t *intake) forget() {
	for _, c := range t.columns {
		c.kinds, c.values, c.text, c.ends = c.kinds[:0], c.values[:0], c.text[:0], c.ends[:0]
	}
	t.places, t.rows = t.places[:0], 0
}

// place names a row in an error: by its line in a file, or by its number from 1.
func (t *intake) place(row int) string {
	line := row + 1
	if t.places != nil {
		line = t.places[row]
	}
	return fmt.Sprintf("%s:%d", t.input, line)
}

// wrong is the error of a cell.
func (t *intake) wrong(c *cells, row int, want string) error {
	return &CellError{row + 1, c.name,
		fault.Param(t.place(row), c.place(), strconv.Quote(shortened(c.at(row))), want)}
}

// shortened returns the part of a text that an error shows.
func shortened(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "..."
	}
	return text
}
