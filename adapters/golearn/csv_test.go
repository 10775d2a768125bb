package golearn

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
)

func TestReadCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	require.NoError(t, os.WriteFile(path, []byte("\ufeffa, colour ,b,class\n1.25, red,NA,x\n2,,3,y\n?,blue,NaN,x\n,?,1e-3,y\n"), 0o600))
	g, err := ReadCSV(path, nil)
	require.NoError(t, err)
	cols, rows := g.Size()
	assert.Equal(t, []int{4, 4}, []int{cols, rows})
	assert.Equal(t, "class", g.AllClassAttributes()[0].GetName())
	x, names, err := Matrix(g, []base.Attribute{base.NewFloatAttribute("a"), base.NewFloatAttribute("b")})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names)
	assert.Equal(t, 1.25, x.At(0, 0))
	assert.True(t, math.IsNaN(x.At(2, 0)), "a question mark is a gap")
	assert.True(t, math.IsNaN(x.At(3, 0)), "golearn reads an empty cell as 0")
	assert.True(t, math.IsNaN(x.At(0, 1)))
	colour := base.GetAttributeByName(g, "colour").(*base.CategoricalAttribute)
	assert.Equal(t, []string{"red", missingCategory, "blue"}, colour.GetValues())
	assert.Equal(t, 2, base.GetAttributeByName(g, "a").(*base.FloatAttribute).Precision)
	assert.Equal(t, 3, base.GetAttributeByName(g, "b").(*base.FloatAttribute).Precision)
	_, err = ReadCSV(path+".absent", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCSVOptions(t *testing.T) {
	text := "1;5.5;2\n2;6.5;-\n1;7.5;4\n"
	g, err := ParseCSV("n", strings.NewReader(text), &CSVOptions{NoHeader: true, Comma: ';', Class: "0", Categorical: []string{"0"}, Missing: []string{"-"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "1"}, classTexts(t, g))
	x, names, err := Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2"}, names)
	assert.True(t, math.IsNaN(x.At(1, 1)))
	g, err = ParseCSV("n", strings.NewReader(text), &CSVOptions{NoHeader: true, Comma: ';', NoClass: true})
	require.NoError(t, err)
	assert.Empty(t, g.AllClassAttributes())
	_, ok := base.GetAttributeByName(g, "2").(*base.CategoricalAttribute)
	assert.True(t, ok, "a dash is no gap unless one says so")
}

func TestCSVErrorsNameFileAndLine(t *testing.T) {
	for text, c := range map[string]struct {
		is   error
		want string
	}{
		"":                     {estimators.ErrShape, "f.csv:1: the file ends with 0 data lines"},
		"a,b\n":                {estimators.ErrShape, "f.csv:1: the file ends with 0 data lines"},
		"a,b\n1,2\n\n3\n":      {estimators.ErrShape, "f.csv:4: the line has 1 cells, the first one has 2"},
		"a,b\n1,2,3\n":         {estimators.ErrShape, "f.csv:2: the line has 3 cells, the first one has 2"},
		"a,b, a\n1,2,3\n":      {estimators.ErrParam, `f.csv:1: column name = "a" twice`},
		"a,b\n1,2\n\"x,4\n5,6": {csv.ErrQuote, "f.csv:"},
	} {
		g, err := ParseCSV("f.csv", strings.NewReader(text), nil)
		require.ErrorIs(t, err, c.is, "%q", text)
		assert.ErrorContains(t, err, c.want)
		assert.Nil(t, g)
	}
	for _, o := range []CSVOptions{{Class: "c"}, {Categorical: []string{"c"}}} {
		_, err := ParseCSV("f.csv", strings.NewReader("a,b\n1,2\n"), &o)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, `"c"`)
	}
	_, err := ParseCSV("f.csv", failing{}, nil)
	require.ErrorIs(t, err, errFailing)
}

var errFailing = errors.New("the disk is gone")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

func TestDocumentedDefaults(t *testing.T) {
	assert.Equal(t, []string{"", "?", "NA", "NaN"}, defaultMissing())
	assert.Equal(t, CSVOptions{Missing: defaultMissing(), Comma: ','}, (*CSVOptions)(nil).withDefaults())
	assert.Equal(t, (*CSVOptions)(nil).withDefaults(), new(CSVOptions).withDefaults())
}

func FuzzParseCSV(f *testing.F) {
	f.Add("a,b\n1,x\n,?\n")
	f.Add("\ufeff\"a\",b\n1e999,\"x\ny\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseCSV("f", strings.NewReader(text), nil)
		if err != nil {
			return
		}
		_ = g.String()
		_ = (&Classifier{Estimator: &centroids{}}).Fit(g)
	})
}
