package kernelbeam

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/celltext"
)

// The model depends only on the numbers in a file, and not on how they are written.
func TestWaysOfWriting(t *testing.T) {
	x, y := linear(300, 2, 31)
	want := stagesInMemory(t, scaledRidge, x, y)
	plain := csvText(x, y, 0, 300)
	quoted := "\ufeff\"x0\",\"x1\",\"y\"\n" + strings.SplitN(plain, "\n", 2)[1]
	nameless := "," + strings.ReplaceAll(strings.TrimSpace(plain), "\n", "\nJän,")
	for name, c := range map[string]struct {
		text string
		data Data
	}{
		"mark and quotes":          {quoted, Data{}},
		"mark and quotes, whole":   {quoted, Data{WholeFiles: true}},
		"carriage returns":         {strings.ReplaceAll(plain, "\n", "\r"), Data{WholeFiles: true}},
		"trailing commas":          {strings.ReplaceAll(plain, "\n", ",\n"), Data{}},
		"trailing commas, whole":   {strings.ReplaceAll(plain, "\n", ",\n"), Data{WholeFiles: true}},
		"decimal commas":           {strings.ReplaceAll(strings.ReplaceAll(plain, ",", ";"), ".", ","), Data{Options: table.Options{Format: table.Format{Comma: ';', Decimal: ','}}}},
		"tabs":                     {strings.ReplaceAll(plain, ",", "\t"), Data{}},
		"a column that is ignored": {"name," + nameless[1:], Data{Options: table.Options{Drop: []string{"name"}}}},
		"a column without a name":  {nameless, Data{}},
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if name == "tabs" {
			path = filepath.Join(t.TempDir(), "rows.tsv")
		}
		writeFile(t, path, c.text)
		c.data.Files, c.data.Options.Target = []string{path}, "y"
		got, _, err := scaledRidge.Fit(context.Background(), &c.data, &Options{NoEngine: true, RangeBytes: 2000})
		require.NoError(t, err, name)
		sameCoefficients(t, want, got)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, strings.Replace(strings.ReplaceAll(plain, "\n", "\r"), "\r", "\r1,x,2\r", 1))
	_, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}, WholeFiles: true}, &Options{NoEngine: true})
	assert.ErrorContains(t, err, "rows.csv:2: ", "lines are counted by carriage returns")
}

// The same fields are gaps as in all other readers.
func TestGapsAreThoseOfAllReaders(t *testing.T) {
	x, y := linear(300, 2, 32)
	for i := range celltext.Missing() {
		x.Set(10*i+3, 1, math.NaN())
	}
	text := csvText(x, y, 0, 300)
	for _, gap := range celltext.Missing() {
		text = strings.Replace(text, ",NaN,", ",\x00"+gap+",", 1)
	}
	text = strings.ReplaceAll(text, "\x00", "")
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, text)
	got, _, err := filledRidge.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, &Options{NoEngine: true})
	require.NoError(t, err)
	want := stagesInMemory(t, filledRidge, x, y)
	sameCoefficients(t, want, got)
}

// Labels in Latin-1 are read if the format sets Latin1.
func TestLatin1Labels(t *testing.T) {
	x, y := linear(300, 2, 33)
	text := "x0,x1,y\n"
	for i, l := range signs(y) {
		text += fmt.Sprintf("%v,%v,%s\n", x.At(i, 0), x.At(i, 1), []string{"ja", "n\xe4"}[l])
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, text)
	d := &Data{Files: []string{path}, Options: table.Options{Target: "y"}}
	_, _, err := classes.Fit(context.Background(), d, &Options{NoEngine: true})
	assert.ErrorContains(t, err, `the only class ["ja"]`)
	d.Options.Format.Latin1 = true
	got, _, err := classes.Fit(context.Background(), d, &Options{NoEngine: true})
	require.NoError(t, err)
	want := stagesInMemory(t, classes, x, signs(y))
	p, err := got.Predict(x)
	require.NoError(t, err)
	q, err := want.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, q, p)
}

// The recorded text of a bad row is valid UTF-8, even where it is truncated.
func TestBadRowsAreUTF8(t *testing.T) {
	x, y := linear(300, 2, 34)
	path, letters := filepath.Join(t.TempDir(), "rows.csv"), filepath.Join(t.TempDir(), "letters.csv")
	writeFile(t, path, csvText(x, y, 0, 300)+strings.Repeat("ä", 1000)+",1,2\nj\xe4,1,2\n"+strings.Repeat("x", 999)+"ä,1,2\n")
	_, report, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, &Options{MaxBad: 5, DeadLetters: letters})
	require.NoError(t, err)
	assert.EqualValues(t, 3, report.Bad)
	data, err := os.ReadFile(letters)
	require.NoError(t, err)
	assert.True(t, utf8.Valid(data))
}

// A row of a Parquet file with an integer that float64 cannot represent is a bad row, as in a text file.
func TestParquetIntegersThatDoNotSurvive(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "x0", Type: arrow.PrimitiveTypes.Int64}, {Name: "y", Type: arrow.PrimitiveTypes.Float64}}, nil))
	defer b.Release()
	for i := range 100 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.Float64Builder).Append(float64(i % 7))
	}
	b.Field(0).(*array.Int64Builder).Append(9007199254740993)
	b.Field(1).(*array.Float64Builder).Append(1)
	batch := b.NewRecordBatch()
	defer batch.Release()
	path := filepath.Join(t.TempDir(), "rows.parquet")
	f, err := os.Create(path)
	require.NoError(t, err)
	w, err := pqarrow.NewFileWriter(batch.Schema(), f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Close())
	d := &Data{Files: []string{path}, Options: table.Options{Target: "y"}}
	_, _, err = scaledRidge.Fit(context.Background(), d, &Options{NoEngine: true})
	assert.ErrorContains(t, err, `rows.parquet:101: column "x0"`)
	assert.ErrorContains(t, err, "RoundIntegers")
	d.Options.Format.RoundIntegers = true
	_, _, err = scaledRidge.Fit(context.Background(), d, &Options{NoEngine: true})
	require.NoError(t, err)
}

// A line of many megabytes is an error before it fills the memory.
func TestLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, "x,y\n1,2\n"+strings.Repeat("1", 17<<20))
	_, _, err := plainRidge.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, nil)
	assert.ErrorContains(t, err, "rows.csv:3: a line of more than")
}
