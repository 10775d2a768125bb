package estimators

import (
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Forwarder is a [Wrapper] that predicts with a fitted estimator on rows that it has transformed. [Call] uses it to reach methods
// that the wrapper itself does not have, so that a new capability needs no change in any wrapper.
type Forwarder interface {
	// Forward calls f with the fitted estimator and with the rows of x in the form that the estimator takes. The function f must
	// not keep the rows. Errors: ErrNotFitted, those of the steps, and those of f.
	Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error
}

// Call calls f with the value that has the methods C, an interface: model itself, or the estimator that a [Forwarder] predicts
// with, at any depth. It passes the rows of x in the form that this value takes, which f must not keep. Use it for a new
// capability: a fitted estimator that has it then works within pipelines and searches. Errors: those of the wrappers and of f, and
// an error that wraps errors.ErrUnsupported if no value has the methods.
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
