package table

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
)

const weather = `% a comment
@RELATION 'the weather'

@ATTRIBUTE outlook {sunny, 'over cast', "it's", NA}
@attribute temperature NUMERIC
@attribute 'wind speed' real
@attribute day date "yyyy-MM-dd"
@attribute note string
@attribute play	{yes,no}
@DATA
sunny, 85, ?, "2024-02-29", 'a note, with a comma', no
'over cast',-1e2,3.5,2024-03-01,"5",yes
"it\'s", ?, 0, ?, ?, yes
% another comment
NA,1,2,'1970-01-02','?',no
`

func TestARFF(t *testing.T) {
	got, err := ParseARFF("w.arff", strings.NewReader(weather), &Options{Target: "play"})
	require.NoError(t, err)
	assertCells(t, [][]float64{
		{0, 85, gap, 1709164800, 2},
		{1, -100, 3.5, 1709251200, 0},
		{2, gap, 0, gap, gap},
		{3, 1, 2, 86400, 1},
	}, got.X)
	assert.Equal(t, []string{"outlook", "temperature", "wind speed", "day", "note"}, got.Schema.Names())
	assert.Equal(t, []string{"sunny", "over cast", "it's", "NA"}, got.Schema.Columns[0].Levels, "in the order of the file")
	assert.Equal(t, []string{"yes", "no"}, got.Schema.Classes())
	assert.Equal(t, []int{1, 0, 0, 1}, got.Labels)
	row, err := got.Schema.Rows("NA,1,,1970-01-02,5,yes")
	require.NoError(t, err)
	assertCells(t, [][]float64{{3, 1, gap, 86400, 0}}, row.X)
	test, err := ParseARFF("t.arff", strings.NewReader("@relation t\n@attribute outlook {NA}\n@attribute day date\n@attribute note string\n"+
		"@attribute temperature real\n@attribute 'wind speed' real\n@data\nNA,2024-02-29,?,1,2"), &Options{Schema: got.Schema})
	require.NoError(t, err)
	assertCells(t, [][]float64{{3, 1, 2, 1709164800, gap}}, test.X)
	_, err = ReadARFF(filepath.Join(t.TempDir(), "none"), nil)
	require.Error(t, err)
}

func TestSparseARFF(t *testing.T) {
	got, err := ParseARFF("s", strings.NewReader("@relation s\n@attribute a real\n@attribute b {x,'y z'}\n@attribute c real\n@attribute d string\n"+
		"@data\n{0 5,1 'y z'}\n{}\n{ 2\t? , 3 w }\n"), nil)
	require.NoError(t, err)
	assertCells(t, [][]float64{{5, 1, 0, gap}, {0, 0, 0, gap}, {0, 0, gap, 0}}, got.X)
}

func TestRefusedARFF(t *testing.T) {
	const head = "@relation r\n@attribute a real\n@attribute b {x,y}\n"
	for text, want := range map[string]string{
		"":                                     "@data",
		"hello":                                `r.arff:1: line = "hello", want @relation`,
		"@attribute a relational\n":            "r.arff:1: attribute",
		"@attribute a date \"MM/dd/yyyy\"\n":   "yyyy-MM-dd",
		"@attribute a {x,y\n":                  "r.arff:1: attribute",
		"@attribute a {x,,y}\n":                "both sides of a comma",
		"@attribute a {x,x}\n":                 `"x" once`,
		"@attribute\n":                         "a name and a type",
		"@attribute 'a\n":                      "a name and a type",
		head + "@data\n1\n":                    "r.arff:5: the line has",
		head + "@data\n1,x,2\n":                "r.arff:5: the line has",
		head + "@data\n1,z\n":                  `r.arff:5: column "b" = "z", want one of its values x, y`,
		head + "@data\none,x\n":                `column "a" = "one", want a number, as its attribute says`,
		head + "@data\n1,'x\n":                 "quotes that are closed",
		head + "@data\n1,'x'y\n":               "a comma after a quoted value",
		head + "@data\n1,x, {5}\n":             "the line has",
		head + "@data\n{0 1\n":                 "ends with }",
		head + "@data\n{1 x,0 1}\n":            "ascending",
		head + "@data\n{2 x}\n":                "from 0 to 1",
		head + "@data\n{0}\n":                  "a value after each number",
		head + "@data\n1,\xff\n":               "UTF-8",
		head + "@data\n1e999,x\n":              "1e999",
		head + "@data\n":                       "0 rows",
		"@relation r\n@data\n1\n":              "0 attributes",
		head + "@attribute a real\n@data\n1\n": `"a" twice`,
	} {
		_, err := ParseARFF("r.arff", strings.NewReader(text), nil)
		require.Error(t, err, "%q", text)
		assert.ErrorContains(t, err, want, "%q", text)
	}
	_, err := ParseARFF("r", strings.NewReader(head), &Options{Target: "a", Group: "a"})
	require.ErrorIs(t, err, estimators.ErrParam)
}
