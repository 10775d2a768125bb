package peer

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestFolder(t *testing.T) {
	f := Folder(t.TempDir())
	m := mat.NewDense(2, 3, []float64{1, -2, math.Pi, 4e300, 5e-324, 6})
	require.NoError(t, f.Write("m", m))
	got, err := f.Read("m")
	require.NoError(t, err)
	assert.Equal(t, m, got)

	_, err = f.Read("none")
	assert.ErrorIs(t, err, os.ErrNotExist)
	for _, length := range []int{0, 15, 16, 63, 65} {
		data, err := os.ReadFile(filepath.Join(string(f), "m"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(string(f), "bad"), append(data, 0)[:length], 0o600))
		_, err = f.Read("bad")
		assert.ErrorContains(t, err, "want a matrix")
	}
}
