package drift_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection/drift"
)

// rows returns, for each row, a temperature with the given mean and one of three machines.
func rows(n int, mean float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{mean + 5*rng.NormFloat64(), float64(rng.IntN(3))})
	}
	return x
}

// The new rows are three degrees warmer.
func ExampleTest() {
	report, err := drift.Test(context.Background(), rows(200, 20, 1), rows(100, 23, 2),
		&drift.Options{Names: []string{"temperature", "machine"}, Categories: []int{1}})
	if err != nil {
		panic(err)
	}
	fmt.Print(report)
	for _, c := range report.Drifted(0.05) {
		fmt.Println(c.Name, "has changed")
	}
	// Output:
	// column       statistic      p        adjusted p  gaps before  gaps now
	// temperature  D = 0.33       7.3e-07  1.5e-06     0%           0%
	// machine      χ² = 1.53      0.47     0.47        0%           0%
	// all columns  MMD² = 0.0598  0.001
	// 200 rows before and 100 now; joint test of 200 and 100 rows with 999 permutations
	// temperature has changed
}

// A Joint compares all columns together.
func ExampleJoint() {
	x := rows(100, 20, 3)
	report, err := drift.Test(context.Background(), x, x, nil)
	fmt.Println(report.Joint.P, err)
	// Output: 1 <nil>
}

// Options limit the rows of the joint test.
func ExampleOptions() {
	report, err := drift.Test(context.Background(), rows(300, 20, 1), rows(100, 20, 2), &drift.Options{Rows: 50})
	fmt.Println(report.Joint.TrainRows, report.Joint.NewRows, err)
	// Output: 50 50 <nil>
}

// A Report sorts each Column by its p-value.
func ExampleReport() {
	report, err := drift.Test(context.Background(), rows(200, 20, 1), rows(100, 25, 2), nil)
	var first drift.Column = report.Columns[0]
	fmt.Println(first.Name, first.By == drift.KolmogorovSmirnov, first.P < 1e-6, err)
	// Output: column 0 true true <nil>
}

// A Statistic is printed as its symbol.
func ExampleStatistic() {
	fmt.Println(drift.KolmogorovSmirnov, drift.ChiSquared)
	// Output: D χ²
}
