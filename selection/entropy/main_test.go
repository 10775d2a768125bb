package entropy

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/kernelearn/kernelearn/selection/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// unlimited returns the clock of a search without a budget.
func unlimited() *search.Budget {
	c, err := search.NewBudget("test", 0, nil, 1)
	if err != nil {
		panic(err)
	}
	return c
}
