package table

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/internal/testkit/filefuzz"
)

// format is a reader, with valid files that the campaigns damage.
type format struct {
	parse  func(string, io.Reader, *Options) (*Table, error)
	names  []string // the columns of the files
	seeds  []string
	pieces []string
	dense  bool // a short file may stand for many zeros
}

var formats = map[string]format{
	"csv": {ParseCSV, []string{"price", "area", "y", "class", "colour"}, []string{strings.Join(houses, "\n"), strings.Join(line(15), "\n"), "\ufeffa;b\r\n1;2\r\n", "id,,x\n1,2,\"a\nb\"\n"},
		[]string{",", ";", "\n", "\r\n", "\r", `"`, `""`, "a", "Ä", " ", "1", "-", ".", "NA", "2024-02-29", "1e400", "9007199254740993", "\x00", "\xff", "nan", "\x1f\x8b"}, false},
	"arff": {ParseARFF, []string{"play", "outlook", "a", "b"}, []string{weather, "@relation s\n@attribute a real\n@attribute b {x,'y z'}\n@data\n{0 5,1 'y z'}\n{}\n"},
		[]string{",", "\n", "'", `"`, `\`, "{", "}", "@data\n", "@attribute ", "a", "real", "numeric\n", "string\n", "?", "%", "0 ", "1", "\xff", "\t"}, false},
	"svmlight": {ParseSVMLight, nil, []string{"1 qid:4 1:0.5 3:-2e1 # c\n-1 qid:4\n", "2.5 0:1 2:2\n3 1:1\n"},
		[]string{" ", "\n", "1", ":", "qid:", "#", "-", "1:1", "2:.5", "999999:1", "inf", "a", "\xff", "+"}, true},
}

// damaged returns a valid file after pieces of it were changed, cut, repeated or replaced.
func (f format) damaged(rng *rand.Rand) string {
	data := []byte(f.seeds[rng.IntN(len(f.seeds))])
	for range 1 + rng.IntN(2) {
		from, to := rng.IntN(len(data)+1), rng.IntN(len(data)+1)
		if from, to = min(from, to), max(from, to); rng.IntN(3) > 0 {
			to = min(to, from+3)
		}
		switch rng.IntN(4) {
		case 0:
			if from < to {
				data[from] = byte(rng.Uint32())
			}
		case 1:
			data = append(data[:from:from], data[to:]...)
		case 2:
			data = append(data[:to:to], data[from:]...)
		default:
			data = append(append(data[:from:from], f.pieces[rng.IntN(len(f.pieces))]...), data[from:]...)
		}
	}
	return string(data)
}

// drawOptions returns random options, which name columns that the files may have.
func (f format) drawOptions(rng *rand.Rand) *Options {
	pick := func() string { return f.names[rng.IntN(len(f.names))] }
	o := &Options{}
	if f.names == nil || rng.IntN(2) == 0 {
		o.Task = Task(rng.IntN(3) * rng.IntN(2))
		return o
	}
	if rng.IntN(2) == 0 {
		o.Target, o.Task = pick(), Task(rng.IntN(3))
	}
	if rng.IntN(4) == 0 {
		o.Group = pick()
	}
	if rng.IntN(4) == 0 {
		o.Kinds = map[string]Kind{pick(): Kind(1 + rng.IntN(5))}
	}
	if rng.IntN(4) == 0 {
		o.Drop = []string{pick()}
	}
	o.Format = Format{WordsAsGaps: rng.IntN(2) == 0, RoundIntegers: rng.IntN(2) == 0}
	return o
}

// budget is the largest number of bytes that may be allocated per byte of a file, including garbage.
const budget = 4000

// readOrRefused reads a text that need not be valid, and reports whether it was read. It checks that the result is a table that its
// schema reads again unchanged, or an error that names the file.
func readOrRefused(t *testing.T, f format, text string, o *Options) bool {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := f.parse("file", strings.NewReader(text), o)
	runtime.ReadMemStats(&after)
	if !f.dense {
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20+budget*len(text)), "%d bytes", len(text))
	}
	if err != nil {
		assert.Regexp(t, "^(file|table: Options)", err.Error())
		assert.Less(t, len(err.Error()), 4000)
		return false
	}
	require.NoError(t, got.Schema.check())
	assert.NotEmpty(t, got.Schema.String())
	again, err := f.parse("file", strings.NewReader(text), &Options{Schema: got.Schema})
	require.NoError(t, err)
	assertSameCells(t, got, again)
	_, err = got.Subset([]int{got.Rows() - 1, 0})
	require.NoError(t, err)
	return true
}

func assertSameCells(t *testing.T, want, got *Table) {
	t.Helper()
	var rows [][]float64
	for i := range want.Rows() {
		rows = append(rows, want.X.RawRowView(i))
	}
	assertCells(t, rows, got.X)
}

// Truncated, shuffled and random files are read without errors, or rejected.
func TestCampaignTableOfAnyBytes(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			refused, read := 0, 0
			campaign.RunTest(t, "table-any-bytes-"+name, 300, func(t *testing.T, rng *rand.Rand) {
				text, o := f.damaged(rng), f.drawOptions(rng)
				if readOrRefused(t, f, text, o) {
					read++
				} else {
					refused++
				}
				if t.Failed() {
					t.Logf("%+v %q", o, text)
				}
			})
			if campaign.Duration(t) == 0 {
				assert.Greater(t, refused, 10)
				assert.Greater(t, read, 10)
			}
		})
	}
}

// A model reads a changed line as a row, or returns an error that describes it.
func TestCampaignRowsOfAnyBytes(t *testing.T) {
	m := linearModel(t)
	campaign.RunTest(t, "table-rows", 300, func(t *testing.T, rng *rand.Rand) {
		row := format{seeds: line(3)[1:], pieces: formats["csv"].pieces}.damaged(rng)
		if p, err := m.PredictRow(row); err == nil {
			assert.True(t, finite(p.Number), "%q", row)
		} else {
			assert.Contains(t, err.Error(), "table: ", "%q", row)
		}
	})
}

// Model files that are changed, but have valid checksums, are read or rejected.
func TestCampaignModelFiles(t *testing.T) {
	data, err := linearModel(t).MarshalBinary()
	require.NoError(t, err)
	subject := &filefuzz.Subject{Name: "table.Model", Files: [][]byte{data}, Args: []any{parsed(t, nil, line(3)...)},
		New: func() any { return &Model{Regressor: &ridge.Regressor{Ridge: 1e-9}} }}
	require.NoError(t, subject.Prepare())
	campaign.Run(t, "table-files", 400, func(rng *rand.Rand) error { return filefuzz.CheckRandom([]*filefuzz.Subject{subject}, rng) })
}

func FuzzParse(f *testing.F) {
	for name, format := range formats {
		for _, seed := range format.seeds {
			f.Add(name, seed)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if format, ok := formats[name]; ok && len(text) < 1<<16 {
			readOrRefused(t, format, text, nil)
		}
	})
}

// Learn on a stream gives the same schema as the reader.
func TestCampaignLearn(t *testing.T) {
	campaign.RunTest(t, "table-learn", 200, func(t *testing.T, rng *rand.Rand) {
		text, o := formats["csv"].damaged(rng), formats["csv"].drawOptions(rng)
		want, err := ParseCSV("file", strings.NewReader(text), o)
		s := Source{Name: "file", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte(text))), nil }}
		got, streamed := s.Learn(context.Background(), o)
		if err == nil && assert.NoError(t, streamed) {
			assert.Equal(t, want.Schema, got)
		}
	})
}
