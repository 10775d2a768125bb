package selection

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defaultFolds are those of validation.KFold and validation.StratifiedKFold.
const defaultFolds = 3

// unlimited is the clock of a search without a budget.
func unlimited() *clock {
	c, err := newClock("test", 0, nil, 1)
	if err != nil {
		panic(err)
	}
	return c
}
