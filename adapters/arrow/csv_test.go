package arrow

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

const people = "\ufeffage, height ,born,city,code\n" +
	"31,1.80,1970-01-02,Bern,007\n" +
	"?, 1e0 ,1970-01-01T00:00:01.5Z,\"Zug, ZG\",008\n" +
	"45,NA,,Bern,012\n"

func TestCSV(t *testing.T) {
	shard := inMemory("people.csv", []byte(people))
	s, err := Columns{Categorical: []string{"code"}, mem: checked(t)}.Learn(ctx, shard)
	require.NoError(t, err)
	assert.Equal(t, []Column{{"age", Number, nil}, {"height", Number, nil}, {"born", Time, nil}, {"city", Category, []string{"Bern", "Zug, ZG"}}, {"code", Category, []string{"007", "008", "012"}}}, s.Features)
	assert.Equal(t, []int{3, 4}, s.Categorical())
	got, err := rowsOf(t, checked(t), s, shard)
	require.NoError(t, err)
	same(t, mat.NewDense(3, 5, []float64{31, 1.8, 86400, 0, 0, nan, 1, 1.5, 1, 1, 45, nan, nan, 0, 2}), got)
}

// The types are of all cells, not of the first row, and a Table has them from the schema.
func TestTypesOfCSV(t *testing.T) {
	shard := inMemory("a.csv", []byte("i,f,c,t\n1,1,1,1970-01-01\n2,2.5,x,\n,,,1970-01-01 00:01:00\n"))
	s, err := Columns{mem: checked(t)}.Learn(ctx, shard)
	require.NoError(t, err)
	assert.Equal(t, []Column{{"i", Number, nil}, {"f", Number, nil}, {"c", Category, []string{"1", "x"}}, {"t", Time, nil}}, s.Features)
	got, err := rowsOf(t, checked(t), s, shard)
	require.NoError(t, err)
	same(t, mat.NewDense(3, 4, []float64{1, 1, 0, 0, 2, 2.5, 1, nan, nan, nan, nan, 60}), got)
	digits := inMemory("b.csv", []byte("t,c,f,i\n,1,3,4\n"))
	got, err = rowsOf(t, checked(t), s, digits)
	require.NoError(t, err)
	same(t, mat.NewDense(1, 4, []float64{4, 3, 0, nan}), got)
}

func TestCSVOptions(t *testing.T) {
	shard := inMemory("a.txt", []byte("1;-;a\n2;4;b\n"))
	shard.Format, shard.CSV = CSV, &CSVOptions{NoHeader: true, Comma: ';', Missing: []string{"-"}}
	s, err := Columns{Label: "2"}.Learn(ctx, shard)
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1"}, s.Names())
	got, err := rowsOf(t, checked(t), s, shard)
	require.NoError(t, err)
	same(t, mat.NewDense(2, 2, []float64{1, nan, 2, 4}), got)
	s, err = Columns{}.Learn(ctx, inMemory("a.TSV", []byte("x\ty\n1\t2\n")))
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, s.Names())
}

// Labels of integers in one file and of texts in another are texts.
func TestLabelsOfCSV(t *testing.T) {
	numbers := inMemory("a.csv", []byte("x,label\n1,2\n1,10\n"))
	s, err := Columns{Label: "label"}.Learn(ctx, numbers)
	require.NoError(t, err)
	assert.Equal(t, []string{"2", "10"}, s.Classes)
	assert.True(t, s.IntegerClasses)
	all, err := Collect((&Table{Schema: s, Shards: []Shard{numbers, inMemory("b.csv", []byte("x,label\n1, 010\n"))}}).Labels(ctx), 0)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 1}, all.Y)
	s, err = Columns{Label: "label"}.Learn(ctx, numbers, inMemory("b.csv", []byte("x,label\n1,ten\n")))
	require.NoError(t, err)
	assert.Equal(t, []string{"10", "2", "ten"}, s.Classes)
	assert.False(t, s.IntegerClasses)
}

func TestErrorsOfCSV(t *testing.T) {
	s := &Schema{Features: []Column{{Name: "x", Kind: Number}, {Name: "t", Kind: Time}}}
	for content, texts := range map[string][]string{
		"x,t\n1,\n2,\n3,\nfour,\n": {`column "x", row 3`, `"four"`, "float64"},
		"x,t\n1,yesterday\n":       {`column "t", row 0`, `"yesterday"`, "timestamp"},
		"x\n1\n":                   {`"t", which the file lacks`},
		"x,t\n1,\n-inf,\n":         {`column "x", row 1`, `"-inf"`, "float64"},
		"x,t\n1,\n-1e400,\n":       {`column "x", row 1`, "-1e400 is more than a float64 holds"},
	} {
		_, err := rowsOf(t, checked(t), s, inMemory("a.csv", []byte(content)))
		require.Error(t, err)
		assert.True(t, errors.Is(err, estimators.ErrParam) || errors.Is(err, estimators.ErrNotFinite), err)
		assert.NotErrorIs(t, err, ErrUnreadable)
		for _, text := range append(texts, "a.csv: ") {
			assert.ErrorContains(t, err, text)
		}
	}
	for content, c := range map[string]struct {
		is   error
		text string
	}{
		"x,t\n1,\n2\n": {estimators.ErrShape, "a.csv:3: the line has 1 cells, the first one has 2"}, "x,t\n1,\n2,,3\n": {estimators.ErrShape, "a.csv:3: the line has 3 cells"},
		"x,t\n\"1,\n": {ErrUnreadable, "a.csv:2: column 5: "},
	} {
		for _, read := range []func(Shard) error{
			func(shard Shard) error { _, err := rowsOf(t, checked(t), s, shard); return err },
			func(shard Shard) error { _, err := Columns{mem: checked(t)}.Learn(ctx, shard); return err },
		} {
			err := read(inMemory("a.csv", []byte(content)))
			says(t, err, c.is, c.text)
		}
	}
	_, err := Columns{}.Learn(ctx, inMemory("a.csv", nil))
	says(t, err, estimators.ErrShape, "a.csv: ", "0 lines")
}

// What gzip has compressed is read as it was; damage is ErrUnreadable.
func TestPackedCSV(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.Bytes()
	}
	text := "x\tc\ty\n"
	for i := range 300 {
		text += fmt.Sprintf("%d\t%c\t%d\n", i, 'a'+i%3, 2*i)
	}
	read := func(shard Shard) (rows int, schema *Schema, err error) {
		if schema, err = (Columns{Target: "y"}).Learn(ctx, shard); err != nil {
			return 0, nil, err
		}
		rows, err = drained((&Table{Schema: schema, Shards: []Shard{shard}, BlockRows: 64}).Targets(ctx))
		return rows, schema, err
	}
	_, plain, err := read(inMemory("a.tsv", []byte(text)))
	require.NoError(t, err)
	rows, schema, err := read(inMemory("a.tsv.gz", pack(text)))
	require.NoError(t, err)
	assert.Equal(t, 300, rows)
	assert.Equal(t, plain, schema)
	_, _, err = read(inMemory("a.tsv.gz", pack(text+"1\tb\tz\n")))
	assert.ErrorContains(t, err, `a.tsv.gz:302: column "y" is nearly all numbers`)
	whole := pack(text)
	for _, bad := range [][]byte{whole[:5], whole[:len(whole)/2], append(bytes.Clone(whole[:len(whole)-6]), "xxxxxx"...)} {
		_, _, err = read(inMemory("a.tsv.gz", bad))
		says(t, err, ErrUnreadable, "a.tsv.gz: ")
	}
}
