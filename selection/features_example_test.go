package selection_test

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// onEight is a third-party learner that wraps a pipeline of a Nyström map and ridge regression. Because it has FeatureMap, a search
// scores kernels on the learner's own landmarks.
type onEight struct{ *pipeline.Regressor }

func (p onEight) FeatureMap() []transformers.Transformer { return p.Steps }

var _ selection.FeatureLearner = onEight{}

func newOnEight(k kernels.Kernel) estimators.Regressor {
	return onEight{&pipeline.Regressor{
		Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: 8}},
		Final: &ridge.Regressor{},
	}}
}

func ExampleFeatureLearner() {
	x, y := wave()
	r := &selection.Regressor{Space: selection.Kernels(newOnEight, families.RBF{}), Search: &entropy.Search{}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Result().Trace {
		if row.Chosen {
			fmt.Println(row.Decision())
		}
	}
	// Output:
	// round 1: all 40 rows on the learner's 8 features: chosen
}
