package picture

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// Three panels in two columns leave one empty. All pictures have the same width, and a legend adds to the height.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	panels := []*plot.Plot{plotstyle.New("a", "x", "y"), plotstyle.New("b", "x", "y"), plotstyle.New("c", "x", "y")}
	var legend plotstyle.Legend
	legend.Add("a line", &plotter.Line{LineStyle: plotstyle.Line(0)})
	for _, of := range []*plotstyle.Legend{nil, &legend} {
		require.NoError(t, Write(path, of, panels, 2, 2*vg.Inch))
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		img, err := png.Decode(f)
		require.NoError(t, err)
		assert.Equal(t, 1200, img.Bounds().Dx())
		high := img.Bounds().Dy()
		if of == nil {
			assert.Equal(t, 600, high)
		} else {
			assert.Greater(t, high, 620)
		}
		ink := func(x0, y0 int) (n int) {
			for x := x0; x < x0+600; x++ {
				for y := y0; y < y0+300; y++ {
					if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0xffff {
						n++
					}
				}
			}
			return n
		}
		assert.Positive(t, ink(0, high-600))
		assert.Positive(t, ink(600, high-600))
		assert.Positive(t, ink(0, high-300))
		assert.Zero(t, ink(600, high-300), "where there is no panel")
	}
	assert.ErrorIs(t, Write(filepath.Join(t.TempDir(), "no", "a.png"), nil, panels, 1, vg.Inch), os.ErrNotExist)
}

func TestInner(t *testing.T) {
	var panels []*plot.Plot
	for range 5 {
		panels = append(panels, plotstyle.New("", "x", "y"))
	}
	Inner(panels, 3)
	var x, y []string
	for _, p := range panels {
		x, y = append(x, p.X.Label.Text), append(y, p.Y.Label.Text)
	}
	assert.Equal(t, []string{"", "", "x", "x", "x"}, x)
	assert.Equal(t, []string{"y", "", "", "y", ""}, y)
}
