package rowblocks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/celltext"
)

// numbered calls f, which reads ranges of a file with c, and returns how often each row was read. Column x of the file holds the
// numbers of the rows.
func numbered(t *testing.T, path string, rows int, f func(c *Collector, all offsetrange.Restriction)) []int {
	t.Helper()
	n, err := beamfiles.Size(context.Background(), path)
	require.NoError(t, err)
	seen := make([]int, rows)
	r := &Layout{Schema: &table.Schema{Columns: []table.Column{{Name: "x", Kind: table.Number}}}}
	c := &Collector{Layout: r, Receive: func(_ context.Context, b *Block) (int, error) {
		for _, v := range b.X {
			seen[int(v)]++
		}
		return 0, nil
	}}
	c.Begin()
	f(c, offsetrange.Restriction{End: n})
	require.Nil(t, c.Known.Fault)
	require.Zero(t, c.Known.Bad)
	return seen
}

func once(rows int) []int {
	out := make([]int, rows)
	for i := range out {
		out[i] = 1
	}
	return out
}

// lineFiles writes files with different line breaks, with and without a last one, and returns their paths.
func lineFiles(t *testing.T, rows int) (out []string) {
	dir := t.TempDir()
	for k, end := range []string{"\n", "\r\n", "\n\n"} {
		for _, last := range []bool{true, false} {
			var text strings.Builder
			text.WriteString("x,other" + end)
			for i := range rows {
				fmt.Fprintf(&text, "%d,%s", i, strings.Repeat("o", i%13))
				if i < rows-1 || last {
					text.WriteString(end)
				}
			}
			path := filepath.Join(dir, fmt.Sprintf("%d-%v.csv", k, last))
			require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
			out = append(out, path)
		}
	}
	return out
}

// Each row is read exactly once, whatever the size of the ranges.
func TestRangesOfEverySize(t *testing.T) {
	const rows = 40
	for _, path := range lineFiles(t, rows) {
		for step := int64(1); step < 200; step += 1 + step/10 {
			got := numbered(t, path, rows, func(c *Collector, all offsetrange.Restriction) {
				for _, r := range all.SizedSplits(step) {
					require.NoError(t, c.ReadRange(context.Background(), Shard{path, all.End}, &FileRange{Restriction: r}))
				}
			})
			assert.Equal(t, once(rows), got, "%s in ranges of %d", path, step)
		}
	}
}

// splitting is a range whose unread remainder is split off at some claims, as an engine does during a pass.
type splitting struct {
	tracked
	rng  *rand.Rand
	left *[]offsetrange.Restriction
}

func (s *splitting) Claim(at int64) bool {
	if s.rng.IntN(5) == 0 {
		_, residual, err := s.tracker.TrySplit(s.rng.Float64())
		if err != nil {
			panic(err)
		}
		if residual != nil {
			*s.left = append(*s.left, residual.(offsetrange.Restriction))
		}
	}
	return s.tracked.Claim(at)
}

// If an engine divides ranges during the pass, each row is still read exactly once, and all ranges are done at the end.
func TestRangesThatAreDivided(t *testing.T) {
	const rows = 60
	for _, path := range lineFiles(t, rows) {
		for seed := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, 1))
			divided := 0
			got := numbered(t, path, rows, func(c *Collector, all offsetrange.Restriction) {
				left := []offsetrange.Restriction{all}
				for len(left) > 0 {
					one := left[0]
					left = left[1:]
					tracker := sdf.NewLockRTracker(offsetrange.NewTracker(one))
					require.NoError(t, c.ReadRange(context.Background(), Shard{path, all.End}, &splitting{tracked{tracker}, rng, &left}))
					require.True(t, tracker.IsDone(), "%v", tracker)
					require.NoError(t, tracker.GetError())
					divided++
				}
			})
			assert.Equal(t, once(rows), got)
			assert.Greater(t, divided, 1)
		}
	}
}

// The range of a file that is read from beginning to end cannot be divided.
func TestUndivided(t *testing.T) {
	by := &Layout{WholeFiles: true, RangeBytes: 10}
	all := offsetrange.Restriction{End: 1000}
	assert.Equal(t, []offsetrange.Restriction{all}, by.Split(Shard{"a.csv", 1000}, all))
	_, residual, err := by.Tracker(all).TrySplit(.5)
	assert.NoError(t, err)
	assert.Nil(t, residual)
	assert.Len(t, (&Layout{RangeBytes: 10}).Split(Shard{"a.csv", 1000}, all), 100)
}

// Lines with and without quotes are split into their fields.
func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":               nil,
		"a":              {"a"},
		"a,":             {"a", ""},
		",":              {"", ""},
		`"a,b",c`:        {"a,b", "c"},
		`"a""b",""`:      {`a"b`, ""},
		`a"b,c`:          nil,
		`1, "b,c"`:       {"1", "b,c"},
		`x,"",y`:         {"x", "", "y"},
		`"a`:             nil,
		`"a"b,c`:         nil,
		`1.5, 2 ,"3" `:   nil,
		"a,b,c\"\"\",\"": nil,
	} {
		got, err := split([]byte(line), ',', nil, 100)
		if want == nil && line != "" {
			assert.Error(t, err, line)
			continue
		}
		require.NoError(t, err, line)
		assert.Len(t, got, len(want), line)
		for i := range want {
			assert.Equal(t, want[i], string(got[i]), line)
		}
	}
}

// The same rules as in all other readers decide whether a cell is a number, a gap or an error.
func TestNumber(t *testing.T) {
	number := func(f table.Format, text string) (float64, error) {
		e, err := (&table.Schema{Columns: []table.Column{{Name: "x", Kind: table.Number}}, Format: f}).Encoder()
		require.NoError(t, err)
		return (&csvCells{fields: [][]byte{[]byte(text)}}).number(e, place{0, 0})
	}
	for text, want := range map[string]float64{"1": 1, " -2.5e3\t": -2500, ".5": .5} {
		got, err := number(table.Format{}, text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, gap := range append(celltext.Missing(), " ", " NA ") {
		got, err := number(table.Format{}, gap)
		require.NoError(t, err)
		assert.True(t, got != got, gap)
	}
	for _, wrong := range []string{"x", "1,5", "1 2", "1e999", "--1", "0x1p4", "1_1", "inf", "9007199254740993", "2024-01-01", "\xe4"} {
		_, err := number(table.Format{}, wrong)
		assert.Error(t, err, wrong)
	}
	got, err := number(table.Format{RoundIntegers: true}, "9007199254740993")
	require.NoError(t, err)
	assert.Equal(t, 9007199254740992., got)
}
