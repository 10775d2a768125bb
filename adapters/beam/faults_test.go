package kernelbeam

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
)

// both runs f twice: with Beam and without an engine.
func both(t *testing.T, f func(t *testing.T, o Options)) {
	t.Run("beam", func(t *testing.T) { f(t, Options{}) })
	t.Run("no engine", func(t *testing.T) { f(t, Options{NoEngine: true}) })
}

// A fit to a damaged file returns no model, and an error that names the file and the row.
func TestDamagedFiles(t *testing.T) {
	x, y := linear(900, 2, 20)
	whole := csvText(x, y, 0, 300)
	for name, c := range map[string]struct {
		file, text string
		place      string // the text of the error after the file's name
		reason     string
		want       error
	}{
		"no number":                     {"b.csv", strings.Replace(whole, "\n", "\n1,2x,3\n", 1), ":2", `column "x1" = "2x", want a number`, nil},
		"a field too many":              {"b.csv", whole + "1,2,3,4\n", ":302", "4 fields instead of 3", nil},
		"cut short":                     {"b.csv", whole + "1,2", ":302", "2 fields instead of 3", nil},
		"not finite":                    {"b.csv", whole + "1,+Inf,3\n", ":302", `column "x1" = "+Inf", want a number`, nil},
		"a gap":                         {"b.csv", whole + "1,,3\n", ":302", "x[0,1] is NaN", estimators.ErrNotFinite},
		"a target that is not a number": {"b.csv", whole + "1,2,\n", ":302", `column "y": the target NaN is not finite`, nil},
		"a column is missing":           {"b.csv", "x0,y\n1,2\n", ":1", `no column "x1"; there are x0, y`, estimators.ErrShape},
		"a column twice":                {"b.csv", "x0,x1,x1,y\n1,2,3,4\n", ":1", `two columns are named "x1"`, estimators.ErrShape},
		"a quote":                       {"b.csv", whole + "1,\"2,3\n4\",5\n", ":302", "WholeFiles", estimators.ErrParam},
		"binary":                        {"b.csv", "\x00\x01\x02", ":1", `no column "x0"`, estimators.ErrShape},
		"a quote in the names":          {"b.csv", "x0,\"x1,y\n", ":1", "WholeFiles", estimators.ErrShape},
		"too large":                     {"b.csv", whole + "1,1e400,3\n", ":302", `column "x1": 1e400 exceeds the range of float64`, nil},
		"an integer":                    {"b.csv", whole + "1,9007199254740993,3\n", ":302", "RoundIntegers", nil},
		"not UTF-8":                     {"b.csv", "x0,x1,y\xe4\n1,2,3\n", ":1", `column 3: "y\xe4" is not UTF-8: set Format.Latin1`, estimators.ErrParam},
		"UTF-16":                        {"b.csv", "\xff\xfex\x000\x00", "", "encoding = UTF-16, want UTF-8", estimators.ErrParam},
		"carriage returns":              {"b.csv", strings.ReplaceAll(whole, "\n", "\r"), ":1", "set Data.WholeFiles", estimators.ErrParam},
		"commas":                        {"b.csv", strings.Repeat(",", 1<<20), "", "more than 1000 columns without a name", estimators.ErrShape},
		"a wide row":                    {"b.csv", whole + "1,2" + strings.Repeat(",3", 1<<20) + "\n", ":302", "1003 fields or more instead of 3", nil},
		"a nameless cell":               {"b.csv", "x0,x1,y,\n1,2,3,\n1,2,3,4\n", ":3", `"4" in column 4, which has no name`, nil},
		"no Parquet":                    {"b.parquet", whole, "", "damaged, or not a Parquet file", estimators.ErrBadModel},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, o Options) {
				dir := t.TempDir()
				writeFile(t, filepath.Join(dir, "a.csv"), whole)
				bad := filepath.Join(dir, c.file)
				writeFile(t, bad, c.text)
				writeFile(t, filepath.Join(dir, "c.csv"), csvText(x, y, 300, 900))
				got, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(dir, "*")}, Options: table.Options{Target: "y"}}, &o)
				require.Error(t, err)
				assert.Nil(t, got)
				assert.Contains(t, err.Error(), bad+c.place+": ")
				assert.Contains(t, err.Error(), c.reason)
				if c.want != nil {
					assert.ErrorIs(t, err, c.want)
				}
				var data *DataError
				require.ErrorAs(t, err, &data)
				assert.Equal(t, bad, data.File)
			})
		})
	}
}

// A Parquet file that is truncated, or whose structure has changed bytes, is an error that names the file. There is no panic.
// Changed numbers are not detected.
func TestDamagedParquet(t *testing.T) {
	x, y := linear(900, 2, 21)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.parquet")
	writeParquetFile(t, path, x, y, 0, 900)
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	damagedOnes := 0
	for at := 10; at < len(good); at += len(good) / 40 {
		data := append([]byte(nil), good...)
		for i := at; i < min(at+8, len(data)); i++ {
			data[i] ^= 0xff
		}
		require.NoError(t, os.WriteFile(path, data, 0o600))
		_, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, &Options{NoEngine: true})
		if err != nil {
			damagedOnes++
			assert.Contains(t, err.Error(), "a.parquet")
		}
	}
	assert.Positive(t, damagedOnes)
	require.NoError(t, os.WriteFile(path, good[:len(good)/2], 0o600))
	both(t, func(t *testing.T, o Options) {
		_, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, &o)
		assert.ErrorIs(t, err, estimators.ErrBadModel)
	})
}

// Empty files are valid, with or without a header. Data without any rows is an error.
func TestNoRows(t *testing.T) {
	x, y := linear(800, 2, 22)
	want := stagesInMemory(t, scaledRidge, x, y)
	both(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a.csv"), "x0,x1,y\n")
		writeFile(t, filepath.Join(dir, "b.csv"), csvText(x, y, 0, 800))
		writeFile(t, filepath.Join(dir, "c.csv"), "")
		writeParquetFile(t, filepath.Join(dir, "d.parquet"), x, y, 0, 0)
		got, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(dir, "*")}, Options: table.Options{Target: "y"}}, &o)
		require.NoError(t, err)
		sameCoefficients(t, want, got)
		_, _, err = scaledRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(dir, "[ad].*")}, Options: table.Options{Target: "y"}}, &o)
		assert.ErrorIs(t, err, estimators.ErrShape)
		_, _, err = scaledRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(dir, "c.csv")}, Options: table.Options{Target: "y"}}, &o)
		assert.ErrorContains(t, err, "c.csv")
	})
}

// A label that is not in the list of classes is an error that names the file and the row. The list may come from the estimator or
// from the schema.
func TestUnseenLabels(t *testing.T) {
	x, y := linear(600, 2, 23)
	labels := signs(y)
	text := "x0,x1,y\n"
	for i, l := range labels {
		if i == 423 {
			l = 7
		}
		text += fmt.Sprintf("%v,%v,%d\n", x.At(i, 0), x.At(i, 1), l)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, text)
	two, err := table.ParseCSV("two", strings.NewReader("x0,x1,y\n1.5,2.5,0\n1,2,1\n"), &table.Options{Target: "y", Task: table.Classification})
	require.NoError(t, err)
	both(t, func(t *testing.T, o Options) {
		o.RangeBytes = 3000
		_, _, err := classes.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, &o)
		assert.ErrorContains(t, err, "rows.csv:425: ")
		assert.ErrorContains(t, err, "2", "the number of the third class")
		assert.ErrorIs(t, err, estimators.ErrParam)
		_, _, err = classes.Fit(context.Background(), &Data{Files: []string{path}, Options: table.Options{Schema: two.Schema}}, &o)
		assert.ErrorContains(t, err, `rows.csv:425: column "y": a gap, or none of the classes 0, 1`)
	})
}

// Bad rows up to the limit are left out, and written with file, line and reason. If there is one more, the error names the first
// bad row, and nothing is written.
func TestDeadLetters(t *testing.T) {
	x, y := linear(2000, 2, 24)
	dir := t.TempDir()
	dirty, kept := csvText(x, y, 0, 1000), csvText(x, y, 0, 1000)
	lines := strings.SplitAfter(dirty, "\n")
	lines[3] = lines[3] + "1,oops,2\n" // line 5
	lines[900] = lines[900] + "\"a \"\"b\"\"\",1,2\n,,\n"
	writeFile(t, filepath.Join(dir, "a.csv"), strings.Join(lines, ""))
	writeFile(t, filepath.Join(dir, "b.csv"), csvText(x, y, 1000, 2000))
	clean := t.TempDir()
	writeFile(t, filepath.Join(clean, "a.csv"), kept+strings.TrimPrefix(csvText(x, y, 1000, 2000), "x0,x1,y\n"))
	want, _, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{filepath.Join(clean, "a.csv")}, Options: table.Options{Target: "y"}}, nil)
	require.NoError(t, err)
	both(t, func(t *testing.T, o Options) {
		o.MaxBad, o.DeadLetters, o.RangeBytes = 3, filepath.Join(t.TempDir(), "dead.csv"), 4000
		d := &Data{Files: []string{filepath.Join(dir, "*.csv")}, Options: table.Options{Target: "y"}}
		got, report, err := scaledRidge.Fit(context.Background(), d, &o)
		require.NoError(t, err)
		sameCoefficients(t, want, got)
		assert.Equal(t, 3, report.Bad)
		assert.Equal(t, 2000, report.Rows)
		if !o.NoEngine {
			assert.Equal(t, int64(6), report.Metrics["bad_rows"], "in two passes")
		}
		f, err := os.Open(o.DeadLetters)
		require.NoError(t, err)
		defer f.Close()
		records, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		a := filepath.Join(dir, "a.csv")
		assert.Equal(t, [][]string{
			{"file", "line", "id", "reason", "text"},
			{a, "5", "", `column "x1" = "oops", want a number`, "1,oops,2"},
			{a, "903", "", `column "x0" = "a \"b\"", want a number`, `"a ""b""",1,2`},
			{a, "904", "", `column "y": the target NaN is not finite`, ",,"},
		}, records)
		o.MaxBad, o.DeadLetters = 2, filepath.Join(t.TempDir(), "none.csv")
		got, _, err = scaledRidge.Fit(context.Background(), d, &o)
		assert.Nil(t, got)
		assert.ErrorContains(t, err, a+":5: ")
		assert.ErrorContains(t, err, "MaxBad is 2")
		assert.NoFileExists(t, o.DeadLetters)
	})
}

// With WholeFiles, fields may contain line breaks.
func TestWholeFiles(t *testing.T) {
	x, y := linear(500, 2, 25)
	text := "\"note\nof two lines\",x0,x1,y\n"
	for i := range y {
		text += fmt.Sprintf("\"a\nnote, %d\",%v,%v,%v\r\n", i, x.At(i, 0), x.At(i, 1), y[i])
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	writeFile(t, path, text)
	want := stagesInMemory(t, scaledRidge, x, y)
	both(t, func(t *testing.T, o Options) {
		o.RangeBytes = 100
		d := &Data{Files: []string{path}, Options: table.Options{Target: "y"}, WholeFiles: true}
		got, _, err := scaledRidge.Fit(context.Background(), d, &o)
		require.NoError(t, err)
		sameCoefficients(t, want, got)
		d.WholeFiles = false
		_, _, err = scaledRidge.Fit(context.Background(), d, &o)
		assert.ErrorContains(t, err, "WholeFiles")
	})
}

// Files compressed with gzip are read if their names end in .gz. Their errors name the line, or report that the file is damaged.
func TestPackedFiles(t *testing.T) {
	x, y := linear(600, 2, 25)
	pack := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.String()
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.csv.gz"), pack(csvText(x, y, 0, 400)))
	writeFile(t, filepath.Join(dir, "b.csv"), csvText(x, y, 400, 600))
	want := stagesInMemory(t, scaledRidge, x, y)
	both(t, func(t *testing.T, o Options) {
		o.RangeBytes = 500
		d := &Data{Files: []string{filepath.Join(dir, "a.csv.gz"), filepath.Join(dir, "b.csv")}, Options: table.Options{Target: "y"}}
		got, _, err := scaledRidge.Fit(context.Background(), d, &o)
		require.NoError(t, err)
		sameCoefficients(t, want, got)
		d.Files = []string{filepath.Join(dir, "*")}
		_, _, err = scaledRidge.Fit(context.Background(), d, &o)
		assert.ErrorContains(t, err, "a.csv.gz: it is compressed by gzip")
		assert.ErrorIs(t, err, estimators.ErrParam)

		whole := pack(csvText(x, y, 0, 400))
		for _, c := range []struct {
			text, place, reason string
			want                error
		}{
			{pack(csvText(x, y, 0, 400) + "1,2z,3\n"), ":402: ", `"2z", want a number`, nil},
			{whole[:len(whole)/2], "", "damaged or truncated", estimators.ErrBadModel},
			{whole[:12], "", "damaged or truncated", estimators.ErrBadModel},
			{whole[:5], "", "damaged or truncated", estimators.ErrBadModel},
			{whole[:len(whole)-6] + "xxxxxx", "", "damaged or truncated", estimators.ErrBadModel},
		} {
			bad := filepath.Join(t.TempDir(), "bad.csv.gz")
			writeFile(t, bad, c.text)
			d := &Data{Files: []string{filepath.Join(dir, "b.csv"), bad}, Options: table.Options{Target: "y"}}
			_, _, err := scaledRidge.Fit(context.Background(), d, &o)
			assert.ErrorContains(t, err, bad+c.place)
			assert.ErrorContains(t, err, c.reason)
			if c.want != nil {
				assert.ErrorIs(t, err, c.want)
			}
		}
	})
}

// A runner that the program has not imported is an error, and does not end the process.
func TestRunnerThatIsNotImported(t *testing.T) {
	standInForRunner("dataflow")
	standInForRunner("dataflow")
	_, err := beam.Run(context.Background(), "dataflow", beam.NewPipeline())
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"`)
}
