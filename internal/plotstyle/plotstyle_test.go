package plotstyle

import (
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Colours of curves are distinct for normal eyes and for those without red or green cones, according to the matrices of G. M.
// Machado and others (2009) for linear light.
func TestColoursAreApart(t *testing.T) {
	for eyes, m := range map[string][9]float64{
		"normal":       {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	} {
		seen := func(c color.NRGBA) (out [3]float64) {
			light := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
			for i := range out {
				for j, v := range light {
					out[i] += m[3*i+j] * v
				}
				out[i] = math.Pow(max(out[i], 0), 1/2.2)
			}
			return out
		}
		for i := range MaxCurves {
			for j := range i {
				a, b := seen(Colour(i)), seen(Colour(j))
				distance := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
				assert.Greater(t, distance, 0.15, "%s: colours %d and %d", eyes, i, j)
			}
		}
	}
}

func linear(v uint8) float64 { return math.Pow(float64(v)/255, 2.2) }

// Twice MaxCurves curves differ in colour or dashes, and in colour or mark.
func TestLooksDiffer(t *testing.T) {
	lines, marks := map[string]bool{}, map[string]bool{}
	for i := range 2 * MaxCurves {
		lines[fmt.Sprint(Line(i))] = true
		marks[fmt.Sprintf("%T %v", Mark(i).Shape, Mark(i).Color)] = true
	}
	assert.Len(t, lines, 2*MaxCurves)
	assert.Len(t, marks, 2*MaxCurves)
}

func TestPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bounds := vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 310, Y: 220}}
	for range 50 {
		var at, sizes []vg.Point
		for range 12 {
			at = append(at, vg.Point{X: 10 + vg.Length(300*rng.Float64()), Y: 20 + vg.Length(200*rng.Float64()*rng.Float64())})
			sizes = append(sizes, vg.Point{X: 20 + vg.Length(60*rng.Float64()), Y: 10})
		}
		boxes := PlaceLabels(at, sizes, at, bounds)
		for i, b := range boxes {
			require.InDelta(t, float64(sizes[i].X), float64(b.Size().X), 1e-9, "all have room here")
			assert.True(t, b.Min.X >= bounds.Min.X && b.Max.X <= bounds.Max.X && b.Min.Y >= bounds.Min.Y && b.Max.Y <= bounds.Max.Y)
			for j, o := range boxes[:i] {
				overlap := b.Min.X < o.Max.X && o.Min.X < b.Max.X && b.Min.Y < o.Max.Y && o.Min.Y < b.Max.Y
				assert.False(t, overlap, "boxes %d and %d: %v %v", i, j, b, o)
			}
			for _, p := range at {
				assert.False(t, p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y, "a name on a point")
			}
		}
	}
	alone := PlaceLabels([]vg.Point{{X: 50, Y: 50}}, []vg.Point{{X: 30, Y: 10}}, nil, bounds)[0]
	assert.Greater(t, alone.Min.X, vg.Length(50), "to the right of its point, where there is room")
	assert.Less(t, alone.Min.X, vg.Length(60))
	assert.Zero(t, PlaceLabels([]vg.Point{{X: 50, Y: 50}}, []vg.Point{{X: 301, Y: 10}}, nil, bounds)[0], "wider than the picture")
}

// labelsOf returns the labels of an axis.
func labelsOf(t plot.Ticker, low, high float64) string {
	var out []string
	for _, tick := range t.Ticks(low, high) {
		out = append(out, tick.Label)
	}
	return strings.Join(out, ", ")
}

func TestRound(t *testing.T) {
	assert.Equal(t, "0, 0.2, 0.4, 0.6, 0.8, 1.0", labelsOf(Round{}, 0, 1))
	assert.Equal(t, "0, 0.5, 1.0", labelsOf(Round{Most: 4}, 0, 1))
	assert.Equal(t, "-2, 0, 2, 4", labelsOf(Round{Most: 5}, -3, 4))
	assert.Equal(t, "0, 10 000, 20 000, 30 000", labelsOf(Round{Most: 5}, 0, 30000))
	assert.Equal(t, "0, 10, 20, 30, 40", labelsOf(Round{Most: 7, Top: 40}, 0, 100))
	for _, ends := range [][2]float64{{0, 1}, {-3, 4}, {1999, 2001}, {0.0012, 0.0031}, {-1e9, 3e9}, {1e16, 1e16 + 4}, {-0.02, 0.31}} {
		ticks := Round{Most: 6}.Ticks(ends[0], ends[1])
		assert.LessOrEqual(t, len(ticks), 7, ends)
		assert.GreaterOrEqual(t, len(ticks), 2, ends)
		for i, tick := range ticks {
			assert.True(t, tick.Value >= ends[0] && tick.Value <= ends[1], ends)
			assert.NotEqual(t, "-0", tick.Label)
			if i == 1 && ends[0] < 1e15 { // steps larger than rounding
				step := math.Log10(tick.Value - ticks[0].Value)
				digit := math.Pow(10, step-math.Floor(step))
				assert.Contains(t, []string{"1", "2", "5", "10"}, fmt.Sprintf("%.3g", digit), "%v: a step of 1, 2 or 5", ends)
			}
		}
	}
	assert.Len(t, Round{}.Ticks(3, 3), 1)
}

func TestLogs(t *testing.T) {
	assert.Equal(t, "1e-5, 0.0001, 0.001, 0.01, 0.1, 1, 10", labelsOf(Logs{}, -5.2, 1))
	assert.Equal(t, "0.001, 0.003, 0.01, 0.03", labelsOf(Logs{}, -3.1, -1.35))
	assert.Equal(t, "1000, 10 000, 100 000", labelsOf(Logs{}, 3, 5.1))
	assert.Equal(t, "1, 1000, 1 000 000, 10⁹", labelsOf(Logs{Most: 4}, 0, 9))
	assert.Equal(t, "0.2, 0.4, 0.6", labelsOf(Logs{Most: 5}, math.Log10(0.15), math.Log10(0.7)))
	ticks := Logs{}.Ticks(-3.1, -1.35)
	assert.InDelta(t, -3, ticks[0].Value, 1e-12)
	ticks = Logs{Most: 5}.Ticks(-1.6, -0.7)
	assert.InDelta(t, math.Log10(0.05), ticks[0].Value, 1e-9, "at its logarithm")
}

func TestFromZero(t *testing.T) {
	a := plot.New().Y
	a.Min, a.Max = -0.3, 2
	FromZero(&a)
	assert.Zero(t, a.Min)
	assert.InDelta(t, 2.08, a.Max, 1e-12)
	a.Min, a.Max = -1, 0
	FromZero(&a)
	assert.Equal(t, [2]float64{0, 1.04}, [2]float64{a.Min, a.Max})
}

// A legend is above the data, in as many rows as it needs, and never covers them.
func TestLegendIsOutside(t *testing.T) {
	p := New("title", "x", "y")
	legend := &Legend{Wide: 200}
	p.Add(legend)
	assert.Zero(t, legend.High())
	for i := range 5 {
		require.NoError(t, AddCurve(p, legend, i, fmt.Sprintf("curve %d", i), plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: float64(i)}}))
	}
	texts, c, data := drawn(p, "curve")
	assert.Len(t, texts, 5)
	for _, at := range texts {
		assert.Greater(t, at.Y, data.Max.Y)
		assert.Less(t, at.Y, c.Max.Y)
	}
	assert.Equal(t, legend.High(), RoomAbove(p))
	assert.Greater(t, legend.High(), 2*legend.style().FontExtents().Height, "more than one row")
}

// drawn returns the positions of texts with a prefix, the picture, and its data area.
func drawn(p *plot.Plot, begins string) (texts []vg.Point, c, data draw.Canvas) {
	var r recorder.Canvas
	c = draw.NewCanvas(&r, 400, 300)
	p.Draw(c)
	for _, action := range r.Actions {
		if text, ok := action.(*recorder.FillString); ok && strings.HasPrefix(text.String, begins) {
			texts = append(texts, text.Point)
		}
	}
	return texts, c, p.DataCanvas(c)
}

// An inside legend is in a corner without curves.
func TestLegendIsInACorner(t *testing.T) {
	for corner, free := range map[string]plotter.XYs{
		"lower right": {{X: 0, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}}, "upper left": {{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}},
		"lower left": {{X: 0, Y: 1}, {X: 1, Y: 1}, {X: 1, Y: 0}}, "upper right": {{X: 0, Y: 1}, {X: 0, Y: 0}, {X: 1, Y: 0}},
	} {
		p := New("", "x", "y")
		curve := make(plotter.XYs, len(free)) // slightly inside the edges
		for i, v := range free {
			curve[i] = plotter.XY{X: 0.06 + 0.88*v.X, Y: 0.06 + 0.88*v.Y}
		}
		legend := &Legend{Inside: []plotter.XYs{curve}}
		require.NoError(t, AddCurve(p, legend, 0, "curve of a name", curve))
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		p.Add(legend)
		texts, _, data := drawn(p, "curve")
		require.Len(t, texts, 1)
		middle := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
		assert.Equal(t, strings.HasSuffix(corner, "right"), texts[0].X > middle.X, corner)
		assert.Equal(t, strings.HasPrefix(corner, "upper"), texts[0].Y > middle.Y, corner)
		assert.True(t, data.Contains(texts[0]), corner)
		assert.Zero(t, RoomAbove(p))
	}
}

func TestLabelsAreDrawn(t *testing.T) {
	p := New("", "x", "y")
	labels := Labels{Colours: []color.Color{Blue, Green}, Avoid: plotter.XYs{{X: 0.5, Y: 0.5}}}
	labels.XYs, labels.Labels = plotter.XYs{{X: 0.4, Y: 0.5}, {X: 0.41, Y: 0.5}}, []string{"first", "second"}
	p.Add(labels)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	path := filepath.Join(t.TempDir(), "a.svg")
	require.NoError(t, Save("plotstyle", path, []*plot.Plot{p}, 1, Width, Height))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), ">first<")
	assert.Contains(t, string(text), ">second<")
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	panels := []*plot.Plot{New("a", "x", "y")}
	for _, ending := range []string{"png", "svg", "pdf", "eps", "jpg", "tif"} {
		path := filepath.Join(dir, "a."+ending)
		require.NoError(t, Save("plotstyle", path, panels, 1, vg.Inch, vg.Inch))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Positive(t, info.Size())
	}
	f, err := os.Open(filepath.Join(dir, "a.png"))
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, Resolution, img.Bounds().Dx())
	assert.ErrorContains(t, Save("a type", filepath.Join(dir, "a.xyz"), panels, 1, vg.Inch, vg.Inch), "a type: ")
	assert.ErrorIs(t, Save("a type", filepath.Join(dir, "no", "a.png"), panels, 1, vg.Inch, vg.Inch), os.ErrNotExist)
}

func TestAt(t *testing.T) {
	ticks := LabelTicks([]float64{500, 1000, 1100, 20000}, 0.1)
	require.Len(t, ticks, 3)
	assert.Equal(t, []string{"500", "1000", "20 000"}, []string{ticks[0].Label, ticks[1].Label, ticks[2].Label})
	assert.InDelta(t, math.Log10(20000), ticks[2].Value, 1e-12)
}
