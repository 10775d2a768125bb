package picture

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Three panels in two columns leave one empty, at the resolution asked for.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	panels := []*plot.Plot{New("a", "x", "y"), New("b", "x", "y"), New("c", "x", "y")}
	for dpi, width := range map[int]int{0: 192, 120: 240} {
		require.NoError(t, Write(path, panels, 2, 2*vg.Inch, 2*vg.Inch, dpi))
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		img, err := png.Decode(f)
		require.NoError(t, err)
		assert.Equal(t, width, img.Bounds().Dx())
		ink := func(x0, y0 int) (n int) {
			for x := x0; x < x0+width/2; x++ {
				for y := y0; y < y0+width/2; y++ {
					if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0xffff {
						n++
					}
				}
			}
			return n
		}
		assert.Positive(t, ink(0, 0))
		assert.Positive(t, ink(width/2, 0))
		assert.Positive(t, ink(0, width/2))
		assert.Zero(t, ink(width/2, width/2), "where there is no panel")
	}
	assert.ErrorIs(t, Write(filepath.Join(t.TempDir(), "no", "a.png"), panels, 1, vg.Inch, vg.Inch, 0), os.ErrNotExist)
}
