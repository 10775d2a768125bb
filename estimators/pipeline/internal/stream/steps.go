package stream

import (
	"fmt"
	"iter"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

// Steps holds the fitted steps of a transformer or pipeline.
type Steps struct {
	Width int // columns of the input rows; 0 before they are known
	Steps []transformers.Transformer
	Names []string // names of the input columns, or nil if they are not known
}

// NamesAt returns the names of the input columns of a step. With the number of steps as its argument, it returns those of the last
// step's result. It returns nil if they are not known, or if a step before is not fitted yet.
func (f *Steps) NamesAt(step int) []string {
	names := f.Names
	for _, s := range f.Steps[:step] {
		if names == nil {
			return nil
		}
		var err error
		if names, err = transformers.NamesOf(s, names); err != nil {
			return nil // the step's result has no names
		}
	}
	return names
}

// StepName returns the prefix for the errors of a step. name is the name of the transformer or pipeline.
func StepName(name string, i int, step transformers.Transformer) string {
	full := fmt.Sprintf("%T", step)
	return fmt.Sprintf("%s: step %d (%s)", name, i, full[strings.LastIndexByte(full, '.')+1:])
}

// TransformTo sets dst to x transformed by a step.
func TransformTo(step transformers.Transformer, dst *mat.Dense, x mat.Matrix) error {
	if to, ok := embedding.As[transformers.TransformerTo](step); ok {
		return to.TransformTo(dst, x)
	}
	z, err := step.Transform(x)
	if err != nil {
		return err
	}
	return CopyTo(dst, z)
}

// Resize allocates n rows of width columns for dst if dst is empty. It returns an error if dst has another size.
func Resize(dst *mat.Dense, n, width int) error {
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d of %d columns", n, width)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, width)
	}
	if rows, columns := dst.Dims(); rows != n || columns != width {
		return fault.Shape("dst has", columns, "columns", "want %d rows of %d, dst has %d rows", n, width, rows)
	}
	return nil
}

// CopyTo sets dst to z. dst must be empty or have the size of z.
func CopyTo(dst *mat.Dense, z mat.Matrix) error {
	n, width := z.Dims()
	if err := Resize(dst, n, width); err != nil {
		return err
	}
	dst.Copy(z)
	return nil
}

// PieceRows is the number of rows of a block that are transformed at once. It limits the memory for a stream, and the time until a
// cancelled fit ends.
const PieceRows = 4096

// Forward returns the stream with the rows of each block transformed by the first steps, which are fitted. Targets and weights stay
// the same. name is the name of the transformer or pipeline, for errors.
func Forward[Y streaming.Target](
	f *Steps, name string, steps int, blocks iter.Seq2[streaming.Block[Y], error],
) iter.Seq2[streaming.Block[Y], error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		pass := f.Pass(name, steps)
		for b, err := range blocks {
			if err == nil && b.X != nil {
				err = CheckBlock(b)
			}
			if err != nil {
				yield(streaming.Block[Y]{}, err)
				return
			}
			more := pass.Send(b.X, func(z *mat.Dense, from, to int, err error) bool {
				if err != nil {
					yield(streaming.Block[Y]{}, err)
					return false
				}
				return yield(Piece(b, z, from, to), nil)
			})
			if !more {
				return
			}
		}
	}
}

// Pass reads a stream once through the first of the fitted steps.
type Pass struct {
	name    string // name of the transformer or pipeline, for errors
	fitted  *Steps
	buffers []mat.Dense // results of each step
	rows    int         // rows so far
}

// Pass starts a reading.
func (f *Steps) Pass(name string, steps int) *Pass {
	return &Pass{name: name, fitted: f, buffers: make([]mat.Dense, steps)}
}

// Send transforms the rows of x with the steps, piece by piece. It calls f with each result and the range of its rows in x, until f
// returns false. If x is nil or empty, f receives it unchanged, and the reader of the stream returns the error.
func (p *Pass) Send(x *mat.Dense, f func(z *mat.Dense, from, to int, err error) bool) bool {
	if x == nil || x.IsEmpty() {
		return f(x, 0, 0, nil)
	}
	n, d := x.Dims()
	if p.fitted.Width == 0 {
		p.fitted.Width = d
	}
	if len(p.buffers) == 0 {
		return f(x, 0, n, nil)
	}
	for from := 0; from < n; from += PieceRows {
		to := min(from+PieceRows, n)
		z, err := p.transform(x.Slice(from, to, 0, d).(*mat.Dense))
		if !f(z, from, to, err) {
			return false
		}
		p.rows += to - from
	}
	return true
}

func (p *Pass) transform(x *mat.Dense) (*mat.Dense, error) {
	for i := range p.buffers {
		z := &p.buffers[i]
		z.Reset()
		if err := TransformTo(p.fitted.Steps[i], z, x); err != nil {
			return nil, fault.AddPlace(StepName(p.name, i, p.fitted.Steps[i]), fault.FromRow(err, p.rows))
		}
		x = z
	}
	return x, nil
}

// CheckBlock returns an error unless a block has a target for each row and, if it has weights, a weight for each row. Blocks of
// [streaming.None] need no targets.
func CheckBlock[Y streaming.Target](b streaming.Block[Y]) error {
	n, _ := b.X.Dims()
	if _, none := any(b.Y).([]streaming.None); !none {
		if err := check.Rows("y", len(b.Y), n); err != nil {
			return err
		}
	}
	if b.Weights == nil {
		return nil
	}
	return check.Rows("weights", len(b.Weights), n)
}

// Piece returns the rows from to to-1 of a block, transformed to z, with their targets and weights.
func Piece[Y streaming.Target](b streaming.Block[Y], z *mat.Dense, from, to int) streaming.Block[Y] {
	piece := streaming.Block[Y]{X: z}
	if b.Y != nil {
		piece.Y = b.Y[from:to]
	}
	if b.Weights != nil {
		piece.Weights = b.Weights[from:to]
	}
	return piece
}

// InputNames returns the names of the input columns. If in is nil, they are x0, x1, and so on.
func InputNames(name string, in []string, width int) ([]string, error) {
	if in == nil {
		if err := check.Names(name, width); err != nil {
			return nil, err
		}
		for j := range width {
			in = append(in, fmt.Sprintf("x%d", j))
		}
	}
	if len(in) != width {
		return nil, fault.Shape("there are", len(in), "names", "%s was fitted on %d columns", name, width)
	}
	return in, nil
}
