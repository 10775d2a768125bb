package transformers

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// mapper is what a Fit learnt.
type mapper interface {
	name() string            // of the type, as errors have it: "transformers: UnitRows"
	columns() (from, to int) // of x and of the result
	row(dst, x []float64)    // maps a row
}

// model is a mapper that is stored as it is.
type model interface {
	mapper
	valid() error // says what is wrong with a model that was read
	// graph returns what row makes of rows x, which are as wide as columns says.
	graph(x graph.Value) (graph.Value, error)
}

// gapped is a mapper for which NaN is no error in some of the columns of x.
type gapped interface{ gap(column int) bool }

// learned is the part that the transformers have in common: what Fit learnt, nil before, and
// the methods that need no more than that. A type whose configuration counts in Transform too has
// methods of its own over into. The methods of M have no pointer for a receiver, so that *M has them
// too.
type learned[M model] struct {
	_      embedding.Promoted
	fitted *M
	sums   Statistics // that fitted was learnt from, by FitStatistics or PartialFit; else nil
}

// learn checks the x of Fit, in which gap tells what may be missing, and assigns what f learns
// of it.
func (l *learned[M]) learn(ctx context.Context, x mat.Matrix, gap func(column int) bool, f func(x *mat.Dense) (*M, error)) error {
	in, err := check.DenseGaps("x", x, gap)
	if err != nil {
		return err
	}
	m, err := f(in)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.fitted, l.sums = m, nil
	return nil
}

// model returns what was learnt, or the zero model before Fit.
func (l *learned[M]) model() (m M) {
	if l.fitted != nil {
		m = *l.fitted
	}
	return m
}

// Transform returns the map of each row of x (m×d), which has the width that Fit saw.
func (l *learned[M]) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.RecoverAs(l.model().name(), &err)
	return transformed(l.TransformTo, x)
}

// TransformTo implements [TransformerTo].
func (l *learned[M]) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.RecoverAs(l.model().name(), &err)
	return l.transformInto(dst, x, true, nil)
}

// transformInto is mapInto of what was learnt.
func (l *learned[M]) transformInto(dst *mat.Dense, x mat.Matrix, rows bool, many func(dst, x *mat.Dense) error) error {
	if l.fitted == nil {
		return fault.NotFitted(l.model().name())
	}
	return mapInto(dst, x, any(l.fitted).(mapper), rows, many)
}

// Graph implements [graph.Grapher].
func (l *learned[M]) Graph(x graph.Value) (graph.Outputs, error) {
	if l.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(l.model().name())
	}
	return graphOf(any(l.fitted).(mapper), x, (*l.fitted).graph)
}

// graphOf is the outputs of a mapper, of rows that are as wide as it wants.
func graphOf(m mapper, x graph.Value, of func(x graph.Value) (graph.Value, error)) (graph.Outputs, error) {
	from, _ := m.columns()
	if err := graph.Columns(x, from); err != nil {
		return graph.Outputs{}, err
	}
	rows, err := of(x)
	return graph.Outputs{Rows: rows}, err
}

// MarshalBinary implements encoding.BinaryMarshaler: all that Transform needs is stored, and a
// file is read into a value of any configuration. It is ErrNotFitted before Fit.
func (l *learned[M]) MarshalBinary() ([]byte, error) {
	if l.fitted == nil {
		return nil, fault.NotFitted(l.model().name())
	}
	return codec.Marshal(kindOf(*l.fitted), version, l.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are ErrBadModel and leave
// the value as it was.
func (l *learned[M]) UnmarshalBinary(data []byte) error {
	m := new(M)
	kind := kindOf(*m)
	if _, err := codec.Unmarshal(data, kind, version, m); err != nil {
		return err
	}
	if err := (*m).valid(); err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	l.fitted, l.sums = m, nil
	return nil
}

// version is that of every transformer's file so far.
const version = 1

// kindOf is the name of a type as files have it: "transformers.UnitRows".
func kindOf(m mapper) string { return strings.Replace(m.name(), ": ", ".", 1) }

// transformed calls f with an empty matrix and returns what is in it then.
func transformed(f func(dst *mat.Dense, x mat.Matrix) error, x mat.Matrix) (*mat.Dense, error) {
	out := &mat.Dense{}
	if err := f(out, x); err != nil {
		return nil, err
	}
	return out, nil
}

// mapInto sets dst to the rows of x mapped by m: by many at once, unless that is nil or rows
// says that few go one by one. What is not finite in a result is an error.
func mapInto(dst *mat.Dense, x mat.Matrix, m mapper, rows bool, many func(dst, x *mat.Dense) error) error {
	from, to := m.columns()
	in, gaps, err := input("x", x, m, from)
	if err != nil {
		return err
	}
	n, _ := in.Dims()
	// Without memory for words: one row allocates nothing.
	if count := float64(n) * float64(to); dst != nil && dst.IsEmpty() && 8*count > check.MaxBytes {
		return check.Numbers(fmt.Sprintf("%s: %d rows of %d columns", m.name(), n, to), count, "map the rows some at a time")
	}
	if err := fits(dst, n, to); err != nil {
		return err
	}
	if many != nil && !(rows && rowwise.IsFew(in)) {
		return many(dst, in)
	}
	for i := range n {
		m.row(dst.RawRowView(i), in.RawRowView(i))
	}
	return finite(m, dst, 0, gaps)
}

// input checks rows of the width for m, and says whether there may be gaps in them.
func input(name string, x mat.Matrix, m mapper, width int) (in *mat.Dense, gaps bool, err error) {
	var gap func(int) bool
	if g, ok := m.(gapped); ok {
		gap = g.gap
	}
	in, err = check.DenseGaps(name, x, gap)
	if err != nil {
		return nil, false, err
	}
	return in, gap != nil, check.Columns(name, in, width)
}

// finite returns an error for what is not finite in a result whose first row is the one of the
// number.
func finite(m mapper, result *mat.Dense, first int, gaps bool) error {
	n, _ := result.Dims()
	for i := range n {
		for j, v := range result.RawRowView(i) {
			if v-v != 0 && !(gaps && v != v) {
				return &fault.NotFiniteError{Name: m.name() + ": result", Row: first + i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// fits makes an empty dst of n rows and width columns, and returns an error for one of
// another shape.
func fits(dst *mat.Dense, n, width int) error {
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
