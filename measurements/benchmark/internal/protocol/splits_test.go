package protocol

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

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

func TestSplitsAreFilesThatSayWhereRowsComeFrom(t *testing.T) {
	data := ownFolder(t)
	s := Settings{Splits: 3, Seed: 1, MaxRows: 100, Out: t.TempDir()}
	p, err := s.prepare(NamedSet{"own", data, FirstCollection})
	require.NoError(t, err)
	assert.Equal(t, Description{
		Set: "own", Collection: FirstCollection, SHA256: p.SHA256, Task: methods.RegressionTask, Target: "price", Rows: 8, Features: 4,
		Seed: 1, Available: 6, TrainRows: 6, TestRows: 2,
	}, p.Description)
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
			x, y, err := ReadRows(p.path(split, part))
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
		// The missing value is replaced with the median of the training rows.
		slices.Sort(sizes)
		k := len(sizes)
		median := (sizes[(k-1)/2] + sizes[k/2]) / 2
		for _, part := range []string{"train", "test"} {
			x, y, err := ReadRows(p.path(split, part))
			require.NoError(t, err)
			if i := slices.Index(y, 13.125); i >= 0 {
				assert.Equal(t, median, x.At(i, 0))
			}
		}
	}
}

func TestSplitsAreStratifiedAndHangOnTheSeedAlone(t *testing.T) {
	read := func(splits int, seed uint64) string {
		s := Settings{Splits: splits, Seed: seed, MaxRows: 300, Out: t.TempDir()}
		for _, name := range []string{"diabetes-progression", "breast-cancer-wdbc"} {
			p, err := s.prepare(NamedSet{Name: name})
			require.NoError(t, err)
			if name == "breast-cancer-wdbc" {
				_, y, err := ReadRows(p.path(0, "test"))
				require.NoError(t, err)
				assert.Len(t, y, 142)
				assert.InDelta(t, 142*212./569, sum(y), 1, "malignant, the second class")
				x, y, err := ReadRows(p.path(0, "train"))
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

func TestSetsOfAFolder(t *testing.T) {
	dir := ownFolder(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prostate.csv"), []byte("a,lpsa\n1,2\n"), 0o600))
	got, err := Choose(dir, "", "", "")
	require.NoError(t, err)
	assert.Equal(t, []NamedSet{{"prostate", dir, FirstCollection}}, got, "a set without a protocol has to be named")
	got, err = Choose(dir, "", "", "own,prostate")
	require.NoError(t, err)
	assert.Equal(t, []NamedSet{{"own", dir, FirstCollection}, {"prostate", dir, FirstCollection}}, got)
	for _, name := range strings.Split(shippedSets, ",") {
		_, ok := dataset.ProtocolOf(name)
		assert.True(t, ok)
	}
}
