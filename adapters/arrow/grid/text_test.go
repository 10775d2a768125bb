package grid_test

import (
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/arrow/grid"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/badtext"
)

// If a grid contains a text that is not UTF-8, Write creates no file, because other programs could not read it.
func TestTextsAreUTF8(t *testing.T) {
	s := struct{ Number, Words, Category string }{"size", "colour", "röt"}
	write := func() error {
		g := base.NewDenseInstances()
		g.AddAttribute(base.NewFloatAttribute(s.Number))
		words := base.NewCategoricalAttribute()
		words.SetName(s.Words)
		spec := g.AddAttribute(words)
		require.NoError(t, g.Extend(1))
		g.Set(spec, 0, words.GetSysValFromString(s.Category))
		return grid.Write(g, filepath.Join(t.TempDir(), "a.parquet"))
	}
	require.NoError(t, write())
	n := badtext.ForEachField(&s, func(field string) {
		err := write()
		require.ErrorIs(t, err, estimators.ErrParam, field)
		assert.ErrorContains(t, err, `"j\xe4", want UTF-8`)
	})
	assert.Equal(t, 3, n)
}
