package kernelbeam

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// slow is a model whose estimator has no statistics.
var slow = Register("lssvm", func() *lssvm.Regressor { return &lssvm.Regressor{} })

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// oneProcessor limits the test to one processor.
func oneProcessor(t *testing.T) {
	was := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(was) })
}
