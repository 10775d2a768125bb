package dataset

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestRead(t *testing.T) {
	s, err := Read(strings.NewReader("a,b,y\n1,u,2\n,v,3\n5,,4\n7,u,\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b=u", "b=v"}, s.Columns)
	assert.Equal(t, []float64{2, 3, 4}, s.Y, "the row without a target is left out")
	assert.Equal(t, []float64{1, 1, 0}, mat.Row(nil, 0, s.X))
	assert.True(t, math.IsNaN(s.X.At(1, 0)))
	assert.Equal(t, []float64{5, 0, 0}, mat.Row(nil, 2, s.X))

	train, _, _ := s.Rows([]int{0, 2})
	test, y, _ := s.Rows([]int{1})
	_, test, err = Impute(train, test)
	require.NoError(t, err)
	assert.Equal(t, []float64{3, 0, 1}, mat.Row(nil, 0, test), "the median of 1 and 5")
	assert.Equal(t, []float64{3}, y)

	s, err = Read(strings.NewReader("a,y\n1,no\n2,yes\n3,no\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"no", "yes"}, s.Classes)
	assert.Equal(t, []int{0, 1, 0}, s.Labels)
	for _, bad := range []string{"", "a,y\n", "y\n1\n", "a,y\n1,\n", "a,y\n1\n"} {
		_, err := Read(strings.NewReader(bad))
		assert.Error(t, err, "%q", bad)
	}
}

func TestShipped(t *testing.T) {
	for name, dims := range map[string][2]int{"breast-cancer-wdbc": {569, 30}, "diabetes-progression": {442, 10}, "mauna-loa-co2-monthly": {521, 1}} {
		s, err := Open("", name)
		require.NoError(t, err)
		n, d := s.X.Dims()
		assert.Equal(t, dims, [2]int{n, d}, name)
	}
	_, err := Open("", "nowhere")
	assert.ErrorContains(t, err, "nowhere.csv")
}
