package validation_test

import (
	"fmt"

	"github.com/kernelearn/kernelearn/selection/validation"
)

// The rows belong to four patients, and the model must predict new patients.
func ExampleGroupKFold() {
	patients := []int{12, 12, 12, 40, 40, 7, 7, 7, 9, 9}
	folds, err := validation.GroupKFold{Groups: patients, Folds: 2, Seed: 1}.Split(len(patients), nil)
	for _, f := range folds {
		fmt.Println(f.Train, f.Test)
	}
	fmt.Println(err)
	// Output:
	// [3 4 5 6 7] [0 1 2 8 9]
	// [0 1 2 8 9] [3 4 5 6 7]
	// <nil>
}

func ExampleStratifiedGroupKFold() {
	patients := []int{1, 1, 2, 2, 3, 3, 4, 4}
	ill := []int{1, 1, 0, 0, 1, 1, 0, 0}
	folds, err := validation.StratifiedGroupKFold{Groups: patients, Folds: 2, Seed: 1}.Split(len(ill), ill)
	for _, f := range folds {
		fmt.Println(f.Train, f.Test)
	}
	fmt.Println(err)
	// Output:
	// [0 1 2 3] [4 5 6 7]
	// [4 5 6 7] [0 1 2 3]
	// <nil>
}

// The rows are twelve months. Training ends a month before the tested quarter and uses at most five months.
func ExampleTimeSeriesSplit() {
	folds, err := validation.TimeSeriesSplit{Splits: 2, TestRows: 3, MaxTrain: 5, Gap: 1}.Split(12, nil)
	for _, f := range folds {
		fmt.Println(f.Train, f.Test)
	}
	fmt.Println(err)
	// Output:
	// [0 1 2 3 4] [6 7 8]
	// [3 4 5 6 7] [9 10 11]
	// <nil>
}
