package arrow

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// learnt returns the schema of a CSV file and its rows.
func learnt(t *testing.T, text string, c Columns, o *CSVOptions) (*Schema, *mat.Dense, error) {
	t.Helper()
	shard := inMemory("a.csv", []byte(text))
	shard.CSV, c.mem = o, checked(t)
	s, err := c.Learn(ctx, shard)
	if err != nil {
		return nil, nil, err
	}
	x, err := rowsOf(t, checked(t), s, shard)
	return s, x, err
}

// Numbers are decimal, and the same cells are gaps as in the other readers.
func TestCellsOfCSV(t *testing.T) {
	s, _, err := learnt(t, "a,b,c\n1_1,1,2\n11,0x1p4,3\ninf,2,4\n", Columns{}, nil)
	require.NoError(t, err)
	assert.Equal(t, []Column{{"a", Category, []string{"11", "1_1", "inf"}}, {"b", Category, []string{"0x1p4", "1", "2"}}, {"c", Number, nil}}, s.Features)
	gaps := []string{"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", "-", ".", `\N`, "#N/A"}
	_, x, err := learnt(t, "a,b\n1,1\n"+strings.Join(gaps, ",1\n")+",1\n", Columns{}, nil)
	require.NoError(t, err)
	n, _ := x.Dims()
	require.Equal(t, 1+len(gaps), n)
	for i := range gaps {
		assert.True(t, math.IsNaN(x.At(1+i, 0)), gaps[i])
	}
	_, x, err = learnt(t, "a;b\n1,5;10%\n-2.000,25;5 %\n", Columns{}, &CSVOptions{Comma: ';', Decimal: ',', Thousands: '.', Percent: true})
	require.NoError(t, err)
	same(t, mat.NewDense(2, 2, []float64{1.5, .1, -2000.25, .05}), x)
}

// Integers that float64 does not hold, and numbers beyond it, are the errors that Parquet has.
func TestNumbersThatFloatsDoNotHold(t *testing.T) {
	for _, id := range []string{"9007199254740993", "1234567890123456789", "123456789012345678901"} {
		text := "id,x\n1,1\n" + id + ",2\n"
		_, _, err := learnt(t, text, Columns{}, nil)
		says(t, err, estimators.ErrParam, "a.csv: column \"id\", row 1 = "+id, "RoundIntegers")
		_, x, err := learnt(t, text, Columns{RoundIntegers: true}, nil)
		require.NoError(t, err)
		n, _ := x.Dims()
		assert.Equal(t, 2, n)
		s, _, err := learnt(t, text, Columns{Categorical: []string{"id"}}, nil)
		require.NoError(t, err)
		assert.Contains(t, s.Features[0].Categories, id)
	}
	_, _, err := learnt(t, "x\n1\n1e400\n2\n", Columns{}, nil)
	says(t, err, estimators.ErrNotFinite, `a.csv: column "x", row 1: 1e400 is more than a float64 holds`)
}

// A column that is nearly all numbers is reported where it is used, and only there.
func TestNearlyNumbers(t *testing.T) {
	text := "a,b,label\n" + strings.Repeat("1.5,2,x\n", 50) + "n.a.,1,x\n" + strings.Repeat("1.5,2,y\n", 50)
	_, _, err := learnt(t, text, Columns{Label: "label"}, nil)
	var mixed *estimators.MixedColumnError
	require.ErrorAs(t, err, &mixed)
	assert.Equal(t, []estimators.StrangeText{{Text: "n.a.", Line: 52, Times: 1}}, mixed.Words)
	says(t, err, estimators.ErrParam, `a.csv:52: column "a" is nearly all numbers`)
	for name, c := range map[string]Columns{"ignored": {Label: "label", Ignore: []string{"a"}}, "a category": {Label: "label", Categorical: []string{"a"}}, "the label": {Label: "a", Ignore: []string{"label"}}} {
		_, _, err := learnt(t, text, c, nil)
		require.NoError(t, err, name)
	}
	for name, o := range map[string]CSVOptions{"WordsAsGaps": {WordsAsGaps: true}, "Missing": {Missing: []string{"n.a."}}} {
		_, x, err := learnt(t, text, Columns{Label: "label"}, &o)
		require.NoError(t, err, name)
		assert.True(t, math.IsNaN(x.At(50, 0)), name)
	}
	_, _, err = learnt(t, text, Columns{Target: "a", Ignore: []string{"label"}}, nil)
	require.ErrorAs(t, err, &mixed, "a target with a word")
}

// Files of other systems are read, or refused by what is wrong with them.
func TestCSVOfOtherSystems(t *testing.T) {
	want := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for name, text := range map[string]string{
		"mark and quotes": "\ufeff\"a\",\"b\"\n1,2\n3,4\n", "carriage returns": "a,b\r1,2\r3,4\r", "trailing commas": "a,b,\n1,2,\n3,4,\n",
	} {
		s, x, err := learnt(t, text, Columns{}, nil)
		require.NoError(t, err, name)
		assert.Equal(t, []string{"a", "b"}, s.Names(), name)
		same(t, want, x, name)
	}
	_, _, err := learnt(t, "\xff\xfea\x00,\x00b\x00\n\x00", Columns{}, nil)
	says(t, err, estimators.ErrParam, "a.csv:1: encoding = UTF-16, want UTF-8")
	_, _, err = learnt(t, ",a\n0,1\n", Columns{}, nil)
	says(t, err, estimators.ErrParam, "a.csv: name of column 1")
	_, _, err = learnt(t, ",a\n0,1\n", Columns{Ignore: []string{""}}, nil)
	require.NoError(t, err)
	_, _, err = learnt(t, "a,b\n1,r\xe9\n", Columns{}, nil)
	says(t, err, estimators.ErrParam, `a.csv:2: column "b" = "r\xe9", want UTF-8, or Latin1`)
	s, _, err := learnt(t, "a,b\n1,r\xe9\n2,r\xe8\n", Columns{}, &CSVOptions{Latin1: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"rè", "ré"}, s.Features[1].Categories)
	_, _, err = learnt(t, strings.Repeat(",", 1<<20), Columns{}, nil)
	says(t, err, estimators.ErrShape, "a.csv:1: the line has more than 1000 columns without a name")
	_, _, err = learnt(t, "a,b\n1,2\n", Columns{}, &CSVOptions{Decimal: '5'})
	says(t, err, estimators.ErrParam, "a.csv: CSVOptions: Decimal")
}

// Columns that a Predictor passes on keep what is written in them.
func TestPassedColumnsOfCSV(t *testing.T) {
	s, model := fittedRegressor(t)
	shard := inMemory("a.csv", []byte("x,z,id,long,mixed,huge,words\n1,2,9007199254740993,12345678901234567890,1,1e400,007a\n2,3,9007199254740995,2,2,1,b\n3,1,5,3,3,1,c\n1,1,6,4,4,1,d\n1,1,7,5,n.a.,1,e\n"))
	to := filepath.Join(t.TempDir(), "out.parquet")
	_, err := (&Predictor[float64]{Model: model, Schema: s, mem: checked(t)}).Write(ctx, to, shard)
	require.NoError(t, err)
	back := readBack(t, to)
	at := func(name string, row int) string {
		return back.Column(back.Schema().FieldIndices(name)[0]).ValueStr(row)
	}
	assert.IsType(t, &array.Int64{}, back.Column(back.Schema().FieldIndices("id")[0]))
	assert.Equal(t, []string{"9007199254740993", "9007199254740995", "12345678901234567890", "n.a.", "1e400", "007a"},
		[]string{at("id", 0), at("id", 1), at("long", 0), at("mixed", 4), at("huge", 0), at("words", 0)})
}
