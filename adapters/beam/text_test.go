package kernelbeam

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/badtext"
)

// Names that are not UTF-8 would be changed when they are sent to the workers, so they are rejected before a pass begins.
func TestTextsAreUTF8(t *testing.T) {
	x, y := linear(100, 2, 41)
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, csvText(x, y, 0, 100))
	d := Data{Options: table.Options{Target: "y", Weight: "w", Drop: []string{"o"}, Format: table.Format{Missing: []string{"NA"}}}, ID: "i"}
	n := badtext.ForEachField(&d, func(field string) {
		given := d
		given.Files = []string{path}
		_, _, err := classes.Fit(context.Background(), &given, &Options{NoEngine: true})
		require.ErrorIs(t, err, estimators.ErrParam, field)
	})
	assert.Equal(t, 6, n)
	bad := Register(badtext.Text, func() *ridge.Regressor { return &ridge.Regressor{} })
	_, _, err := bad.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
}
