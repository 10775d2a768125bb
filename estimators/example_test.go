package estimators_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
)

func ExampleSupports() {
	model := &pipeline.Regressor{Final: &lssvm.Regressor{}} // looked through
	fmt.Println(estimators.Supports(model, estimators.Variance))
	fmt.Println(estimators.Supports(model, estimators.Proba))
	// Output:
	// true
	// false
}

func ExampleParamError() {
	err := (&lssvm.Regressor{Ridge: -1}).Fit(context.Background(), nil, nil)
	var p *estimators.ParamError
	fmt.Println(errors.Is(err, estimators.ErrParam), errors.As(err, &p) && p.Field == "Ridge")
	fmt.Println(err)
	// Output:
	// true true
	// lssvm: Regressor: Ridge = -1, want 0 unless RidgeRule is Fixed
}
