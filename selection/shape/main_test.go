package shape

import (
	"context"
	"testing"

	"github.com/kernelearn/kernelearn/kernels/families"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// matern is the family of the kernels in the tests.
var matern = families.Matern{Nu: 2.5}
