package golearn

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// parsed is a column while its file is read. It holds numbers until a cell is none, and then codes of
// categories: the texts of the cells before are kept for that, in one piece, since a string for each would
// take several times the file.
type parsed struct {
	column
	values   []float64
	index    map[string]int // the code of a category; nil while the column is one of numbers
	text     []byte
	lengths  []int32 // of the cells, -1 of a gap
	overflow string  // the first number that is too large
	at       int     // its line
}

func newParsed(name string, categorical bool) *parsed {
	p := &parsed{column: column{Name: name, Kind: floatKind}}
	if categorical {
		p.toCategories(nil)
	}
	return p
}

// add takes in the next cell.
func (p *parsed) add(cell string, missing bool, line int) {
	if p.index != nil {
		p.addText(cell, missing)
		return
	}
	v := math.NaN()
	if !missing {
		var err error
		if v, err = strconv.ParseFloat(cell, 64); errors.Is(err, strconv.ErrRange) {
			if p.overflow == "" {
				p.overflow, p.at = strings.Clone(cell), line
			}
		} else if err != nil {
			p.toCategories(p.texts())
			p.addText(cell, missing)
			return
		}
		p.Precision = max(p.Precision, decimals(cell))
	}
	p.values = append(p.values, v)
	if missing {
		p.lengths = append(p.lengths, -1)
		return
	}
	p.text, p.lengths = append(p.text, cell...), append(p.lengths, int32(len(cell)))
}

// texts calls f with the cells so far.
func (p *parsed) texts() func(f func(cell string, missing bool)) {
	text, lengths := p.text, p.lengths
	return func(f func(cell string, missing bool)) {
		for _, l := range lengths {
			missing := l < 0
			l = max(0, l)
			f(string(text[:l]), missing)
			text = text[l:]
		}
	}
}

// toCategories makes the column categorical, with the cells that it has.
func (p *parsed) toCategories(cells func(f func(cell string, missing bool))) {
	p.column = column{Name: p.Name, Kind: categoricalKind}
	p.index, p.values, p.text, p.lengths, p.overflow = map[string]int{}, p.values[:0], nil, nil, ""
	if cells != nil {
		cells(p.addText)
	}
}

func (p *parsed) addText(cell string, missing bool) {
	if missing {
		cell = missingCategory
	}
	k, ok := p.index[cell]
	if !ok {
		k = len(p.index)
		cell = strings.Clone(cell)
		p.index[cell] = k
		p.Values = append(p.Values, cell)
	}
	p.values = append(p.values, float64(k))
}

// finish returns the column and its cells.
func (p *parsed) finish(file string) (column, []float64, error) {
	p.text, p.lengths = nil, nil
	if p.overflow != "" {
		return p.column, nil, fmt.Errorf("%s:%d: column %q: %.40s is more than a float64 holds: %w", file, p.at, p.Name, p.overflow, fault.ErrNotFinite)
	}
	return p.column, p.values, nil
}
