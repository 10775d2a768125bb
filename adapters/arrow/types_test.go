package arrow

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
)

var nan = math.NaN()

// typed holds a column of each supported type with three rows. The second row is null.
var typed = []struct {
	typ    arrow.DataType
	first  string // in JSON
	third  string
	kind   table.Kind
	values [2]float64
}{
	{arrow.FixedWidthTypes.Boolean, "true", "false", table.Category, [2]float64{1, 0}},
	{arrow.PrimitiveTypes.Int8, "-128", "127", table.Number, [2]float64{-128, 127}},
	{arrow.PrimitiveTypes.Int16, "-32768", "32767", table.Number, [2]float64{-32768, 32767}},
	{arrow.PrimitiveTypes.Int32, "-2147483648", "7", table.Number, [2]float64{-2147483648, 7}},
	{arrow.PrimitiveTypes.Int64, "-9007199254740992", "9007199254740992", table.Number, [2]float64{-9007199254740992, 9007199254740992}},
	{arrow.PrimitiveTypes.Uint8, "255", "0", table.Number, [2]float64{255, 0}},
	{arrow.PrimitiveTypes.Uint16, "65535", "0", table.Number, [2]float64{65535, 0}},
	{arrow.PrimitiveTypes.Uint32, "4294967295", "0", table.Number, [2]float64{4294967295, 0}},
	{arrow.PrimitiveTypes.Uint64, "9007199254740992", "1", table.Number, [2]float64{9007199254740992, 1}},
	{arrow.FixedWidthTypes.Float16, "0.5", "-2", table.Number, [2]float64{.5, -2}},
	{arrow.PrimitiveTypes.Float32, "0.1", "-1e30", table.Number, [2]float64{float64(float32(.1)), float64(float32(-1e30))}},
	{arrow.PrimitiveTypes.Float64, "0.1", "5e-324", table.Number, [2]float64{.1, 5e-324}},
	{&arrow.Decimal128Type{Precision: 20, Scale: 2}, `"1234567.89"`, `"-0.01"`, table.Number, [2]float64{1234567.89, -.01}},
	{&arrow.Decimal256Type{Precision: 50, Scale: 3}, `"123456789012345678901234567890.125"`, `"0.1"`, table.Number, [2]float64{123456789012345678901234567890.125, .1}},
	{arrow.FixedWidthTypes.Date32, `"1970-01-02"`, `"1969-12-31"`, table.Time, [2]float64{86400, -86400}},
	{arrow.FixedWidthTypes.Date64, `"1970-01-02"`, `"1969-12-31"`, table.Time, [2]float64{86400, -86400}},
	{&arrow.TimestampType{Unit: arrow.Second}, `"1970-01-01 00:01:00"`, `"1969-12-31 23:59:59"`, table.Time, [2]float64{60, -1}},
	{&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, `"1970-01-01 00:00:00.250Z"`, `"1969-12-31 23:59:59.750Z"`, table.Time, [2]float64{.25, -.25}},
	{&arrow.TimestampType{Unit: arrow.Microsecond}, `"1970-01-01 00:00:00.000001"`, `"2001-09-09 01:46:40.500"`, table.Time, [2]float64{1e-6, 1000000000.5}},
	{&arrow.TimestampType{Unit: arrow.Nanosecond}, `"1970-01-01 00:00:00.000000001"`, `"2001-09-09 01:46:40"`, table.Time, [2]float64{1e-9, 1e9}},
	{arrow.FixedWidthTypes.Time32ms, `"00:00:01.500"`, `"01:00:00"`, table.Duration, [2]float64{1.5, 3600}},
	{arrow.FixedWidthTypes.Time64us, `"00:00:00.000001"`, `"01:00:00"`, table.Duration, [2]float64{1e-6, 3600}},
	{text, `"b"`, `"a"`, table.Category, [2]float64{1, 0}},
	{arrow.BinaryTypes.LargeString, `"b"`, `"a"`, table.Category, [2]float64{1, 0}},
	{dict, `"b"`, `"a"`, table.Category, [2]float64{1, 0}},
}

// Each type results in the same kind and values from every format. All memory is released, and no reference to a batch is kept.
func TestTypes(t *testing.T) {
	for _, c := range typed {
		t.Run(c.typ.String(), func(t *testing.T) {
			batch := batchOf(t, fmt.Sprintf(`[{"v": %s}, {"v": null}, {"v": %s}]`, c.first, c.third), field("v", c.typ))
			for format, shard := range everyFormat(t, batch) {
				s, err := learnt(t, nil, shard)
				require.NoError(t, err, format)
				require.Equal(t, c.kind, s.Columns[0].Kind, format)
				require.Equal(t, 1, s.Columns[0].Gaps, format)
				got, err := rowsOf(t, s, shard)
				require.NoError(t, err, format)
				same(t, mat.NewDense(3, 1, []float64{c.values[0], nan, c.values[1]}), got, format)
			}
		})
	}
}

// Types that only Arrow files can hold are read too.
func TestTypesOfArrowAlone(t *testing.T) {
	batch := batchOf(t, `[{"d": "1500ms", "v": "b", "n": null, "i": 7, "s": "2.5"}, {"d": null, "v": "a", "n": null, "i": 5, "s": "-1.5"}]`,
		field("d", arrow.FixedWidthTypes.Duration_ms), field("v", arrow.BinaryTypes.StringView), field("n", arrow.Null),
		field("i", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: ints}), field("s", &arrow.Decimal64Type{Precision: 9, Scale: 1}))
	for _, shard := range []Shard{given("a", batch), inMemory("a.arrow", ipcBytes(t, false, batch))} {
		s, err := learnt(t, nil, shard)
		require.NoError(t, err)
		assert.Equal(t, []table.Column{{Name: "d", Kind: table.Duration}, category("v", "a", "b"), {Name: "n", Kind: table.Number, Role: table.LeftOut},
			category("i", "5", "7"), number("s")}, kinds(s))
		assert.Equal(t, "no row has a value", s.Columns[2].Note)
		got, err := rowsOf(t, s, shard)
		require.NoError(t, err)
		same(t, mat.NewDense(2, 4, []float64{1.5, 1, 1, 2.5, nan, 0, 0, -1.5}), got)
	}
}

func TestTypesThatDoNotFit(t *testing.T) {
	for typ, json := range map[arrow.DataType]string{
		arrow.BinaryTypes.Binary:                            `"AAA="`,
		arrow.ListOf(floats):                                `[1, 2]`,
		arrow.StructOf(field("a", floats)):                  `{"a": 1}`,
		&arrow.FixedSizeBinaryType{ByteWidth: 2}:            `"AAA="`,
		arrow.MapOf(text, floats):                           `[{"key": "a", "value": 1}]`,
		arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8): `[1, 2]`,
	} {
		batch := batchOf(t, fmt.Sprintf(`[{"x": 1, "bad": %s}]`, json), field("x", floats), field("bad", typ))
		for format, shard := range everyFormat(t, batch) {
			s, err := learnt(t, nil, shard)
			require.NoError(t, err, format)
			assert.Equal(t, table.LeftOut, s.Columns[1].Role)
			assert.Contains(t, s.Columns[1].Note, typ.Name())
			got, err := rowsOf(t, s, shard)
			require.NoError(t, err, format)
			same(t, mat.NewDense(1, 1, []float64{1}), got)
			_, err = learnt(t, &table.Options{Target: "bad"}, shard)
			says(t, err, estimators.ErrParam, shard.Name, `column "bad"`, typ.Name())
			_, err = rowsOf(t, schemaOf(number("bad")), shard)
			says(t, err, estimators.ErrParam, shard.Name, `column "bad"`, typ.Name())
		}
	}
}

func TestIntegersThatFloat64DoesNotHold(t *testing.T) {
	for typ, v := range map[arrow.DataType]string{ints: "-9007199254740993", arrow.PrimitiveTypes.Uint64: "18446744073709551615"} {
		batch := batchOf(t, fmt.Sprintf(`[{"id": 1}, {"id": 2}, {"id": 3}, {"id": %s}]`, v), field("id", typ))
		for _, shard := range everyFormat(t, batch) {
			_, err := rowsOf(t, schemaOf(number("id")), shard)
			says(t, err, estimators.ErrParam, shard.Name+":4", `column "id"`, v, "Format.RoundIntegers")
			rounded := schemaOf(number("id"))
			rounded.Format.RoundIntegers = true
			got, err := rowsOf(t, rounded, shard)
			require.NoError(t, err)
			want, _ := new(big.Float).SetString(v)
			nearest, _ := want.Float64()
			assert.Equal(t, nearest, got.At(3, 0))
		}
	}
}
