package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
)

func TestTexts(t *testing.T) {
	const file = "words,size,y\n\"a, b\",1,2\n,2,3\nThe  End ,3.50,4\n"
	rows, err := ParseCSV("file", strings.NewReader(file), &Options{Target: "y", Kinds: map[string]Kind{"words": Text}})
	require.NoError(t, err)
	require.Equal(t, []string{"size"}, rows.Schema.Names(), "texts are not in X")
	words, err := rows.Texts("words")
	require.NoError(t, err)
	assert.Equal(t, []string{"a, b", "", "The  End"}, words)
	sizes, err := rows.Texts("size")
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "3.50"}, sizes)
	part, err := rows.Subset([]int{2, 0})
	require.NoError(t, err)
	words, err = part.Texts("words")
	require.NoError(t, err)
	assert.Equal(t, []string{"The  End", "a, b"}, words)
	_, err = rows.Texts("word")
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "table: Texts")
}
