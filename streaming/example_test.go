package streaming_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// shard returns the given rows, and targets y = 2a - b + 1.
func shard(from, to int) streaming.Block[float64] {
	b := streaming.Block[float64]{X: mat.NewDense(to-from, 2, nil)}
	for i := from; i < to; i++ {
		a, c := float64(i%7), float64(i%5)
		b.X.SetRow(i-from, []float64{a, c})
		b.Y = append(b.Y, 2*a-c+1)
	}
	return b
}

// The rows are on two computers, each of which adds up its own rows. The sums are merged in any order.
func ExampleStatistics() {
	ctx := context.Background()
	sum := func(rows ...float64) []byte {
		s, err := (&scalers.StandardScaler{}).NewStatistics()
		if err == nil {
			err = s.AddBlock(ctx, streaming.Rows(mat.NewDense(len(rows), 1, rows)))
		}
		if err != nil {
			fmt.Println(err)
			return nil
		}
		data, err := s.MarshalBinary()
		if err != nil {
			fmt.Println(err)
		}
		return data
	}
	var scaler streaming.StatisticsFitter[streaming.None] = &scalers.StandardScaler{}
	all, err := scaler.NewStatistics()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, data := range [][]byte{sum(1e6+1, 1e6+2), sum(1e6 + 3)} {
		var part streaming.Statistics[streaming.None]
		if part, err = scaler.NewStatistics(); err == nil {
			err = part.UnmarshalBinary(data)
		}
		if err == nil {
			err = all.Merge(part)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := scaler.FitStatistics(ctx, all); err != nil {
		fmt.Println(err)
		return
	}
	s := scaler.(*scalers.StandardScaler)
	fmt.Printf("%d rows, mean %.0f, deviation %v\n", all.Rows(), s.Means()[0], s.Scales()[0])
	// Output: 3 rows, mean 1000002, deviation 1
}

// The same loop works for all models that fit from statistics, in one stage or in several.
func ExampleStages() {
	ctx := context.Background()
	x := mat.NewDense(4, 2, []float64{1, 10, 2, 40, 3, 20, 6, 30})
	scaler := &scalers.MinMaxScaler{}
	var stages streaming.Stages[streaming.None]
	stages, err := streaming.NewStages[streaming.None](scaler)
	for err == nil {
		at, of := stages.Stage()
		if at == of {
			err = streaming.FitStages(ctx, scaler, stages)
			break
		}
		var sums streaming.Statistics[streaming.None]
		if sums, err = stages.NewStatistics(); err == nil {
			err = sums.AddBlock(ctx, streaming.Rows(x)) // there may be many blocks, on many computers
		}
		if err == nil {
			err = stages.FitStatistics(ctx, sums)
		}
	}
	fmt.Println(scaler.Min(), scaler.Max(), err)
	_, several := any(scaler).(streaming.StagedFitter[streaming.None]) // a pipeline.Transformer is one
	fmt.Println(several)
	// Output:
	// [1 10] [6 40] <nil>
	// false
}

// The window covers the last two days. The day that leaves it is subtracted exactly.
func ExampleUnmerger() {
	ctx := context.Background()
	scaler := &scalers.StandardScaler{}
	window, err := scaler.NewStatistics()
	var days []streaming.Statistics[streaming.None]
	for _, rows := range [][]float64{{1e12, 5}, {2, 4}, {6, 8}} {
		var day streaming.Statistics[streaming.None]
		if day, err = scaler.NewStatistics(); err == nil {
			err = day.AddBlock(ctx, streaming.Rows(mat.NewDense(2, 1, rows)))
		}
		if err == nil {
			err = window.Merge(day)
		}
		if days = append(days, day); err == nil && len(days) > 2 {
			err = window.(streaming.Unmerger[streaming.None]).Unmerge(days[len(days)-3])
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	err = scaler.FitStatistics(ctx, window)
	fmt.Println(window.Rows(), scaler.Means(), err)
	// Output: 4 [5] <nil>
}

func ExampleBlockFitter() {
	rows := func(yield func(streaming.Block[streaming.None], error) bool) { // called once for each pass
		for block := range 3 { // a program would read a file here
			x := mat.NewDense(2, 1, []float64{float64(2 * block), float64(2*block + 1)})
			if !yield(streaming.Rows(x), nil) {
				return
			}
		}
	}
	s := &scalers.StandardScaler{}
	if err := s.FitBlocks(context.Background(), rows); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f %.4f\n", s.Means(), s.Scales())
	// Output: [2.5] [1.8708]
}

// The sums over the rows of two computers are merged, and the model for all rows is fitted from them.
func ExampleStatistics_targets() {
	ctx := context.Background()
	model := &ridge.Regressor{Ridge: 1e-9}
	var fitter streaming.StatisticsFitter[float64] = model
	var all streaming.Statistics[float64]
	all, err := fitter.NewStatistics()
	for _, b := range []streaming.Block[float64]{shard(0, 30), shard(30, 50)} {
		var part streaming.Statistics[float64]
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

// A pipeline needs a pass for each of its parts. A worker needs only the state of the stages, and returns bytes.
func ExampleStages_pipeline() {
	ctx := context.Background()
	build := func() *pipeline.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{Ridge: 1e-9}}
	}
	work := func(state []byte, b streaming.Block[float64]) ([]byte, error) {
		stages, err := streaming.NewStages[float64](build())
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
	pass := func(stages streaming.Stages[float64]) error {
		state, err := stages.MarshalBinary()
		if err != nil {
			return err
		}
		all, err := stages.NewStatistics()
		if err != nil {
			return err
		}
		for _, b := range []streaming.Block[float64]{shard(30, 50), shard(0, 30)} {
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
	stages, err := streaming.NewStages[float64](model)
	for err == nil {
		at, of := stages.Stage()
		if at == of {
			break
		}
		fmt.Printf("pass %d of %d\n", at+1, of)
		err = pass(stages)
	}
	if err == nil {
		err = streaming.FitStages(ctx, model, stages)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := model.Predict(mat.NewDense(1, 2, []float64{10, 3}))
	fmt.Printf("%.3f %v\n", y, err)
	_, several := any(model).(streaming.StagedFitter[float64])
	fmt.Println(several, estimators.Supports(model, estimators.Mergeable))
	// Output:
	// pass 1 of 2
	// pass 2 of 2
	// [18.000] <nil>
	// true true
}

// The rows come from a file that is read again for each pass, with one block at a time in memory. The pipeline fills gaps and
// scales columns.
func ExampleBlock() {
	rows := func(yield func(streaming.Block[float64], error) bool) { // a program would open a file here
		for i := 0; i < 3000; i += 250 {
			b := streaming.Block[float64]{X: mat.NewDense(250, 1, nil), Y: make([]float64, 250)}
			for k := range b.Y {
				b.X.Set(k, 0, float64(i+k))
				b.Y[k] = math.Sin(float64(i+k) / 300)
			}
			b.X.Set(7, 0, math.NaN())
			if !yield(b, nil) {
				return
			}
		}
	}
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}},
		Final: &falkon.Regressor{Components: 50},
	}
	var _ streaming.BlockFitter[float64] = model // this works if Supports(model, estimators.Blocks)
	if err := model.FitBlocks(context.Background(), rows); err != nil {
		fmt.Println(err)
		return
	}
	y, err := model.Predict(mat.NewDense(1, 1, []float64{150 * math.Pi}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", y[0])
	// Output: 1.00
}

// The function accepts statistics for any kind of target.
func ExampleTarget() {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	fmt.Println(countRows(&scalers.StandardScaler{}, streaming.Rows(x)))
	fmt.Println(countRows(&ridge.Regressor{}, streaming.Block[float64]{X: x, Y: []float64{2, 4, 6}}))
	// Output:
	// 3 <nil>
	// 3 <nil>
}

func countRows[Y streaming.Target](fitter streaming.StatisticsFitter[Y], b streaming.Block[Y]) (int, error) {
	sums, err := fitter.NewStatistics()
	if err != nil {
		return 0, err
	}
	err = sums.AddBlock(context.Background(), b)
	return sums.Rows(), err
}
