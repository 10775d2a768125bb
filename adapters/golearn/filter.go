package golearn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	filterName = "golearn: Filter"
	// rebuilds is the number of times that Load calls the function of a Filter step, if all filters that it returns are equal. If
	// they differ, Load calls the function up to mostRebuilds times. golearn's ChiMerge filters differ, because they sum in the
	// order of a map, which decides ties. With 2000 calls, an outcome with a frequency of 1 in 200 is missed once in 20,000 files.
	rebuilds, mostRebuilds = 32, 2000
)

type fittedFilter struct {
	train  *gridtable.Table // the input of build, for Save
	input  *schema
	attrs  []base.Attribute // attributes of the grid that was passed to build
	filter base.Filter
	parts  []filterPart
	output []gridtable.Column
	digest []byte // digest of the filtered training cells
}

// filterPart is one attribute after the filter. If attr is nil, the filter does not change the attribute.
type filterPart struct {
	source int // the training column
	attr   base.Attribute
}

func fitFilter(build func(base.FixedDataGrid) (base.Filter, error), t *gridtable.Table) (fittedStep, *gridtable.Table, error) {
	train, err := t.Copy()
	if err != nil {
		return nil, nil, err
	}
	return buildFilter(build, train)
}

// buildFilter passes build its own copy of the training grid, to which the filter stays bound. It lists the attributes after the
// filter, and filters the training rows.
func buildFilter(build func(base.FixedDataGrid) (base.Filter, error), train *gridtable.Table) (_ *fittedFilter, _ *gridtable.Table,
	err error) {
	defer gridtable.Guard("building the filter", &err)
	grid, err := train.Grid()
	if err != nil {
		return nil, nil, err
	}
	f := &fittedFilter{train: train, input: &schema{Columns: train.Columns(), Missing: Pass},
		attrs: make([]base.Attribute, len(train.Features))}
	names := train.Names()
	for _, a := range grid.AllAttributes() {
		if j := slices.Index(names, a.GetName()); j >= 0 {
			f.attrs[j] = a
		}
	}
	if f.filter, err = build(grid); err != nil {
		return nil, nil, err
	}
	if f.filter == nil {
		return nil, nil, fault.Param(filterName, "filter that build returned", nil, "a filter")
	}
	if err := f.plan(); err != nil {
		return nil, nil, err
	}
	out, err := f.run(train, true)
	if err == nil {
		f.digest, err = digest(out)
	}
	return f, out, err
}

// plan lists the attributes after the filter, in the order of the attributes from which they result.
func (f *fittedFilter) plan() error {
	after := f.filter.GetAttributesAfterFiltering()
	for j, a := range f.attrs {
		before := len(f.parts)
		for _, fa := range after {
			switch {
			case fa.Old == nil || fa.New == nil || !fa.Old.Equals(a):
			case fa.New == fa.Old: // golearn's filters list unchanged attributes as their own results
				f.parts = append(f.parts, filterPart{source: j})
			default:
				f.parts = append(f.parts, filterPart{source: j, attr: fa.New})
			}
		}
		if len(f.parts) == before {
			f.parts = append(f.parts, filterPart{source: j})
		}
	}
	for _, p := range f.parts {
		c := f.input.Columns[p.source]
		if p.attr != nil {
			if c = gridtable.Describe(p.attr).Owned(); c.Kind == 0 {
				return fault.Param(filterName, "attribute after the filter", fmt.Sprintf("%q of type %T", c.Name, p.attr),
					"a float, a categorical or a binary attribute")
			}
		}
		f.output = append(f.output, c)
	}
	if n, ok := celltext.Duplicate(append(gridtable.Names(f.output), f.train.Classes[0].Column.Name)); ok {
		return fault.Param(filterName, "attribute names after the filter", strconv.Quote(n)+" twice", "each once")
	}
	return nil
}

func (f *fittedFilter) reads() *schema { return f.input }

func (f *fittedFilter) apply(t *gridtable.Table) (*gridtable.Table, error) {
	t, err := t.Align(f.input.Columns)
	if err == nil {
		t, err = t.Compute() // compute once, because several attributes may result from one
	}
	if err != nil {
		return nil, err
	}
	return f.run(t, false)
}

// run filters the cells of an aligned table. If training is set, a category index out of range is an error, because the filter may
// not be trained.
func (f *fittedFilter) run(t *gridtable.Table, training bool) (*gridtable.Table, error) {
	out := &gridtable.Table{Rows: t.Rows, Features: make([]gridtable.Cells, len(f.parts))}
	for k, p := range f.parts {
		c := &t.Features[p.source]
		if p.attr == nil {
			out.Features[k] = *c
			continue
		}
		values, err := t.Values(c)
		if err == nil {
			err = f.filterColumn(p, c.Column, f.output[k], values, training)
		}
		if err != nil {
			return nil, err
		}
		out.Features[k] = gridtable.NewCells(f.output[k], values)
	}
	return out, nil
}

// filterColumn filters the cells of a column in place.
func (f *fittedFilter) filterColumn(p filterPart, from, to gridtable.Column, values []float64, training bool) (err error) {
	defer gridtable.Guard(fmt.Sprintf("%T", f.filter), &err)
	known, last := f.input.Columns[p.source].Categories(), to.Categories()-1
	var buf [gridtable.CellSize]byte
	for i, v := range values {
		if from.Kind == gridtable.FloatKind && v-v != 0 {
			return gridtable.NotFinite(from.Name, i, v)
		}
		if from.Kind == gridtable.CategoricalKind && int(v) >= known {
			return fault.Param(filterName, fmt.Sprintf("attribute %q, row %d", from.Name, i), from.Values[int(v)],
				"a category of the training grid, as it is filtered")
		}
		got, err := filterCell(f.filter, f.attrs[p.source], p.attr, from.Kind, to.Kind, v, buf[:])
		if err != nil {
			return fmt.Errorf("attribute %q, row %d: %w", from.Name, i, err)
		}
		if to.Kind == gridtable.CategoricalKind && got > float64(last) {
			if training || last < 0 {
				return fault.Param(filterName, fmt.Sprintf("category of attribute %q, row %d", from.Name, i), got,
					fmt.Sprintf("at most %d: the filter may not be trained, or its categories may print alike", last))
			}
			got = float64(last)
		}
		values[i] = got
	}
	return nil
}

// filterCell filters one cell. It passes the cell to the filter in buf, which must have room for it. golearn's grids also reuse the
// buffer in which they pass cells.
func filterCell(f base.Filter, old, after base.Attribute, from, to gridtable.Kind, v float64, buf []byte) (float64, error) {
	raw := buf[:gridtable.CellSize]
	switch from {
	case gridtable.BinaryKind:
		raw = buf[:1]
		raw[0] = byte(v)
	case gridtable.CategoricalKind:
		binary.LittleEndian.PutUint64(raw, uint64(v))
	default:
		binary.LittleEndian.PutUint64(raw, math.Float64bits(v))
	}
	got := f.Transform(old, after, raw)
	want := gridtable.CellSize
	if to == gridtable.BinaryKind {
		want = 1
	}
	if len(got) != want {
		return 0, fault.Shape(fmt.Sprintf("%T returned", f), len(got), "bytes", "the cell of %q has %d", after.GetName(), want)
	}
	switch to {
	case gridtable.BinaryKind:
		return float64(min(got[0], 1)), nil
	case gridtable.CategoricalKind:
		return float64(binary.LittleEndian.Uint64(got)), nil
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(got)), nil
}

// digest returns a hash of the filtered features. Two filters with the same hash filter the training rows alike.
func digest(t *gridtable.Table) ([]byte, error) {
	h := sha256.New()
	for j := range t.Features {
		values, err := t.Values(&t.Features[j])
		if err != nil {
			return nil, err
		}
		raw := make([]byte, 0, gridtable.CellSize*len(values))
		for _, v := range values {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
		h.Write(raw)
	}
	return h.Sum(nil), nil
}

// filterPayload is the file form of a filter: the training grid for its builder, and the resulting attributes.
type filterPayload struct {
	Train  gridtable.Stored
	Output []gridtable.Column
	Digest []byte // SHA-256 of the filtered training cells
}

func (f *fittedFilter) payload() (stepPayload, error) {
	return stepPayload{Filter: &filterPayload{Train: f.train.Store(), Output: f.output, Digest: f.digest}}, nil
}

func restoreFilter(build func(base.FixedDataGrid) (base.Filter, error), in *filterPayload) (fittedStep, error) {
	train, err := in.Train.Table()
	if err != nil {
		return nil, fault.BadModel(pipelineKind, "the training grid of a filter: %v", err)
	}
	outcomes := map[string]bool{}
	for i := 0; i < rebuilds || i < mostRebuilds && len(outcomes) > 1; i++ {
		f, _, err := buildFilter(build, train)
		if err != nil {
			return nil, err
		}
		if slices.EqualFunc(f.output, in.Output, gridtable.Column.Equal) && bytes.Equal(f.digest, in.Digest) {
			return f, nil
		}
		outcomes[string(f.digest)] = true
	}
	return nil, fault.BadModel(pipelineKind, "the rebuilt filter transforms the training grid differently from the saved one")
}
