package estimators_test

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// shard are some rows of y = 2a - b + 1.
func shard(from, to int) estimators.Block[float64] {
	b := estimators.Block[float64]{X: mat.NewDense(to-from, 2, nil)}
	for i := from; i < to; i++ {
		a, c := float64(i%7), float64(i%5)
		b.X.SetRow(i-from, []float64{a, c})
		b.Y = append(b.Y, 2*a-c+1)
	}
	return b
}

// Sums over the rows of two machines give the model of all rows.
func ExampleStatistics() {
	ctx := context.Background()
	model := &ridge.Regressor{Ridge: 1e-9}
	var fitter estimators.StatisticsFitter[float64] = model
	var all estimators.Statistics[float64]
	all, err := fitter.NewStatistics()
	for _, b := range []estimators.Block[float64]{shard(0, 30), shard(30, 50)} {
		var part estimators.Statistics[float64]
		if err == nil {
			part, err = fitter.NewStatistics()
		}
		if err == nil {
			err = part.AddBlock(ctx, b)
		}
		if err == nil {
			err = all.Merge(part)
		}
	}
	if err == nil {
		err = fitter.FitStatistics(ctx, all)
	}
	fmt.Printf("%d rows: %.3f, and %.3f %v\n", all.Rows(), model.Coefficients(), model.Intercept(), err)
	// Output: 50 rows: [2.000 -1.000], and 1.000 <nil>
}

// A pipeline takes a pass for each of its parts. A worker needs the state of the stages alone, and sends back bytes.
func ExampleStages() {
	ctx := context.Background()
	build := func() *pipeline.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{Ridge: 1e-9}}
	}
	work := func(state []byte, b estimators.Block[float64]) ([]byte, error) {
		stages, err := estimators.NewStages[float64](build())
		if err == nil {
			err = stages.UnmarshalBinary(state)
		}
		if err != nil {
			return nil, err
		}
		sums, err := stages.NewStatistics()
		if err == nil {
			err = sums.AddBlock(ctx, b)
		}
		if err != nil {
			return nil, err
		}
		return sums.MarshalBinary()
	}
	pass := func(stages estimators.Stages[float64]) error {
		state, err := stages.MarshalBinary()
		if err != nil {
			return err
		}
		all, err := stages.NewStatistics()
		if err != nil {
			return err
		}
		for _, b := range []estimators.Block[float64]{shard(30, 50), shard(0, 30)} {
			data, err := work(state, b)
			if err != nil {
				return err
			}
			part, err := stages.NewStatistics()
			if err == nil {
				err = part.UnmarshalBinary(data)
			}
			if err == nil {
				err = all.Merge(part)
			}
			if err != nil {
				return err
			}
		}
		return stages.FitStatistics(ctx, all)
	}

	model := build()
	stages, err := estimators.NewStages[float64](model)
	for err == nil {
		at, of := stages.Stage()
		if at == of {
			break
		}
		fmt.Printf("pass %d of %d\n", at+1, of)
		err = pass(stages)
	}
	if err == nil {
		err = estimators.FitStages(ctx, model, stages)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := model.Predict(mat.NewDense(1, 2, []float64{10, 3}))
	fmt.Printf("%.3f %v\n", y, err)
	_, several := any(model).(estimators.StagedFitter[float64])
	fmt.Println(several, estimators.Supports(model, estimators.Mergeable))
	// Output:
	// pass 1 of 2
	// pass 2 of 2
	// [18.000] <nil>
	// true true
}

// A stream ends in one program and goes on in another, from the bytes of the model and of its statistics.
func ExampleContinuer() {
	ctx := context.Background()
	model := &ridge.Regressor{Ridge: 1e-6}
	if err := model.PartialFit(ctx, mat.NewDense(2, 1, []float64{0, 1}), []float64{1, 3}); err != nil {
		panic(err)
	}
	var continuer estimators.Continuer = model
	fitted, err := model.MarshalBinary()
	if err != nil {
		panic(err)
	}
	statistics, err := continuer.MarshalStatistics()
	if err != nil {
		panic(err)
	}

	read := &ridge.Regressor{Ridge: 1e-6}
	if err := errors.Join(read.UnmarshalBinary(fitted), read.UnmarshalStatistics(statistics)); err != nil {
		panic(err)
	}
	if err := read.PartialFit(ctx, mat.NewDense(2, 1, []float64{2, 3}), []float64{5, 7}); err != nil {
		panic(err)
	}
	y, err := read.Predict(mat.NewDense(1, 1, []float64{10}))
	fmt.Printf("%.3f %v\n", y, err)
	// Output: [21.000] <nil>
}
