package golearn_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/meta"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// These tests use the module's own estimators through the adapter, from files to predictions.

func scaled() estimators.Classifier {
	return &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Classifier{}}
}

// plants returns a CSV file of n rows in three classes, whose features include a column of words.
func plants(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("length,width,soil,kind\n")
	for i := range n {
		c := i % 3
		fmt.Fprintf(&b, "%.3f,%.3f,%s,%s\n", float64(c)+0.2*rng.NormFloat64(), math.Sin(float64(2*c))+0.2*rng.NormFloat64(),
			[]string{"sand", "clay"}[rng.IntN(2)], []string{"reed", "moss", "fern"}[c])
	}
	return b.String()
}

// unlabelled parses rows without a class.
func unlabelled(text string) (*base.DenseInstances, error) {
	t, err := table.ParseCSV("rows.csv", strings.NewReader(text), nil)
	if err != nil {
		return nil, err
	}
	return grids.FromTable(t)
}

func read(t *testing.T, text string) *base.DenseInstances {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plants.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	grid, err := grids.ReadCSV(path, nil)
	require.NoError(t, err)
	return grid
}

func accuracyOf(t *testing.T, truth, predicted base.FixedDataGrid) float64 {
	t.Helper()
	cm, err := evaluation.GetConfusionMatrix(truth, predicted)
	require.NoError(t, err)
	return evaluation.GetAccuracy(cm)
}

func TestEstimatorsInGolearn(t *testing.T) {
	train, test := read(t, plants(90, 1)), read(t, plants(60, 2))
	for name, e := range map[string]estimators.Classifier{
		"lssvm": &lssvm.Classifier{}, "pipeline": scaled(), "rvm": &rvm.Classifier{},
		"eem": &eem.Classifier{}, "eekm": &eem.KernelClassifier{}, "welm": &elm.Classifier{Ridge: .1}, "svm": &svm.Classifier{Probabilities: true},
		"selection by entropy": &selection.Classifier{}, "selection by grid": &selection.Classifier{Search: &grid.Search{Points: 4}},
	} {
		if testing.Short() && name != "pipeline" && name != "svm" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			cls := &golearn.Classifier{Estimator: e}
			require.NoError(t, cls.Fit(train))
			pred, err := cls.Predict(test)
			require.NoError(t, err)
			assert.Greater(t, accuracyOf(t, test, pred), 0.9)
			p, err := cls.PredictProba(test)
			if estimators.Supports(e, estimators.Proba) {
				require.NoError(t, err)
				_, k := p.Dims()
				assert.Equal(t, 3, k)
			} else {
				require.ErrorIs(t, err, errors.ErrUnsupported)
			}

			folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(train, &golearn.Classifier{Estimator: e}, 4)
			require.NoError(t, err)
			mean, _ := evaluation.GetCrossValidatedMetric(folds, evaluation.GetAccuracy)
			assert.Greater(t, mean, 0.85)

			ova := meta.NewOneVsAllModel(func(string) base.Classifier { return &golearn.Classifier{Estimator: e} })
			ova.Fit(train)
			pred, err = ova.Predict(test)
			require.NoError(t, err)
			assert.Greater(t, accuracyOf(t, test, pred), 0.85)

			path := filepath.Join(t.TempDir(), "model")
			require.NoError(t, cls.Save(path))
			again := &golearn.Classifier{Estimator: e}
			require.NoError(t, again.Load(path))
			got, err := again.Predict(test)
			require.NoError(t, err)
			want, err := cls.Predict(test)
			require.NoError(t, err)
			assert.Equal(t, 1.0, accuracyOf(t, want, got))

			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for i := range 40 {
				at := i * len(data) / 40
				bad := append([]byte(nil), data...)
				bad[at] ^= 1
				for _, broken := range [][]byte{data[:at], bad} {
					require.NoError(t, os.WriteFile(path, broken, 0o600))
					require.ErrorIs(t, again.Load(path), estimators.ErrBadModel)
				}
			}
			_, err = again.Predict(test)
			require.NoError(t, err, "the model from before stays")
		})
	}
}

// A model can be fitted to a CSV file with all kinds of columns, and predicts its rows.
func TestCSVToPrediction(t *testing.T) {
	good := plants(30, 1)
	cls := &golearn.Classifier{Estimator: scaled()}
	require.NoError(t, cls.Fit(read(t, good)))

	for name, c := range map[string]struct {
		text string
		is   error
		want string
	}{
		"an empty cell":   {good + ",1,sand,reed\n", estimators.ErrNotFinite, `attribute "length", row 30`},
		"a question mark": {good + "1,?,sand,reed\n", estimators.ErrNotFinite, `attribute "width", row 30`},
		"NaN":             {good + "NaN,1,sand,reed\n", estimators.ErrNotFinite, `attribute "length", row 30`},
	} {
		err := (&golearn.Classifier{Estimator: scaled()}).Fit(read(t, c.text))
		require.ErrorIs(t, err, c.is, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	for text, want := range map[string]string{
		good + "1,1,sand,\n": `column "kind" = "", want a target in each row`,
		"length,width,soil,kind\n1,2,sand,reed\n2,3,clay,reed\n": `column "kind" = the only class ["reed"]`,
	} {
		_, err := grids.ParseCSV("plants.csv", strings.NewReader(text), nil)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	// A fit needs a class column, a prediction does not.
	parse := func(text string) *base.DenseInstances {
		grid, err := unlabelled(text)
		require.NoError(t, err)
		return grid
	}
	noClass := parse("length,width,soil\n0.1,0,clay\n")
	assert.ErrorContains(t, (&golearn.Classifier{Estimator: scaled()}).Fit(noClass), "0 class attributes")
	pred, err := cls.Predict(noClass)
	require.NoError(t, err)
	assert.Equal(t, "reed", base.GetClass(pred, 0))
	// Additional columns are ignored, in any order. A missing feature is an error.
	pred, err = cls.Predict(parse("kind,soil,colour,width,length\nmoss,clay,red,0,0.1\n"))
	require.NoError(t, err)
	assert.Equal(t, "reed", base.GetClass(pred, 0))
	_, err = cls.Predict(parse("length,soil,kind\n0.1,clay,moss\n"))
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, `"width" is missing`)
	// A level that the training rows lack sets none of its columns, and is counted.
	strange := parse("length,width,soil,kind\n0.1,0,rock,reed\n")
	pred, err = cls.Predict(strange)
	require.NoError(t, err)
	assert.Equal(t, "reed", base.GetClass(pred, 0))
	report, err := cls.Inspect(strange)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"soil": 1}, report.Unseen)
	// The file contains only the header.
	_, err = grids.ParseCSV("plants.csv", strings.NewReader("length,width,soil,kind\n"), nil)
	assert.ErrorContains(t, err, "plants.csv: there are 0 rows")
}

func TestRegressionInGolearn(t *testing.T) {
	text := func(seed uint64) string {
		rng := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		b.WriteString("a,b,y\n")
		for range 60 {
			a, c := rng.NormFloat64(), rng.NormFloat64()
			fmt.Fprintf(&b, "%.4f,%.4f,%.4f\n", a, c, math.Sin(a)+c*c/4)
		}
		return b.String()
	}
	train, test := read(t, text(1)), read(t, text(2))
	truth, err := grids.Targets(test)
	require.NoError(t, err)
	for name, e := range map[string]estimators.Regressor{
		"lssvm": &lssvm.Regressor{}, "rvm": &rvm.Regressor{}, "svm": &svm.Regressor{}, "selection": &selection.Regressor{},
		"selection for rvm": &selection.Regressor{Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} })},
	} {
		reg := &golearn.Regressor{Estimator: e}
		require.NoError(t, reg.Fit(train), name)
		pred, err := reg.Predict(test)
		require.NoError(t, err)
		y, err := grids.Targets(pred)
		require.NoError(t, err)
		for i := range y {
			assert.InDelta(t, truth[i], y[i], 1, name)
		}
		mean, variance, err := reg.PredictVariance(test)
		if estimators.Supports(e, estimators.Variance) {
			require.NoError(t, err)
			assert.Equal(t, y, mean)
			assert.Positive(t, slices.Min(variance))
		} else {
			require.ErrorIs(t, err, errors.ErrUnsupported)
		}
		path := filepath.Join(t.TempDir(), "model")
		require.NoError(t, reg.Save(path))
		again := &golearn.Regressor{Estimator: e}
		require.NoError(t, again.Load(path))
		pred, err = again.Predict(test)
		require.NoError(t, err)
		got, err := grids.Targets(pred)
		require.NoError(t, err)
		assert.Equal(t, y, got)
		assert.ErrorIs(t, (&golearn.Classifier{Estimator: scaled()}).Load(path), estimators.ErrBadModel)
	}
}
