package grids

import (
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// sheet is a table as it is to be read, and how it is written.
type sheet struct {
	names   []string
	texts   [][]string // of each column, its cells without what surrounds them; "" is a gap
	numeric []bool
	class   int
	options CSVOptions
	text    string
}

// pieces are what texts are made of: all that a reader may trip over.
var pieces = []string{"a", "Ä", "日", `"`, `""`, ",", ";", "\t", "|", " ", "\n", "\n\n", "'", "#", "\\", "?", "0", "-", "\u00a0", "\ufeff", "NA"}

// drawText is a text without white space around it, which is no number and no gap.
func drawText(rng *rand.Rand) string {
	var s strings.Builder
	for range rng.IntN(5) {
		s.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return "w" + strings.TrimSpace(s.String()+strings.Repeat("z", rng.IntN(2)))
}

// drawNumber is a finite number in one of the forms that programs write.
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

// drawSheet makes a table and writes it.
func drawSheet(rng *rand.Rand) sheet {
	rows, columns := 1+rng.IntN(12), 1+rng.IntN(6)
	comma := []rune{',', '\t', ';', ' ', '|'}[rng.IntN(5)]
	s := sheet{options: CSVOptions{Comma: comma, NoHeader: rng.IntN(3) == 0}, class: columns - 1}
	gaps := []float64{0, .2, .9}[rng.IntN(3)]
	for j := range columns {
		name := drawText(rng) + strconv.Itoa(j)
		if s.options.NoHeader {
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
		if !numeric && rng.IntN(4) == 0 {
			s.options.Categorical = append(s.options.Categorical, name)
		} else {
			words, numbers := 0, 0
			for _, c := range cells {
				if strings.HasPrefix(c, "w") {
					words++
				} else if c != "" {
					numbers++
				}
			}
			if numeric = words == 0; words > 0 && numbers >= 4*words { // nearly all numbers
				s.options.Categorical = append(s.options.Categorical, name)
			}
		}
		s.names, s.texts, s.numeric = append(s.names, name), append(s.texts, cells), append(s.numeric, numeric)
	}
	switch rng.IntN(3) {
	case 0:
		s.options.NoClass, s.class = true, -1
	case 1:
		s.class = rng.IntN(columns)
		s.options.Class = s.names[s.class]
	default:
		if strings.Join(s.texts[s.class], "") == "" { // a class without a cell has to be meant
			s.options.Class = s.names[s.class]
		}
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
			// What surrounds a cell is dropped, but for what stands between cells.
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
	if !s.options.NoHeader {
		line(true, func(j int) string { return s.names[j] })
	}
	missing := celltext.Missing()
	for i := range rows {
		if rng.IntN(8) == 0 && (i > 0 || !s.options.NoHeader) {
			out.WriteString(end) // an empty line
		}
		line(i == 0 && s.options.NoHeader, func(j int) string {
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

// same compares a grid with the table, cell by cell.
func (s sheet) same(t *testing.T, g *base.DenseInstances) {
	t.Helper()
	columns, rows := g.Size()
	if !assert.Equal(t, [2]int{len(s.names), len(s.texts[0])}, [2]int{columns, rows}) {
		return
	}
	var classes []string
	for _, a := range g.AllClassAttributes() {
		classes = append(classes, a.GetName())
	}
	if s.class < 0 {
		assert.Empty(t, classes)
	} else {
		assert.Equal(t, []string{s.names[s.class]}, classes)
	}
	for j, name := range s.names {
		a := base.GetAttributeByName(g, name)
		if !assert.NotNil(t, a, "%q", name) {
			return
		}
		_, numeric := a.(*base.FloatAttribute)
		if !assert.Equal(t, s.numeric[j], numeric, "column %q of %q", name, s.texts[j]) {
			return
		}
		spec, err := g.GetAttribute(a)
		if !assert.NoError(t, err) {
			return
		}
		for i, text := range s.texts[j] {
			cell := g.Get(spec, i)
			switch {
			case !numeric && text == "":
				assert.Equal(t, gridtable.Missing, a.GetStringFromSysVal(cell), "%q, row %d", name, i)
			case !numeric:
				assert.Equal(t, text, a.GetStringFromSysVal(cell), "%q, row %d", name, i)
			case text == "":
				assert.True(t, math.IsNaN(base.UnpackBytesToFloat(cell)), "%q, row %d", name, i)
			default:
				want, _ := strconv.ParseFloat(text, 64)
				assert.Equal(t, math.Float64bits(want), math.Float64bits(base.UnpackBytesToFloat(cell)), "%q, row %d: %s", name, i, text)
			}
		}
	}
}

// sameTable compares what package table reads with the table, cell by cell: both follow the rules of package celltext.
func (s sheet) sameTable(t *testing.T) {
	t.Helper()
	o := table.Options{Kinds: map[string]table.Kind{}, Format: table.Format{Comma: s.options.Comma, NoHeader: s.options.NoHeader}}
	for j, name := range s.names {
		o.Kinds[name] = table.Category
		if s.numeric[j] {
			o.Kinds[name] = table.Number
		}
	}
	got, err := table.ParseCSV("f.csv", strings.NewReader(s.text), &o)
	if !assert.NoError(t, err) || !assert.Equal(t, s.names, got.Schema.Names()) || !assert.Equal(t, len(s.texts[0]), got.Rows()) {
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

// What is written in any of the ways of CSV files is read as it was, to the bit and the byte.
func TestCampaignCSVRoundTrips(t *testing.T) {
	campaign.RunTest(t, "csv-round-trip", 400, func(t *testing.T, rng *rand.Rand) {
		s := drawSheet(rng)
		g, err := ParseCSV("f.csv", strings.NewReader(s.text), &s.options)
		if assert.NoError(t, err, "%q", s.text) {
			s.same(t, g)
			s.sameTable(t)
		}
		if t.Failed() {
			t.Logf("%+v\n%q", s.options, s.text)
		}
	})
}

// fileAndLine is how errors of a file's content begin.
var fileAndLine = regexp.MustCompile(`^f\.csv:\d+: `)

// anyBytes reads what may be no CSV at all: a grid, or an error that says where, and no more memory than some times the text.
func anyBytes(t *testing.T, text string, o *CSVOptions) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := ParseCSV("f.csv", strings.NewReader(text), o)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20+csvBudget*len(text)), "%d bytes", len(text))
	if err != nil {
		assert.Regexp(t, fileAndLine, err.Error())
		assert.Less(t, len(err.Error()), 2000)
		assert.Nil(t, g)
		return
	}
	assert.NotEmpty(t, g.String())
}

// csvBudget is how many bytes a byte of a file may take in all, what is thrown away included: a column of one cell of one
// byte has a name, an attribute and a place of its own.
const csvBudget = 2000

// Files that are cut, mixed up or random are read or refused.
func TestCampaignCSVOfAnyBytes(t *testing.T) {
	refused, read := 0, 0
	campaign.RunTest(t, "csv-any-bytes", 400, func(t *testing.T, rng *rand.Rand) {
		s := drawSheet(rng)
		data := []byte(s.text)
		switch rng.IntN(3) {
		case 0: // bytes are changed
			for range 1 + rng.IntN(4) {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
		case 1: // a piece is cut out, or comes again
			from, to := rng.IntN(len(data)), rng.IntN(len(data)+1)
			from, to = min(from, to), max(from, to)
			if rng.IntN(2) == 0 {
				data = append(data[:from:from], data[to:]...)
			} else {
				data = slices.Insert(data, from, slices.Clone(data[from:to])...)
			}
		default: // pieces in any order
			data = data[:0]
			for range rng.IntN(300) {
				data = append(data, append(pieces, "1", "1e400", "\r", "\r\n", "\x00", "\xff", "nan", "inf", "0x1p-9")[rng.IntN(len(pieces)+9)]...)
			}
		}
		o := CSVOptions{Comma: s.options.Comma, NoHeader: s.options.NoHeader, NoClass: s.options.NoClass}
		anyBytes(t, string(data), &o)
		if _, err := ParseCSV("f.csv", strings.NewReader(string(data)), &o); err != nil {
			refused++
		} else {
			read++
		}
		if t.Failed() {
			t.Logf("%+v %q", o, data)
		}
	})
	if campaign.Duration(t) == 0 {
		assert.Greater(t, refused, 10)
		assert.Greater(t, read, 10)
	}
}
