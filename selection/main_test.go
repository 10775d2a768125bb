package selection

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defaultFolds are those of validation.KFold and validation.StratifiedKFold.
const defaultFolds = 3
