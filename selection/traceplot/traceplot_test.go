package traceplot

import (
	"bytes"
	"context"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
)

func fitted(t *testing.T, r *selection.Regressor) *search.Result {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		x.Set(i, 0, float64(i)/6)
		y[i] = math.Sin(x.At(i, 0)) + 0.1*math.Cos(37*float64(i))
	}
	require.NoError(t, r.Fit(context.Background(), x, y))
	return r.Result()
}

// For each kind of search, the picture contains its panels, the choice and the names of the families.
func TestEveryKindOfSearch(t *testing.T) {
	for name, c := range map[string]struct {
		r      *selection.Regressor
		panels int
		texts  []string
	}{
		"entropy":        {&selection.Regressor{Search: &entropy.Search{}}, 2, []string{"Entropy of the kernel matrix", "leave-one-out NMSE (less is better)"}},
		"evidence":       {&selection.Regressor{Search: &entropy.Search{Score: entropy.LogEvidence}}, 2, []string{"log evidence (more is better)"}},
		"low rank":       {&selection.Regressor{Search: &entropy.Search{Method: entropy.LowRank, MaxRank: 5}}, 2, nil},
		"golden section": {&selection.Regressor{Search: &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3}}, 1, nil},
		"shape":          {&selection.Regressor{Search: &shape.Search{}}, 1, []string{"restricted log evidence (more is better)", "chosen"}},
		"nothing set":    {&selection.Regressor{}, 1, []string{"standardised", "Yeo-Johnson", "chosen: "}},
		"grid":           {&selection.Regressor{Search: &grid.Search{Points: 5}}, 1, []string{"NMSE (less is better)"}},
		"one parameter":  {&selection.Regressor{Search: &grid.Search{Params: []float64{1}}}, 1, nil},
		"halving":        {&selection.Regressor{Search: &grid.Halving{Points: 5}}, 1, nil},
		"families":       {&selection.Regressor{Space: selection.Kernels[estimators.Regressor](nil, families.RBF{}, families.Laplacian{})}, 2, []string{"RBF", "Laplacian"}},
		"two parameters": {&selection.Regressor{Space: selection.Kernels2[estimators.Regressor](nil, families.ShiftedPolynomial{})}, 2, []string{"ShiftedPolynomial(second=1)"}},
		"candidates": {&selection.Regressor{
			Space: selection.Candidates[estimators.Regressor](
				&ridge.Regressor{},
				&lssvm.Regressor{},
			),
			Search: &grid.Search{},
		}, 1, []string{"candidate"}},
		"named candidates": {&selection.Regressor{
			Space: selection.NamedCandidates(
				selection.Candidate[estimators.Regressor]{Name: "ridge on columns", Estimator: &ridge.Regressor{}},
				selection.Candidate[estimators.Regressor]{Name: "Matern", Estimator: &lssvm.Regressor{}},
			),
			Search: &grid.Search{},
		}, 1, []string{"candidate", "ridge on columns", "Matern"}},
	} {
		t.Run(name, func(t *testing.T) {
			result := fitted(t, c.r)
			plots, err := Plots(result)
			require.NoError(t, err)
			assert.Len(t, plots, c.panels)
			path := filepath.Join(t.TempDir(), "a.svg")
			require.NoError(t, Save(result, path))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			texts := c.texts
			if result.Values == nil {
				texts = append(texts, "chosen: "+numeral.Rounded(result.Choice()))
			}
			for _, want := range texts {
				assert.True(t, bytes.Contains(text, []byte(want)), want)
			}
			for _, shown := range shownText.FindAllSubmatch(text, -1) {
				assert.NotRegexp(t, `\.0*[1-9]\d{4}`, string(shown[1]), "a number of many digits")
			}
		})
	}
}

var shownText = regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)

// If the chosen entropy is outside the usual band, the title explains it.
func TestChoiceOutsideTheBand(t *testing.T) {
	r := fitted(t, &selection.Regressor{Search: &entropy.Search{}})
	for e, says := range map[float64]string{
		0.05: "Entropy of the kernel matrix\nThe choice is below the band: the target is smooth, and wide kernels score best.",
		0.3:  "Entropy of the kernel matrix", 0.9: "Entropy of the kernel matrix\nThe choice is above the band: the target changes over short distances.",
	} {
		r.Entropy = e
		plots, err := Plots(r)
		require.NoError(t, err)
		assert.Equal(t, says, plots[0].Title.Text)
	}
}

func TestSavePNG(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	require.NoError(t, Save(fitted(t, &selection.Regressor{Search: &entropy.Search{}}), path))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	picture, _, err := image.Decode(f)
	require.NoError(t, err)
	colours := map[any]bool{}
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			colours[picture.At(x, y)] = true
		}
	}
	assert.Greater(t, len(colours), 50, "something is drawn")
}

func TestErrors(t *testing.T) {
	for _, r := range []*search.Result{nil, {}, {Trace: []search.TraceRow{{Point: search.ParamPoint(1), Score: math.NaN(), EntropyRow: search.EntropyRow{Entropy: math.NaN()}}}}} {
		_, err := Plots(r)
		assert.ErrorContains(t, err, "traceplot: ")
		assert.ErrorContains(t, Save(r, filepath.Join(t.TempDir(), "a.png")), "traceplot: ")
	}
	r := fitted(t, &selection.Regressor{Search: &entropy.Search{}})
	assert.ErrorContains(t, Save(r, filepath.Join(t.TempDir(), "a.xyz")), "xyz")
	assert.Error(t, Save(r, filepath.Join(t.TempDir(), "no", "folder.png")))
}
