package grids

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
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
	x, names, err := Matrix(g, []base.Attribute{base.NewFloatAttribute("a"), base.NewFloatAttribute("b")})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names)
	assert.Equal(t, 1.25, x.At(0, 0))
	assert.True(t, math.IsNaN(x.At(2, 0)), "a question mark is a gap")
	assert.True(t, math.IsNaN(x.At(3, 0)), "golearn reads an empty cell as 0")
	assert.True(t, math.IsNaN(x.At(0, 1)))
	colour := base.GetAttributeByName(g, "colour").(*base.CategoricalAttribute)
	assert.Equal(t, []string{"red", gridtable.Missing, "blue"}, colour.GetValues())
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
	x, names, err = Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1", "2"}, names)
	assert.True(t, math.IsNaN(x.At(1, 2)), "a dash is a gap without options too")
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

// A gap is a gap whatever stands between cells.
func TestCSVGapsBetweenWhiteSpace(t *testing.T) {
	for name, comma := range map[string]string{"tab": "\t", "space": " ", "comma": ",", "semicolon": ";"} {
		text := strings.NewReplacer(",", comma).Replace("a,b,c,class\n,1,,x\n2,,3,y\n,,4,x\n5,6,,y\n")
		g, err := ParseCSV(name, strings.NewReader(text), &CSVOptions{Comma: rune(comma[0])})
		require.NoError(t, err, name)
		x, names, err := Matrix(g, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b", "c"}, names, name)
		gap := math.NaN()
		for i, want := range [][]float64{{gap, 1, gap}, {2, gap, 3}, {gap, gap, 4}, {5, 6, gap}} {
			for j, v := range want {
				if math.IsNaN(v) {
					assert.True(t, math.IsNaN(x.At(i, j)), "%s: row %d, column %d", name, i, j)
				} else {
					assert.Equal(t, v, x.At(i, j), "%s: row %d, column %d", name, i, j)
				}
			}
		}
		assert.Equal(t, []string{"x", "y", "x", "y"}, classTexts(t, g), name)
	}
}

func TestCSVOfSpreadsheets(t *testing.T) {
	g, err := ParseCSV("f", strings.NewReader("\ufeff\"a b\",\"c, d\",class\r\n1,\"2\",x\r\n3,4,\"y \"\"z\"\"\"\r\n"), nil)
	require.NoError(t, err)
	x, names, err := Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"a b", "c, d"}, names)
	assert.Equal(t, []float64{1, 2, 3, 4}, x.RawMatrix().Data)
	assert.Equal(t, []string{"x", `y "z"`}, classTexts(t, g))
}

// A number that is too large is an error, and no category; among texts it is one of them.
func TestCSVOfLargeNumbers(t *testing.T) {
	_, err := ParseCSV("f.csv", strings.NewReader("a,class\n1,x\n-1e400,y\n"), nil)
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.EqualError(t, err, `f.csv:3: column "a": -1e400 is more than a float64 holds: value is not finite`)
	for _, text := range []string{"a,class\n1,x\n-1e400,y\nred,x\n", "a,class\n1,x\nred,y\n-1e400,x\n"} {
		g, err := ParseCSV("f.csv", strings.NewReader(text), nil)
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"1", "-1e400", "red"}, base.GetAttributeByName(g, "a").(*base.CategoricalAttribute).GetValues())
	}
}

// The texts of numbers come back as they were written when a column turns out to have others.
func TestCSVColumnOfLateTexts(t *testing.T) {
	g, err := ParseCSV("f", strings.NewReader("a,class\n1.0,x\n,y\n1,x\n01,y\nNA,x\n1.0,y\nred,x\n?,y\nred,x\n"), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"1.0", gridtable.Missing, "1", "01", "red"}, base.GetAttributeByName(g, "a").(*base.CategoricalAttribute).GetValues())
	var got []string
	spec, err := g.GetAttribute(base.GetAttributeByName(g, "a"))
	require.NoError(t, err)
	for i := range 9 {
		got = append(got, spec.GetAttribute().GetStringFromSysVal(g.Get(spec, i)))
	}
	assert.Equal(t, []string{"1.0", "?", "1", "01", "?", "1.0", "red", "?", "red"}, got)
}

// Reading takes memory of about the file's size and two numbers a cell, not a string for each.
func TestCSVMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("20 MB of text")
	}
	var text strings.Builder
	text.WriteString("a,b,c,d\n")
	for i := range 500_000 {
		fmt.Fprintf(&text, "%d.25,%d,%.7f,%d\n", i, -i, 1/float64(i+1), i%7)
	}
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, most := live(), 0
	table, err := parseTable("f", &atEnd{strings.NewReader(text.String()), func() { most = live() }}, (*CSVOptions)(nil).withDefaults())
	require.NoError(t, err)
	assert.Less(t, most-before, (text.Len()+500_000*4*12)*3/2, "slices that grow have some to spare")
	runtime.KeepAlive(table)
}

// atEnd calls f when all is read.
type atEnd struct {
	*strings.Reader
	f func()
}

func (r *atEnd) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil {
		r.f()
	}
	return n, err
}

func TestDocumentedDefaults(t *testing.T) {
	assert.Equal(t, CSVOptions{Comma: ','}, (*CSVOptions)(nil).withDefaults())
	assert.Equal(t, (*CSVOptions)(nil).withDefaults(), new(CSVOptions).withDefaults())
}

// Whatever a file holds is a grid, which an estimator may refuse, or an error that names the file and the line.
func FuzzParseCSV(f *testing.F) {
	f.Add("a,b\n1,x\n,?\n", byte(0), false)
	f.Add("\ufeff\"a\",b\n1e999,\"x\ny\"\n", byte(0), false)
	f.Add("a\tb\n\t1\n2\t\n", byte(1), true)
	f.Add("a b\r\n \"1\"\r\n", byte(3), false)
	f.Fuzz(func(t *testing.T, text string, comma byte, noHeader bool) {
		o := CSVOptions{Comma: []rune{',', '\t', ';', ' ', '|'}[comma%5], NoHeader: noHeader}
		anyBytes(t, text, &o)
		if g, err := ParseCSV("f", strings.NewReader(text), &o); err == nil {
			_ = (&golearn.Classifier{Estimator: &lssvm.Classifier{}}).Fit(g)
		}
	})
}

// What a seed makes is read as it was written.
func FuzzCSVRoundTrip(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := drawSheet(rand.New(rand.NewPCG(seed, 1)))
		g, err := ParseCSV("f.csv", strings.NewReader(s.text), &s.options)
		require.NoError(t, err, "%q", s.text)
		s.same(t, g)
	})
}
