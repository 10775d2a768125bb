package grid

import (
	"fmt"
	"io"
	"math"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/check"
)

// missingCategory is golearn's text for a gap in a categorical attribute.
const missingCategory = "?"

// Batch returns a record batch of a grid. The caller releases it. Float attributes are columns of float64, with nulls for NaN.
// Categorical attributes are dictionaries of texts, with nulls for "?", and binary attributes are booleans. The columns are in the
// grid's order. It returns estimators.ErrParam for a nil grid, an attribute of another type, or text that is not UTF-8.
func Batch(g base.FixedDataGrid) (batch apache.RecordBatch, err error) {
	if g == nil {
		return nil, &estimators.ParamError{Type: "grid: Batch", Field: "grid", Value: nil, Want: "a grid"}
	}
	defer guard("reading the grid", &err)
	_, rows := g.Size()
	var fields []apache.Field
	var arrays []apache.Array
	defer func() {
		for _, a := range arrays {
			a.Release()
		}
	}()
	for _, attr := range g.AllAttributes() {
		spec, err := g.GetAttribute(attr)
		if err != nil {
			return nil, err
		}
		a, err := columnOf(g, attr, spec, rows)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
		if err := check.Text("grid: Batch", "attribute name", attr.GetName()); err != nil {
			return nil, err
		}
		fields = append(fields, apache.Field{Name: attr.GetName(), Type: a.DataType(), Nullable: true})
	}
	return array.NewRecordBatch(apache.NewSchema(fields, nil), arrays, int64(rows)), nil
}

func columnOf(g base.FixedDataGrid, attr base.Attribute, spec base.AttributeSpec, rows int) (apache.Array, error) {
	switch attr := attr.(type) {
	case *base.FloatAttribute:
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		defer b.Release()
		for i := range rows {
			if v := base.UnpackBytesToFloat(g.Get(spec, i)); math.IsNaN(v) {
				b.AppendNull()
			} else {
				b.Append(v)
			}
		}
		return b.NewArray(), nil
	case *base.CategoricalAttribute:
		return categories(g, attr, spec, rows)
	case *base.BinaryAttribute:
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		defer b.Release()
		for i := range rows {
			b.Append(g.Get(spec, i)[0] != 0)
		}
		return b.NewArray(), nil
	}
	return nil, &estimators.ParamError{Type: "grid: Batch", Field: "attribute", Value: fmt.Sprintf("%q of type %T", attr.GetName(), attr),
		Want: "a float, a categorical or a binary one"}
}

func categories(g base.FixedDataGrid, attr *base.CategoricalAttribute, spec base.AttributeSpec, rows int) (apache.Array, error) {
	all := attr.GetValues()
	if err := check.Text("grid: Batch", fmt.Sprintf("category of attribute %q", attr.GetName()), all...); err != nil {
		return nil, err
	}
	values := array.NewStringBuilder(memory.DefaultAllocator)
	defer values.Release()
	codes := make([]int32, len(all)) // indexed by golearn's codes
	for k, v := range all {
		if codes[k] = int32(values.Len()); v != missingCategory {
			values.Append(v)
		}
	}
	indices := array.NewInt32Builder(memory.DefaultAllocator)
	defer indices.Release()
	for i := range rows {
		k := base.UnpackBytesToU64(g.Get(spec, i))
		switch {
		case k >= uint64(len(all)):
			return nil, &estimators.ParamError{Type: "grid: Batch", Field: fmt.Sprintf("attribute %q, row %d", attr.GetName(), i), Value: k,
				Want: fmt.Sprintf("one of its %d categories", len(all))}
		case all[k] == missingCategory:
			indices.AppendNull()
		default:
			indices.Append(codes[k])
		}
	}
	at, of := indices.NewArray(), values.NewArray()
	defer at.Release()
	defer of.Release()
	return array.NewDictionaryArray(&apache.DictionaryType{IndexType: at.DataType(), ValueType: of.DataType()}, at, of), nil
}

// Write writes a grid to a Parquet file, in the form of [Batch]. It writes the complete file or nothing: after an error the
// previous file at path is unchanged.
func Write(g base.FixedDataGrid, path string) error {
	batch, err := Batch(g)
	if err != nil {
		return err
	}
	defer batch.Release()
	return atomicfile.Write(path, func(to io.Writer) error {
		// The wrapper hides Close, since the writer would close the file.
		w, err := pqarrow.NewFileWriter(batch.Schema(), struct{ io.Writer }{to}, parquet.NewWriterProperties(),
			pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
		if err != nil {
			return fmt.Errorf("grid: %s: %w", path, err)
		}
		if err := w.WriteBuffered(batch); err != nil {
			return fmt.Errorf("grid: %s: %w", path, err)
		}
		return w.Close()
	})
}

// guard turns golearn's panics into errors.
func guard(doing string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("grid: %s: golearn panicked: %v", doing, v)
	}
}
