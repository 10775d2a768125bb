package golearn_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rocketlaunchr/dataframe-go"
	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// sources returns the same rows in every form that golearn or a program may use. In some forms, the levels of the sky and of
// the class have another order.
func sources(t *testing.T) map[string]base.FixedDataGrid {
	const weatherARFF = `@relation weather

@attribute sky {grey,sunny}
@attribute temperature real
@attribute play {no,yes}

@data
sunny,21,yes
grey,8,no
sunny,24,yes
grey,6,no
grey,19,yes
`
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	arff, err := base.ParseDenseARFFToInstances(write("weather.arff", weatherARFF))
	require.NoError(t, err)
	theirCSV, err := base.ParseCSVToInstances(write("weather.csv", weather), true)
	require.NoError(t, err)

	temperatures := []float64{21, 8, 24, 6, 19}
	skies := []string{"sunny", "grey", "sunny", "grey", "grey"}
	plays := []string{"yes", "no", "yes", "no", "yes"}
	frame := dataframe.NewDataFrame(
		dataframe.NewSeriesFloat64("temperature", nil, temperatures),
		dataframe.NewSeriesString("sky", nil, skies),
		dataframe.NewSeriesString("play", nil, plays),
	)
	require.Equal(t, 5, frame.NRows(dataframe.DontLock))

	type day struct {
		Temperature float64 `golearn:"temperature"`
		Sky         string  `golearn:"sky"`
		Play        string  `golearn:"play"`
	}
	var days []day
	for i := range temperatures {
		days = append(days, day{temperatures[i], skies[i], plays[i]})
	}
	structs, err := grids.StructGrid(days, "play")
	require.NoError(t, err)

	unnamed, err := grids.ParseCSV("reversed", mustOpen(t, write("reversed.csv", "play,sky,temperature\nno,grey,8\nyes,sunny,21\nyes,sunny,24\nno,grey,6\nyes,grey,19\n")), &table.Options{Target: "play"})
	require.NoError(t, err)
	return map[string]base.FixedDataGrid{
		"golearn's ARFF": arff, "golearn's CSV": theirCSV, "CSV": parse(weather), "CSV in another order": unnamed,
		"dataframe-go": base.ConvertDataFrameToInstances(frame, 2), "structs": structs,
	}
}

func mustOpen(t *testing.T, path string) *os.File {
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestEverySourceTrainsAndIsPredicted(t *testing.T) {
	grids := sources(t)
	for from, train := range grids {
		cls := fit(t, &golearn.Classifier{Estimator: &lssvm.Classifier{}}, train)
		for to, test := range grids {
			t.Run(from+" to "+to, func(t *testing.T) {
				got := texts(t, cls, test)
				for i := range got {
					assert.Equal(t, base.GetClass(test, i), got[i], "row %d", i)
				}
			})
		}
	}
}

// Slices and matrices can be converted to grids, with and without names. So can a single row without a class.
func TestSlicesAndMatrices(t *testing.T) {
	x, err := grids.Rows([][]float64{{21, 1}, {8, 0}, {24, 1}, {6, 0}})
	require.NoError(t, err)
	train, err := grids.LabelledGrid(x, []string{"temperature", "sunny"}, "play", []string{"yes", "no", "yes", "no"})
	require.NoError(t, err)
	cls := fit(t, machine(), train)
	one, err := grids.FeatureGrid(mat.NewDense(1, 2, []float64{23, 1}), []string{"temperature", "sunny"})
	require.NoError(t, err)
	assert.Equal(t, []string{"yes"}, texts(t, cls, one))
	other, err := grids.FeatureGrid(mat.NewDense(1, 2, []float64{0, 7}), []string{"sunny", "temperature"})
	require.NoError(t, err)
	assert.Equal(t, []string{"no"}, texts(t, cls, other), "names, not places")
}
