package check

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestDense(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	same, err := Dense("x", x)
	require.NoError(t, err)
	assert.Same(t, x, same)
	turned, err := Dense("x", x.T())
	require.NoError(t, err)
	assert.True(t, mat.Equal(x.T(), turned))

	for name, empty := range map[string]mat.Matrix{
		"nil": nil, "nil dense": (*mat.Dense)(nil), "nil vector": (*mat.VecDense)(nil), "nil symmetric": (*mat.SymDense)(nil),
		"empty": &mat.Dense{}, "transpose of nothing": mat.Transpose{}, "transpose of a nil": mat.Transpose{Matrix: (*mat.Dense)(nil)},
		"nil vector turned": mat.TransposeVec{}, "nil triangle turned": mat.TransposeTri{}, "nil band turned": mat.TransposeBand{},
	} {
		_, err := Dense("x", empty)
		assert.ErrorIs(t, err, fault.ErrShape, name)
	}
}

func TestNotFinite(t *testing.T) {
	for v, text := range map[float64]string{math.Inf(1): "x[1,0] is +Inf", math.Inf(-1): "x[1,0] is -Inf"} {
		for _, gap := range []func(int) bool{nil, Anywhere} {
			_, err := DenseGaps("x", mat.NewDense(2, 1, []float64{0, v}), gap)
			require.ErrorIs(t, err, fault.ErrNotFinite)
			assert.EqualError(t, err, text)
		}
	}
	gaps := mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()})
	_, err := Dense("x", gaps)
	assert.EqualError(t, err, "x[1,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	_, err = DenseGaps("x", gaps, Anywhere)
	assert.NoError(t, err)
	_, err = DenseGaps("x", gaps, func(j int) bool { return j == 1 })
	assert.NoError(t, err)
	_, err = DenseGaps("x", gaps, func(j int) bool { return j == 0 })
	assert.EqualError(t, err, "x[1,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	// Only the cells of the view are checked.
	_, err = Dense("x", gaps.Slice(0, 2, 0, 1))
	assert.NoError(t, err)
	assert.EqualError(t, Vector("y", []float64{1, math.NaN()}), "y[1] is NaN")
}

func TestCounts(t *testing.T) {
	assert.EqualError(t, Columns("x", mat.NewDense(1, 12, nil), 13), "x has 12 columns, fitted on 13")
	assert.NoError(t, Columns("x", mat.NewDense(1, 12, nil), 12))
	assert.EqualError(t, Rows("y", 3, 4), "y has 3 entries, x has 4 rows")
	_, err := Labelled(mat.NewDense(4, 1, nil), 3)
	assert.EqualError(t, err, "y has 3 entries, x has 4 rows")
	_, err = Labelled(nil, 3)
	assert.ErrorIs(t, err, fault.ErrShape)
	d, err := Labelled(mat.NewDense(4, 1, nil), 4)
	assert.NoError(t, err)
	assert.NotNil(t, d)
	assert.EqualError(t, Weights("t", []float64{1, -1}, 2), "t: weights = -1, want > 0")
	assert.ErrorIs(t, Weights("t", []float64{1}, 2), fault.ErrShape)
	assert.ErrorIs(t, Weights("t", []float64{1, math.NaN()}, 2), fault.ErrNotFinite)
	assert.NoError(t, Weights("t", []float64{1, 2}, 2))
}

func TestRowsOfFit(t *testing.T) {
	x := mat.NewDense(2, 3, nil)
	got, err := Labelled(x, 2)
	require.NoError(t, err)
	assert.Same(t, x, got)
	_, err = Labelled(x, 3)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = Labelled(nil, 0)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = Targeted(x, []float64{1, 2})
	require.NoError(t, err)
	_, err = Targeted(x, []float64{1})
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = Targeted(x, []float64{1, math.NaN()})
	assert.EqualError(t, err, "y[1] is NaN")
	_, err = Wide("K", x, 3)
	require.NoError(t, err)
	_, err = Wide("K", x, 2)
	assert.EqualError(t, err, "K has 3 columns, fitted on 2")
}

func TestIsNil(t *testing.T) {
	for _, v := range []any{nil, (*mat.Dense)(nil)} {
		assert.True(t, IsNil(v))
	}
	for _, v := range []any{0, "", &mat.Dense{}, mat.Transpose{}} {
		assert.False(t, IsNil(v))
	}
}

// hollow is a sparse matrix with entries only on the diagonal.
type hollow struct {
	rows, columns int
	read          *int
	off           int
}

func (h hollow) Dims() (int, int) { return h.rows, h.columns }
func (h hollow) T() mat.Matrix    { return mat.Transpose{Matrix: h} }
func (h hollow) At(i, j int) float64 {
	*h.read++
	if i == j {
		return float64(i)
	}
	return 0
}

func (h hollow) DoRowNonZero(i int, f func(i, j int, v float64)) { f(i, i+h.off, float64(i)) }

// Dense reads only the nonzero entries of a sparse matrix. If the dense copy would be too large, the error says so.
func TestSparse(t *testing.T) {
	h := hollow{3, 4, new(int), 0}
	d, err := Dense("x", h)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0}, d.RawMatrix().Data)
	assert.Zero(t, *h.read, "no place is looked at")
	h.off = 3
	_, err = Dense("x", h)
	assert.ErrorIs(t, err, fault.ErrShape)
	assert.ErrorContains(t, err, "x has an entry in column 5")
	for _, size := range [][2]int{{1 << 20, 1 << 20}, {1 << 30, 1 << 30}} {
		h := hollow{size[0], size[1], new(int), 0}
		for _, x := range []mat.Matrix{h, mat.Transpose{Matrix: h}} {
			_, err := Dense("rows", x)
			assert.ErrorIs(t, err, fault.ErrTooLarge)
			assert.ErrorContains(t, err, "rows as a dense matrix of")
			assert.ErrorContains(t, err, "RandomFourier")
		}
	}
}
