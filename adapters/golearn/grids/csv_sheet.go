package grids

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// csvSheet takes in the rows of a CSV file. What a column is its last cell may decide, so the texts of all cells are kept until
// then: in blocks, since a string for each would take several times the file.
type csvSheet struct {
	file   string
	opt    CSVOptions
	parser *celltext.Parser
	keep   []int // the columns of the file that are read
	names  []string
	class  int // among names; -1: none

	liked      map[string]gridtable.Column // the attributes of Like
	likedClass string

	known   []gridtable.Kind // of columns that are told; else 0
	columns []celltext.Column
	blocks  []cellBlock
	rows    int
}

// cellBlock is the cells of some rows, one after the other.
type cellBlock struct {
	values  []float64
	lengths []int32 // of the texts, -1 of a gap
	text    []byte
}

// blockCells is how many cells a block may have. A row is in one block.
const blockCells = 1 << 16

// add takes in a row.
func (s *csvSheet) add(cells []string, line int) error {
	if n := len(s.blocks); n == 0 || len(s.blocks[n-1].values) > 0 && len(s.blocks[n-1].values)+len(s.keep) > blockCells {
		var b cellBlock
		if n > 0 { // the others will be about as large
			b = cellBlock{make([]float64, 0, max(blockCells, len(s.keep))), make([]int32, 0, max(blockCells, len(s.keep))),
				make([]byte, 0, len(s.blocks[n-1].text))}
		} else if len(s.keep) > blockCells {
			b = cellBlock{values: make([]float64, 0, len(s.keep)), lengths: make([]int32, 0, len(s.keep))}
		}
		s.blocks = append(s.blocks, b)
	}
	b := &s.blocks[len(s.blocks)-1]
	for k, j := range s.keep {
		text := cells[j]
		c := s.parser.Parse(text)
		if err := s.check(k, c, text, line); err != nil {
			return err
		}
		length := int32(-1)
		if c.Kind != celltext.Gap {
			length = int32(len(text))
			b.text = append(b.text, text...)
		}
		b.values, b.lengths = append(b.values, c.Value), append(b.lengths, length)
	}
	s.rows++
	return nil
}

// check counts a cell, and returns the error of one that a told column may not have.
func (s *csvSheet) check(k int, c celltext.Cell, text string, line int) error {
	if s.known[k] == gridtable.CategoricalKind {
		return nil
	}
	s.columns[k].Add(c, text, line)
	word := c.Kind == celltext.Word || c.Kind == celltext.Lookalike
	switch {
	case s.known[k] == gridtable.FloatKind && word && !s.opt.WordsAsGaps:
		return fault.Param(fmt.Sprintf("%s:%d", s.file, line), fmt.Sprintf("column %q", s.names[k]), strconv.Quote(text),
			"a number, as in Like; or WordsAsGaps")
	case s.known[k] == gridtable.BinaryKind && c.Value != 0 && c.Value != 1:
		return fault.Param(fmt.Sprintf("%s:%d", s.file, line), fmt.Sprintf("column %q", s.names[k]), strconv.Quote(text),
			"0 or 1, as in Like")
	}
	return nil
}

// column says what column k is. A mixed one has texts that are gaps.
func (s *csvSheet) column(k int) (c gridtable.Column, mixed bool, err error) {
	c = gridtable.Column{Name: s.names[k], Kind: s.known[k]}
	cells := &s.columns[k]
	typ, mixed := cells.Type()
	if c.Kind == 0 {
		if c.Kind = gridtable.FloatKind; typ == celltext.Texts {
			c.Kind = gridtable.CategoricalKind
		}
		if mixed && !s.opt.WordsAsGaps {
			return c, mixed, cells.Mixed(s.file, c.Name, celltext.MixedHint)
		}
		if typ == celltext.Empty && k == s.class && s.opt.Class == "" {
			return c, mixed, fault.Param(s.file+":1", fmt.Sprintf("column %q", c.Name), "no cells",
				"some, as the last column is the class; or set Class or NoClass")
		}
	}
	switch c.Kind {
	case gridtable.CategoricalKind:
		c.Values = s.liked[c.Name].Owned().Values
		return c, false, nil
	case gridtable.FloatKind:
		c.Precision = cells.Decimals()
	}
	const ways = "; or the column in Categorical or Ignore, or RoundIntegers"
	return c, mixed && s.known[k] == 0, cells.Numeric(s.file, c.Name, s.opt.RoundIntegers, ways)
}

// table makes numbers of all cells, and drops the texts.
func (s *csvSheet) table() (*gridtable.Table, error) {
	d := len(s.names)
	cols, texts := make([]gridtable.Column, d), make([]textCells, d)
	some := false
	for k := range cols {
		var err error
		var mixed bool
		if cols[k], mixed, err = s.column(k); err != nil {
			return nil, err
		}
		texts[k].read = mixed || cols[k].Kind == gridtable.CategoricalKind
		if some = some || texts[k].read; cols[k].Kind == gridtable.CategoricalKind {
			texts[k].codes = map[string]int{}
			for code, v := range cols[k].Values {
				texts[k].codes[v] = code
			}
		} else if mixed {
			texts[k].kind, _ = s.columns[k].Type()
		}
	}
	values := s.blocks[0].values
	if len(s.blocks) > 1 {
		values = make([]float64, 0, s.rows*d)
	}
	for i := range s.blocks {
		b := s.blocks[i]
		s.blocks[i] = cellBlock{}
		if some {
			s.recode(b, cols, texts)
		}
		if len(s.blocks) > 1 {
			values = append(values, b.values...)
		}
	}
	out := &gridtable.Table{Rows: s.rows, Features: make([]gridtable.Cells, 0, d)}
	for k, c := range cols {
		cell := gridtable.Cells{Column: c, Numbers: values, CellPlace: gridtable.CellPlace{Stride: d, Offset: k}}
		if k == s.class {
			out.Classes = append(out.Classes, cell)
		} else {
			out.Features = append(out.Features, cell)
		}
	}
	return out, nil
}

// textCells says what becomes of the texts of a column.
type textCells struct {
	read  bool
	codes map[string]int // of categories; nil for numbers with words among them
	kind  celltext.Type  // of those
}

// recode makes codes of the texts of a block, and gaps of the words among numbers.
func (s *csvSheet) recode(b cellBlock, cols []gridtable.Column, texts []textCells) {
	text := b.text
	for i, length := range b.lengths {
		k := i % len(cols)
		cell := text[:max(0, length)]
		text = text[len(cell):]
		t := &texts[k]
		switch {
		case !t.read:
		case t.codes == nil:
			c := s.parser.Parse(string(cell))
			if (c.Kind == celltext.Time) != (t.kind == celltext.Times) {
				b.values[i] = math.NaN()
			}
		default:
			if length < 0 {
				cell = []byte(gridtable.Missing)
			}
			code, ok := t.codes[string(cell)]
			if !ok {
				code = len(t.codes)
				t.codes[string(cell)] = code
				cols[k].Values = append(cols[k].Values, string(cell))
			}
			b.values[i] = float64(code)
		}
	}
}
