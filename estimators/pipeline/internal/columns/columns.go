package columns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	name    = "pipeline: ColumnTransformer"
	kind    = "pipeline.ColumnTransformer"
	version = 1
)

// Part is a selection of columns and their transformer. In a fitted part, Columns lists the positions, and Names the names if they
// are known.
type Part struct {
	Columns    []int
	Names      []string
	Categories bool
	Of         transformers.Transformer // if nil, the columns are unchanged
}

// Choice divides rows into parts.
type Choice struct {
	Parts    []Part
	Rest     transformers.Transformer // transformer of the columns that belong to no part; if nil, they are unchanged
	DropRest bool                     // leave out the columns that belong to no part
	Gaps     bool                     // accept NaN in unchanged columns

	Names      []string // names of the columns, or nil if they are not known
	Categories []int    // categorical columns
}

// Fitted holds fitted clones of the transformers in a Choice, for rows of one width.
type Fitted struct {
	width      int
	gaps       bool
	names      []string // names of the columns, or nil if they are not known
	categories []int
	parts      []Part     // with fitted clones; Rest is the last one
	kept       []int      // unchanged columns of x
	buffers    *sync.Pool // of buffers
}

// buffers holds the input and the output of each part for a small block of rows.
type buffers struct{ in, out []mat.Dense }

// partName returns the prefix for the errors of a part.
func partName(i int, p Part) string {
	full := fmt.Sprintf("%T", p.Of)
	columns := fmt.Sprint(p.Columns)
	if p.Names != nil {
		columns = fmt.Sprintf("%q", p.Names)
	}
	return fmt.Sprintf("%s: part %d (%s of columns %s)", name, i, full[strings.LastIndexByte(full, '.')+1:], columns)
}

// unfitted returns the parts for rows of d columns, with clones of their transformers. If columns remain, Rest is the last part.
func (c Choice) unfitted(d int) (*Fitted, error) {
	switch {
	case c.Rest != nil && check.IsNil(c.Rest):
		return nil, fault.Param(name, "Rest", nil, "a transformer, or nil of no type")
	case c.Rest != nil && c.DropRest:
		return nil, fault.Param(name, "Rest", fmt.Sprintf("%T", c.Rest), "nil with DropRest")
	}
	out := &Fitted{width: d, gaps: c.Gaps, names: slices.Clone(c.Names), categories: slices.Clone(c.Categories)}
	if err := c.validate(d); err != nil {
		return nil, err
	}
	taken := map[int]bool{}
	for i, p := range c.Parts {
		chosen, err := c.choose(i, p, d)
		if err != nil {
			return nil, err
		}
		if p.Of != nil && check.IsNil(p.Of) {
			return nil, fault.Param(name, fmt.Sprintf("Parts[%d].Of", i), nil, "a transformer, or nil of no type")
		}
		if len(chosen) == 0 { // a part in which Categories is set, without categories
			continue
		}
		for _, j := range chosen {
			taken[j] = true
		}
		out.parts = append(out.parts, c.part(chosen, p.Of))
	}
	var rest []int
	for j := 0; j < d && !c.DropRest; j++ {
		if !taken[j] {
			rest = append(rest, j)
		}
	}
	if len(rest) > 0 {
		out.parts = append(out.parts, c.part(rest, c.Rest))
	}
	if len(out.parts) == 0 {
		return nil, fault.Param(name, "Parts", 0, "at least one with DropRest")
	}
	for _, p := range out.parts {
		if p.Of == nil {
			out.kept = append(out.kept, p.Columns...)
		}
	}
	n := len(out.parts)
	out.buffers = &sync.Pool{New: func() any { return &buffers{make([]mat.Dense, n), make([]mat.Dense, n)} }}
	return out, nil
}

// dense returns x as a dense matrix and checks the values of the unchanged columns. The transformers check those of the other
// columns.
func (f *Fitted) dense(x mat.Matrix) (*mat.Dense, error) {
	in, err := check.DenseGaps("x", x, check.Anywhere)
	if err == nil {
		err = check.Columns("x", in, f.width)
	}
	if err != nil || f.gaps {
		return in, err
	}
	n, _ := in.Dims()
	for i := range n {
		row := in.RawRowView(i)
		for _, j := range f.kept {
			if v := row[j]; v != v {
				return nil, &fault.NotFiniteError{Name: "x", Row: i, Col: j, Value: v}
			}
		}
	}
	return in, nil
}

// placed corrects the position in an error about a value that is not finite. If the function at finds that the value at this
// position in the columns of part p is not finite, the error gets the position in x.
func placed(err error, p Part, at func(row, col int) float64) error {
	var e *fault.NotFiniteError
	if !errors.As(err, &e) || e.Row < 0 || e.Col < 0 || e.Col >= len(p.Columns) {
		return err
	}
	if v := at(e.Row, e.Col); v-v == 0 {
		return err // the value is a result of a step
	}
	return &fault.NotFiniteError{Name: "x", Row: e.Row, Col: p.Columns[e.Col], Value: e.Value}
}

// window returns a function that returns the values of x by their position in the stream, where first is the number of the first
// row of x. Outside x the function returns 0.
func window(x *mat.Dense, first int) func(row, col int) float64 {
	return func(row, col int) float64 {
		if n, _ := x.Dims(); row < first || row >= first+n {
			return 0
		}
		return x.At(row-first, col)
	}
}

// pick sets dst to the given columns of x, and reuses the memory of dst if it is large enough.
func pick(dst, x *mat.Dense, columns []int) {
	n, _ := x.Dims()
	dst.Reset()
	dst.ReuseAs(n, len(columns))
	for i := range n {
		row, to := x.RawRowView(i), dst.RawRowView(i)
		for k, j := range columns {
			to[k] = row[j]
		}
	}
}
