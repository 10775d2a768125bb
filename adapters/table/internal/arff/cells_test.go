package arff

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCells(t *testing.T) {
	cells, rest, err := Cells(` a b ,'c, d',"it's" , 'it\'s\n'`, -1)
	require.NoError(t, err)
	assert.Equal(t, []Cell{{"a b", false}, {"c, d", true}, {"it's", true}, {"it's\n", true}}, cells)
	assert.Empty(t, rest)
	cells, rest, err = Cells("name{x,y}", 1)
	require.NoError(t, err)
	assert.Equal(t, []Cell{{"name", false}}, cells)
	assert.Equal(t, "{x,y}", rest)
	for _, line := range []string{"", "a,", ",a", "'a", "'a'b", `"a\`} {
		_, _, err := Cells(line, -1)
		require.Error(t, err, line)
	}
}

func TestSparse(t *testing.T) {
	row := []Cell{{"0", false}, {"x", true}, {"0", false}}
	require.NoError(t, Sparse("{ 0 5,2\t'y z' }", row))
	assert.Equal(t, []Cell{{"5", false}, {"x", true}, {"y z", true}}, row)
	for _, line := range []string{"0 5", "{0 5", "{0}", "{3 1}", "{1 1,0 1}", "{-1 1}", "{0 'a}"} {
		require.Error(t, Sparse(line, row), line)
	}
}
