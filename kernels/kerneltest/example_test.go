package kerneltest_test

import (
	"fmt"

	"github.com/kernelearn/kernelearn/kernels/kerneltest"
)

func ExampleChecks() {
	for _, c := range kerneltest.Checks()[:3] {
		fmt.Printf("%s (%s): %s\n", c.Name, c.On, c.Doc)
	}
	// Output:
	// valid (kernels): Validate, where there is one, finds nothing wrong, and String says the same each time.
	// formula (kernels): Eval is Options.Formula.
	// symmetric (kernels): Eval(x, z) is Eval(z, x).
}
