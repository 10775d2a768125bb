package estimatortest_test

import (
	"fmt"
	"testing"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
)

// inTest runs a test outside go test, so that an example can show what one does.
func inTest(f func(t *testing.T)) bool {
	all := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(all, []testing.InternalTest{{Name: "TestConformance", F: f}})
}

func ExampleOptions() {
	var table estimatortest.Table
	ok := inTest(func(t *testing.T) {
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
