package grids

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// columnOfCSV reads a file's column: its cells as numbers, or the categories of a categorical one.
func columnOfCSV(t *testing.T, text, name string, o CSVOptions) (values []float64, categories []string) {
	t.Helper()
	g, err := ParseCSV("f.csv", strings.NewReader(text), &o)
	require.NoError(t, err)
	a := base.GetAttributeByName(g, name)
	if c, ok := a.(*base.CategoricalAttribute); ok {
		return nil, c.GetValues()
	}
	spec, err := g.GetAttribute(a)
	require.NoError(t, err)
	_, rows := g.Size()
	for i := range rows {
		values = append(values, base.UnpackBytesToFloat(g.Get(spec, i)))
	}
	return values, nil
}

// Numbers in the syntax of Go's programs are no data: two different texts are not the same number.
func TestCSVNumbersAreDecimal(t *testing.T) {
	_, categories := columnOfCSV(t, "a,c\n1_1,x\n11,y\n0x1p4,x\ninf,y\n", "a", CSVOptions{})
	assert.Equal(t, []string{"1_1", "11", "0x1p4", "inf"}, categories)
}

// Two ids that a float64 does not tell apart are an error, not one number.
func TestCSVIntegersThatDoNotSurvive(t *testing.T) {
	for _, id := range []string{"9007199254740993", "1234567890123456789"} {
		text := "id,c\n1,x\n" + id + ",y\n"
		_, err := ParseCSV("f.csv", strings.NewReader(text), nil)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, `f.csv:3: column "id" = `+id)
		values, _ := columnOfCSV(t, text, "id", CSVOptions{RoundIntegers: true})
		assert.Len(t, values, 2)
		_, categories := columnOfCSV(t, text, "id", CSVOptions{Categorical: []string{"id"}})
		assert.Equal(t, []string{"1", id}, categories)
		_, err = ParseCSV("f.csv", strings.NewReader(text), &CSVOptions{Categorical: []string{"id"}, Ignore: []string{"id"}, Class: "c"})
		require.NoError(t, err)
	}
}

// One word among thousands of numbers is reported with its line, and what it is the caller says.
func TestCSVNearlyNumbers(t *testing.T) {
	lines := strings.Split(strings.Repeat("7.5,x\n", 2000), "\n")
	lines[1000], lines[1500] = "n.a.,x", "n.a.,y"
	text := "a,c\n" + strings.Join(lines, "\n")
	_, err := ParseCSV("f.csv", strings.NewReader(text), nil)
	var mixed *estimators.MixedColumnError
	require.ErrorAs(t, err, &mixed)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.Equal(t, []estimators.StrangeText{{Text: "n.a.", Line: 1002, Times: 2}}, mixed.Words)
	assert.Equal(t, []any{"f.csv", "a", 2000, 2}, []any{mixed.File, mixed.Column, mixed.Cells, mixed.Strange})
	for name, o := range map[string]CSVOptions{"WordsAsGaps": {WordsAsGaps: true}, "Missing": {Missing: []string{"n.a."}}} {
		values, _ := columnOfCSV(t, text, "a", o)
		require.Len(t, values, 2000, name)
		assert.True(t, math.IsNaN(values[1000]) && math.IsNaN(values[1500]), name)
		assert.Equal(t, 7.5, values[999], name)
	}
	_, categories := columnOfCSV(t, text, "a", CSVOptions{Categorical: []string{"a"}})
	assert.Equal(t, []string{"7.5", "n.a."}, categories)
	values, _ := columnOfCSV(t, strings.ReplaceAll(text, "n.a.", "N/A"), "a", CSVOptions{})
	assert.True(t, math.IsNaN(values[1000]), "N/A is a gap")
}

// Numbers by other marks are read by options, and reported without.
func TestCSVOtherMarks(t *testing.T) {
	for _, c := range []struct {
		cell    string
		options CSVOptions
		want    float64
	}{
		{"1,5", CSVOptions{Decimal: ','}, 1.5}, {"1,234.50", CSVOptions{Thousands: ','}, 1234.5}, {"10%", CSVOptions{Percent: true}, .1}, {"1.234,5", CSVOptions{Decimal: ',', Thousands: '.'}, 1234.5},
	} {
		text := "a;c\n" + strings.Repeat(c.cell+";x\n", 3)
		_, err := ParseCSV("f.csv", strings.NewReader(text), &CSVOptions{Comma: ';'})
		require.ErrorIs(t, err, estimators.ErrParam, c.cell)
		assert.ErrorContains(t, err, fmt.Sprintf("%q in line 2 (3 times)", c.cell))
		assert.ErrorContains(t, err, "Decimal, Thousands or Percent")
		c.options.Comma = ';'
		values, _ := columnOfCSV(t, text, "a", c.options)
		assert.Equal(t, []float64{c.want, c.want, c.want}, values)
	}
}

// ISO dates and times are seconds since 1970.
func TestCSVTimes(t *testing.T) {
	values, _ := columnOfCSV(t, "a,c\n1970-01-02,x\n2024-02-29T12:30:00.25+01:00,y\nNA,x\n", "a", CSVOptions{})
	assert.Equal(t, []float64{86400, 1709206200.25}, values[:2])
	assert.True(t, math.IsNaN(values[2]))
	var text strings.Builder
	text.WriteString("day,c\n")
	for i := range 600 {
		fmt.Fprintf(&text, "%04d-%02d-%02d,x\n", 2020+i/336, 1+i/28%12, 1+i%28)
	}
	g, err := ParseCSV("f.csv", strings.NewReader(text.String()), nil)
	require.NoError(t, err)
	x, _, err := Matrix(g, nil)
	require.NoError(t, err)
	_, width := x.Dims()
	assert.Equal(t, 1, width, "one column, and not one for each day")
}

// What is left out by name is not read at all.
func TestCSVIgnore(t *testing.T) {
	g, err := ParseCSV("f.csv", strings.NewReader(",id,a,c,note\n0,9007199254740993,1,x,\"hello\"\n1,p,2,y,\n"), &CSVOptions{Ignore: []string{"", "id", "note"}})
	require.NoError(t, err)
	x, names, err := Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, names)
	assert.Equal(t, []float64{1, 2}, x.RawMatrix().Data)
	assert.Equal(t, []string{"x", "y"}, classTexts(t, g), "the last column of those that are left is the class")
	_, err = ParseCSV("f.csv", strings.NewReader(",a,c\n0,1,x\n"), nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "f.csv:1: name of column 1")
	for _, o := range []CSVOptions{{Ignore: []string{"b"}}, {Ignore: []string{"c"}, Class: "c"}} {
		_, err = ParseCSV("f.csv", strings.NewReader("a,c\n1,x\n"), &o)
		require.ErrorIs(t, err, estimators.ErrParam)
	}
	_, err = ParseCSV("f.csv", strings.NewReader("a,c\n1,x\n"), &CSVOptions{Ignore: []string{"a", "c"}})
	require.ErrorIs(t, err, estimators.ErrShape)
}

// The nameless column that trailing commas make is neither the class nor a feature.
func TestCSVTrailingComma(t *testing.T) {
	g, err := ParseCSV("f.csv", strings.NewReader("a,c,\n1,x,\n2,y,\n"), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, classTexts(t, g))
	columns, _ := g.Size()
	assert.Equal(t, 2, columns)
	_, err = ParseCSV("f.csv", strings.NewReader("1,x,\n2,y,\n"), &CSVOptions{NoHeader: true})
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `column "2" = no cells`)
}

// Files of other systems are read, or refused by what is wrong with them.
func TestCSVOfOtherSystems(t *testing.T) {
	for name, text := range map[string]string{"carriage returns": "a,c\r1,x\r2,y\r", "mark and quotes": "\ufeff\"a\",\"c\"\n1,x\n2,y\n"} {
		g, err := ParseCSV("f.csv", strings.NewReader(text), nil)
		require.NoError(t, err, name)
		assert.Equal(t, []string{"x", "y"}, classTexts(t, g), name)
	}
	_, err := ParseCSV("f.csv", strings.NewReader("\xff\xfea\x00,\x00c\x00\n\x00"), nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "UTF-16")
	latin := "a,t,c\n1,u,j\xe4\n2,v,n\n"
	_, err = ParseCSV("f.csv", strings.NewReader(latin), nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `f.csv:2: column "c" = "j\xe4", want UTF-8, or Latin1`)
	g, err := ParseCSV("f.csv", strings.NewReader(latin), &CSVOptions{Latin1: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"jä", "n"}, classTexts(t, g))
}

// A column of words whose cells are all numbers, or all gaps, in a later file is what it was when the model was fitted.
func TestCSVLike(t *testing.T) {
	train, err := ParseCSV("train.csv", strings.NewReader("size,room,day,kind\n1,a,2024-01-01,x\n2,12,2024-01-02,y\n3,b,2024-01-03,x\n"), nil)
	require.NoError(t, err)
	model := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	require.NoError(t, model.Fit(train))
	for name, text := range map[string]string{
		"numbers": "kind,room,size,day\nx,12,1,2024-01-01\ny,12,2,2024-01-02\n", "gaps": "kind,size,room,day,more\nx,,,,1\ny,1,NA,?,2\n", "no class": "size,room,day\n1,12,\n2,,\n",
	} {
		test, err := ParseCSV("test.csv", strings.NewReader(text), &CSVOptions{Like: train})
		require.NoError(t, err, name)
		assert.IsType(t, &base.CategoricalAttribute{}, base.GetAttributeByName(test, "room"), name)
		assert.IsType(t, &base.FloatAttribute{}, base.GetAttributeByName(test, "day"), name)
		if name == "no class" {
			assert.Empty(t, test.AllClassAttributes())
		} else {
			assert.Equal(t, []string{"x", "y"}, classTexts(t, test), name)
			assert.Equal(t, []string{"x", "y"}, base.GetAttributeByName(test, "kind").(*base.CategoricalAttribute).GetValues())
		}
		if name == "numbers" {
			_, err = model.Predict(test)
			require.NoError(t, err)
		}
	}
	_, err = ParseCSV("test.csv", strings.NewReader("size\n1\nlarge\n"), &CSVOptions{Like: train})
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `test.csv:3: column "size" = "large", want a number, as in Like`)
}

// A file of very many columns takes memory of its size, 16 bytes a cell and 150 bytes a column, and the grid some hundred bytes a
// column more.
func TestCSVMemoryOfManyColumns(t *testing.T) {
	const columns = 300_000
	var text strings.Builder
	for j := range columns {
		fmt.Fprintf(&text, "c%d,", j)
	}
	text.WriteString("class\n" + strings.Repeat("1,", columns) + "x\n")
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, most := live(), 0
	read := &atEnd{strings.NewReader(text.String()), func() { most = live() }}
	t0, err := parseTable("f", read, (*CSVOptions)(nil).withDefaults())
	require.NoError(t, err)
	assert.Less(t, most-before, text.Len()+2*columns*16+columns*150)
	runtime.KeepAlive(t0)
	t.Logf("a file of %d bytes takes %d while it is read", text.Len(), most-before)
}

// Megabytes of commas are refused before they are held.
func TestCSVOfCommas(t *testing.T) {
	text := strings.Repeat(",", 32<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ParseCSV("f.csv", strings.NewReader(text), nil)
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "f.csv:1: the line has more than 1000 columns without a name")
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
