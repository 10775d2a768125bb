package golearn

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// RebuildAttempts is how often Load calls the function of a Filter step.
const RebuildAttempts = 32

// Step is a stage of a Pipeline, made by Transform or Filter. It is
// configuration: what a Pipeline fits is its own, so one Step may stand in many.
type Step struct {
	transform transformers.Transformer
	build     func(train base.FixedDataGrid) (base.Filter, error)
}

// Transform makes a step of a transformer, which has to have a Clone method
// (transformers.Cloner). It sees the features as a Classifier would, categorical
// ones as columns of 0 and 1, and NaN cells too: imputing is a transformer's work.
// After it the grid has one float attribute for each column that the transformer
// returns: under the old names if there are as many as before, else z0, z1 and so
// on. The class is passed through.
func Transform(t transformers.Transformer) Step { return Step{transform: t} }

// Filter makes a step of a golearn filter. The function build gets the training
// grid, as the steps before left it, and returns a filter that is trained on it:
//
//	golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
//		f := filters.NewChiMergeFilter(train, 0.90)
//		for _, a := range base.NonClassFloatAttributes(train) {
//			f.AddAttribute(a)
//		}
//		return f, f.Train()
//	})
//
// The attributes to add are those of train, because golearn's filters know them
// by pointer. Each cell is filtered once. A filter never sees the class cells of
// the grid that it filters, and what it would do to the class attribute is left
// out. A category index past the last category, which BinningFilter gives for a
// value above the training range, counts as the last category. Save stores the
// training grid, and Load calls build again, with a grid that is equal to it, until
// the filter treats that grid as the saved one did, at most RebuildAttempts times:
// golearn's ChiMergeFilter sums in random order, and may round to other intervals.
func Filter(build func(train base.FixedDataGrid) (base.Filter, error)) Step {
	return Step{build: build}
}

// fit learns the step from a training grid whose class is cls, and returns the
// grid after it.
func (s Step) fit(ctx context.Context, grid base.FixedDataGrid, cls *classCells, noOneHot bool) (fittedStep, *base.DenseInstances, error) {
	switch {
	case s.transform != nil:
		return fitTransform(ctx, s.transform, grid, cls, noOneHot)
	case s.build != nil:
		return fitFilter(s.build, grid, cls)
	}
	return nil, nil, fault.Param("Steps", "step", "neither Transform nor Filter", "a step made by one of them of a value that is not nil")
}

func (s Step) clone() Step {
	if c, ok := s.transform.(transformers.Cloner); ok {
		s.transform = c.Clone()
	}
	return s
}

// fittedStep is what a Pipeline keeps of a step.
type fittedStep interface {
	// apply returns the grid after the step. The grid has at least one row.
	apply(grid base.FixedDataGrid, cls *classCells) (*base.DenseInstances, error)
	// inspect reads the grid as apply would.
	inspect(grid base.FixedDataGrid) (Inspection, error)
	payload() (stepPayload, error)
}

// fittedTransform

type fittedTransform struct {
	encoder     *encoder
	transformer transformers.Transformer
	output      []column
}

func fitTransform(ctx context.Context, t transformers.Transformer, grid base.FixedDataGrid, cls *classCells, noOneHot bool) (fittedStep, *base.DenseInstances, error) {
	c, ok := t.(transformers.Cloner)
	if !ok {
		return nil, nil, estimators.Unsupported("golearn: Transform", t, estimators.Cloning)
	}
	f := &fittedTransform{transformer: c.Clone()}
	enc, x, err := newEncoder(grid, cls.column.Name, noOneHot, allowGaps)
	if err != nil {
		return nil, nil, err
	}
	f.encoder = enc
	if err := f.transformer.Fit(ctx, x); err != nil {
		return nil, nil, enc.explain(err)
	}
	z, err := f.transform(x)
	if err != nil {
		return nil, nil, err
	}
	_, width := z.Dims()
	f.output = transformed(enc.Columns, width, cls.column.Name)
	out, err := gridOf(z, f.output, cls)
	return f, out, err
}

// transformed names the attributes after a transformer. One that keeps the number
// of columns is taken to keep their meaning.
func transformed(in []column, width int, class string) []column {
	list := expanded(in)
	if _, twice := duplicate(append(list, class)); len(list) != width || twice {
		list = make([]string, width)
		for j := range list {
			list[j] = "z" + strconv.Itoa(j)
			if list[j] == class {
				list[j] = "_" + list[j]
			}
		}
	}
	precision := map[string]int{}
	for _, c := range in {
		precision[c.Name] = c.Precision
	}
	out := make([]column, width)
	for j, n := range list {
		out[j] = column{Name: n, Kind: floatKind, Precision: max(precision[n], transformedPrecision)}
	}
	return out
}

// transformedPrecision is the number of decimals that golearn prints of what a
// transformer returned; the cells themselves are float64.
const transformedPrecision = 6

func (f *fittedTransform) transform(x *mat.Dense) (*mat.Dense, error) {
	z, err := f.transformer.Transform(x)
	if err != nil {
		return nil, f.encoder.explain(err)
	}
	rows, _ := x.Dims()
	if r, c := z.Dims(); r != rows || (f.output != nil && c != len(f.output)) {
		return nil, fault.Shape(fmt.Sprintf("%T returned %d rows and", f.transformer, r), c, "columns", "want %d rows and as many columns as in training", rows)
	}
	return z, nil
}

func (f *fittedTransform) apply(grid base.FixedDataGrid, cls *classCells) (*base.DenseInstances, error) {
	x, err := f.encoder.encode(grid)
	if err != nil {
		return nil, err
	}
	z, err := f.transform(x)
	if err != nil {
		return nil, err
	}
	return gridOf(z, f.output, cls)
}

func (f *fittedTransform) inspect(grid base.FixedDataGrid) (Inspection, error) {
	_, report, err := f.encoder.inspect(grid)
	return report, err
}

// gridOf makes a grid of x's columns and the class, if there is one.
func gridOf(x *mat.Dense, cols []column, cls *classCells) (*base.DenseInstances, error) {
	rows, width := x.Dims()
	return denseGrid(cols, rows, cls, func(storage []byte) {
		for i := range rows {
			cell := storage[i*width*cellSize : (i+1)*width*cellSize]
			for j, v := range x.RawRowView(i) {
				binary.LittleEndian.PutUint64(cell[j*cellSize:], math.Float64bits(v))
			}
		}
	})
}

// fittedFilter

// table is a grid held by value: columns, and for each the bits of its cells.
type table struct {
	Columns []column
	Bits    [][]uint64
	Rows    int
	Class   column
	Labels  []uint64
}

type fittedFilter struct {
	train  table // what build saw, for Save
	attrs  []base.Attribute
	filter base.Filter
	parts  []filterPart
	output []column
	digest []byte // of the filtered training cells
}

// filterPart is one attribute after the filter. A part without a new attribute
// is passed through.
type filterPart struct {
	source int // the training column
	attr   base.Attribute
}

func fitFilter(build func(base.FixedDataGrid) (base.Filter, error), grid base.FixedDataGrid, cls *classCells) (_ fittedStep, _ *base.DenseInstances, err error) {
	t, err := readTable(grid, cls)
	if err != nil {
		return nil, nil, err
	}
	f, err := buildFilter(build, t)
	if err != nil {
		return nil, nil, err
	}
	outCols, outBits, err := f.run(t.Columns, t.Bits, t.Rows, true)
	if err != nil {
		return nil, nil, err
	}
	f.digest = digest(outBits)
	out, err := mixedGrid(outCols, outBits, t.Rows, cls)
	return f, out, err
}

func readTable(grid base.FixedDataGrid, cls *classCells) (_ table, err error) {
	defer guard("reading the grid", &err)
	attrs := featureAttributes(grid)
	cols, err := featureColumns(attrs, cls.column.Name)
	if err != nil {
		return table{}, err
	}
	readers, err := bind(grid, attrs)
	if err != nil {
		return table{}, err
	}
	t := table{Columns: cols, Class: cls.column, Labels: cls.bits, Bits: make([][]uint64, len(cols))}
	_, t.Rows = grid.Size()
	for j := range readers {
		if t.Bits[j], err = readers[j].all(); err != nil {
			return table{}, err
		}
	}
	return t, nil
}

// buildFilter gives build a training grid of its own, to which the filter stays
// bound, and asks the filter what it makes of each attribute.
func buildFilter(build func(base.FixedDataGrid) (base.Filter, error), t table) (_ *fittedFilter, err error) {
	defer guard("building the filter", &err)
	train, err := mixedGrid(t.Columns, t.Bits, t.Rows, &classCells{column: t.Class, bits: t.Labels})
	if err != nil {
		return nil, err
	}
	f := &fittedFilter{train: t, attrs: make([]base.Attribute, len(t.Columns))}
	for _, a := range featureAttributes(train) {
		f.attrs[slices.IndexFunc(t.Columns, func(c column) bool { return c.Name == a.GetName() })] = a
	}
	if f.filter, err = build(train); err != nil {
		return nil, err
	}
	if f.filter == nil {
		return nil, fault.Param("golearn: Filter", "filter that build returned", nil, "a filter")
	}
	after := f.filter.GetAttributesAfterFiltering()
	for j, a := range f.attrs {
		filtered := false
		for _, fa := range after {
			if fa.Old == nil || fa.New == nil || !fa.Old.Equals(a) {
				continue
			}
			filtered = true
			if fa.New == fa.Old {
				// golearn's filters list what they leave alone as itself.
				f.add(j, nil, t.Columns[j])
				continue
			}
			c, err := columnOf(fa.New)
			if err != nil {
				return nil, err
			}
			f.add(j, fa.New, c)
		}
		if !filtered {
			f.add(j, nil, t.Columns[j])
		}
	}
	if n, ok := duplicate(append(names(f.output), t.Class.Name)); ok {
		return nil, fault.Param("golearn: Filter", "attribute names after the filter", strconv.Quote(n)+" twice", "each once")
	}
	return f, nil
}

func (f *fittedFilter) add(source int, attr base.Attribute, c column) {
	f.parts = append(f.parts, filterPart{source: source, attr: attr})
	f.output = append(f.output, c)
}

func (f *fittedFilter) apply(grid base.FixedDataGrid, cls *classCells) (*base.DenseInstances, error) {
	cols, bits, rows, err := aligned(grid, f.train.Columns)
	if err != nil {
		return nil, err
	}
	outCols, outBits, err := f.run(cols, bits, rows, false)
	if err != nil {
		return nil, err
	}
	return mixedGrid(outCols, outBits, rows, cls)
}

// aligned reads the training columns of another grid, categories recoded. A
// category that training did not hold is added behind the others.
func aligned(grid base.FixedDataGrid, train []column) (cols []column, bits [][]uint64, rows int, err error) {
	defer guard("reading the grid", &err)
	readers, _, err := match(grid, train)
	if err != nil {
		return nil, nil, 0, err
	}
	cols = slices.Clone(train)
	bits = make([][]uint64, len(cols))
	_, rows = grid.Size()
	for j := range readers {
		if bits[j], err = readers[j].all(); err != nil {
			return nil, nil, 0, err
		}
		if cols[j].Kind == categoricalKind {
			cols[j].Values = slices.Clone(cols[j].Values)
			recodeCells(&cols[j], readers[j].column.Values, bits[j])
		}
	}
	return cols, bits, rows, nil
}

func recodeCells(c *column, from []string, bits []uint64) {
	codes := recode(from, c.Values)
	for i, b := range bits {
		if codes[b] < 0 {
			codes[b] = len(c.Values)
			c.Values = append(c.Values, from[b])
		}
		bits[i] = uint64(codes[b])
	}
}

// run filters the cells of the training columns. In training a category index
// out of range means that the filter was not trained.
func (f *fittedFilter) run(cols []column, bits [][]uint64, rows int, training bool) (outCols []column, outBits [][]uint64, err error) {
	defer guard(fmt.Sprintf("%T", f.filter), &err)
	outCols = slices.Clone(f.output)
	outBits = make([][]uint64, len(f.parts))
	buf := make([]byte, cellSize)
	for k, p := range f.parts {
		if p.attr == nil {
			outCols[k], outBits[k] = cols[p.source], bits[p.source]
			continue
		}
		c := cols[p.source]
		outBits[k] = make([]uint64, rows)
		for i, b := range bits[p.source] {
			if v := math.Float64frombits(b); c.Kind == floatKind && v-v != 0 {
				return nil, nil, notFinite(c.Name, i, v)
			}
			if known := len(f.train.Columns[p.source].Values); c.Kind == categoricalKind && b >= uint64(known) {
				return nil, nil, fault.Param("golearn: Filter", fmt.Sprintf("attribute %q, row %d", c.Name, i), c.Values[b], "a category of the training grid, as it is filtered")
			}
			got, err := filterCell(f.filter, f.attrs[p.source], p.attr, c.Kind, b, buf)
			if err != nil {
				return nil, nil, fmt.Errorf("attribute %q, row %d: %w", c.Name, i, err)
			}
			if last := len(outCols[k].Values) - 1; outCols[k].Kind == categoricalKind && got > uint64(last) {
				if training || last < 0 {
					return nil, nil, fault.Param("golearn: Filter", fmt.Sprintf("category of attribute %q, row %d", c.Name, i), got, fmt.Sprintf("at most %d: was the filter trained, and do its categories print alike?", last))
				}
				got = uint64(last)
			}
			outBits[k][i] = got
		}
	}
	return outCols, outBits, nil
}

// digest tells whether a filter that was built again filters as the first did.
func digest(bits [][]uint64) []byte {
	h := sha256.New()
	for _, b := range bits {
		h.Write(pack(b))
	}
	return h.Sum(nil)
}

// filterCell passes one cell through a filter. It is handed over in buf, which has
// room for it, as golearn's grids hand cells over: in a buffer that they reuse.
func filterCell(f base.Filter, old, after base.Attribute, k kind, bits uint64, buf []byte) (uint64, error) {
	raw := buf[:1]
	if k == binaryKind {
		raw[0] = byte(bits)
	} else {
		raw = binary.LittleEndian.AppendUint64(buf[:0], bits)
	}
	got := f.Transform(old, after, raw)
	want := cellSize
	if after.GetType() == base.BinaryType {
		want = 1
	}
	if len(got) != want {
		return 0, fault.Shape(fmt.Sprintf("%T returned", f), len(got), "bytes", "the cell of %q has %d", after.GetName(), want)
	}
	if want == 1 {
		return uint64(got[0]), nil
	}
	return binary.LittleEndian.Uint64(got), nil
}

func (f *fittedFilter) inspect(grid base.FixedDataGrid) (Inspection, error) {
	return inspectAligned(grid, f.train.Columns)
}

func inspectAligned(grid base.FixedDataGrid, train []column) (_ Inspection, err error) {
	cols, bits, rows, err := aligned(grid, train)
	if err != nil {
		return Inspection{}, err
	}
	defer guard("reading the grid", &err)
	_, ignored, err := match(grid, train)
	if err != nil {
		return Inspection{}, err
	}
	out := Inspection{Rows: rows, Ignored: ignored, Unseen: map[string]int{}}
	for j, c := range cols {
		known := uint64(len(train[j].Values))
		for _, b := range bits[j] {
			if c.Kind == categoricalKind && b >= known {
				out.Unseen[c.Name]++
			}
		}
	}
	return out, nil
}
