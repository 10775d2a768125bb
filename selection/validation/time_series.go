package validation

import (
	"cmp"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// TimeSeriesSplit treats the rows as a series with the oldest row first, and tests only on rows that come after the training rows.
// It tests the last Splits × TestRows rows once each, in consecutive windows of TestRows. The training rows are those before the
// window: all of them (an expanding window) or the last MaxTrain (a sliding window). The Gap rows directly before the window are in
// neither part, for targets that depend on later rows.
//
// The first rows are never tested.
type TimeSeriesSplit struct {
	// Splits is the number of splits. If it is 0, 5 is used.
	Splits int `zero:"5"`

	// TestRows is the number of test rows. If it is 0, the integer part of n/(Splits+1) is used.
	TestRows int `zero:"n/(Splits+1)"`

	// MaxTrain is the largest number of training rows. If it is 0, all are used.
	MaxTrain int `zero:"all"`
	Gap      int `zero:"none"`
}

// defaultWindows is the number of splits of a TimeSeriesSplit whose Splits is 0.
const defaultWindows = 5

// Split returns Splits folds, the oldest test part first. Errors: ErrParam, and ErrShape if n is too small for test parts of one
// row and a training row before the first of them.
func (s TimeSeriesSplit) Split(n int, _ []int) ([]Fold, error) {
	const typ = "validation: TimeSeriesSplit"
	if err := settings.Check(typ, s); err != nil {
		return nil, err
	}
	splits := cmp.Or(s.Splits, defaultWindows)
	size := s.TestRows
	if size == 0 {
		size = max(n/(splits+1), 1)
	}
	// This is computed in floating point because settings may be huge.
	if need := float64(splits)*float64(size) + float64(s.Gap) + 1; float64(n) < need {
		return nil, fmt.Errorf("%s: %w", typ,
			fault.Shape("x has", n, "rows", "want at least %.0f for %d test parts of %d, a gap of %d and a row before", need, splits, size,
				s.Gap))
	}
	if err := check.Numbers(fmt.Sprintf("%s: %d splits of %d rows", typ, splits, n), float64(n)*float64(splits),
		"take fewer Splits"); err != nil {
		return nil, err
	}
	out := make([]Fold, splits)
	for i := range out {
		start := n - (splits-i)*size
		end := start - s.Gap
		first := 0
		if s.MaxTrain > 0 {
			first = max(0, end-s.MaxTrain)
		}
		for row := first; row < end; row++ {
			out[i].Train = append(out[i].Train, row)
		}
		for row := start; row < start+size; row++ {
			out[i].Test = append(out[i].Test, row)
		}
	}
	return out, nil
}
