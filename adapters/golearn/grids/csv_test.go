package grids

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

func TestReadCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	require.NoError(t, os.WriteFile(path, []byte("\ufeffa, colour ,b,class\n1.25, red,NA,x\n2,,3,y\n?,blue,NaN,x\n,?,1e-3,y\n"), 0o600))
	g, err := ReadCSV(path, nil)
	require.NoError(t, err)
	cols, rows := g.Size()
	assert.Equal(t, []int{4, 4}, []int{cols, rows})
	assert.Equal(t, "class", g.AllClassAttributes()[0].GetName())
	assert.Equal(t, []string{"x", "y", "x", "y"}, classTexts(t, g))
	x, names, err := Matrix(g, []base.Attribute{base.NewFloatAttribute("a"), base.NewFloatAttribute("b")})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names)
	assert.Equal(t, 1.25, x.At(0, 0))
	assert.True(t, math.IsNaN(x.At(2, 0)), "a question mark is a gap")
	assert.True(t, math.IsNaN(x.At(3, 0)), "golearn reads an empty cell as 0")
	assert.True(t, math.IsNaN(x.At(0, 1)))
	colour := base.GetAttributeByName(g, "colour").(*base.CategoricalAttribute)
	assert.Equal(t, []string{"blue", "red", gridtable.Missing}, colour.GetValues(), "in ascending order, the gap last")
	_, err = ReadCSV(path+".absent", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// ReadCSV accepts the options of package table. If they do not name a target, the last column is the class.
func TestOptionsOfCSV(t *testing.T) {
	text := "1;5.5;2\n2;6.5;-\n1;7.5;4\n"
	format := table.Format{NoHeader: true, Comma: ';'}
	g, err := ParseCSV("n", strings.NewReader(text), &table.Options{Target: "0", Task: table.Classification, Format: format})
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "1"}, classTexts(t, g))
	x, names, err := Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2"}, names)
	assert.True(t, math.IsNaN(x.At(1, 1)))
	g, err = ParseCSV("n", strings.NewReader(text), &table.Options{Drop: []string{"2"}, Format: format})
	require.NoError(t, err)
	y, err := Targets(g)
	require.NoError(t, err)
	assert.Equal(t, []float64{5.5, 6.5, 7.5}, y, "the last remaining column")
	rows, err := table.ParseCSV("n", strings.NewReader(text), &table.Options{Format: format})
	require.NoError(t, err)
	g, err = FromTable(rows)
	require.NoError(t, err)
	assert.Empty(t, g.AllClassAttributes())
	_, names, err = Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1", "2"}, names)
	_, err = FromTable(nil)
	require.ErrorIs(t, err, estimators.ErrParam)
}

func TestErrorsOfCSV(t *testing.T) {
	for text, c := range map[string]struct {
		is   error
		want string
	}{
		"":                {estimators.ErrShape, "f.csv: there are 0 rows"},
		"a,b\n1,2\n\n3\n": {estimators.ErrShape, "f.csv:4: the line has 1 cells, the first one has 2"},
		"a,b\n1,2\n,\n":   {estimators.ErrParam, `f.csv:3: column "b" = "", want a target in each row`},
	} {
		g, err := ParseCSV("f.csv", strings.NewReader(text), nil)
		require.ErrorIs(t, err, c.is, "%q", text)
		assert.ErrorContains(t, err, c.want)
		assert.Nil(t, g)
	}
	_, err := ParseCSV("f.csv", failing{}, nil)
	require.ErrorIs(t, err, errFailing)
}

var errFailing = errors.New("the disk is gone")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

// A file can be read with the schema of another file. The schema determines the kinds of the columns and the order of the levels.
// All unseen levels become one level.
func TestFilesBySchema(t *testing.T) {
	train, err := table.ParseCSV("train.csv", strings.NewReader("size,room,day,kind\n1,a,2024-01-01,x\n2,12,2024-01-02,y\n3,b,2024-01-03,x\n"),
		&table.Options{Target: "kind"})
	require.NoError(t, err)
	g, err := FromTable(train)
	require.NoError(t, err)
	model := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	require.NoError(t, model.Fit(g))
	for text, rooms := range map[string][]string{
		"kind,room,size,day\nx,12,1,2024-01-01\ny,12,2,2024-01-02\n": {"12", "12"},
		"kind,size,room,day,more\nx,,,,1\ny,1,NA,?,2\n":              {"?", "?"},
		"size,room,day\n1,7,\n2,8,\n":                                {"(unseen)", "(unseen)"},
	} {
		test, err := ParseCSV("test.csv", strings.NewReader(text), &table.Options{Schema: train.Schema})
		require.NoError(t, err)
		assert.Equal(t, rooms, textsOf(t, test, "room"))
		assert.IsType(t, &base.FloatAttribute{}, base.GetAttributeByName(test, "day"))
		if strings.Contains(text, "kind") {
			assert.Equal(t, []string{"x", "y"}, classTexts(t, test))
		} else {
			assert.Empty(t, test.AllClassAttributes())
		}
		if rooms[0] == "12" {
			_, err = model.Predict(test)
			require.NoError(t, err)
		}
	}
	_, err = ParseCSV("test.csv", strings.NewReader("size,room,day\n1,a,\nlarge,a,\n"), &table.Options{Schema: train.Schema})
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `test.csv:3: column "size" = "large", want a number`)
}

// textsOf returns the printed cells of a column.
func textsOf(t *testing.T, g base.FixedDataGrid, name string) (out []string) {
	t.Helper()
	spec, err := g.GetAttribute(base.GetAttributeByName(g, name))
	require.NoError(t, err)
	_, rows := g.Size()
	for i := range rows {
		out = append(out, spec.GetAttribute().GetStringFromSysVal(g.Get(spec, i)))
	}
	return out
}

// The grid of a table has the same matrix as the table. A model that is fitted to the table therefore predicts the rows of the
// grid.
func TestGridOfTable(t *testing.T) {
	rows, err := table.ParseCSV("f.csv", strings.NewReader("a,b,when,y\n1,2,1970-01-02,3\n4,,1970-01-01,1\n0.5,1,,2\n"), &table.Options{Target: "y"})
	require.NoError(t, err)
	g, err := FromTable(rows)
	require.NoError(t, err)
	x, names, err := Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, rows.Schema.Names(), names)
	for i := range rows.Rows() {
		for j := range names {
			assert.Equal(t, math.Float64bits(rows.X.At(i, j)), math.Float64bits(x.At(i, j)), "row %d, column %d", i, j)
		}
	}
	y, err := Targets(g)
	require.NoError(t, err)
	assert.Equal(t, rows.Targets, y)
}

// Any input is parsed to a grid, which an estimator may reject, or is an error that names the file.
func FuzzParseCSV(f *testing.F) {
	f.Add("a,b\n1,x\n,?\n", byte(0), false)
	f.Add("\ufeff\"a\",b\n1e999,\"x\ny\"\n", byte(0), false)
	f.Add("a\tb\n\t1\n2\t\n", byte(1), true)
	f.Fuzz(func(t *testing.T, text string, comma byte, noHeader bool) {
		o := table.Options{Format: table.Format{Comma: []rune{',', '\t', ';', ' ', '|'}[comma%5], NoHeader: noHeader}}
		g, err := ParseCSV("f.csv", strings.NewReader(text), &o)
		if err != nil {
			assert.Contains(t, err.Error(), "f.csv")
			return
		}
		assert.NotEmpty(t, g.String())
		_ = (&golearn.Classifier{Estimator: &lssvm.Classifier{}}).Fit(g)
	})
}
