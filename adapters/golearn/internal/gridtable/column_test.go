package gridtable

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
)

func TestManyCategoriesAndOddTexts(t *testing.T) {
	values := []string{"", "\xff\xfe", "<a&b>\u2028", "é"}
	for _, list := range [][]string{values, values[2:], nil} {
		a := NewCategorical("c", list)
		assert.Equal(t, len(list), len(a.GetValues()))
		for i, v := range list {
			assert.Equal(t, v, a.GetValues()[i])
		}
		assert.Equal(t, "c", a.GetName())
	}
}

func TestOneHotThatIsTooLarge(t *testing.T) {
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	cols := []Column{{Name: "size", Kind: FloatKind}, {Name: "passenger", Kind: CategoricalKind, Values: ids}}
	err := checkSize(len(ids), cols)
	require.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, `"passenger" has 100000 categories`)
	require.NoError(t, checkSize(1000, cols))
}
