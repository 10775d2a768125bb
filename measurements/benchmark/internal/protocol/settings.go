// Package protocol says what is run on what: sets, their splits into files, and the cells, which are a set, a method and a
// split each, with the file that a finished one is.
package protocol

import (
	"time"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

// Settings are the flags, checked.
type Settings struct {
	Data     string
	Second   string
	Sets     []NamedSet
	Methods  []methods.Method
	Splits   int // 0: by the size of a set
	Seed     uint64
	Budget   time.Duration
	MaxRows  int // 0: no limit
	Workers  int
	Threads  int // of a cell
	Out      string
	Programs methods.Programs
	Sizes    []int // of synthetic sets
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
