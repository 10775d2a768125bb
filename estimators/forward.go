package estimators

import (
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Forwarder is a [Wrapper] that transforms rows and predicts with a fitted estimator. [Call] uses it to reach methods that the
// wrapper itself does not have, so that a new capability needs no change in any wrapper.
type Forwarder interface {
	// Forward calls f with the fitted estimator and with the rows of x in the form that the estimator expects. The function f must
	// not keep the rows. It returns ErrNotFitted, the errors of the steps, or the error of f.
	Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error
}

// Call calls f with the value that has the methods of the interface C: either model itself, or the estimator with which a
// [Forwarder] predicts, at any depth. It passes the rows of x in the form that this value expects, which f must not keep. Use it
// for a new capability: a fitted estimator that has it then works within pipelines and searches. Call returns the errors of the
// wrappers and of f. If no value has the methods, the error wraps errors.ErrUnsupported.
func Call[C any](model any, x mat.Matrix, f func(of C, z mat.Matrix) error) (err error) {
	defer fault.Recover(&err)
	if f == nil {
		return fault.Param("estimators: Call", "f", nil, "a function")
	}
	if of, ok := model.(C); ok && !check.IsNil(model) {
		return f(of, x)
	}
	if w, ok := model.(Forwarder); ok && !check.IsNil(model) {
		return w.Forward(x, func(inner any, z mat.Matrix) error { return Call(inner, z, f) })
	}
	return fmt.Errorf("%T has no %v: %w", model, reflect.TypeFor[C](), errors.ErrUnsupported)
}
