package kernelbeam

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/badtext"
)

// Names that are not UTF-8 would reach workers as others: they are refused before a pass begins.
func TestTextsAreUTF8(t *testing.T) {
	x, y := linear(100, 2, 41)
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, csvText(x, y, 0, 100))
	d := Data{Features: []string{"x0", "x1"}, Target: "y", Weight: "w", ID: "i", Ignore: []string{"o"}, Classes: []string{"a", "b"}, CSV: CSV{Columns: []string{"x0"}, Missing: []string{"NA"}}}
	n := badtext.ForEachField(&d, func(field string) {
		given := d
		given.Files = []string{path}
		_, _, err := classes.Fit(context.Background(), &given, &Options{NoEngine: true})
		require.ErrorIs(t, err, estimators.ErrParam, field)
		assert.ErrorContains(t, err, `"j\xe4", want UTF-8`, field)
	})
	assert.Equal(t, 10, n)
	bad := Register(badtext.Text, func() *ridge.Regressor { return &ridge.Regressor{} })
	_, _, err := bad.Fit(context.Background(), &Data{Files: []string{path}, Target: "y"}, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
}
