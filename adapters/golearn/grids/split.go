package grids

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// splitStream separates the random numbers of a split from those that an estimator draws with the same seed.
const splitStream = 0x73706c6974

// Split draws round(testFraction·n) of the n rows of grid for testing and leaves the others for training. The rows of test and
// train are in random order, and no row is in both. The same seed, including 0, gives the same split. The results are dense copies
// with the attributes of grid, which is not changed. Split returns ErrParam for a fraction that is not between 0 and 1, or if train
// or test would have no rows.
func Split(grid base.FixedDataGrid, testFraction float64, seed uint64) (train, test *base.DenseInstances, err error) {
	defer addName("Split", &err)
	t, err := gridtable.Divisible(grid, gridtable.Read)
	if err != nil {
		return nil, nil, err
	}
	return splitRows(t, make([]int, t.Rows), 1, testFraction, seed)
}

// StratifiedSplit is like Split, but splits each class separately: test contains testFraction of the rows of each class, rounded.
// The grid must have one class attribute.
func StratifiedSplit(grid base.FixedDataGrid, testFraction float64, seed uint64) (train, test *base.DenseInstances, err error) {
	defer addName("StratifiedSplit", &err)
	t, err := gridtable.Divisible(grid, gridtable.ReadLabelled)
	if err != nil {
		return nil, nil, err
	}
	class, err := t.Values(&t.Classes[0])
	if err != nil {
		return nil, nil, err
	}
	of, count := gridtable.Strata(class)
	return splitRows(t, of, count, testFraction, seed)
}

// splitRows permutes the rows once. The first rows of each stratum are for testing.
func splitRows(t *gridtable.Table, of []int, count int, testFraction float64, seed uint64) (train, test *base.DenseInstances, err error) {
	if !(testFraction > 0 && testFraction < 1) {
		return nil, nil, fault.Param("input", "testFraction", testFraction, "> 0 and < 1")
	}
	left := make([]int, count)
	for _, s := range of {
		left[s]++
	}
	for s, n := range left {
		left[s] = int(math.Round(testFraction * float64(n)))
	}
	var trainRows, testRows []int
	for _, r := range rand.New(rand.NewPCG(seed, splitStream)).Perm(t.Rows) {
		if s := of[r]; left[s] > 0 {
			left[s]--
			testRows = append(testRows, r)
		} else {
			trainRows = append(trainRows, r)
		}
	}
	if len(trainRows) == 0 || len(testRows) == 0 {
		return nil, nil, fault.Param("input", "testFraction", testFraction,
			fmt.Sprintf("one that leaves rows on both sides: %d rows give %d for training and %d for testing", t.Rows, len(trainRows),
				len(testRows)))
	}
	if train, err = t.Pick(nil, trainRows).GridSharing(); err == nil {
		test, err = t.Pick(nil, testRows).GridSharing()
	}
	return train, test, err
}
