package celltext

import (
	"encoding/csv"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// all reads a file. It returns the names as the first row, then the rows, and the line of each row.
func all(t *testing.T, text string, r Rules, of Layout) (rows [][]string, lines []int, err error) {
	t.Helper()
	if of.Comma == 0 {
		of.Comma = ','
	}
	in, err := Open("f.csv", strings.NewReader(text), parser(t, r), of)
	if err != nil {
		return nil, nil, err
	}
	rows = append(rows, in.Names())
	for {
		cells, err := in.Next()
		if err == io.EOF {
			return rows, lines, nil
		}
		if err != nil {
			return nil, nil, err
		}
		rows, lines = append(rows, append([]string{}, cells...)), append(lines, in.Line())
	}
}

// Files with the same cells in different notations have the same rows.
func TestWaysOfWriting(t *testing.T) {
	want := [][]string{{"a b", "c"}, {"1", "x, y"}, {"2", "z"}}
	for name, text := range map[string]string{
		"plain":                    "a b,c\n1,\"x, y\"\n2,z\n",
		"no last end":              "a b,c\n1,\"x, y\"\n2,z",
		"white space":              " a b ,c\n1, \"x, y\" \n 2 , z\n",
		"empty lines":              "\n\na b,c\n\n1,\"x, y\"\n\n2,z\n\n",
		"mark":                     "\ufeffa b,c\n1,\"x, y\"\n2,z\n",
		"mark before a quote":      "\ufeff\"a b\",c\n1,\"x, y\"\n2,z\n",
		"carriage returns":         "a b,c\r1,\"x, y\"\r2,z\r",
		"both":                     "a b,c\r\n1,\"x, y\"\r\n2,z\r\n",
		"two carriage returns":     "a b,c\r\r\n1,\"x, y\"\r\r\n2,z\r\r\n",
		"carriage returns, quotes": "\ufeff\"a b\",\"c\"\r\"1\",\"x, y\"\r2,z",
		"a trailing comma":         "a b,c,\n1,\"x, y\",\n2,z,\n",
		"trailing commas":          "a b,c,,,\n1,\"x, y\",,,\n2,z,,,\n",
	} {
		if name == "white space" {
			text = strings.ReplaceAll(text, `" `, `"`) // encoding/csv refuses it
		}
		rows, _, err := all(t, text, Rules{}, Layout{})
		require.NoError(t, err, name)
		assert.Equal(t, want, rows, name)
		in, err := Open("f.csv", iotest.OneByteReader(strings.NewReader(text)), parser(t, Rules{}), Layout{Comma: ','})
		require.NoError(t, err, name)
		assert.Equal(t, want[0], in.Names(), name)
	}
	rows, lines, err := all(t, "1;2\r\"a\rb\";4\r", Rules{}, Layout{Comma: ';', NoHeader: true})
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"0", "1"}, {"1", "2"}, {"a\rb", "4"}}, rows)
	assert.Equal(t, []int{1, 2}, lines)
}

func TestWhatIsRefused(t *testing.T) {
	for text, c := range map[string]struct {
		is   error
		want string
	}{
		"a,b\n1,2,3\n":                     {fault.ErrShape, "f.csv:2: the line has 3 cells, the first one has 2"},
		"a,b,\n1,2,3\n":                    {fault.ErrParam, `f.csv:2: column 3 = "3", want no cell, as the column has no name`},
		"a,b\n1,\"2\n":                     {csv.ErrQuote, "f.csv:2: column 6: "},
		"a,t,c\n1,u,j\xe4\n":               {fault.ErrParam, `f.csv:2: column "c" = "j\xe4", want UTF-8, or Latin1`},
		"a,t\xe4,c\n":                      {fault.ErrParam, `f.csv:1: column 2 = "t\xe4", want UTF-8, or Latin1`},
		"\xff\xfea\x00,\x00b\x00\n\x00":    {fault.ErrParam, "f.csv:1: encoding = UTF-16, want UTF-8"},
		"\xfe\xff\x00a\x00,":               {fault.ErrParam, "f.csv:1: encoding = UTF-16, want UTF-8"},
		"a\x00,\x00b\x00\n\x00":            {fault.ErrParam, "f.csv:1: encoding = UTF-16, want UTF-8"},
		"a\n1" + strings.Repeat(",", 2000): {fault.ErrShape, "f.csv:2: the line has more than 1001 cells, the first one has 1"},
	} {
		_, _, err := all(t, text, Rules{}, Layout{})
		require.ErrorIs(t, err, c.is, "%q", text)
		assert.ErrorContains(t, err, c.want)
	}
	rows, _, err := all(t, "a,t\xe4,c\n1,u,j\xe4\n", Rules{Latin1: true}, Layout{})
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a", "tä", "c"}, {"1", "u", "jä"}}, rows)
	_, _, err = all(t, "a,b\n", Rules{Latin1: true}, Layout{Comma: '¦'})
	assert.ErrorIs(t, err, fault.ErrParam)
	gone := errors.New("the disk is gone")
	in, err := Open("f.csv", io.MultiReader(strings.NewReader("a,b\n1,"), iotest.ErrReader(gone)), parser(t, Rules{}), Layout{Comma: ','})
	require.NoError(t, err)
	_, err = in.Next()
	require.ErrorIs(t, err, gone)
}

// A first line that consists of megabytes of commas is rejected before it is read to its end.
func TestFirstLineIsCheckedBeforeItIsHeld(t *testing.T) {
	for _, start := range []string{"", "a,b", "a\n"} {
		text := start + strings.Repeat(",", 32<<20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := all(t, text, Rules{}, Layout{})
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, fault.ErrShape)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}

func TestNames(t *testing.T) {
	name, twice := Duplicate([]string{"b", "a", "c", "a", "b"})
	assert.True(t, twice)
	assert.Equal(t, "a", name, "the first that comes again")
	_, twice = Duplicate([]string{"a", "b"})
	assert.False(t, twice)
	assert.ErrorIs(t, CheckNames("f", []string{"", "a"}), fault.ErrParam)
	assert.NoError(t, CheckNames("f", []string{"a"}))
}

// columnOf returns a Column of these cells, which are on the lines from 2.
func columnOf(t *testing.T, r Rules, cells ...string) *Column {
	p, c := parser(t, r), &Column{}
	for i, text := range cells {
		c.Add(p.Parse(text), text, i+2)
	}
	return c
}

func TestTypes(t *testing.T) {
	many := strings.Fields(strings.Repeat("1.5 ", 2000))
	for _, c := range []struct {
		cells []string
		want  Type
		mixed bool
	}{
		{nil, Empty, false}, {[]string{"NA", ""}, Empty, false}, {[]string{"1", "", "2"}, Integers, false}, {[]string{"1", "2.5"}, Numbers, false}, {[]string{"1e400", "1"}, Numbers, false},
		{[]string{"2024-01-01", "?"}, Times, false}, {[]string{"a", "1"}, Texts, false}, {[]string{"1", "2", "3", "a"}, Texts, false}, {[]string{"1", "2", "3", "4", "a"}, Numbers, true},
		{append([]string{"n.a."}, many...), Numbers, true}, {[]string{"1,5", "2"}, Numbers, true}, {[]string{"1,5", "2,5"}, Numbers, true}, {[]string{"10%"}, Numbers, true},
		{[]string{"2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "never"}, Times, true}, {[]string{"2024-01-01", "2024"}, Texts, false},
	} {
		got, mixed := columnOf(t, Rules{}, c.cells...).Type()
		assert.Equal(t, c.want, got, c.cells)
		assert.Equal(t, c.mixed, mixed, c.cells)
	}
}

func TestMixedNamesWordsAndLines(t *testing.T) {
	cells := strings.Fields(strings.Repeat("7 ", 50) + "n.a. " + strings.Repeat("8 ", 50) + "1,5 n.a.")
	err := columnOf(t, Rules{}, cells...).Mixed("f.csv", "a", MixedHint)
	assert.EqualError(t, err, `f.csv:52: column "a" is nearly all numbers, but 3 of 103 cells are not: "n.a." in line 52 (2 times), "1,5" in line 103: `+MixedHint)
	require.ErrorIs(t, err, fault.ErrParam)
	var mixed *fault.MixedColumnError
	require.ErrorAs(t, err, &mixed)
	assert.Equal(t, []fault.StrangeText{{Text: "n.a.", Line: 52, Times: 2}, {Text: "1,5", Line: 103, Times: 1}}, mixed.Words)
	err = columnOf(t, Rules{}, "1,5", "2,5").Mixed("f.csv", "a", MixedHint)
	assert.EqualError(t, err, `f.csv:2: column "a" has numbers in another notation: "1,5" in line 2, "2,5" in line 3: `+MixedHint)
}

func TestNumbersThatFloatsDoNotHold(t *testing.T) {
	c := columnOf(t, Rules{}, "1", "9007199254740993")
	err := c.Numeric("f.csv", "id", false, "")
	require.ErrorIs(t, err, fault.ErrParam)
	assert.EqualError(t, err, `f.csv:3: column "id" = 9007199254740993, want an integer that float64 represents exactly`)
	assert.NoError(t, c.Numeric("f.csv", "id", true, ""))
	err = columnOf(t, Rules{}, "1", "-1e400").Numeric("f.csv", "a", true, "")
	assert.EqualError(t, err, `f.csv:3: column "a": -1e400 exceeds the range of float64: value is not finite`)
	assert.True(t, c.Int64())
	assert.False(t, columnOf(t, Rules{}, "12345678901234567890").Int64())
}
