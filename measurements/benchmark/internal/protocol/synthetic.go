package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/selection/validation"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

const (
	syntheticName = "friedman1"
	// The sizes are the requested one, half of it and so on, down to smallestSize. The test part has at most SyntheticTest rows.
	smallestSize  = 250
	SyntheticTest = 1000
	// LeastSeconds is the shortest time of a fit that is used for an exponent. Shorter times are dominated by the clock and by
	// constant costs.
	LeastSeconds = 0.005
)

// SizesOf parses friedman1:ROWSxCOLUMNS.
func SizesOf(text string) (sizes []int, columns int, err error) {
	var rows int
	if n, _ := fmt.Sscanf(text, syntheticName+":%dx%d", &rows, &columns); n != 2 || text != fmt.Sprintf("%s:%dx%d", syntheticName, rows,
		columns) {
		return nil, 0, fmt.Errorf("-synthetic %s: want %s:ROWSxCOLUMNS", text, syntheticName)
	}
	if rows < smallestSize || columns < 5 {
		return nil, 0, fmt.Errorf("-synthetic %s: want at least %d rows and 5 columns", text, smallestSize)
	}
	for n := rows; n >= smallestSize; n /= 2 {
		sizes = append(sizes, n)
	}
	slices.Reverse(sizes)
	return sizes, columns, nil
}

// prepareSynthetic writes rows of Friedman's first function, with an independent draw for each split. The training rows of a
// smaller size are the first rows of a larger one, and the test rows are the same for all sizes.
func (s Settings) prepareSynthetic() ([]Prepared, error) {
	if err := s.writeSplitsReadme(); err != nil {
		return nil, err
	}
	most := s.Sizes[len(s.Sizes)-1]
	test := make([]int, SyntheticTest)
	for i := range test {
		test[i] = i
	}
	var out []Prepared
	for i, n := range s.Sizes {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d", syntheticName, n, s.Columns, s.Seed))
		name := fmt.Sprintf("%s-%dx%d", syntheticName, n, s.Columns)
		out = append(out, Prepared{
			folder: filepath.Join(s.Out, "splits", name), round: i * s.Splits, lineage: syntheticName, splits: s.Splits,
			Description: Description{
				Set: name, SHA256: hex.EncodeToString(sum[:]), Task: methods.RegressionTask, Target: "y", Rows: n + SyntheticTest,
				Features: s.Columns,
				Seed:     s.Seed, MaxRows: n, Available: n, TrainRows: n, TestRows: SyntheticTest,
			},
		})
	}
	for split := range s.Splits {
		set := &dataset.Set{Target: "y"}
		set.X, set.Y = dataset.Friedman1(SyntheticTest+most, s.Columns, s.Seed+uint64(split))
		for j := range s.Columns {
			set.Columns = append(set.Columns, "x"+strconv.Itoa(j+1))
		}
		for i := range set.Y {
			set.Records = append(set.Records, i+1)
		}
		for i, p := range out {
			if err := os.MkdirAll(p.folder, 0o755); err != nil {
				return nil, err
			}
			if err := ensureJSON(filepath.Join(p.folder, "set.json"), p.Description); err != nil {
				return nil, err
			}
			train := make([]int, s.Sizes[i])
			for k := range train {
				train[k] = SyntheticTest + k
			}
			if err := p.writeSplit(set, split, validation.Fold{Train: train, Test: test}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
