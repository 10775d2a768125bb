package selectiontest_test

import (
	"fmt"
	"testing"

	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/selectiontest"
)

func ExampleStrategy() {
	var table selectiontest.Table
	ok := conformance.InTest(func(t *testing.T) {
		selectiontest.Strategy(t, func() search.Strategy { return &grid.Search{Points: 4} }, &selectiontest.Options{
			Skip: map[string]string{"shared": "is shown in another example"}, Table: &table,
		})
	})
	fmt.Println(ok, table.Types())
	// Output: true [grid]
}

func ExampleCheck() {
	for _, c := range selectiontest.Checks()[:2] {
		fmt.Printf("%s: %s\n", c.Name, c.Doc)
	}
	// Output:
	// named: Name is not empty and does not change.
	// chooses: Exactly one row is Chosen. A Regressor and a Classifier are fitted with its kernel, and predict.
}
