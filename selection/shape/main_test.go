package shape

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/kernelearn/kernelearn/kernels"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// matern is the family that tests learn.
var matern = kernels.MaternFamily{Nu: 2.5}
