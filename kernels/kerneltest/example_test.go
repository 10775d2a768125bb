package kerneltest_test

import (
	"fmt"
	"testing"

	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/kernels/kerneltest"
)

func ExampleKernel() {
	var table kerneltest.Table
	ok := conformance.InTest(func(t *testing.T) {
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
	// valid (kernels): Validate, if present, rejects only a NaN or an infinity in a field. String always returns the same.
	// formula (kernels): Eval equals Options.Formula.
	// symmetric (kernels): Eval(x, z) equals Eval(z, x).
}
