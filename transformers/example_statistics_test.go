package transformers_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Rows on two machines, of which each sums up its own; what they send is merged in any order.
func ExampleStatistics() {
	ctx := context.Background()
	sum := func(rows ...float64) []byte {
		s, err := (&scalers.StandardScaler{}).NewStatistics()
		if err == nil {
			err = s.AddBlock(ctx, mat.NewDense(len(rows), 1, rows))
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
	var scaler transformers.StatisticsFitter = &scalers.StandardScaler{}
	all, err := scaler.NewStatistics()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, data := range [][]byte{sum(1e6+1, 1e6+2), sum(1e6 + 3)} {
		var part transformers.Statistics
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

// One way for all that learn from statistics, in one stage or in several.
func ExampleStages() {
	ctx := context.Background()
	x := mat.NewDense(4, 2, []float64{1, 10, 2, 40, 3, 20, 6, 30})
	scaler := &scalers.MinMaxScaler{}
	var stages transformers.Stages
	stages, err := transformers.NewStages(scaler)
	for err == nil {
		at, of := stages.Stage()
		if at == of {
			err = transformers.FitStages(ctx, scaler, stages)
			break
		}
		var sums transformers.Statistics
		if sums, err = stages.NewStatistics(); err == nil {
			err = sums.AddBlock(ctx, x) // or many, on many machines
		}
		if err == nil {
			err = stages.FitStatistics(ctx, sums)
		}
	}
	fmt.Println(scaler.Min(), scaler.Max(), err)
	_, several := any(scaler).(transformers.StagedFitter) // which a pipeline.Transformer is
	fmt.Println(several)
	// Output:
	// [1 10] [6 40] <nil>
	// false
}

// Rows come over time, and the scaler learns from all of them.
func ExamplePartialFitter() {
	scaler := &scalers.MinMaxScaler{}
	var learner transformers.PartialFitter = scaler
	for _, rows := range [][]float64{{3, 5}, {4}, {9, 1}} {
		if err := learner.PartialFit(context.Background(), mat.NewDense(len(rows), 1, rows)); err != nil {
			fmt.Println(err)
		}
		fmt.Println(scaler.Min()[0], scaler.Max()[0])
	}
	// Output:
	// 3 5
	// 3 5
	// 1 9
}

// A window over the last two days: the day that leaves it is taken out, and nothing is rounded.
func ExampleUnmerger() {
	ctx := context.Background()
	scaler := &scalers.StandardScaler{}
	window, err := scaler.NewStatistics()
	var days []transformers.Statistics
	for _, rows := range [][]float64{{1e12, 5}, {2, 4}, {6, 8}} {
		var day transformers.Statistics
		if day, err = scaler.NewStatistics(); err == nil {
			err = day.AddBlock(ctx, mat.NewDense(2, 1, rows))
		}
		if err == nil {
			err = window.Merge(day)
		}
		if days = append(days, day); err == nil && len(days) > 2 {
			err = window.(transformers.Unmerger).Unmerge(days[len(days)-3])
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
	rows := func(yield func(*mat.Dense, error) bool) { // run once for each pass
		for block := range 3 { // here a file would be read
			if !yield(mat.NewDense(2, 1, []float64{float64(2 * block), float64(2*block + 1)}), nil) {
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
