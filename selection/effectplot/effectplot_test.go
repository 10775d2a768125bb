package effectplot

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"github.com/kernelearn/kernelearn/selection/inspection"
)

// many returns relevances of n columns.
func many(n int) (out inspection.Relevances) {
	for i := range n {
		out = append(out, inspection.Relevance{Name: fmt.Sprintf("name %d", i), Length: 2, Relevance: 1 / float64(i+1), FirstOrder: 0.5 / float64(i+1)})
	}
	return out
}

func svg(t *testing.T, save func(path string) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.svg")
	require.NoError(t, save(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestRelevances(t *testing.T) {
	r := append(many(3), inspection.Relevance{Name: "constant", Length: math.Inf(1)}, inspection.Relevance{Name: strings.Repeat("long ", 20), Length: math.NaN()})
	text := svg(t, func(path string) error { return SaveRelevances(r, path) })
	for _, want := range []string{"name 0", "name 2", "1.00  length 2", "0.33  length 2", "constant", "long long", "…", "first order"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "Inf")
	assert.NotContains(t, text, "NaN")
	assert.Less(t, strings.Index(text, "name 2"), strings.Index(text, "name 0"), "from below")

	text = svg(t, func(path string) error { return SaveRelevances(many(40), path) })
	assert.Contains(t, text, "first 25 of 40")
	assert.Contains(t, text, "name 24<")
	assert.NotContains(t, text, "name 25<")
}

func effects() []inspection.Effect {
	numbers := inspection.Effect{
		Name: "height", At: []float64{1, 2, 3}, Share: []float64{0.2, 0.5, 0.3}, Mean: []float64{4, 5, 9}, Low: []float64{3, 4, 8}, High: []float64{5, 6, 11},
		Band: inspection.ExactBand, Level: 0.95, Rows: []float64{0.9, 1, 1, 2, 3, 50},
	}
	levels := inspection.Effect{
		Name: "colour", At: []float64{0, 1}, Levels: []string{"red", "blue"}, Share: []float64{0.5, 0.5}, Mean: []float64{4, 5}, Low: []float64{3.5, 4.5}, High: []float64{4.5, 5.5},
		Band: inspection.BoundBand, Level: 0.95, Rows: []float64{0, 1, 1},
	}
	return []inspection.Effect{numbers, levels, {Name: "constant", At: []float64{7}, Share: []float64{1}, Mean: []float64{5}, Rows: []float64{7}}, {Name: "bare", At: []float64{1e9, 1e9 + 1}, Mean: []float64{4, 5}}}
}

func TestEffects(t *testing.T) {
	plots, err := Effects(effects(), "price")
	require.NoError(t, err)
	require.Len(t, plots, 4)
	for i, p := range plots {
		assert.Equal(t, plots[0].Y.Min, p.Y.Min, "one vertical axis")
		assert.Equal(t, plots[0].Y.Max, p.Y.Max)
		assert.Less(t, p.Y.Min, 3.0)
		assert.Greater(t, p.Y.Max, 11.0)
		assert.Equal(t, i%3 == 0, strings.HasPrefix(p.Y.Label.Text, "price"), "in the first column")
	}
	assert.Equal(t, "price, 95% band", plots[0].Y.Label.Text)
	assert.Equal(t, "price", plots[3].Y.Label.Text, "which has no band")
	assert.Equal(t, [2]float64{1, 3}, [2]float64{plots[0].X.Min, plots[0].X.Max}, "a row far away moves no axis")
	text := svg(t, func(path string) error { return SaveEffects(effects(), "price", path) })
	for _, want := range []string{"height", "colour", "red", "blue", "bare", "price, 95% band"} {
		assert.Contains(t, text, want)
	}
}

// The rug has a mark for each row whose value is within the range of the axis, and for no other row.
func TestRug(t *testing.T) {
	of := func(rows []float64) int {
		e := effects()[:1]
		e[0].Rows = rows
		return strings.Count(svg(t, func(path string) error { return SaveEffects(e, "y", path) }), "<path")
	}
	none := of(nil)
	assert.Equal(t, none+2, of([]float64{1.5, 2.5}))
	assert.Equal(t, none+2, of([]float64{1.5, 2.5, 50, -3}))
}

func TestManyLevels(t *testing.T) {
	for n, rotation := range map[int]float64{2: 0, 6: math.Pi / 4, 12: math.Pi / 2} {
		e := inspection.Effect{Name: "make"}
		for g := range n {
			e.At, e.Mean, e.Levels = append(e.At, float64(g)), append(e.Mean, 1), append(e.Levels, fmt.Sprintf("level %d", g))
		}
		plots, err := Effects([]inspection.Effect{e}, "y")
		require.NoError(t, err)
		assert.Equal(t, rotation, plots[0].X.Tick.Label.Rotation, n)
		assert.Less(t, plots[0].Y.Min, plots[0].Y.Max, "of equal means")
	}
}

func TestSavePNG(t *testing.T) {
	for _, save := range []func(path string) error{
		func(path string) error { return SaveRelevances(many(5), path) },
		func(path string) error { return SaveEffects(effects(), "y", path) },
	} {
		path := filepath.Join(t.TempDir(), "a.png")
		require.NoError(t, save(path))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		picture, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		colours := map[any]bool{}
		for x := range picture.Bounds().Dx() {
			for y := range picture.Bounds().Dy() {
				colours[picture.At(x, y)] = true
			}
		}
		assert.Greater(t, len(colours), 50, "something is drawn")
		assert.ErrorContains(t, save(filepath.Join(t.TempDir(), "a.xyz")), "effectplot")
		assert.Error(t, save(filepath.Join(t.TempDir(), "no", "a.png")))
	}
}

func TestNothingToDraw(t *testing.T) {
	_, err := Relevances(nil)
	assert.ErrorContains(t, err, "effectplot: ")
	assert.ErrorContains(t, SaveRelevances(nil, "a.png"), "effectplot: ")
	var none []*plot.Plot
	plots, err := Effects(nil, "y")
	assert.Equal(t, none, plots)
	assert.ErrorContains(t, err, "effectplot: ")
	_, err = Effects([]inspection.Effect{{Name: "empty"}}, "y")
	assert.ErrorContains(t, err, `"empty"`)
	assert.ErrorContains(t, SaveEffects(nil, "y", "a.png"), "effectplot: ")
}
