package arrow_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kernelearn/kernelearn/adapters/arrow"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var ctx = context.Background()

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// line returns a CSV file of y = 2x + 1 in memory.
func line() arrow.Shard {
	var rows strings.Builder
	rows.WriteString("id,x,y\n")
	for i := range 200 {
		x := float64(i) / 100
		fmt.Fprintf(&rows, "r%d,%v,%v\n", i, x, 2*x+1)
	}
	content := []byte(rows.String())
	return arrow.Shard{Name: "line.csv", Open: func(context.Context) (arrow.Input, error) { return bytes.NewReader(content), nil }}
}

// This example fits a model to files, and writes a Parquet file with its predictions. Only one block of rows is in memory at a
// time.
func Example() {
	shards := []arrow.Shard{line()} // or arrow.Files("2023.parquet", "2024.parquet")
	rows := arrow.Source(shards...)
	schema, err := rows.Learn(ctx, &table.Options{Target: "y"}) // the id is left out
	check(err)
	model := &table.Model{Regressor: &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}},
		Final: &falkon.Regressor{Kernel: kernels.RBF{Gamma: .5}},
	}}
	check(model.FitBlocks(ctx, rows, schema))

	folder, err := os.MkdirTemp("", "arrow")
	check(err)
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "predicted.parquet")
	n, err := (&arrow.Predictor{Model: model, Interval: .95}).Write(ctx, out, shards...)
	check(err)
	back, err := arrow.Source(arrow.Files(out)...).Table(ctx, &table.Options{Drop: []string{"id", "x", "y"}})
	check(err)
	fmt.Printf("%d rows; %v; prediction %.2f\n", n, back.Schema.Names(), back.X.At(150, 0))
	// Output: 200 rows; [prediction prediction_low prediction_high]; prediction 4.00
}

// This example reads rows into a table, fits a model to the table, and reads a CSV file with the schema of the model.
func ExampleSource() {
	shards := []arrow.Shard{line()}
	rows, err := arrow.Source(shards...).Table(ctx, &table.Options{Target: "y"})
	check(err)
	fmt.Print(rows.Schema)
	next, err := table.ParseCSV("next.csv", strings.NewReader("y,x\n?,0.5\n"), &table.Options{Schema: rows.Schema})
	check(err)
	fmt.Println(next.X.RawMatrix().Data)
	// Output:
	// id  left out  id          nearly every row has a different name, or there are very many names; convert them to levels by Kinds["id"]
	// x   feature   number      numbers
	// y   target    regression  numbers
	// [0.5]
}

// In this example Open returns a file in memory as an Input.
func ExampleInput() {
	open := func(context.Context) (arrow.Input, error) { return bytes.NewReader([]byte("PAR1")), nil }
	_, err := arrow.Source(arrow.Shard{Name: "short.parquet", Open: open}).Learn(ctx, nil)
	fmt.Println(strings.HasPrefix(err.Error(), "short.parquet: unreadable: "))
	// Output: true
}

// This example sets the format of a file whose name does not show it.
func ExampleFormat() {
	shard := line()
	shard.Name = "line.txt"
	_, err := arrow.Source(shard).Learn(ctx, nil)
	fmt.Println(err)
	shard.Format = arrow.CSV
	schema, err := arrow.Source(shard).Learn(ctx, nil)
	fmt.Println(shard.Format, schema.Names(), err)
	// Output:
	// line.txt: Shard.Format = ByName, want one of Parquet, IPC and CSV for a name with that ending
	// CSV [x y] <nil>
}

// This example passes record batches, such as those of a query or another program, to a model that is fitted block by block.
func ExampleShard_batches() {
	fields := apache.NewSchema([]apache.Field{
		{Name: "x", Type: apache.PrimitiveTypes.Float64, Nullable: true},
		{Name: "side", Type: apache.BinaryTypes.String},
	}, nil)
	batches := func(context.Context) (array.RecordReader, error) { // called for each pass
		b := array.NewRecordBuilder(memory.DefaultAllocator, fields)
		defer b.Release()
		for i := range 60 {
			x := float64(i-30) + .5
			b.Field(0).(*array.Float64Builder).Append(x)
			b.Field(1).(*array.StringBuilder).Append(map[bool]string{true: "right", false: "left"}[x > 0])
		}
		batch := b.NewRecordBatch()
		defer batch.Release()
		return array.NewRecordReader(fields, []apache.RecordBatch{batch})
	}
	rows := arrow.Source(arrow.Shard{Name: "query", Batches: batches})
	schema, err := rows.Learn(ctx, &table.Options{Target: "side"})
	check(err)
	estimator := &eem.Classifier{Units: 10, Activation: featuremap.Tanh, Labels: []int{0, 1}}
	for b, err := range table.Blocks[int](ctx, rows, schema, 16) {
		check(err)
		check(estimator.PartialFit(ctx, b.X, b.Y)) // keeps no reference to the block
	}
	model, err := table.Bind(schema, estimator)
	check(err)
	for _, x := range []float64{-20, 20} {
		p, err := model.PredictRow(map[string]any{"x": x})
		check(err)
		fmt.Println(p.Class)
	}
	// Output:
	// left
	// right
}

// This example writes classes and their probabilities with a Predictor, and reports its progress.
func ExamplePredictor() {
	shard := arrow.Shard{Name: "rows.csv", Open: func(context.Context) (arrow.Input, error) {
		return strings.NewReader("x,label\n-3,no\n-2,no\n-1,no\n1,yes\n2,yes\n3,yes\n"), nil
	}}
	rows, err := arrow.Source(shard).Table(ctx, &table.Options{Target: "label"})
	check(err)
	model := &table.Model{Classifier: &falkon.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .01}}
	check(model.Fit(ctx, rows))
	folder, err := os.MkdirTemp("", "arrow")
	check(err)
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "classes.parquet")
	predictor := &arrow.Predictor{Model: model, Name: "class",
		Observe: func(s estimators.Step) { fmt.Println(s.Message, s.Objective) }}
	_, err = predictor.Write(ctx, out, shard)
	check(err)
	back, err := arrow.Source(arrow.Files(out)...).Table(ctx, &table.Options{Target: "class", Drop: []string{"x", "label"}})
	check(err)
	fmt.Println(back.Schema.Names(), back.Schema.Classes()[back.Labels[0]], back.X.At(0, 1) < .5, back.X.At(5, 1) > .5)
	// Output:
	// rows.csv 6
	// [class_of_no class_of_yes] no true true
}
