package fault

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCalled(t *testing.T) {
	for function, want := range map[string]string{
		module + "estimators/lssvm.(*Regressor).Fit":                    "lssvm: Regressor",
		module + "estimators/conformal.Interval.Fit":                    "conformal: Interval",
		module + "estimators/pipeline.(*Classifier).Fit.func1":          "pipeline: Classifier",
		module + "estimators.FitAll[go.shape.*gonum.org/v1.T].func1":    "estimators: FitAll",
		module + "selection.(*Space[go.shape.interface { A.B() }]).Fit": "selection: Space",
		module + "validation.CrossValidateRegressor":                    "validation: CrossValidateRegressor",
		module + "selection.crossValidate":                              "",
		module + "estimators/lssvm.(*Regressor).fit":                    "",
		module + "estimators/lssvm.(*machine).Predict":                  "",
		module + "internal/testkit/toy.(*Ridge).Fit":                    "",
		module + "internal/linalg.Cholesky":                             "",
		"github.com/somebody/elses.(*Regressor).Fit":                    "",
		"main.main": "",
	} {
		assert.Equal(t, want, called(function), function)
	}
}

func TestNamesOfErrors(t *testing.T) {
	for _, err := range []error{
		Shape("y has", 3, "entries", "x has %d rows", 4), &NotFiniteError{Name: "y", Row: 2, Col: -1}, &NotPSDError{What: "K"}, &TooLargeError{What: "K"},
	} {
		text := err.Error()
		inner := named("kernels: Matrix", err)
		assert.EqualError(t, inner, "kernels: Matrix: "+text)
		assert.EqualError(t, named("lssvm: Regressor", inner), "lssvm: Regressor: "+text, "the outermost counts")
		assert.EqualError(t, err, text, "the error itself stays")
		assert.ErrorIs(t, inner, errors.Unwrap(err))
		assert.EqualError(t, AddPlace("pipeline: Regressor: final (lssvm.Regressor)", inner), "pipeline: Regressor: final (lssvm.Regressor): "+text)
	}
	for _, err := range []error{Param("t", "f", 1, "2"), &NotFiniteError{Name: "lssvm: Regressor: variance"}, errors.New("x"), &TooLargeError{What: "svm: Classifier: its problems"}} {
		assert.Same(t, err, named("kernels: Matrix", err))
	}
}

func TestRecoverAs(t *testing.T) {
	f := func(g func() error) (err error) {
		defer RecoverAs("mine", &err)
		return g()
	}
	assert.NoError(t, f(func() error { return nil }))
	assert.EqualError(t, f(func() error { return Columns("x", 2, 3) }), "mine: x has 2 columns, fitted on 3")
	assert.Equal(t, 3, FittedColumns(f(func() error { return Columns("x", 2, 3) })))
	assert.True(t, IsPanic(f(func() error { panic("so") })))
}
