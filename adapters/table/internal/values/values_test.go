package values

import (
	"database/sql"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestCell(t *testing.T) {
	for value, want := range map[any]celltext.Cell{
		7:                                    {Kind: celltext.Integer, Value: 7},
		uint8(7):                             {Kind: celltext.Integer, Value: 7},
		2.5:                                  {Kind: celltext.Number, Value: 2.5},
		float32(.1):                          {Kind: celltext.Number, Value: .1},
		time.Unix(60, 0):                     {Kind: celltext.Time, Value: 60},
		1500 * time.Millisecond:              {Kind: celltext.Number, Value: 1.5},
		sql.NullInt64{Int64: 3, Valid: true}: {Kind: celltext.Integer, Value: 3},
	} {
		_, cell, isText, ok := Cell(value)
		assert.True(t, ok && !isText, value)
		assert.Equal(t, want, cell, value)
	}
	for _, gap := range []any{nil, math.NaN(), (*int)(nil), time.Time{}, sql.NullString{}} {
		_, cell, _, ok := Cell(gap)
		assert.True(t, ok)
		assert.Equal(t, celltext.Gap, cell.Kind, gap)
	}
	_, cell, _, _ := Cell(int64(9007199254740993))
	assert.True(t, cell.Rounded)
	_, _, _, ok := Cell([]int{1})
	assert.False(t, ok)
}

func TestRow(t *testing.T) {
	type flat struct {
		Area  float64 `table:"area"`
		Notes string  `table:"-"`
	}
	names := []string{"area", "rent"}
	for _, row := range []any{map[string]any{"area": 2.5}, flat{Area: 2.5}, &flat{Area: 2.5}} {
		got, err := Row("row", row, ',', names, 1)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"area": 2.5}, got)
	}
	for line, want := range map[string]map[string]any{"2.5": {"area": "2.5"}, "2.5,9": {"area": "2.5", "rent": "9"}} {
		got, err := Row("row", line, ',', names, 1)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := Row("row", "1,2,3", ',', names, 1)
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = Row("row", 7, ',', names, 1)
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = FieldsOf("row", reflect.TypeFor[struct{ C chan int }]())
	assert.ErrorIs(t, err, fault.ErrParam)
}
