package table

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// sheet holds the cells of a table, and the text of a CSV file with these cells.
type sheet struct {
	names   []string
	texts   [][]string // the cells of each column without surrounding characters; "" is a gap
	numeric []bool
	options Options
	text    string
}

// pieces lists parts of texts, including all characters that a reader may treat specially.
var pieces = []string{"a", "Ä", "日", `"`, `""`, ",", ";", "\t", "|", " ", "\n", "\n\n", "'", "#", "\\", "?", "0", "-", "\u00a0", "\ufeff", "NA"}

// drawText returns a text without surrounding white space that is neither a number nor a gap.
func drawText(rng *rand.Rand) string {
	var s strings.Builder
	for range rng.IntN(5) {
		s.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return "w" + strings.TrimSpace(s.String()+strings.Repeat("z", rng.IntN(2)))
}

// drawNumber returns a finite number in a form in which programs write numbers.
func drawNumber(rng *rand.Rand) string {
	v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
	switch rng.IntN(5) {
	case 0:
		return strconv.Itoa(rng.IntN(2000) - 1000)
	case 1:
		return strconv.FormatFloat(v, 'e', rng.IntN(18), 64)
	case 2:
		return "+" + strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
	case 3:
		return strconv.FormatFloat(math.Float64frombits(rng.Uint64()&^(1<<62)), 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// drawSheet returns a random sheet.
func drawSheet(rng *rand.Rand) sheet {
	rows, columns := 1+rng.IntN(12), 1+rng.IntN(6)
	comma := []rune{',', '\t', ';', ' ', '|'}[rng.IntN(5)]
	s := sheet{options: Options{Kinds: map[string]Kind{}, Format: Format{Comma: comma, NoHeader: rng.IntN(3) == 0}}}
	gaps := []float64{0, .2, .9}[rng.IntN(3)]
	for j := range columns {
		name := drawText(rng) + strconv.Itoa(j)
		if s.options.Format.NoHeader {
			name = strconv.Itoa(j)
		}
		numeric, cells := rng.IntN(2) == 0, make([]string, rows)
		for i := range cells {
			switch {
			case rng.Float64() < gaps:
			case numeric || rng.IntN(3) == 0:
				cells[i] = drawNumber(rng)
			default:
				cells[i] = drawText(rng)
			}
		}
		numeric = !strings.Contains(strings.Join(cells, ","), "w")
		s.options.Kinds[name] = Category
		if numeric {
			s.options.Kinds[name] = Number
		}
		s.names, s.texts, s.numeric = append(s.names, name), append(s.texts, cells), append(s.numeric, numeric)
	}
	end := []string{"\n", "\r\n"}[rng.IntN(2)]
	var out strings.Builder
	if rng.IntN(4) == 0 {
		out.WriteString("\ufeff")
	}
	line := func(first bool, cells func(j int) string) {
		if !first {
			out.WriteString(end)
		}
		for j := range columns {
			if j > 0 {
				out.WriteRune(comma)
			}
			cell := cells(j)
			quoted := strings.ContainsAny(cell, "\"\n\r"+string(comma)) || columns == 1 && cell == "" || rng.IntN(5) == 0
			// White space around a cell is dropped, unless it separates cells.
			space := []string{"", "", " ", "  "}[rng.IntN(4)]
			if comma == ' ' || comma == '\t' {
				space = ""
			}
			switch {
			case quoted:
				inner := space + cell + space
				if end == "\r\n" && rng.IntN(2) == 0 {
					inner = strings.ReplaceAll(inner, "\n", "\r\n")
				}
				out.WriteString(space + `"` + strings.ReplaceAll(inner, `"`, `""`) + `"`)
			default:
				out.WriteString(space + cell + space)
			}
		}
	}
	if !s.options.Format.NoHeader {
		line(true, func(j int) string { return s.names[j] })
	}
	missing := celltext.Missing()
	for i := range rows {
		if rng.IntN(8) == 0 && (i > 0 || !s.options.Format.NoHeader) {
			out.WriteString(end) // an empty line
		}
		line(i == 0 && s.options.Format.NoHeader, func(j int) string {
			if c := s.texts[j][i]; c != "" {
				return c
			}
			return missing[rng.IntN(len(missing))]
		})
	}
	if rng.IntN(2) == 0 {
		out.WriteString(end)
	}
	s.text = out.String()
	return s
}

// same checks cell by cell that the file of the sheet is read without changes.
func (s sheet) same(t *testing.T) {
	t.Helper()
	got, err := ParseCSV("f.csv", strings.NewReader(s.text), &s.options)
	if !assert.NoError(t, err, "%q", s.text) || !assert.Equal(t, s.names, got.Schema.Names()) || !assert.Equal(t, len(s.texts[0]), got.Rows()) {
		return
	}
	for j, name := range s.names {
		for i, text := range s.texts[j] {
			switch v := got.X.At(i, j); {
			case text == "":
				assert.True(t, math.IsNaN(v), "%q, row %d", name, i)
			case s.numeric[j]:
				want, _ := strconv.ParseFloat(text, 64)
				assert.Equal(t, math.Float64bits(want), math.Float64bits(v), "%q, row %d: %s", name, i, text)
			default:
				assert.Equal(t, text, got.Schema.Columns[j].Levels[int(v)], "%q, row %d", name, i)
			}
		}
	}
}

// Random tables are read exactly from all forms of CSV files: numbers to the bit, and texts to the byte.
func TestCampaignCSVRoundTrips(t *testing.T) {
	campaign.RunTest(t, "csv-round-trip", 400, func(t *testing.T, rng *rand.Rand) {
		s := drawSheet(rng)
		s.same(t)
		if t.Failed() {
			t.Logf("%+v\n%q", s.options, s.text)
		}
	})
}

// FuzzCSVRoundTrip checks that the random sheet of any seed is read without changes.
func FuzzCSVRoundTrip(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { drawSheet(rand.New(rand.NewPCG(seed, 1))).same(t) })
}

// Reading needs about as much memory as the size of the file plus 25 bytes per cell, and not a string for each cell.
func TestCSVMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("20 MB of text")
	}
	const rows, columns = 500_000, 4
	var text strings.Builder
	text.WriteString("a,b,c,d\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d.25,%d,%.7f,%d\n", i, -i, 1/float64(i+1), i%7)
	}
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, most := live(), 0
	got, err := ParseCSV("f", &atEnd{strings.NewReader(text.String()), func() { most = live() }}, nil)
	require.NoError(t, err)
	assert.Less(t, most-before, (text.Len()+rows*columns*25)*3/2, "slices that grow have some to spare")
	runtime.KeepAlive(got)
}

// atEnd calls f at the end of a reader.
type atEnd struct {
	io.Reader
	f func()
}

func (r *atEnd) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil {
		r.f()
	}
	return n, err
}

// Megabytes of commas are rejected before they are held in memory.
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
