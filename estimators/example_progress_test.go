package estimators_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// This example passes an observer in the context to everything that is fitted with it, here to the two parts of a pipeline.
func ExampleObserved() {
	x, y := mat.NewDense(300, 1, nil), make([]float64, 300)
	for i := range y {
		x.Set(i, 0, float64(i)/30)
		y[i] = math.Sin(x.At(i, 0))
	}
	var first, last estimators.Step
	ctx := estimators.Observed(context.Background(), func(s estimators.Step) {
		if first.Done == 0 {
			first = s
		}
		last = s // a progress bar would show s.Done and s.Message
	})
	model := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	if err := model.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first.Done < .2, last.Done)
	// Output: true 1
}

// steady is a third-party estimator whose Fit consists of a hundred rounds of equal work.
type steady struct{ Observe func(estimators.Step) }

func (s *steady) Fit(ctx context.Context, _ mat.Matrix, _ []float64) (err error) {
	defer estimators.BeginFit(&ctx, s.Observe)(&err)
	for i := range 100 {
		estimators.Tell(ctx, estimators.Step{Iteration: i + 1, Total: 100, Done: float64(i+1) / 100, Message: "a round"})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// This example shows how a third-party estimator reports to the observers in its field, in the context, and in the surrounding
// search or pipeline.
func ExampleBeginFit() {
	s := &steady{Observe: func(s estimators.Step) {
		if s.Iteration%25 == 0 && !s.Between {
			fmt.Printf("%3.0f%% %s\n", 100*s.Done, s.Message)
		}
	}}
	fmt.Println(s.Fit(context.Background(), nil, nil))
	// Output:
	//  25% a round
	//  50% a round
	//  75% a round
	// 100% a round
	// <nil>
}
