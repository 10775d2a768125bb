package estimatortest_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// For rows that contain the largest numbers, a fitted model returns finite results or an error.
func TestPredictionsAreFinite(t *testing.T) {
	calls := 0
	for _, make0 := range withSettings {
		e := make0()
		if fitAny(context.Background(), e) != nil {
			continue
		}
		for _, size := range []float64{1e100, 1e160, 1e308, math.MaxFloat64} {
			x := mat.NewDense(3, 2, []float64{size, 1, -size, size, 1, -size})
			for _, name := range []string{"Predict", "PredictVariance", "PredictProba", "Decision", "PairDecision", "Transform"} {
				method := reflect.ValueOf(e).MethodByName(name)
				if !method.IsValid() {
					continue
				}
				calls++
				out := method.Call([]reflect.Value{reflect.ValueOf(x)})
				if err := out[len(out)-1]; !err.IsNil() {
					continue
				}
				for _, v := range out[:len(out)-1] {
					var numbers []float64
					switch v := v.Interface().(type) {
					case []float64:
						numbers = v
					case *mat.Dense:
						numbers = v.RawMatrix().Data
					}
					for i, v := range numbers {
						assert.False(t, math.IsNaN(v) || math.IsInf(v, 0), fmt.Sprintf("%T.%s of rows of %g: [%d] is %v", e, name, size, i, v))
					}
				}
			}
		}
	}
	assert.Greater(t, calls, 100)
}
