package estimators

import (
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Forwarder is a [Wrapper] that predicts with a fitted estimator, on rows that it has sent through its steps. [Call] reaches
// through it to methods that the wrapper itself does not have, so that a new capability needs no change in any wrapper.
type Forwarder interface {
	// Forward calls f with the fitted estimator and with the rows of x as that takes them, which f must not keep. Errors:
	// ErrNotFitted, those of the steps, and those of f.
	Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error
}

// Call calls f with the value that has the methods C, an interface: model itself, or the estimator that a [Forwarder]
// predicts with, at any depth; and with the rows of x as that value takes them, which f must not keep. Use it for a
// capability of your own: a fitted estimator that has it then serves within pipelines and searches. Errors are those of the
// wrappers and of f, and one that wraps errors.ErrUnsupported where no value has the methods.
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
