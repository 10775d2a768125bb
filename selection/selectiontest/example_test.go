package selectiontest_test

import (
	"fmt"

	"github.com/kernelearn/kernelearn/selection/selectiontest"
)

func ExampleChecks() {
	for _, c := range selectiontest.Checks()[:2] {
		fmt.Println(c.Name+":", c.Doc)
	}
	// Output:
	// named: Name is not empty and the same each time.
	// chooses: A Regressor and a Classifier are fitted with the kernel of the one row that is Chosen, and predict.
}
