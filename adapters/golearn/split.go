package golearn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// splitStream keeps the numbers drawn here apart from those that an estimator
// draws from the same seed.
const splitStream = 0x73706c6974

// Split draws round(testFraction·n) of the n rows of grid for testing and leaves
// the others for training, each in random order. The same seed gives the same
// split, 0 included, and no row is in both. Both are dense copies, with the
// attributes of grid, which is left as it is. Errors: ErrParam for a fraction that
// is not between 0 and 1, or that leaves either side without rows.
func Split(grid base.FixedDataGrid, testFraction float64, seed uint64) (train, test *base.DenseInstances, err error) {
	return split("Split", grid, testFraction, seed, func(int) (uint64, error) { return 0, nil })
}

// StratifiedSplit is Split with each class divided for itself, so that each has
// testFraction of its rows in test, rounded to a whole row. The grid has one class
// attribute.
func StratifiedSplit(grid base.FixedDataGrid, testFraction float64, seed uint64) (train, test *base.DenseInstances, err error) {
	class, err := classOf("StratifiedSplit", grid)
	if err != nil {
		return nil, nil, err
	}
	readers, err := bindGuarded(grid, []base.Attribute{class})
	if err != nil {
		return nil, nil, fmt.Errorf("golearn: StratifiedSplit: %w", err)
	}
	return split("StratifiedSplit", grid, testFraction, seed, func(row int) (uint64, error) {
		b, err := readers[0].bits(row)
		return cellKey(readers[0].column.Kind, b), err
	})
}

func bindGuarded(grid base.FixedDataGrid, attrs []base.Attribute) (_ []cells, err error) {
	defer guard("reading the grid", &err)
	return bind(grid, attrs)
}

func split(function string, grid base.FixedDataGrid, testFraction float64, seed uint64, stratum func(row int) (uint64, error)) (train, test *base.DenseInstances, err error) {
	if grid == nil {
		return nil, nil, fault.Param("golearn: "+function, "grid", nil, "a grid")
	}
	if !(testFraction > 0 && testFraction < 1) {
		return nil, nil, fault.Param("golearn: "+function, "testFraction", testFraction, "> 0 and < 1")
	}
	defer guard("reading the grid", &err)
	_, rows := grid.Size()
	trainRows, testRows, err := divide(rows, testFraction, seed, stratum)
	if err != nil {
		return nil, nil, fmt.Errorf("golearn: %s: %w", function, err)
	}
	if len(trainRows) == 0 || len(testRows) == 0 {
		return nil, nil, fault.Param("golearn: "+function, "testFraction", testFraction,
			fmt.Sprintf("one that leaves rows on both sides: %d rows give %d for training and %d for testing", rows, len(trainRows), len(testRows)))
	}
	attrs := grid.AllAttributes()
	readers, err := bind(grid, attrs)
	if err != nil {
		return nil, nil, fmt.Errorf("golearn: %s: %w", function, err)
	}
	class := classAttributes(grid)
	if train, err = copyRows(attrs, readers, class, trainRows); err != nil {
		return nil, nil, fmt.Errorf("golearn: %s: %w", function, err)
	}
	if test, err = copyRows(attrs, readers, class, testRows); err != nil {
		return nil, nil, fmt.Errorf("golearn: %s: %w", function, err)
	}
	return train, test, nil
}

// divide permutes the rows once and takes the first of each stratum for testing.
func divide(rows int, testFraction float64, seed uint64, stratum func(row int) (uint64, error)) (train, test []int, err error) {
	strata := make([]uint64, rows)
	count := map[uint64]int{}
	for i := range strata {
		if strata[i], err = stratum(i); err != nil {
			return nil, nil, err
		}
		count[strata[i]]++
	}
	left := make(map[uint64]int, len(count))
	for s, n := range count {
		left[s] = int(math.Round(testFraction * float64(n)))
	}
	for _, r := range rand.New(rand.NewPCG(seed, splitStream)).Perm(rows) {
		if s := strata[r]; left[s] > 0 {
			left[s]--
			test = append(test, r)
		} else {
			train = append(train, r)
		}
	}
	return slices.Clip(train), slices.Clip(test), nil
}
