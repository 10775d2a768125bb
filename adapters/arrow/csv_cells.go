package arrow

import (
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// cellType is a type that the cells of a CSV file may have.
type cellType struct {
	typ arrow.DataType
	add func(to array.Builder, text string) bool // false where the text is none
}

// cellTypes are tried in this order; any cell is a text.
var cellTypes = []cellType{
	{arrow.PrimitiveTypes.Int64, func(to array.Builder, text string) bool {
		v, err := strconv.ParseInt(text, 10, 64)
		if err == nil && to != nil {
			to.(*array.Int64Builder).Append(v)
		}
		return err == nil
	}},
	{arrow.PrimitiveTypes.Float64, func(to array.Builder, text string) bool {
		v, err := strconv.ParseFloat(text, 64)
		if err == nil && to != nil {
			to.(*array.Float64Builder).Append(v)
		}
		return err == nil
	}},
	{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, func(to array.Builder, text string) bool {
		v, ok := parseTime(text)
		if ok && to != nil {
			to.(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixMicro()))
		}
		return ok
	}},
	{arrow.BinaryTypes.String, func(to array.Builder, text string) bool {
		if to != nil {
			to.(*array.StringBuilder).Append(text)
		}
		return true
	}},
}

// fits reports whether a cell is of the type.
func (t cellType) fits(text string) bool { return t.add(nil, text) }

// cellTypeOf returns the one with the type, or, for a column that is all gaps, one that no cell is of.
func cellTypeOf(typ arrow.DataType) cellType {
	for _, t := range cellTypes {
		if t.typ.ID() == typ.ID() {
			return t
		}
	}
	return cellType{typ, func(array.Builder, string) bool { return false }}
}

func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
