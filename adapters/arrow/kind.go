package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Kind is what a column is to an estimator.
type Kind int

// The kinds.
const (
	Number   Kind = iota + 1
	Time          // seconds since 1970, UTC
	Duration      // seconds
	Category      // codes from 0
)

var kindNames = map[Kind]string{Number: "number", Time: "time", Duration: "duration", Category: "category"}

// String returns the kind's name.
func (k Kind) String() string {
	if n, ok := kindNames[k]; ok {
		return n
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// MarshalText implements [encoding.TextMarshaler]. Errors: ErrParam for none of the kinds.
func (k Kind) MarshalText() ([]byte, error) {
	if n, ok := kindNames[k]; ok {
		return []byte(n), nil
	}
	return nil, fault.Param("arrow: Schema", "Kind", int(k), "Number, Time, Duration or Category")
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Errors: ErrParam for the name of none of the kinds.
func (k *Kind) UnmarshalText(text []byte) error {
	for of, n := range kindNames {
		if n == string(text) {
			*k = of
			return nil
		}
	}
	return fault.Param("arrow: Schema", "Kind", fmt.Sprintf("%q", text), "number, time, duration or category")
}

// anyKind is that of a column of the type null, which has gaps only.
const anyKind Kind = 0

// kindOf returns the kind of a type; false for one that does not fit.
func kindOf(t arrow.DataType) (Kind, bool) {
	switch t.ID() {
	case arrow.NULL:
		return anyKind, true
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		return Number, true
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return Time, true
	case arrow.TIME32, arrow.TIME64, arrow.DURATION:
		return Duration, true
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return Category, true
	case arrow.DICTIONARY:
		values := t.(*arrow.DictionaryType).ValueType
		return Category, values.ID() != arrow.DICTIONARY && cells.Countable(values)
	case arrow.EXTENSION:
		return kindOf(t.(arrow.ExtensionType).StorageType())
	}
	return 0, false
}
