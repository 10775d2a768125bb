package kernelbeam

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/rowhash"
)

// place is where a row stands: an offset in a CSV file, or its number in a Parquet file or a PCollection.
type place struct {
	file string
	at   int64
	id   string
}

// block is some rows.
type block struct {
	width   int
	x       []float64
	y       []float64
	labels  []int
	weights []float64 // none: all 1
	places  []place
	hashes  []uint64
}

// blockCells bounds a block's numbers, and mostBlockRows its rows.
const (
	blockCells    = 1 << 20
	mostBlockRows = 2048
)

// limit is how many rows make a full block.
func (b *block) limit() int { return min(mostBlockRows, max(16, blockCells/max(1, b.width))) }

func (b *block) rows() int { return len(b.places) }

// dense returns the rows as a matrix that shares their memory.
func (b *block) dense() *mat.Dense { return mat.NewDense(b.rows(), b.width, b.x) }

// reset empties it; what it held may be overwritten.
func (b *block) reset() {
	b.x, b.y, b.labels, b.weights, b.places, b.hashes = b.x[:0], b.y[:0], b.labels[:0], b.weights[:0], b.places[:0], b.hashes[:0]
}

// part returns the rows from and to, which share memory.
func (b *block) part(from, to int) *block {
	out := &block{width: b.width, x: b.x[from*b.width : to*b.width], places: b.places[from:to], hashes: b.hashes[from:to]}
	if len(b.y) > 0 {
		out.y = b.y[from:to]
	}
	if len(b.labels) > 0 {
		out.labels = b.labels[from:to]
	}
	if len(b.weights) > 0 {
		out.weights = b.weights[from:to]
	}
	return out
}

// append takes in row i of o.
func (b *block) append(o *block, i int) {
	b.width = o.width
	b.x = append(b.x, o.x[i*o.width:(i+1)*o.width]...)
	if len(o.y) > 0 {
		b.y = append(b.y, o.y[i])
	}
	if len(o.labels) > 0 {
		b.labels = append(b.labels, o.labels[i])
	}
	if len(o.weights) > 0 {
		b.weights = append(b.weights, o.weights[i])
	}
	b.places, b.hashes = append(b.places, o.places[i]), append(b.hashes, o.hashes[i])
}

// parse appends the numbers of a row, or nothing and an error.
func (b *block) parse(r *reading, cols columns, fields [][]byte) error {
	b.width = len(cols.features)
	from := len(b.x)
	for i, j := range cols.features {
		v, err := r.number(cols.parser, fields[j])
		if err == nil {
			err = r.feature(v)
		}
		if err != nil {
			b.x = b.x[:from]
			return fmt.Errorf("column %q: %w", r.Features[i], err)
		}
		b.x = append(b.x, v)
	}
	if cols.target >= 0 {
		if err := b.target(r, cols.parser, fields[cols.target]); err != nil {
			b.x = b.x[:from]
			return fmt.Errorf("column %q: %w", r.Target, err)
		}
	}
	if cols.weight >= 0 {
		w, err := r.number(cols.parser, fields[cols.weight])
		if err == nil {
			err = b.weight(w)
		}
		if err != nil {
			b.x, b.y, b.labels = b.x[:from], b.y[:min(len(b.y), b.rows())], b.labels[:min(len(b.labels), b.rows())]
			return fmt.Errorf("column %q: %w", r.Weight, err)
		}
	}
	return nil
}

// feature says whether v may be one.
func (r *reading) feature(v float64) error {
	switch {
	case v != v && !r.Gaps:
		return fmt.Errorf("a gap, and Data.Gaps is not set")
	case math.IsInf(v, 0):
		return fmt.Errorf("%v is not finite", v)
	}
	return nil
}

// target appends a target or a label.
func (b *block) target(r *reading, parser *celltext.Parser, field []byte) error {
	if !r.Labelled {
		v, err := r.number(parser, field)
		if err == nil {
			err = b.real(v)
		}
		return err
	}
	text, ok := parser.Text(string(field))
	if !ok {
		return notUTF8(text)
	}
	label, err := r.label(text)
	if err == nil {
		b.labels = append(b.labels, label)
	}
	return err
}

// real appends a target.
func (b *block) real(v float64) error {
	if v-v != 0 {
		return fmt.Errorf("the target %v is not finite", v)
	}
	b.y = append(b.y, v)
	return nil
}

// weight appends a weight.
func (b *block) weight(w float64) error {
	if !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight %v is not above 0 and finite", w)
	}
	b.weights = append(b.weights, w)
	return nil
}

// label returns the number of a class.
func (r *reading) label(text string) (int, error) {
	if len(r.Classes) == 0 {
		v, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("the label %q is no whole number: set Data.Classes", text)
		}
		return v, nil
	}
	for i, c := range r.Classes {
		if c == text {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the label %q is none of the classes %s", text, strings.Join(r.Classes, ", "))
}

// number reads one; a gap is NaN.
func (r *reading) number(parser *celltext.Parser, field []byte) (float64, error) {
	text := unsafe.String(unsafe.SliceData(field), len(field)) // which is not kept but in an error, where it is copied
	text, c, ok := parser.Cell(text)
	switch {
	case !ok:
		return 0, notUTF8(text)
	case c.Kind == celltext.Gap:
		return math.NaN(), nil
	case !c.Measured():
		return 0, fmt.Errorf("%q is no number", text)
	case math.IsInf(c.Value, 0):
		return 0, celltext.TooLarge(strings.Clone(text))
	case c.Rounded && !r.Round:
		return 0, notExact(text)
	}
	return c.Value, nil
}

// notExact is the error of an integer.
func notExact(text string) error {
	return fmt.Errorf("%s is no integer that float64 holds to the last digit, and Data.RoundIntegers is not set", text)
}

// notUTF8 is the error of a text.
func notUTF8(text string) error {
	return fmt.Errorf("%q is not UTF-8: set Data.CSV.Latin1 for a file that is Latin-1", text)
}

// hash is that of row i with its target, which tells rows from others and deals them to folds.
func (b *block) hash(i int) uint64 {
	h := rowhash.Numbers(rowhash.Seed, b.x[i*b.width:(i+1)*b.width])
	if len(b.y) > 0 {
		h = rowhash.Number(h, b.y[i])
	}
	if len(b.labels) > 0 {
		h = rowhash.Number(h, float64(b.labels[i]))
	}
	if len(b.weights) > 0 {
		h = rowhash.Number(h, b.weights[i])
	}
	return h
}
