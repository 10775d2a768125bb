package selection

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/kernelearn/kernelearn/selection/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defaultFolds is the default number of folds of package validation.
const defaultFolds = 3

// unlimited returns the clock of a search without a budget.
func unlimited() *search.Budget {
	c, err := search.NewBudget("test", 0, nil, 1)
	if err != nil {
		panic(err)
	}
	return c
}
