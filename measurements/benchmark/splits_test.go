package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
)

// own is a set with gaps, words and a row without a target.
const own = `size,kind,price
1,a,10
2,b,12
,a,13.125
4,b,
5,c,16
6,,18
7,a,20
8,b,21
100,a,0.1
`

func ownFolder(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.csv"), []byte(own), 0o600))
	return dir
}

func TestSplitsAreFilesThatSayWhereRowsComeFrom(t *testing.T) {
	data := ownFolder(t)
	s := settings{splits: 3, seed: 1, maxRows: 100, out: t.TempDir()}
	p, err := s.prepare(named{"own", data, firstCollection})
	require.NoError(t, err)
	assert.Equal(t, description{
		Set: "own", Collection: firstCollection, SHA256: p.SHA256, Task: regressionTask, Target: "price", Rows: 8, Features: 4,
		Seed: 1, Available: 6, TrainRows: 6, TestRows: 2,
	}, p.description)
	for split := range 3 {
		content, err := os.ReadFile(p.path(split, "train"))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(content), "size,kind=a,kind=b,kind=c,price\n"), string(content))
		records, err := os.ReadFile(p.path(split, "records"))
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(records)), "\n")[1:]
		require.Len(t, lines, 8)
		source := strings.Split(own, "\n")
		var sizes []float64
		for _, part := range []string{"train", "test"} {
			x, y, err := readRows(p.path(split, part))
			require.NoError(t, err)
			for i := range y {
				var record int
				_, err := fmt.Sscanf(lines[0], part+",%d", &record)
				require.NoError(t, err, lines[0])
				lines = lines[1:]
				cells := strings.Split(source[record], ",")
				assert.Equal(t, cells[2], fmt.Sprint(y[i]))
				if cells[0] != "" {
					assert.Equal(t, cells[0], fmt.Sprint(x.At(i, 0)))
					if part == "train" {
						sizes = append(sizes, x.At(i, 0))
					}
				}
				assert.Equal(t, cells[1] != "", mat.Sum(x.Slice(i, i+1, 1, 4)) == 1)
			}
		}
		// The gap is filled by what the training rows say.
		slices.Sort(sizes)
		k := len(sizes)
		median := (sizes[(k-1)/2] + sizes[k/2]) / 2
		for _, part := range []string{"train", "test"} {
			x, y, err := readRows(p.path(split, part))
			require.NoError(t, err)
			if i := slices.Index(y, 13.125); i >= 0 {
				assert.Equal(t, median, x.At(i, 0))
			}
		}
	}
}

func TestSplitsAreStratifiedAndHangOnTheSeedAlone(t *testing.T) {
	read := func(splits int, seed uint64) string {
		s := settings{splits: splits, seed: seed, maxRows: 300, out: t.TempDir()}
		for _, name := range []string{"diabetes-progression", "breast-cancer-wdbc"} {
			p, err := s.prepare(named{name: name})
			require.NoError(t, err)
			if name == "breast-cancer-wdbc" {
				_, y, err := readRows(p.path(0, "test"))
				require.NoError(t, err)
				assert.Len(t, y, 142)
				assert.InDelta(t, 142*212./569, sum(y), 1, "malignant, the second class")
				x, y, err := readRows(p.path(0, "train"))
				require.NoError(t, err)
				assert.Len(t, y, 300)
				n, d := x.Dims()
				assert.Equal(t, [2]int{300, 30}, [2]int{n, d})
				content, err := os.ReadFile(p.path(0, "train"))
				require.NoError(t, err)
				return string(content)
			}
		}
		return ""
	}
	assert.Equal(t, read(1, 1), read(2, 1))
	assert.NotEqual(t, read(1, 1), read(1, 2))
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

func TestSubset(t *testing.T) {
	rows := []int{3, 5, 8, 9, 12, 20}
	assert.Equal(t, rows, subset(rows, nil, 6, 1, 0))
	few := subset(rows, nil, 3, 1, 0)
	assert.Len(t, few, 3)
	assert.True(t, slices.IsSorted(few))
	for _, r := range few {
		assert.Contains(t, rows, r)
	}
	assert.Equal(t, []int{3, 5, 8, 9, 12, 20}, rows)
}

func TestSubsetKeepsTheSharesOfClasses(t *testing.T) {
	rows, labels := make([]int, 1000), make([]int, 1000)
	for i := range rows {
		rows[i] = i
		switch {
		case i%100 == 7:
			labels[i] = 2
		case i%4 == 0:
			labels[i] = 1
		}
	}
	for _, size := range []int{100, 333, 999} {
		few := subset(rows, labels, size, 1, 0)
		assert.Len(t, few, size)
		assert.True(t, slices.IsSorted(few))
		assert.Len(t, slices.Compact(slices.Clone(few)), size)
		var counts [3]float64
		for _, r := range few {
			counts[labels[r]]++
		}
		for k, share := range []float64{.74, .25, .01} {
			assert.InDelta(t, share*float64(size), counts[k], 1, "class %d of %d rows", k, size)
		}
	}
	assert.NotEqual(t, subset(rows, labels, 100, 1, 0), subset(rows, labels, 100, 2, 0))
}

func TestReadRowsRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	for content, want := range map[string]string{"": "EOF", "a,y\n": "no rows", "y\n1\n": "no features", "a,y\n1,2\n1,z\n": "line 3", "a,y\n1\n": "fields"} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, _, err := readRows(path)
		assert.ErrorContains(t, err, want)
	}
}

func TestSetsOfAFolder(t *testing.T) {
	dir := ownFolder(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prostate.csv"), []byte("a,lpsa\n1,2\n"), 0o600))
	got, err := setsNamed(dir, "", "")
	require.NoError(t, err)
	assert.Equal(t, []named{{"prostate", dir, firstCollection}}, got, "a set without a protocol has to be named")
	got, err = setsNamed(dir, "", "own,prostate")
	require.NoError(t, err)
	assert.Equal(t, []named{{"own", dir, firstCollection}, {"prostate", dir, firstCollection}}, got)
	for _, name := range strings.Split(shippedSets, ",") {
		_, ok := dataset.ProtocolOf(name)
		assert.True(t, ok)
	}
}
