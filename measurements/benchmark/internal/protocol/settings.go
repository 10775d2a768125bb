// Package protocol defines the sets, the files with their splits, and the cells that are run. A cell is a set, a method and a
// split. A finished cell is stored in a file.
package protocol

import (
	"time"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

// Settings holds the checked flags.
type Settings struct {
	Data     string
	Second   string
	Third    string
	Sets     []NamedSet
	Methods  []methods.Method
	Splits   int // 0 chooses a number from the size of a set
	Seed     uint64
	Budget   time.Duration
	MaxRows  int // 0 means no limit
	Workers  int
	Threads  int // threads of a cell
	Trials   int // settings that a search of boosting tries; 0 is the default of peers/cells.py
	Out      string
	Archive  string // file of finished cells
	Programs methods.Programs
	Sizes    []int // sizes of synthetic sets
	Columns  int
}

func (s Settings) SplitsOf(rows int) int {
	switch {
	case s.Splits > 0:
		return s.Splits
	case rows <= fewRows:
		return FewSplits
	}
	return leastSplits
}
