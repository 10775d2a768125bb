package fault

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNameColumns(t *testing.T) {
	names := []string{"age", "height"}
	gap := fmt.Errorf("step 0: %w", &NotFiniteError{Name: "x", Row: 7, Col: 1, Value: math.NaN()})
	got := NameColumns(gap, names)
	assert.EqualError(t, got, `column "height", row 7: step 0: x[7,1] is NaN (counted from 0): fill gaps with columnwise.Imputer`)
	assert.ErrorIs(t, got, ErrNotFinite)
	assert.Same(t, got, NameColumns(got, []string{"others", "here"}), "the innermost names count")
	column, before := NamedColumn(got)
	assert.Equal(t, "height", column)
	assert.Same(t, gap, before)
	wrapped := fmt.Errorf("again: %w", got)
	column, before = NamedColumn(wrapped)
	assert.Equal(t, "height", column)
	assert.Same(t, wrapped, before)
	column, before = NamedColumn(gap)
	assert.Empty(t, column)
	assert.Same(t, gap, before)
	got = NameColumns(Columns("x", 3, 2), names)
	assert.EqualError(t, got, "x has 3 columns, fitted on 2: age, height")
	assert.ErrorIs(t, got, ErrShape)
	for _, err := range []error{
		&NotFiniteError{Name: "y", Row: 1, Col: 1}, &NotFiniteError{Name: "x", Row: 1, Col: 2}, &NotFiniteError{Name: "x", Row: 1, Col: -1},
		Columns("x", 2, 3), errors.New("other"), Param("t", "f", 1, "2"),
	} {
		assert.Same(t, err, NameColumns(err, names))
	}
	assert.Same(t, gap, NameColumns(gap, nil))
	assert.NoError(t, NameColumns(nil, names))
}
