package pipeline

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	columnsName = "pipeline: ColumnTransformer"
	columnsKind = "pipeline.ColumnTransformer"
)

// ColumnTransformer sends chosen columns through a transformer each, or through a chain of transformers, a
// [Transformer]: for example numbers through a scaler and categories through an encoder. The results stand side by
// side in the order of Parts. Columns that belong to no part follow unchanged, in their order, unless DropRest
// leaves them out. A column may be in several parts.
//
// Every transformer must have a Clone method. Fit fits clones and leaves Parts unchanged. A model file holds what
// is fitted and the columns, and is read into a ColumnTransformer of the same Parts. The cost is the sum of the
// costs of the parts, and a copy of their columns. Errors are those of the parts, preceded by the name of the part.
// A value that is not finite is named by its place in x.
//
// See also [Transformer].
type ColumnTransformer struct {
	Parts []ColumnPart

	// DropRest leaves out the columns that belong to no part.
	DropRest bool

	// If Gaps is set, NaN is not an error in columns that are not changed, so that an imputer can follow. In other
	// columns their transformer decides about NaN.
	Gaps bool

	fitted *fittedColumns
}

// ColumnPart is a selection of columns of a [ColumnTransformer] and their transformer.
type ColumnPart struct {
	// Columns has the positions of the columns, each once, in the order in which the transformer gets them.
	Columns []int

	// Of is the transformer of these columns. If it is nil, they are not changed.
	Of transformers.Transformer
}

type fittedColumns struct {
	width   int
	gaps    bool
	parts   []ColumnPart // with clones that are fitted; the rest is the last one
	kept    []int        // columns of x that stay as they are
	buffers *sync.Pool   // of columnBuffers
}

// columnBuffers are memory for few rows: what goes into each part, and what comes out.
type columnBuffers struct{ in, out []mat.Dense }

var (
	_ transformers.Transformer                    = (*ColumnTransformer)(nil)
	_ transformers.TransformerTo                  = (*ColumnTransformer)(nil)
	_ transformers.BlockFitter                    = (*ColumnTransformer)(nil)
	_ transformers.FeatureNamer                   = (*ColumnTransformer)(nil)
	_ transformers.FeatureNamer                   = (*Transformer)(nil)
	_ estimators.Cloner[transformers.Transformer] = (*ColumnTransformer)(nil)
	_ estimators.Wrapper                          = (*ColumnTransformer)(nil)
	_ encoding.BinaryMarshaler                    = (*ColumnTransformer)(nil)
	_ encoding.BinaryUnmarshaler                  = (*ColumnTransformer)(nil)
)

// partName stands before the errors of a part.
func partName(i int, p ColumnPart) string {
	full := fmt.Sprintf("%T", p.Of)
	return fmt.Sprintf("%s: part %d (%s of columns %v)", columnsName, i, full[strings.LastIndexByte(full, '.')+1:], p.Columns)
}

// unfitted returns the parts for rows of d columns, with clones, and the rest.
func (t *ColumnTransformer) unfitted(d int) (*fittedColumns, error) {
	out := &fittedColumns{width: d, gaps: t.Gaps}
	taken := map[int]bool{}
	for i, p := range t.Parts {
		field := fmt.Sprintf("Parts[%d].Columns", i)
		if len(p.Columns) == 0 {
			return nil, fault.Param(columnsName, field, p.Columns, "at least one column")
		}
		seen := map[int]bool{}
		for _, j := range p.Columns {
			if j < 0 || seen[j] {
				return nil, fault.Param(columnsName, field, p.Columns, "positions >= 0, each once")
			}
			if j >= d {
				return nil, fmt.Errorf("%s: %s has column %d: %w", columnsName, field, j, fault.Shape("x has", d, "columns", "want at least %d", j+1))
			}
			seen[j], taken[j] = true, true
		}
		part := ColumnPart{Columns: slices.Clone(p.Columns)}
		if p.Of != nil {
			if check.IsNil(p.Of) {
				return nil, fault.Param(columnsName, fmt.Sprintf("Parts[%d].Of", i), nil, "a transformer, or nil of no type")
			}
			var err error
			if part.Of, err = estimators.Clone(partName(i, p), p.Of); err != nil {
				return nil, err
			}
		}
		out.parts = append(out.parts, part)
	}
	var rest []int
	for j := 0; j < d && !t.DropRest; j++ {
		if !taken[j] {
			rest = append(rest, j)
		}
	}
	if len(rest) > 0 {
		out.parts = append(out.parts, ColumnPart{Columns: rest})
	}
	if len(out.parts) == 0 {
		return nil, fault.Param(columnsName, "Parts", 0, "at least one with DropRest")
	}
	for _, p := range out.parts {
		if p.Of == nil {
			out.kept = append(out.kept, p.Columns...)
		}
	}
	n := len(out.parts)
	out.buffers = &sync.Pool{New: func() any { return &columnBuffers{make([]mat.Dense, n), make([]mat.Dense, n)} }}
	return out, nil
}

// dense checks rows: the values of columns that stay as they are here, those of others by their transformer.
func (f *fittedColumns) dense(x mat.Matrix) (*mat.Dense, error) {
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

// placed names what is not finite in the columns of a part by its place in x, where it is there that at finds it too.
func placed(err error, p ColumnPart, at func(row, col int) float64) error {
	var e *fault.NotFiniteError
	if !errors.As(err, &e) || e.Row < 0 || e.Col < 0 || e.Col >= len(p.Columns) {
		return err
	}
	if v := at(e.Row, e.Col); v == v {
		return err // it comes of what a step has made
	}
	return &fault.NotFiniteError{Name: "x", Row: e.Row, Col: p.Columns[e.Col], Value: e.Value}
}

// window is the value of a matrix whose first row has this number, 0 outside it.
func window(x *mat.Dense, first int) func(row, col int) float64 {
	return func(row, col int) float64 {
		if n, _ := x.Dims(); row < first || row >= first+n {
			return 0
		}
		return x.At(row-first, col)
	}
}

// choose sets dst to some columns of x, in memory that dst has where that is enough.
func choose(dst, x *mat.Dense, columns []int) {
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

// Fit fits a clone of each part's transformer on its columns of x (n×d).
func (t *ColumnTransformer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	in, err := check.DenseGaps("x", x, check.Anywhere)
	if err != nil {
		return fault.AddPlace(columnsName, err)
	}
	_, d := in.Dims()
	f, err := t.unfitted(d)
	if err != nil {
		return err
	}
	if _, err := f.dense(in); err != nil {
		return fault.AddPlace(columnsName, err)
	}
	for i, p := range f.parts {
		if p.Of == nil {
			continue
		}
		var some mat.Dense
		choose(&some, in, p.Columns)
		if err := p.Of.Fit(ctx, &some); err != nil {
			return fmt.Errorf("%s: %w", partName(i, p), placed(err, p, window(&some, 0)))
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.fitted = f
	return nil
}

// FitBlocks implements [transformers.BlockFitter] where all parts do: the stream is read as often as each of them
// reads it, and once to check it. It wraps errors.ErrUnsupported if a part cannot do that.
func (t *ColumnTransformer) FitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	for i, p := range t.Parts {
		if !check.IsNil(p.Of) && !estimators.Supports(p.Of, estimators.Blocks) {
			return estimators.Unsupported(partName(i, p), p.Of, estimators.Blocks)
		}
	}
	if blocks == nil {
		return fault.Param(columnsName, "blocks", nil, "an iterator over blocks")
	}
	// What stays as it is needs a look too, at every value; the parts look at the others.
	var f *fittedColumns
	first := 0
	for x, err := range blocks {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && f == nil {
			if x == nil || x.IsEmpty() {
				err = fault.Shape("x has", 0, "rows", "want at least 1")
			} else {
				_, d := x.Dims()
				f, err = t.unfitted(d)
			}
		}
		if err == nil {
			_, err = f.dense(x)
		}
		if err != nil {
			return fmt.Errorf("%s: the block after %d rows: %w", columnsName, first, fault.FromRow(err, first))
		}
		n, _ := x.Dims()
		first += n
	}
	if f == nil {
		return fmt.Errorf("%s: %w", columnsName, fault.Shape("the stream has", 0, "blocks", "want at least 1"))
	}
	for i, p := range f.parts {
		if p.Of == nil {
			continue
		}
		var piece mat.Dense
		first, rows := 0, 0 // of the piece
		some := func(yield func(*mat.Dense, error) bool) {
			first, rows = 0, 0
			for x, err := range blocks {
				if err == nil && (x == nil || x.IsEmpty() || x.RawMatrix().Cols != f.width) {
					err = fault.Param(columnsName, "blocks", "rows that changed between two passes", "the same rows in the same order each time")
				}
				if err != nil {
					yield(nil, err)
					return
				}
				n, _ := x.Dims()
				for from := 0; from < n; from += stream.PieceRows {
					choose(&piece, x.Slice(from, min(from+stream.PieceRows, n), 0, f.width).(*mat.Dense), p.Columns)
					first += rows
					rows, _ = piece.Dims()
					if !yield(&piece, nil) {
						return
					}
				}
			}
		}
		if err := p.Of.(transformers.BlockFitter).FitBlocks(ctx, some); err != nil {
			return fmt.Errorf("%s: %w", partName(i, p), placed(err, p, window(&piece, first)))
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.fitted = f
	return nil
}

// Transform returns the results of the parts for the rows of x (m×d) side by side.
func (t *ColumnTransformer) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	out := &mat.Dense{}
	if err := t.transformInto(out, x, false); err != nil {
		return nil, err
	}
	return out, nil
}

// TransformTo implements [transformers.TransformerTo].
func (t *ColumnTransformer) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return t.transformInto(dst, x, rowwise.IsFew(x))
}

// transformInto sets dst to the results; few rows go through memory that is kept.
func (t *ColumnTransformer) transformInto(dst *mat.Dense, x mat.Matrix, few bool) error {
	f := t.fitted
	if f == nil {
		return fault.NotFitted(columnsName)
	}
	in, err := f.dense(x)
	if err != nil {
		return fault.AddPlace(columnsName, err)
	}
	var b *columnBuffers
	if few {
		b = f.buffers.Get().(*columnBuffers)
		defer f.buffers.Put(b)
	} else {
		b = &columnBuffers{make([]mat.Dense, len(f.parts)), make([]mat.Dense, len(f.parts))}
	}
	width := 0
	for i, p := range f.parts {
		choose(&b.in[i], in, p.Columns)
		if p.Of == nil {
			width += len(p.Columns)
			continue
		}
		b.out[i].Reset()
		if few {
			err = stream.TransformTo(p.Of, &b.out[i], &b.in[i])
		} else {
			var z *mat.Dense
			if z, err = p.Of.Transform(&b.in[i]); err == nil {
				b.out[i] = *z
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", partName(i, p), placed(err, p, window(&b.in[i], 0)))
		}
		width += b.out[i].RawMatrix().Cols
	}
	n, _ := in.Dims()
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d of %d columns", n, width)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, width)
	}
	if rows, columns := dst.Dims(); rows != n || columns != width {
		return fault.Shape("dst has", columns, "columns", "want %d rows of %d, dst has %d rows", n, width, rows)
	}
	for r := range n {
		to := dst.RawRowView(r)
		for i, p := range f.parts {
			from := &b.out[i]
			if p.Of == nil {
				from = &b.in[i]
			}
			to = to[copy(to, from.RawRowView(r)):]
		}
	}
	return nil
}

// FeatureNames implements [transformers.FeatureNamer] where the parts do: their names, one part after the other,
// and those of the columns that stay.
func (t *ColumnTransformer) FeatureNames(in []string) ([]string, error) {
	f := t.fitted
	if f == nil {
		return nil, fault.NotFitted(columnsName)
	}
	in, err := namesOfInput(columnsName, in, f.width)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, p := range f.parts {
		some := make([]string, len(p.Columns))
		for k, j := range p.Columns {
			some[k] = in[j]
		}
		if p.Of != nil {
			if some, err = transformers.NamesOf(p.Of, some); err != nil {
				return nil, fmt.Errorf("%s: %w", partName(i, p), err)
			}
		}
		out = append(out, some...)
	}
	return out, nil
}

func namesOfInput(name string, in []string, width int) ([]string, error) {
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

// FeatureNames implements [transformers.FeatureNamer] where the steps do.
func (t *Transformer) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(t.name())
	}
	names, err := namesOfInput(t.name(), in, t.fitted.Width)
	if err != nil {
		return nil, err
	}
	names = slices.Clone(names)
	for i, s := range t.fitted.Steps {
		if names, err = transformers.NamesOf(s, names); err != nil {
			return nil, fault.AddPlace(t.stepName(i, s), err)
		}
	}
	return names, nil
}

// FittedParts returns the parts with their fitted transformers, and the rest as the last of them. It returns nil
// before Fit. The slice is a copy; its transformers are the ones that Transform uses and must not be fitted again.
func (t *ColumnTransformer) FittedParts() []ColumnPart {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.parts)
}

// Supports reports whether all parts can do c.
func (t *ColumnTransformer) Supports(c estimators.Capability) bool {
	var steps []transformers.Transformer
	for _, p := range t.Parts {
		if p.Of != nil {
			steps = append(steps, p.Of)
		}
	}
	return estimators.Wrapped{Steps: steps}.Supports(t, c)
}

// Clone returns an unfitted ColumnTransformer with clones of the parts. A transformer that has no Clone is shared,
// and Fit of the copy refuses it just as Fit of t does.
func (t *ColumnTransformer) Clone() transformers.Transformer {
	out := &ColumnTransformer{DropRest: t.DropRest, Gaps: t.Gaps}
	for _, p := range t.Parts {
		part := ColumnPart{Columns: slices.Clone(p.Columns)}
		if p.Of != nil {
			part.Of = cloneOr(p.Of)
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

type storedColumns struct {
	Width int
	Gaps  bool
	Parts []storedColumnPart
}

type storedColumnPart struct {
	Columns []int
	Of      *estimators.NestedModel // nil: as they are
}

// MarshalBinary implements encoding.BinaryMarshaler. It stores what is fitted, the columns and the types of the parts, not
// their configuration.
func (t *ColumnTransformer) MarshalBinary() ([]byte, error) {
	f := t.fitted
	if f == nil {
		return nil, fault.NotFitted(columnsName)
	}
	out := storedColumns{Width: f.width, Gaps: f.gaps}
	for i, p := range f.parts {
		part := storedColumnPart{Columns: p.Columns}
		if p.Of != nil {
			stored, err := estimators.NestModel(partName(i, p), p.Of)
			if err != nil {
				return nil, err
			}
			part.Of = &stored
		}
		out.Parts = append(out.Parts, part)
	}
	return codec.Marshal(columnsKind, payloadVersion, out)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data goes into clones of the configured Parts, so t
// must be configured as the one that was stored: other columns, or another type of a transformer, are
// [estimators.ErrBadModel]. After an error t is unchanged.
func (t *ColumnTransformer) UnmarshalBinary(data []byte) error {
	var s storedColumns
	if _, err := codec.Unmarshal(data, columnsKind, payloadVersion, &s); err != nil {
		return err
	}
	most := 0 // columns that there are, each named
	for _, p := range s.Parts {
		most += len(p.Columns)
	}
	if s.Width < 1 || !t.DropRest && s.Width > most {
		return fault.BadModel(columnsKind, "%d columns, of which the parts have %d", s.Width, most)
	}
	f, err := t.unfitted(s.Width)
	switch {
	case errors.Is(err, fault.ErrShape):
		return fault.BadModel(columnsKind, "%v", err)
	case err != nil:
		return err
	case len(s.Parts) != len(f.parts):
		return fault.BadModel(columnsKind, "the data holds %d parts, configured are %d for %d columns", len(s.Parts), len(f.parts), s.Width)
	}
	f.gaps = s.Gaps
	for i, p := range f.parts {
		stored := s.Parts[i]
		if !slices.Equal(stored.Columns, p.Columns) || (stored.Of == nil) != (p.Of == nil) {
			return fault.BadModel(columnsKind, "part %d was of columns %v, this value has %v", i, stored.Columns, p.Columns)
		}
		if p.Of == nil {
			continue
		}
		if err := stored.Of.UnmarshalInto(columnsKind, fmt.Sprintf("part %d", i), p.Of); err != nil {
			return err
		}
	}
	t.fitted = f
	return nil
}
