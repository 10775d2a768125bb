package arrow

import (
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// decoder makes numbers of a column's cells.
type decoder struct {
	file   string
	at     int // of the column among those that are read
	column Column
	codes  map[string]float64
	strict bool // a target, a label or a weight: a gap is an error
	unseen bool // a category that is not among the codes is a gap
	round  bool // integers that float64 does not hold are rounded
}

func (s *Schema) decoder(file string, of *arrow.Schema, c Column) (d decoder, err error) {
	d = decoder{file: file, column: c, unseen: s.UnseenAsGap, round: s.RoundIntegers}
	if d.at, err = find(file, of, c.Name); err != nil {
		return d, err
	}
	if err := fits(file, of.Field(d.at), c.Kind); err != nil {
		return d, err
	}
	if c.Kind == Category {
		d.codes = make(map[string]float64, len(c.Categories))
		for k, v := range c.Categories {
			d.codes[v] = float64(k)
		}
	}
	return d, nil
}

// read writes rows from..to of a batch to dst, one every stride. The batch begins after this many rows of its file.
func (d *decoder) read(batch arrow.RecordBatch, first, from, to int, dst []float64, stride int) error {
	a := batch.Column(d.at)
	if f, ok := a.(*array.Float64); ok && f.NullN() == 0 && d.column.Kind != Category {
		for i, v := range f.Float64Values()[from:to] { // as below, faster
			if v-v != 0 {
				if err := d.special(a, from+i, first, v); err != nil {
					return err
				}
			}
			dst[i*stride] = v
		}
		return nil
	}
	code := d.number
	if d.column.Kind == Category {
		code = d.category
	}
	at, err := code(a)
	if err != nil {
		return err
	}
	for i, k := from, 0; i < to; i, k = i+1, k+stride {
		v := math.NaN()
		if !a.IsNull(i) {
			if v, err = at(i); err != nil {
				return d.wrong(first+i, err)
			}
		}
		if v-v != 0 {
			if err := d.special(a, i, first, v); err != nil {
				return err
			}
		}
		dst[k] = v
	}
	return nil
}

// special returns the error of a NaN or an infinity that may not be there.
func (d *decoder) special(a arrow.Array, i, first int, v float64) error {
	switch {
	case math.IsNaN(v) && !d.strict:
		return nil
	case a.IsNull(i) || d.column.Kind == Category:
		return d.wrong(first+i, &cellError{"null", "a value in every row"})
	}
	return d.wrong(first+i, &fault.NotFiniteError{Name: d.column.Name, Row: first + i, Col: -1, Value: v})
}

// cellError is a cell that does not fit, whose place is not known yet.
type cellError struct{ value, want string }

func (e *cellError) Error() string { return e.value + ", want " + e.want }

// wrong names the place of an error.
func (d *decoder) wrong(row int, err error) error {
	place := fmt.Sprintf("column %q, row %d", d.column.Name, row)
	if c, ok := err.(*cellError); ok {
		return errNamed{fault.Param(d.file, place, c.value, c.want)}
	}
	return errNamed{fmt.Errorf("%s: %s: %w", d.file, place, err)}
}

func (d *decoder) number(a arrow.Array) (func(int) (float64, error), error) {
	value, err := cells.Numbers(a)
	if err != nil {
		return nil, err
	}
	return func(i int) (float64, error) {
		v, exact := value(i)
		if !exact && !d.round {
			return 0, &cellError{a.ValueStr(i), "an integer of at most 2⁵³, or RoundIntegers"}
		}
		return v, nil
	}, nil
}

func (d *decoder) category(a arrow.Array) (func(int) (float64, error), error) {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	if a.DataType().ID() == arrow.NULL {
		return func(int) (float64, error) { return math.NaN(), nil }, nil
	}
	dictionary, ok := a.(*array.Dictionary)
	if !ok {
		text, err := cells.Texts(a)
		return func(i int) (float64, error) { return d.code(text(i)) }, err
	}
	values := dictionary.Dictionary()
	if values.DataType().ID() == arrow.NULL {
		return func(int) (float64, error) { return math.NaN(), nil }, nil
	}
	text, err := cells.Texts(values)
	// The text of a value is looked up once for a batch, when a row has it: a dictionary may have many that none has.
	known := make([]bool, values.Len())
	codes := make([]float64, values.Len())
	return func(i int) (float64, error) {
		k := dictionary.GetValueIndex(i)
		if !known[k] {
			codes[k] = math.NaN()
			if !values.IsNull(k) {
				c, err := d.code(text(k))
				if err != nil {
					return 0, err
				}
				codes[k] = c
			}
			known[k] = true
		}
		return codes[k], nil
	}, err
}

// code returns that of a category.
func (d *decoder) code(text string) (float64, error) {
	if c, ok := d.codes[text]; ok {
		return c, nil
	}
	switch {
	case d.strict:
		return 0, &cellError{strconv.Quote(text), fmt.Sprintf("one of the %d classes of the schema", len(d.codes))}
	case d.unseen:
		return math.NaN(), nil
	}
	return 0, &cellError{strconv.Quote(text), fmt.Sprintf("one of the %d categories of the schema, or UnseenAsGap", len(d.codes))}
}
