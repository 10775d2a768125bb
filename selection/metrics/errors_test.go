package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// of discards a result and returns its error.
func of(_ float64, err error) error { return err }

func of2(_, _ float64, err error) error { return err }

func TestShapeErrors(t *testing.T) {
	p := mat.NewDense(1, 2, []float64{.5, .5})
	_, noBins := Calibration(nil, 1, nil, 0, EqualWidth)
	_, shortBins := Calibration([]int{1}, 1, nil, 0, EqualWidth)
	_, empty := NewConfusion(nil, nil, nil)
	_, short := NewConfusion([]int{1}, nil, nil)
	_, unknown := NewConfusion([]int{1, 7}, []int{1, 1}, []int{1, 2})
	_, unknownPredicted := NewConfusion([]int{1}, []int{7}, []int{1, 2})
	_, twice := NewConfusion([]int{1}, []int{1}, []int{1, 2, 1})
	for _, c := range []struct {
		text string
		err  error
	}{
		{"metrics: NMSE: y has 0 entries", of(NMSE(nil, nil, nil))},
		{"metrics: R2: predicted has 0 entries, y has 1", of(R2([]float64{1}, nil, nil))},
		{"metrics: RMSE: y has 0 entries", of(RMSE(nil, []float64{1}, nil))},
		{"metrics: MAE: predicted has 2 entries, y has 1", of(MAE([]float64{1}, []float64{1, 2}, nil))},
		{"metrics: MAE: weights has 2 entries, y has 1", of(MAE([]float64{1}, []float64{1}, []float64{1, 2}))},
		{"metrics: Accuracy: predicted has 2 entries, y has 1", of(Accuracy([]int{1}, []int{1, 2}, nil))},
		{"metrics: GMean: y has 0 entries", of(GMean(nil, nil, nil))},
		{"metrics: AUC: scores has 1 entries, y has 2", of(AUC([]int{1, 1}, 1, []float64{1}, nil))},
		{"metrics: AUC: y has 2 rows of class 1", of(AUC([]int{1, 1}, 1, []float64{1, 2}, nil))},
		{"metrics: AUC: y has 0 rows of class 0", of(AUC([]int{1, 1}, 0, []float64{1, 2}, nil))},
		{"metrics: AUCOfScores: scores has 0 rows", of(AUCOfScores([]int{1}, []int{1, 2}, nil, nil))},
		{"metrics: AUCOfScores: scores has 0 rows", of(AUCOfScores([]int{1}, []int{1, 2}, &mat.Dense{}, nil))},
		{"metrics: AUCOfScores: scores has 2 columns, classes has 3", of(AUCOfScores([]int{1}, []int{1, 2, 3}, p, nil))},
		{"metrics: AUCOfScores: y has 0 rows of the classes", of(AUCOfScores([]int{9}, []int{1, 2, 3}, mat.NewDense(1, 3, nil), nil))},
		{"metrics: LogLoss: p has 0 rows", of(LogLoss([]int{1}, []int{1, 2}, nil, nil))},
		{"metrics: LogLoss: p has 1 entries, y has 2", of(LogLoss([]int{1, 2}, []int{1, 2}, p, nil))},
		{"metrics: LogLoss: classes has 0 entries equal to y[0], which is 7", of(LogLoss([]int{7}, []int{1, 2}, p, nil))},
		{"metrics: Brier: p has 2 columns, classes has 1", of(Brier([]int{1}, []int{1}, p, nil))},
		{"metrics: Brier: y has 0 entries", of(Brier(nil, nil, p, nil))},
		{"metrics: Calibration: y has 0 entries", noBins},
		{"metrics: Calibration: p has 0 entries, y has 1", shortBins},
		{"metrics: NewConfusion: y has 0 entries", empty},
		{"metrics: NewConfusion: predicted has 0 entries, y has 1", short},
		{"metrics: NewConfusion: labels has 0 entries equal to y[1], which is 7", unknown},
		{"metrics: NewConfusion: labels has 0 entries equal to predicted[0], which is 7", unknownPredicted},
		{"metrics: NewConfusion: labels has 2 entries equal to 1, want 1", twice},
		{"metrics: Coverage: y has 0 entries", of2(Coverage(nil, nil, nil, nil))},
		{"metrics: Coverage: low has 0 entries, y has 1", of2(Coverage([]float64{1}, nil, []float64{1}, nil))},
		{"metrics: Coverage: high has 0 entries, y has 1", of2(Coverage([]float64{1}, []float64{1}, nil, nil))},
		{"metrics: NormalCoverage: mean has 0 entries, y has 1", of2(NormalCoverage([]float64{1}, nil, nil, .9, nil))},
		{"metrics: LogDensity: variance has 0 entries, y has 1", of(LogDensity([]float64{1}, []float64{1}, nil, nil))},
		{"metrics: LogDensity: y has 0 entries", of(LogDensity(nil, nil, nil, nil))},
	} {
		require.ErrorIs(t, c.err, fault.ErrShape, c.text)
		assert.ErrorContains(t, c.err, c.text)
	}
}

func TestNotFiniteErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := []float64{1, 1}
	_, calibration := Calibration([]int{1, 1}, 1, []float64{0, nan}, 0, EqualCount)
	for text, err := range map[string]error{
		"metrics: NMSE: predicted[1] is NaN":           of(NMSE([]float64{1, 2}, []float64{1, nan}, nil)),
		"metrics: RMSE: y[0] is +Inf":                  of(RMSE([]float64{inf, 2}, one, nil)),
		"metrics: MAE: weights[1] is +Inf":             of(MAE(one, one, []float64{1, inf})),
		"metrics: AUC: scores[0] is NaN":               of(AUC([]int{0, 1}, 1, []float64{nan, 1}, nil)),
		"metrics: LogLoss: p[0,1] is NaN":              of(LogLoss([]int{1}, []int{1, 2}, mat.NewDense(1, 2, []float64{1, nan}), nil)),
		"metrics: Calibration: p[1] is NaN":            calibration,
		"metrics: Coverage: low[1] is NaN":             of2(Coverage(one, []float64{0, nan}, one, nil)),
		"metrics: Coverage: y[1] is NaN":               of2(Coverage([]float64{0, nan}, one, one, nil)),
		"metrics: NormalCoverage: variance[0] is +Inf": of2(NormalCoverage(one, one, []float64{inf, 1}, .9, nil)),
		"metrics: LogDensity: mean[0] is NaN":          of(LogDensity(one, []float64{nan, 1}, one, nil)),
		"metrics: LogDensity: variance[1] is +Inf":     of(LogDensity(one, one, []float64{1, inf}, nil)),
		"metrics: Coverage: high[0] is NaN":            of2(Coverage(one, one, []float64{nan, 1}, nil)),
		"metrics: Accuracy: weights[0] is NaN":         of(Accuracy([]int{1}, []int{1}, []float64{nan})),
		"metrics: GMean: weights[0] is -Inf":           of(GMean([]int{1}, []int{1}, []float64{math.Inf(-1)})),
		"metrics: R2: predicted[0] is -Inf":            of(R2(one, []float64{math.Inf(-1), 0}, nil)),
	} {
		require.ErrorIs(t, err, fault.ErrNotFinite, text)
		assert.ErrorContains(t, err, text)
	}
}

func TestParamErrors(t *testing.T) {
	one := []float64{1, 1}
	labels, classes := []int{1, 2}, []int{1, 2}
	rows := func(v ...float64) *mat.Dense { return mat.NewDense(2, 2, v) }
	_, above := Calibration(labels, 1, []float64{.5, 1.1}, 0, EqualWidth)
	_, bins := Calibration(labels, 1, []float64{.5, .5}, -1, EqualWidth)
	_, many := Calibration(labels, 1, []float64{.5, .5}, maxBins+1, EqualWidth)
	_, binning := Calibration(labels, 1, []float64{.5, .5}, 3, 9)
	for text, err := range map[string]error{
		"metrics: weights[1] = 0, want > 0":                           of(NMSE(one, []float64{0, 1}, []float64{1, 0})),
		"metrics: weights[0] = -1, want > 0":                          of(AUC(labels, 1, one, []float64{-1, 1})),
		"metrics: p[1,0] = 1.2, want in [0, 1]":                       of(LogLoss(labels, classes, rows(.5, .5, 1.2, -.2), nil)),
		"metrics: p[0,1] = -0.5, want in [0, 1]":                      of(Brier(labels, classes, rows(1, -.5, 1, 0), nil)),
		"metrics: sum of p[1] = 1.00001, want 1 within 1e-06":         of(Brier(labels, classes, rows(.5, .5, .5, .50001), nil)),
		"metrics: p[1] = 1.1, want in [0, 1]":                         above,
		"metrics: Calibration: bins = -1, want in [1, 1048576]":       bins,
		"metrics: Calibration: bins = 1048577, want in [1, 1048576]":  many,
		"metrics: Calibration: binning = 9, want EqualWidth or Equal": binning,
		"metrics: Coverage: low[1] = 2, want <= high[1] = 1":          of2(Coverage(one, []float64{1, 2}, one, nil)),
		"metrics: NormalCoverage: level = 1, want in (0, 1)":          of2(NormalCoverage(one, one, one, 1, nil)),
		"metrics: NormalCoverage: level = NaN, want in (0, 1)":        of2(NormalCoverage(one, one, one, math.NaN(), nil)),
		"metrics: NormalCoverage: variance[1] = -1, want >= 0":        of2(NormalCoverage(one, one, []float64{1, -1}, .5, nil)),
		"metrics: LogDensity: variance[0] = 0, want > 0":              of(LogDensity(one, one, []float64{0, 1}, nil)),
	} {
		require.ErrorIs(t, err, fault.ErrParam, text)
		assert.ErrorContains(t, err, text)
	}
	assert.NoError(t, of(LogLoss(labels, classes, rows(.5, .5+5e-7, 1+5e-7, -5e-7), nil)), "within the tolerance")
	assert.Equal(t, "EqualWidth EqualCount Binning(7)", EqualWidth.String()+" "+EqualCount.String()+" "+Binning(7).String())
}
