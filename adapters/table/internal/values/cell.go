package values

import (
	"database/sql/driver"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelearn/kernelearn/internal/celltext"
)

// Cell returns the cell of a value in a table. The value is a number, a bool, a time.Time, a time.Duration, a driver.Valuer, a
// pointer to one of these, or nil for a gap. If isText is true, the value is a text, which the caller parses. For any other value,
// ok is false.
func Cell(value any) (text string, cell celltext.Cell, isText, ok bool) {
	gap := celltext.Cell{Kind: celltext.Gap, Value: math.NaN()}
	switch v := value.(type) {
	case nil:
		return "", gap, false, true
	case string:
		return v, cell, true, true
	case []byte:
		if v == nil {
			return "", gap, false, true
		}
		return string(v), cell, true, true
	case time.Time:
		if v.IsZero() {
			return "", gap, false, true
		}
		seconds := float64(v.Unix()) + float64(v.Nanosecond())/1e9
		return v.UTC().Format(time.RFC3339Nano), celltext.Cell{Kind: celltext.Time, Value: seconds}, false, true
	case time.Duration:
		return number(v.Seconds())
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", gap, false, true
		}
		return Cell(v.Elem().Interface())
	}
	if of, isValuer := value.(driver.Valuer); isValuer {
		inner, err := of.Value()
		if _, again := inner.(driver.Valuer); err != nil || again {
			return "", gap, false, false
		}
		return Cell(inner)
	}
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), celltext.Cell{Kind: celltext.Word, Value: math.NaN()}, false, true
	case v.Kind() == reflect.String:
		return v.String(), cell, true, true
	case v.CanInt():
		return integer(strconv.FormatInt(v.Int(), 10), float64(v.Int()))
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		return integer(strconv.FormatUint(v.Uint(), 10), float64(v.Uint()))
	case v.Kind() == reflect.Float32: // converted through its decimal text, so that 0.1 stays 0.1
		text := strconv.FormatFloat(v.Float(), 'g', -1, 32)
		wide, _ := strconv.ParseFloat(text, 64)
		return number(wide)
	case v.CanFloat():
		return number(v.Float())
	}
	return "", gap, false, false
}

// integer returns the cell of an integer with the digits text. The nearest float64 is v.
func integer(text string, v float64) (string, celltext.Cell, bool, bool) {
	return text, celltext.Cell{Kind: celltext.Integer, Value: v, Rounded: strconv.FormatFloat(v, 'f', -1, 64) != text}, false, true
}

func number(v float64) (string, celltext.Cell, bool, bool) {
	switch {
	case math.IsNaN(v):
		return "", celltext.Cell{Kind: celltext.Gap, Value: v}, false, true
	case IsInteger(v):
		return strconv.FormatFloat(v, 'f', -1, 64), celltext.Cell{Kind: celltext.Integer, Value: v}, false, true
	}
	return strconv.FormatFloat(v, 'g', -1, 64), celltext.Cell{Kind: celltext.Number, Value: v}, false, true
}

// Bool returns the cell of a bool in a column with a known kind. Among numbers it is 0 or 1. Among levels it is the level with a
// text for the bool, for example True.
func Bool(is, isNumber bool, levels []string) (text string, cell celltext.Cell) {
	text, cell = strconv.FormatBool(is), celltext.Cell{Kind: celltext.Word, Value: math.NaN()}
	if isNumber {
		if cell = (celltext.Cell{Kind: celltext.Integer}); is {
			cell.Value = 1
		}
	} else if k := slices.IndexFunc(levels, func(l string) bool { return strings.EqualFold(l, text) }); k >= 0 {
		text = levels[k]
	}
	return text, cell
}

// IsInteger reports whether a number is an integer that float64 represents with all its digits.
func IsInteger(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1e15 }

// Text returns the text of a number or a time, and "" for any other cell.
func Text(kind celltext.Kind, v float64) string {
	switch {
	case kind == celltext.Time:
		second := math.Floor(v)
		return time.Unix(int64(second), int64((v-second)*1e9)).UTC().Format(time.RFC3339Nano)
	case kind != celltext.Integer && kind != celltext.Number:
		return ""
	case IsInteger(v):
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
