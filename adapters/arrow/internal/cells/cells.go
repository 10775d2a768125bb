package cells

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// secondsPerDay is the number of seconds in a day of a date. Up to the magnitude maxExact, float64 represents every integer.
const (
	secondsPerDay = 24 * 60 * 60
	maxExact      = 1 << 53
)

// Numbers returns a function that reads the cells of an array, except for categories. The cells must not be null. The function
// returns false for an integer that float64 may not represent.
func Numbers(a arrow.Array) (func(i int) (float64, bool), error) {
	switch a := a.(type) {
	case *array.Null:
		return func(int) (float64, bool) { return math.NaN(), true }, nil
	case *array.Boolean:
		return func(i int) (float64, bool) {
			if a.Value(i) {
				return 1, true
			}
			return 0, true
		}, nil
	case *array.Int8:
		return small(a.Value), nil
	case *array.Int16:
		return small(a.Value), nil
	case *array.Int32:
		return small(a.Value), nil
	case *array.Int64:
		return func(i int) (float64, bool) { v := a.Value(i); return float64(v), -maxExact <= v && v <= maxExact }, nil
	case *array.Uint8:
		return small(a.Value), nil
	case *array.Uint16:
		return small(a.Value), nil
	case *array.Uint32:
		return small(a.Value), nil
	case *array.Uint64:
		return func(i int) (float64, bool) { v := a.Value(i); return float64(v), v <= maxExact }, nil
	case *array.Float16:
		return func(i int) (float64, bool) { return float64(a.Value(i).Float32()), true }, nil
	case *array.Float32:
		return small(a.Value), nil
	case *array.Float64:
		return small(a.Value), nil
	case array.ExtensionArray:
		return Numbers(a.Storage())
	}
	if f := decimalsOf(a); f != nil {
		return f, nil
	}
	if f := timesOf(a); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("an array of type %s instead of numbers", a.DataType())
}

// small reads numbers of types that float64 represents exactly.
func small[T int8 | int16 | int32 | uint8 | uint16 | uint32 | float32 | float64](value func(int) T) func(int) (float64, bool) {
	return func(i int) (float64, bool) { return float64(value(i)), true }
}

func decimalsOf(a arrow.Array) func(int) (float64, bool) {
	dt, ok := a.DataType().(arrow.DecimalType)
	if !ok {
		return nil
	}
	scale := int(dt.GetScale())
	switch a := a.(type) {
	case *array.Decimal32:
		return func(i int) (float64, bool) { return decimal(big.NewInt(int64(a.Value(i))), scale), true }
	case *array.Decimal64:
		return func(i int) (float64, bool) { return decimal(big.NewInt(int64(a.Value(i))), scale), true }
	case *array.Decimal128:
		return func(i int) (float64, bool) { return decimal(a.Value(i).BigInt(), scale), true }
	case *array.Decimal256:
		return func(i int) (float64, bool) { return decimal(a.Value(i).BigInt(), scale), true }
	}
	return nil
}

// decimal returns the float64 that is nearest to v/10^scale.
func decimal(v *big.Int, scale int) float64 {
	const exactPowers = 22 // float64 represents powers of 10 exactly up to 10²²
	if v.IsInt64() && scale >= 0 && scale <= exactPowers {
		if n := v.Int64(); -maxExact <= n && n <= maxExact {
			return float64(n) / math.Pow10(scale) // a single rounding of exact numbers
		}
	}
	const most = 500 // more than the digits of a decimal and of a float64 together
	if scale > most || v.Sign() == 0 {
		return 0
	}
	if scale < -most {
		return math.Inf(v.Sign())
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
	q := new(big.Rat)
	if scale >= 0 {
		q.SetFrac(v, power)
	} else {
		q.SetInt(power.Mul(power, v))
	}
	f, _ := q.Float64()
	return f
}

func timesOf(a arrow.Array) func(int) (float64, bool) {
	switch a := a.(type) {
	case *array.Date32:
		return func(i int) (float64, bool) { return float64(a.Value(i)) * secondsPerDay, true }
	case *array.Date64:
		return ticks(a.Value, arrow.Millisecond)
	case *array.Timestamp:
		return ticks(a.Value, a.DataType().(*arrow.TimestampType).Unit)
	case *array.Time32:
		return ticks(a.Value, a.DataType().(*arrow.Time32Type).Unit)
	case *array.Time64:
		return ticks(a.Value, a.DataType().(*arrow.Time64Type).Unit)
	case *array.Duration:
		return ticks(a.Value, a.DataType().(*arrow.DurationType).Unit)
	}
	return nil
}

// ticks reads counts of a unit as seconds. It converts full seconds and the remainder separately, which reduces the rounding
// error.
func ticks[T ~int32 | ~int64](value func(int) T, unit arrow.TimeUnit) func(int) (float64, bool) {
	per := int64(1e9 / int64(unit.Multiplier()))
	return func(i int) (float64, bool) {
		v := int64(value(i))
		return float64(v/per) + float64(v%per)/float64(per), true
	}
}

// Texts returns a function that reads the cells of an array of categories. The cells must not be null.
func Texts(a arrow.Array) (func(i int) string, error) {
	switch a := a.(type) {
	case *array.String:
		return a.Value, nil
	case *array.LargeString:
		return a.Value, nil
	case *array.StringView:
		return a.Value, nil
	case *array.Boolean:
		return func(i int) string { return strconv.FormatBool(a.Value(i)) }, nil
	case *array.Int8:
		return integers(a.Value), nil
	case *array.Int16:
		return integers(a.Value), nil
	case *array.Int32:
		return integers(a.Value), nil
	case *array.Int64:
		return integers(a.Value), nil
	case *array.Uint8:
		return integers(a.Value), nil
	case *array.Uint16:
		return integers(a.Value), nil
	case *array.Uint32:
		return integers(a.Value), nil
	case *array.Uint64:
		return func(i int) string { return strconv.FormatUint(a.Value(i), 10) }, nil
	case array.ExtensionArray:
		return Texts(a.Storage())
	}
	return nil, fmt.Errorf("an array of type %s instead of categories", a.DataType())
}

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](value func(int) T) func(int) string {
	return func(i int) string { return strconv.FormatInt(int64(value(i)), 10) }
}

// Countable reports whether the values of a type can be categories.
func Countable(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	case arrow.DICTIONARY:
		return Countable(t.(*arrow.DictionaryType).ValueType)
	case arrow.EXTENSION:
		return Countable(t.(arrow.ExtensionType).StorageType())
	}
	return arrow.IsInteger(t.ID())
}
