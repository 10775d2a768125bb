package kerneltest_test

import (
	"fmt"
	"testing"

	"github.com/kernelearn/kernelearn/kernels/kerneltest"
)

// inTest runs a test outside go test, so that an example can show what one does.
func inTest(f func(t *testing.T)) bool {
	all := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(all, []testing.InternalTest{{Name: "TestCauchy", F: f}})
}

func ExampleKernel() {
	var table kerneltest.Table
	ok := inTest(func(t *testing.T) {
		kerneltest.Kernel(t, cauchy{}, &kerneltest.Options{Formula: cauchyFormula, Table: &table})
	})
	fmt.Println(ok, table.Types())
	// Output: true [cauchy]
}

func ExampleCheck() {
	for _, c := range kerneltest.Checks()[:3] {
		fmt.Printf("%s (%s): %s\n", c.Name, c.On, c.Doc)
	}
	// Output:
	// valid (kernels): Validate, where there is one, finds nothing wrong but with a NaN or an infinity in a field, and String says the same each time.
	// formula (kernels): Eval is Options.Formula.
	// symmetric (kernels): Eval(x, z) is Eval(z, x).
}
