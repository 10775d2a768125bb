// Package rowmap contains what transformers have in common: a fitted map of rows ([Map], [Stored]), and a [State] that holds the
// map. State has the methods that need only the map: Transform, the names, the graph, the files and the inverse. It also has the
// methods for fits from a [Stream] of rows and for fits over time.
package rowmap

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/streaming"
)

// Map is a fitted map of rows.
type Map interface {
	TypeName() string        // name of the type in errors, such as "scalers: UnitRows"
	Widths() (from, to int)  // widths of x and of the result
	MapRow(dst, x []float64) // maps a row
}

// Stored is a map whose exported fields are the contents of a file.
type Stored interface {
	Map
	Validate() error // returns an error if a decoded model is invalid
	// BuildGraph computes MapRow as a graph for rows x whose width is the first result of Widths. Near the largest numbers,
	// differences overflow.
	BuildGraph(x graph.Value) (graph.Value, error)
}

// Gapped is a map that allows NaN in some columns of x.
type Gapped interface{ HasGap(column int) bool }

// State holds the fitted map and the methods that need only the map. The methods of M have value receivers, so that *M also has
// them.
type State[M Stored] struct {
	Fitted *M                                   // nil before Fit
	Sums   streaming.Statistics[streaming.None] // the statistics of FitStatistics or PartialFit; nil: none
}

// Learn checks the x of Fit and stores the result of f. The function gap reports in which columns NaN is allowed.
func (l *State[M]) Learn(ctx context.Context, x mat.Matrix, gap func(column int) bool, f func(x *mat.Dense) (*M, error)) error {
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
	l.Fitted, l.Sums = m, nil
	return nil
}

// Model returns the fitted model, or the zero model before Fit.
func (l *State[M]) Model() (m M) {
	if l.Fitted != nil {
		m = *l.Fitted
	}
	return m
}

// TypeName returns the name of the type. It also works before Fit.
func (l *State[M]) TypeName() string {
	var m M
	return m.TypeName()
}

// MapInto calls [MapInto] with the fitted map.
func (l *State[M]) MapInto(dst *mat.Dense, x mat.Matrix, rows bool, many func(dst, x *mat.Dense) error) error {
	if l.Fitted == nil {
		return fault.NotFitted(l.TypeName())
	}
	return MapInto(dst, x, any(l.Fitted).(Map), rows, many)
}

// Graph implements [graph.Grapher].
func (l *State[M]) Graph(x graph.Value) (graph.Outputs, error) {
	if l.Fitted == nil {
		return graph.Outputs{}, fault.NotFitted(l.TypeName())
	}
	return BuildOutputs(any(l.Fitted).(Map), x, (*l.Fitted).BuildGraph)
}

// BuildOutputs returns the outputs of m for rows that must have the width of m.
func BuildOutputs(m Map, x graph.Value, of func(x graph.Value) (graph.Value, error)) (graph.Outputs, error) {
	from, _ := m.Widths()
	if err := graph.Columns(x, from); err != nil {
		return graph.Outputs{}, err
	}
	rows, err := of(x)
	return graph.Outputs{Rows: rows}, err
}

// MarshalBinary implements encoding.BinaryMarshaler. It stores everything that Transform needs, and the file can be decoded into a
// value with any settings. It returns ErrNotFitted before Fit.
func (l *State[M]) MarshalBinary() ([]byte, error) {
	if l.Fitted == nil {
		return nil, fault.NotFitted(l.TypeName())
	}
	return codec.Marshal(FileKind(l.TypeName()), Version, l.Fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns ErrBadModel, it leaves the value unchanged.
func (l *State[M]) UnmarshalBinary(data []byte) error {
	m := new(M)
	kind := FileKind(l.TypeName())
	if _, err := codec.Unmarshal(data, kind, Version, m); err != nil {
		return err
	}
	if err := (*m).Validate(); err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	l.Fitted, l.Sums = m, nil
	return nil
}

// Version is the version of the files of all transformers. There is only one so far.
const Version = 1

// FileKind returns the name of a type in files, such as "transformers.UnitRows" for "scalers: UnitRows" in errors. It does not
// depend on the package, so that types can move.
func FileKind(typeName string) string { return "transformers." + ownName(typeName) }

// ownName returns the name of a type without its package.
func ownName(typeName string) string { return typeName[strings.LastIndex(typeName, " ")+1:] }

// Apply calls f with an empty matrix as dst, and returns this matrix.
func Apply(f func(dst *mat.Dense, x mat.Matrix) error, x mat.Matrix) (*mat.Dense, error) {
	out := &mat.Dense{}
	if err := f(out, x); err != nil {
		return nil, err
	}
	return out, nil
}

// MapInto sets dst to the rows of x mapped by m. It maps the rows one by one if many is nil, or if rows is set and there are only a
// few rows. Otherwise it calls many. If a result is not finite, it returns an error.
func MapInto(dst *mat.Dense, x mat.Matrix, m Map, rows bool, many func(dst, x *mat.Dense) error) error {
	from, to := m.Widths()
	in, gaps, err := input("x", x, m, from)
	if err != nil {
		return err
	}
	n, _ := in.Dims()
	// The text is formatted only if there is an error, so that mapping one row allocates nothing.
	if count := float64(n) * float64(to); dst != nil && dst.IsEmpty() && 8*count > check.MaxBytes {
		return check.Numbers(fmt.Sprintf("%s: %d rows of %d columns", m.TypeName(), n, to), count, "map fewer rows at a time")
	}
	if err := ShapeResult(dst, n, to); err != nil {
		return err
	}
	if many != nil && !(rows && rowwise.IsFew(in)) {
		return many(dst, in)
	}
	for i := range n {
		m.MapRow(dst.RawRowView(i), in.RawRowView(i))
	}
	return CheckFinite(m, dst, 0, gaps)
}

// input checks that x has the given width, and reports whether m allows gaps.
func input(name string, x mat.Matrix, m Map, width int) (in *mat.Dense, gaps bool, err error) {
	var gap func(int) bool
	if g, ok := m.(Gapped); ok {
		gap = g.HasGap
	}
	in, err = check.DenseGaps(name, x, gap)
	if err != nil {
		return nil, false, err
	}
	return in, gap != nil, check.Columns(name, in, width)
}

// CheckFinite returns an error if a value of a result is not finite. The argument first is the number of the first row of the
// result.
func CheckFinite(m Map, result *mat.Dense, first int, gaps bool) error {
	n, _ := result.Dims()
	for i := range n {
		for j, v := range result.RawRowView(i) {
			if v-v != 0 && !(gaps && v != v) {
				return &fault.NotFiniteError{Name: m.TypeName() + ": result", Row: first + i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// ShapeResult changes an empty dst to n rows and width columns. It returns an error if dst has another shape.
func ShapeResult(dst *mat.Dense, n, width int) error {
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
