package table

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// parsed returns the table of a CSV file with these lines.
func parsed(t testing.TB, o *Options, lines ...string) *Table {
	t.Helper()
	out, err := ParseCSV("f.csv", strings.NewReader(strings.Join(lines, "\n")+"\n"), o)
	require.NoError(t, err)
	return out
}

// assertCells checks that a matrix equals the wanted rows. Gaps count as equal.
func assertCells(t testing.TB, want [][]float64, got *mat.Dense) {
	t.Helper()
	rows, columns := got.Dims()
	require.Len(t, want, rows)
	for i, row := range want {
		require.Len(t, row, columns)
		for j, v := range row {
			if got := got.At(i, j); v != got && !(math.IsNaN(v) && math.IsNaN(got)) {
				t.Errorf("cell %d,%d is %v, want %v", i, j, got, v)
			}
		}
	}
}

var gap = math.NaN()

// houses is a CSV file with columns of every kind.
var houses = []string{
	"key,area,district,built,note,price",
	"17,80.5,south,2000-01-01,bright and near the lake,100",
	"12,,north,1970-01-02T00:00:10Z,needs some work and money,-3",
	"13,40,?,,quiet,2.5",
}

func TestCSV(t *testing.T) {
	got := parsed(t, &Options{Target: "price", Drop: []string{"note", "key"}}, houses...)
	assertCells(t, [][]float64{{80.5, 1, 946684800}, {gap, 0, 86410}, {40, gap, gap}}, got.X)
	assert.Equal(t, []float64{100, -3, 2.5}, got.Targets)
	assert.Nil(t, got.Labels)
	assert.Equal(t, 3, got.Rows())
	assert.Equal(t, []string{"area", "district", "built"}, got.Schema.Names())
	assert.Equal(t, []int{1}, got.Schema.Categories())
	assert.Equal(t, Regression, got.Schema.Task)
	assert.Equal(t, []Column{
		{Name: "key", Role: LeftOut, Kind: Text, Note: "left out by Drop"},
		{Name: "area", Kind: Number, Gaps: 1, Note: "numbers"},
		{Name: "district", Kind: Category, Levels: []string{"north", "south"}, Gaps: 1, Note: "2 levels"},
		{Name: "built", Kind: Time, Gaps: 1, Note: "dates or times, in seconds since 1970"},
		{Name: "note", Role: LeftOut, Kind: Text, Note: "left out by Drop"},
		{Name: "price", Role: Target, Kind: Number, Note: "numbers"},
	}, got.Schema.Columns)
	assert.Contains(t, got.Schema.String(), "district  feature   category    2 levels; rows without a value: 1\n")
}

// Ids and long texts are recognised if there are at least ten rows.
func TestIDsAndTexts(t *testing.T) {
	lines := []string{",user_id,uuid,text,year,city,repeated,target"}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("%d,%d,x%df,the story of number %d is long,%d,%s,%s,%d", i, 300+7*i, 31*i, i, 2000+i,
			[]string{"Rome", "Oslo"}[i%2], fmt.Sprintf("one of the ten long texts %d", i%10), i))
	}
	s := parsed(t, &Options{Target: "target"}, lines...).Schema
	roles := map[string]string{}
	for _, c := range s.Columns {
		roles[c.Name] = c.Role.String() + " " + c.Kind.String()
	}
	assert.Equal(t, map[string]string{"column 1": "left out text", "user_id": "left out id", "uuid": "left out id", "text": "left out text",
		"year": "feature number", "city": "feature category", "repeated": "left out text", "target": "target number"}, roles)
	asked := parsed(t, &Options{Target: "target", Kinds: map[string]Kind{"user_id": Number, "text": Category, "year": ID, "city": Text}}, lines...)
	assert.Equal(t, []string{"user_id", "text"}, asked.Schema.Names())
	assert.Equal(t, []int{1}, asked.Schema.Categories())
	assert.Equal(t, float64(300+7*19), asked.X.At(19, 0))
	few := parsed(t, nil, append([]string{lines[0]}, lines[1:6]...)...) // five rows are too few to recognise them
	assert.Equal(t, []string{"user_id", "uuid", "text", "year", "city", "repeated", "target"}, few.Schema.Names())
	lines = []string{"day,a"}
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("%d/7/2024,%d", i+1, i))
	}
	assert.Contains(t, parsed(t, nil, lines...).Schema.Columns[0].Note, "dates are read as 2024-12-31")
}

func TestTasks(t *testing.T) {
	words, two, many := []string{"a,y", "1,no", "2,yes", "3,no"}, []string{"a,y", "1,10", "2,9", "3,10"}, []string{"a,y", "1,3", "2,9", "3,10"}
	for _, c := range []struct {
		lines   []string
		options Options
		classes []string
		labels  []int
		targets []float64
	}{
		{words, Options{}, []string{"no", "yes"}, []int{0, 1, 0}, nil},
		{two, Options{}, []string{"9", "10"}, []int{1, 0, 1}, nil}, // sorted like numbers
		{two, Options{Task: Regression}, nil, nil, []float64{10, 9, 10}},
		{two, Options{Kinds: map[string]Kind{"y": Number}}, nil, nil, []float64{10, 9, 10}},
		{many, Options{}, nil, nil, []float64{3, 9, 10}},
		{many, Options{Task: Classification}, []string{"3", "9", "10"}, []int{0, 1, 2}, nil},
		{many, Options{Kinds: map[string]Kind{"y": Category}}, []string{"3", "9", "10"}, []int{0, 1, 2}, nil},
	} {
		c.options.Target = "y"
		got := parsed(t, &c.options, c.lines...)
		assert.Equal(t, c.classes, got.Schema.Classes())
		assert.Equal(t, c.labels, got.Labels)
		assert.Equal(t, c.targets, got.Targets)
	}
}

func TestGroupsAndWeights(t *testing.T) {
	got := parsed(t, &Options{Target: "y", Group: "who", Weight: "w"}, "a,who,w,y", "1,eve,2,5", "2,bob,.5,6", "3,eve,1,7")
	assert.Equal(t, []int{0, 1, 0}, got.Groups)
	assert.Equal(t, []float64{2, .5, 1}, got.Weights)
	assert.Equal(t, []string{"a"}, got.Schema.Names())
	sub, err := got.Subset([]int{2, 0})
	require.NoError(t, err)
	assertCells(t, [][]float64{{3}, {1}}, sub.X)
	assert.Equal(t, []int{0, 0}, sub.Groups)
	assert.Equal(t, []float64{1, 2}, sub.Weights)
	assert.Equal(t, []float64{7, 5}, sub.Targets)
	sub, err = sub.Subset([]int{1})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, sub.WriteCSV(&out, nil))
	assert.Equal(t, "a,who,w,y\n1,eve,2,5\n", out.String())
	for _, rows := range [][]int{nil, {3}, {-1}} {
		_, err = got.Subset(rows)
		require.Error(t, err)
	}
}

// Rows to predict may have additional columns, and columns in another order.
func TestReadBySchema(t *testing.T) {
	s := parsed(t, &Options{Target: "price", Drop: []string{"note", "key"}, Weight: "w"}, "key,area,district,built,note,w,price",
		"1,80.5,south,2000-01-01,x,1,100", "2,,north,,x,1,3").Schema
	got := parsed(t, &Options{Schema: s}, "built,new,district,area", "1970-01-01,9,south,NA", ",9,west,7")
	assertCells(t, [][]float64{{gap, 1, 0}, {7, 2, gap}}, got.X)
	assert.Equal(t, []string{"new"}, got.Ignored)
	assert.Equal(t, map[string]int{"district": 1}, got.Unseen)
	assert.Nil(t, got.Targets)
	assert.Nil(t, got.Weights)
	some := parsed(t, &Options{Schema: s}, "built,district,area,price", ",south,1,7", ",south,1,")
	assert.Equal(t, 7., some.Targets[0])
	assert.True(t, math.IsNaN(some.Targets[1]))

	c := parsed(t, &Options{Target: "y"}, "a,y", "1,no", "2,yes").Schema
	assert.Equal(t, []int{1, -1, -1}, parsed(t, &Options{Schema: c}, "a,y", "1,yes", "1,perhaps", "1,").Labels)

	// A column keeps its kind, whatever its new cells look like.
	codes := parsed(t, &Options{Target: "y"}, "code,y", "a1,1", "7,2", "b,3", "c,4").Schema
	assertCells(t, [][]float64{{0}, {4}}, parsed(t, &Options{Schema: codes}, "code", "7", "8").X)
	_, err := ParseCSV("g.csv", strings.NewReader("code\n"), &Options{Schema: codes})
	require.ErrorIs(t, err, estimators.ErrShape)
}

func TestFormats(t *testing.T) {
	got := parsed(t, &Options{Format: Format{Comma: ';', Decimal: ',', Thousands: '.', Percent: true, Missing: []string{"none"}}},
		"a;b;c", "1.234,5;10%;none", "2;5%;x")
	assertCells(t, [][]float64{{1234.5, .1, gap}, {2, .05, 0}}, got.X)
	again := parsed(t, &Options{Schema: got.Schema}, "c;b;a", "x;1%;,5") // in the same format
	assertCells(t, [][]float64{{.5, .01, 0}}, again.X)
	assertCells(t, [][]float64{{1, 2}}, parsed(t, &Options{Format: Format{NoHeader: true}}, "1,2").X)
	latin, err := ParseCSV("f", strings.NewReader("a,b\ncaf\xe9,1\nx,2\n"), &Options{Format: Format{Latin1: true}})
	require.NoError(t, err)
	assert.Equal(t, []string{"café", "x"}, latin.Schema.Columns[0].Levels)
	words := parsed(t, &Options{Format: Format{WordsAsGaps: true}}, "a", "1", "2", "3", "4", "x")
	assert.True(t, math.IsNaN(words.X.At(4, 0)))
	assert.Equal(t, 1<<53+2., parsed(t, &Options{Format: Format{RoundIntegers: true}}, "a", "9007199254740995").X.At(0, 0)-2)
}

func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(strings.Join(houses, "\n")))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "named-without-a-suffix")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	got, err := ReadCSV(path, &Options{Target: "price"})
	require.NoError(t, err)
	assert.Equal(t, []float64{100, -3, 2.5}, got.Targets)
	_, err = ParseCSV("cut.gz", bytes.NewReader(packed.Bytes()[:packed.Len()/2]), nil)
	require.ErrorContains(t, err, "cut.gz")
	_, err = ParseCSV("no.gz", strings.NewReader("\x1f\x8bxxxxxxxxxxxx"), nil)
	require.ErrorContains(t, err, "no.gz")
	_, err = ReadCSV(path+".absent", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRefusedCSV(t *testing.T) {
	mixed := "f.csv:6: column \"a\" is nearly all numbers"
	for _, c := range []struct {
		text    string
		options Options
		want    string
		is      error
	}{
		{"", Options{}, "f.csv: there are 0 rows", estimators.ErrShape},
		{"a,b\n", Options{}, "0 rows", estimators.ErrShape},
		{"a,b\n1\n", Options{}, "f.csv:2: the line has", estimators.ErrShape},
		{"a,a\n1,2\n", Options{}, `"a" twice`, estimators.ErrParam},
		{"a;b\n1;2\n", Options{}, "perhaps ';'", estimators.ErrParam},
		{"a\n1\n2\n3\n4\nx\n", Options{}, mixed, estimators.ErrParam},
		{"a\n1\n2\n3\n4\nx\n", Options{Target: "a"}, mixed, estimators.ErrParam},
		{"a\nx\n1\n", Options{Kinds: map[string]Kind{"a": Number}}, `f.csv:2: column "a" = "x", want a number`, estimators.ErrParam},
		{"a\n1\nx\n", Options{Kinds: map[string]Kind{"a": Time}}, `f.csv:2: column "a" = "1", want a date`, estimators.ErrParam},
		{"a\n1e999\n", Options{}, "f.csv:2", estimators.ErrNotFinite},
		{"a\n9007199254740993\n", Options{}, "f.csv:2", estimators.ErrParam},
		{"a\n\xff\xfe\n", Options{}, "UTF-8", estimators.ErrParam},
		{"a,b\n1,2\n", Options{Target: "c"}, `Options.Target = "c", want one of the columns a, b`, estimators.ErrParam},
		{"a,b\n1,2\n", Options{Kinds: map[string]Kind{"c": ID}}, `Options.Kinds = "c"`, estimators.ErrParam},
		{"a,b\n1,2\n", Options{Target: "a", Drop: []string{"a"}}, `"a" twice`, estimators.ErrParam},
		{"a,b\n1,2\n", Options{Target: "a", Kinds: map[string]Kind{"a": Time}}, "Kinds", estimators.ErrParam},
		{"a,b\n1,2\n", Options{Kinds: map[string]Kind{"a": 9}}, "Kinds", estimators.ErrParam},
		{"a,b\n1,2\n", Options{Task: 7}, "Task", estimators.ErrParam},
		{"a,b\n1,2\n", Options{Target: "a", Drop: []string{"b"}}, "features = none", estimators.ErrParam},
		{"a,b\n1,2\n1,\n", Options{Target: "b"}, `f.csv:3: column "b" = "", want a target in each row`, estimators.ErrParam},
		{"a,b\n1,\n1,\n", Options{Target: "b"}, "no value in any row", estimators.ErrParam},
		{"a,b\n1,x\n1,x\n", Options{Target: "b"}, "at least two classes", estimators.ErrParam},
		{"a,b\n1,x\n1,y\n", Options{Target: "b", Task: Regression}, `column "b" = "x"`, estimators.ErrParam},
		{"a,b\n1,2000-01-01\n1,2000-01-02\n", Options{Target: "b"}, `column "b" = times`, estimators.ErrParam},
		{"a,b" + strings.Join(strings.Split(" zero one two three four five six seven eight nine", " "), "\n1,"), Options{Target: "b"},
			`column "b" = a different word in nearly every row`, estimators.ErrParam},
		{"a,b\n1,2\n1,0\n", Options{Weight: "b"}, `f.csv:3: column "b" = "0", want a weight > 0`, estimators.ErrParam},
		{"a,b\n1,2\n1,x\n", Options{Weight: "b"}, `column "b"`, estimators.ErrParam},
		{"a,b\n1,2\n1,\n", Options{Group: "b"}, "a group in each row", estimators.ErrParam},
		{"a,b\n1,2\n", Options{Format: Format{Decimal: '5'}}, "Decimal", estimators.ErrParam},
		{"b\n1\n", Options{Schema: &Schema{Columns: []Column{{Name: "a", Kind: Number}}}}, `column = "a", which is missing`, estimators.ErrParam},
		{"a\nx\n", Options{Schema: &Schema{Columns: []Column{{Name: "a", Kind: Number}}}}, `f.csv:2: column "a" = "x", want a number`, estimators.ErrParam},
		{"a\nx\n", Options{Schema: &Schema{}}, "no features", estimators.ErrParam},
		{"a\nx\n", Options{Target: "a", Schema: &Schema{}}, "Options: Schema = set", estimators.ErrParam},
	} {
		_, err := ParseCSV("f.csv", strings.NewReader(c.text), &c.options)
		require.ErrorIs(t, err, c.is, "%q", c.text)
		require.ErrorContains(t, err, c.want, "%q", c.text)
	}
}

func TestSchemaIsJSONAndCBOR(t *testing.T) {
	s := parsed(t, &Options{Target: "price", Format: Format{Missing: []string{"?", ""}}}, houses...).Schema
	text, err := json.Marshal(s)
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"name":"district","role":"feature","kind":"category","levels":["north","south"],"gaps":1,"note":"2 levels"}`)
	var back Schema
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, *s, back)
	bytes, err := cbor.Marshal(s)
	require.NoError(t, err)
	var packed Schema
	require.NoError(t, cbor.Unmarshal(bytes, &packed))
	assert.Equal(t, *s, packed)
	for _, wrong := range []string{`{"columns":[{"kind":"x"}]}`, `{"columns":[{"role":""}]}`, `{"task":"x"}`} {
		require.ErrorIs(t, json.Unmarshal([]byte(wrong), new(Schema)), estimators.ErrParam)
	}
	_, err = json.Marshal(Column{Kind: 9})
	require.Error(t, err)
}

func TestSchemasThatAreRefused(t *testing.T) {
	one := Column{Name: "a", Kind: Number}
	for want, s := range map[string]Schema{
		"no features":       {},
		`"a" twice`:         {Columns: []Column{one, one}},
		`Kind of "a"`:       {Columns: []Column{{Name: "a"}}},
		`Role of "a"`:       {Columns: []Column{{Name: "a", Kind: Number, Role: 9}}},
		"for a text":        {Columns: []Column{{Name: "a", Kind: Text}}},
		`"x" twice`:         {Columns: []Column{{Name: "a", Kind: Category, Levels: []string{"x", "x"}}}},
		"UTF-8":             {Columns: []Column{{Name: "a\xff", Kind: Number}}},
		"Task":              {Columns: []Column{one}, Task: Regression},
		"two of the role":   {Columns: []Column{one, {Name: "b", Kind: Number, Role: Weight}, {Name: "c", Kind: Number, Role: Weight}}},
		`Levels of "a"`:     {Columns: []Column{{Name: "a", Kind: Category, Levels: []string{"\xff"}}}},
		"Auto without":      {Columns: []Column{one, {Name: "b", Kind: Number, Role: Target}}},
		"Task = Task(9), w": {Columns: []Column{one}, Task: 9},
	} {
		_, err := s.Rows("1")
		require.ErrorIs(t, err, estimators.ErrParam, want)
		require.ErrorContains(t, err, want)
	}
}
