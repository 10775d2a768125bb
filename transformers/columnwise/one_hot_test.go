package columnwise

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// goods has the columns colour, size and weight.
var goods = golden.Dense([][]float64{{2, 10, 0.5}, {0, 20, 0.25}, {1, 10, 4}, {2, 10, 3}})

func TestOneHotDefinition(t *testing.T) {
	o := &OneHot{Columns: []int{0, 1}}
	z := maptest.FitTransform(t, o, goods)
	assert.Equal(t, golden.Dense([][]float64{{0, 0, 1, 1, 0, 0.5}, {1, 0, 0, 0, 1, 0.25}, {0, 1, 0, 1, 0, 4}, {0, 0, 1, 1, 0, 3}}), z)
	assert.Equal(t, []Encoded{{0, 0, false}, {0, 1, false}, {0, 2, false}, {1, 10, false}, {1, 20, false}, {2, 0, true}}, o.Encoding())

	z, err := o.Transform(mat.NewDense(1, 3, []float64{7, 20, 1}))
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0, 0, 0, 1, 1}, z.RawMatrix().Data, "a level that Fit did not see")

	z = maptest.FitTransform(t, &OneHot{Columns: []int{0, 1}, Drop: DropBinary}, goods)
	assert.Equal(t, []float64{1, 0, 0, 1, 0.25}, z.RawRowView(1), "of two levels one column")
	z = maptest.FitTransform(t, &OneHot{Columns: []int{0, 1}, Drop: DropFirst}, goods)
	assert.Equal(t, []float64{0, 0, 1, 0.25}, z.RawRowView(1))
	z = maptest.FitTransform(t, &OneHot{}, goods)
	assert.Equal(t, []float64{1, 0, 0, 0, 1, 1, 0, 0, 0}, z.RawRowView(1), "every column")
	z = maptest.FitTransform(t, &OneHot{Columns: []int{}}, goods)
	assert.True(t, mat.Equal(goods, z), "no column")
	z = maptest.FitTransform(t, &OneHot{Columns: []int{1}}, goods)
	assert.Equal(t, []float64{0, 0, 1, 0.25}, z.RawRowView(1), "a column in the middle")
}

func TestOneHotOfGaps(t *testing.T) {
	x := golden.Dense([][]float64{{2, 1}, {nan, 1}, {3, 1}})
	o := &OneHot{Columns: []int{0}, Gaps: true}
	assert.Equal(t, golden.Dense([][]float64{{1, 0, 0, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}}), maptest.FitTransform(t, o, x))
	assert.True(t, math.IsNaN(o.Encoding()[2].Level))
	assert.ErrorContains(t, (&OneHot{Columns: []int{1}, Gaps: true}).Fit(context.Background(), x), "x[1,0] is NaN")
	assert.ErrorContains(t, (&OneHot{}).Fit(context.Background(), x), "x[1,0] is NaN")

	// A gap that occurs only in new rows is an unknown level. The model can be stored and read.
	require.NoError(t, o.Fit(context.Background(), golden.Dense([][]float64{{2, 1}, {3, 1}})))
	data, err := o.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, o.UnmarshalBinary(data))
	z, err := o.Transform(x)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0, 1}, z.RawRowView(1))
	_, err = o.Transform(golden.Dense([][]float64{{2, nan}}))
	assert.ErrorContains(t, err, "x[0,1] is NaN")
}

func TestOneHotErrors(t *testing.T) {
	for want, o := range map[string]*OneHot{
		"columnwise: OneHot: Drop = 3, want DropNone, DropBinary or DropFirst":                                                         {Drop: 3},
		"columnwise: OneHot: MaxLevels = -1, want >= 1, or 0 for 1000":                                                                 {MaxLevels: -1},
		"columnwise: OneHot: Columns = [1 3], want ascending and in [0, 3), the columns of x":                                          {Columns: []int{1, 3}},
		"columnwise: OneHot: Columns = [1 1], want ascending and in [0, 3), the columns of x":                                          {Columns: []int{1, 1}},
		"columnwise: OneHot: column 2 has 4 levels, limit 3: leave it out of Columns if it is a number, or raise MaxLevels: too large": {MaxLevels: 3},
	} {
		assert.EqualError(t, o.Fit(context.Background(), goods), want)
	}
	assert.Equal(t, 1000, defaultMaxLevels)
	big := mat.NewDense(defaultMaxLevels+1, 1, nil)
	for i := range defaultMaxLevels + 1 {
		big.Set(i, 0, float64(i))
	}
	assert.ErrorIs(t, (&OneHot{}).Fit(context.Background(), big), fault.ErrTooLarge)
	assert.ErrorIs(t, (&OneHot{Drop: DropFirst}).Fit(context.Background(), mat.NewDense(2, 1, nil)), fault.ErrShape, "nothing would be left")
	assert.Nil(t, (&OneHot{}).Encoding())
}

// The width that a file may state is limited, because columns without data take no space in the file.
func TestWidthOfAOneHotFile(t *testing.T) {
	data, err := codec.Marshal("transformers.OneHot", rowmap.Version, oneHotModel{Width: math.MaxInt32, Columns: []int{0}, Values: []codec.Floats{{1, 2}}})
	require.NoError(t, err)
	assert.ErrorIs(t, new(OneHot).UnmarshalBinary(data), fault.ErrBadModel)
	assert.ErrorIs(t, new(OneHot).Fit(context.Background(), mat.NewDense(1, mostColumns+1, nil)), fault.ErrTooLarge)
}
