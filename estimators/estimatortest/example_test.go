package estimatortest_test

import (
	"fmt"
	"testing"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
	"github.com/kernelearn/kernelearn/internal/conformance"
)

func ExampleOptions() {
	var table estimatortest.Table
	ok := conformance.InTest(func(t *testing.T) {
		estimatortest.Regressor(t, "mypackage.Mean", func() estimators.Regressor { return &meanRegressor{} }, &estimatortest.Options{
			Skip: map[string]string{
				"learns": "predicts the mean on purpose",
			},
			Table: &table,
		})
	})
	fmt.Println(ok, table.Types())
	// Output: true [mypackage.Mean]
}
