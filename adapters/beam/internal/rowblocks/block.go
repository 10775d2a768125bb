package rowblocks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/rowhash"
)

// Place identifies a row. It is the offset in a CSV file, or the row number in a Parquet file or a PCollection.
type Place struct {
	File string
	At   int64
	ID   string
}

// Block holds some rows.
type Block struct {
	Width   int
	X       []float64
	Y       []float64
	Labels  []int
	Weights []float64 // nil if all are 1
	Places  []Place
	Hashes  []uint64
}

// blockCells is the largest number of cells of a block, and mostBlockRows the largest number of rows.
const (
	blockCells    = 1 << 20
	mostBlockRows = 2048
)

// limit returns the number of rows of a full block.
func (b *Block) limit() int { return min(mostBlockRows, max(16, blockCells/max(1, b.Width))) }

// Rows returns the number of rows.
func (b *Block) Rows() int { return len(b.Places) }

// Dense returns the rows as a matrix that shares their memory.
func (b *Block) Dense() *mat.Dense { return mat.NewDense(b.Rows(), b.Width, b.X) }

// reset empties the block. Its old contents may be overwritten.
func (b *Block) reset() {
	b.X, b.Y, b.Labels, b.Weights, b.Places, b.Hashes = b.X[:0], b.Y[:0], b.Labels[:0], b.Weights[:0], b.Places[:0], b.Hashes[:0]
}

// Part returns rows from to to-1 as a block that shares memory with b.
func (b *Block) Part(from, to int) *Block {
	return &Block{Width: b.Width, X: b.X[from*b.Width : to*b.Width], Y: entries(b.Y, from, to), Labels: entries(b.Labels, from, to),
		Weights: entries(b.Weights, from, to), Places: b.Places[from:to], Hashes: b.Hashes[from:to]}
}

// entries returns s[from:to], or nil if s is empty.
func entries[T any](s []T, from, to int) []T {
	if len(s) == 0 {
		return nil
	}
	return s[from:to]
}

// Append appends row i of o.
func (b *Block) Append(o *Block, i int) {
	b.appendNumbers(o, i)
	b.Places, b.Hashes = append(b.Places, o.Places[i]), append(b.Hashes, o.Hashes[i])
}

// appendNumbers appends the numbers of row i of o. It does not append the place and the hash of the row, which Collector.closeRow
// adds.
func (b *Block) appendNumbers(o *Block, i int) {
	b.Width = o.Width
	b.X = append(b.X, o.X[i*o.Width:(i+1)*o.Width]...)
	b.Y = append(b.Y, entries(o.Y, i, i+1)...)
	b.Labels = append(b.Labels, entries(o.Labels, i, i+1)...)
	b.Weights = append(b.Weights, entries(o.Weights, i, i+1)...)
}

// cells returns the cells of one row, by the numbers of their columns.
type cells interface {
	number(e *table.Encoder, at place) (float64, error) // encoded with the schema; NaN for a gap
	text(column int) (string, error)
}

// parse appends the numbers of a row. If a cell is invalid, it appends nothing, and returns an error that names the column.
func (b *Block) parse(r *Layout, cols columns, in cells) (err error) {
	b.Width = len(cols.features)
	x, y, labels := len(b.X), len(b.Y), len(b.Labels)
	defer func() {
		if err != nil {
			b.X, b.Y, b.Labels = b.X[:x], b.Y[:y], b.Labels[:labels]
		}
	}()
	for _, at := range cols.features {
		v, err := in.number(cols.encoder, at)
		if err != nil {
			return err
		}
		b.X = append(b.X, v)
	}
	for _, at := range []place{cols.target, cols.weight} {
		if at.file < 0 {
			continue
		}
		v, err := in.number(cols.encoder, at)
		if err != nil {
			return err
		}
		c := r.Schema.Columns[at.schema]
		switch {
		case at == cols.weight:
			err = b.appendWeight(v)
		case r.Labelled:
			err = b.appendLabel(v, c.Levels)
		default:
			err = b.appendTarget(v)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return nil
}

// appendLabel appends the number of a class.
func (b *Block) appendLabel(v float64, classes []string) error {
	if !(v < float64(len(classes))) {
		return fmt.Errorf("a gap, or none of the classes %s", strings.Join(classes, ", "))
	}
	b.Labels = append(b.Labels, int(v))
	return nil
}

// appendTarget appends a target.
func (b *Block) appendTarget(v float64) error {
	if v-v != 0 {
		return fmt.Errorf("the target %v is not finite", v)
	}
	b.Y = append(b.Y, v)
	return nil
}

// appendWeight appends a weight.
func (b *Block) appendWeight(w float64) error {
	if !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight %v is not above 0 and finite", w)
	}
	b.Weights = append(b.Weights, w)
	return nil
}

// Hash returns a hash of row i, including its target and weight. It identifies the row and determines its fold.
func (b *Block) Hash(i int) uint64 {
	h := rowhash.Numbers(rowhash.Seed, b.X[i*b.Width:(i+1)*b.Width])
	if len(b.Y) > 0 {
		h = rowhash.Number(h, b.Y[i])
	}
	if len(b.Labels) > 0 {
		h = rowhash.Number(h, float64(b.Labels[i]))
	}
	if len(b.Weights) > 0 {
		h = rowhash.Number(h, b.Weights[i])
	}
	return h
}

// UnequalWeights returns the weights, or nil if all are 1.
func (b *Block) UnequalWeights() []float64 {
	if slices.ContainsFunc(b.Weights, func(w float64) bool { return w != 1 }) {
		return b.Weights
	}
	return nil
}

// WithTargets returns the rows with their targets as the last column.
func (b *Block) WithTargets() *mat.Dense {
	out := mat.NewDense(b.Rows(), b.Width+1, nil)
	out.Slice(0, b.Rows(), 0, b.Width).(*mat.Dense).Copy(b.Dense())
	for i := range b.Rows() {
		if len(b.Labels) > 0 {
			out.Set(i, b.Width, float64(b.Labels[i]))
		} else {
			out.Set(i, b.Width, b.Y[i])
		}
	}
	return out
}
