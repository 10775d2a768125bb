package arrow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/arrow"
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

// line is a CSV file of y = 2x + 1 that is not on the disk.
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

// From files to a model, and from the model to a Parquet file with its predictions.
func Example() {
	shards := []arrow.Shard{line()} // or arrow.Files("2023.parquet", "2024.parquet")
	schema, err := arrow.Columns{Target: "y", Ignore: []string{"id"}}.Learn(ctx, shards...)
	check(err)
	table := &arrow.Table{Schema: schema, Shards: shards}
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}},
		Final: &falkon.Regressor{Kernel: kernels.RBF{Gamma: .5}},
	}
	check(model.FitBlocks(ctx, table.Targets(ctx)))

	folder, err := os.MkdirTemp("", "arrow")
	check(err)
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "predicted.parquet")
	rows, err := (&arrow.Predictor[float64]{Schema: schema, Model: model, Interval: .95}).Write(ctx, out, shards...)
	check(err)
	back, err := arrow.Columns{Features: []string{"x", "y", "prediction", "prediction_low", "prediction_high"}}.Learn(ctx, arrow.Files(out)...)
	check(err)
	for b, err := range (&arrow.Table{Schema: back, Shards: arrow.Files(out)}).Rows(ctx) {
		check(err)
		fmt.Printf("%d rows; x = %.1f, y = %.1f, prediction %.2f\n", rows, b.X.At(150, 0), b.X.At(150, 1), b.X.At(150, 2))
	}
	// Output: 200 rows; x = 1.5, y = 4.0, prediction 4.00
}

// A schema is kept as JSON beside the model, so that files that are predicted have the codes that were learnt.
func ExampleSchema() {
	shard := arrow.Shard{Name: "sold.csv", Open: func(context.Context) (arrow.Input, error) {
		return strings.NewReader("rooms,district,price\n3,north,100\n4,south,150\n,north,90\n"), nil
	}}
	schema, err := arrow.Columns{Target: "price"}.Learn(ctx, shard)
	check(err)
	data, err := json.Marshal(schema)
	check(err)
	fmt.Println(string(data))
	var kept arrow.Schema
	check(json.Unmarshal(data, &kept))
	fmt.Println(kept.Names(), kept.Features[1].Kind == arrow.Category, kept.Categorical()) // selection.Regressor{Categories: kept.Categorical()}
	// Output:
	// {"features":[{"name":"rooms","kind":"number"},{"name":"district","kind":"category","categories":["north","south"]}],"target":"price"}
	// [rooms district] true [1]
}

// A schema may be written by hand, of columns of a kind each.
func ExampleColumn() {
	schema := &arrow.Schema{Features: []arrow.Column{
		{Name: "when", Kind: arrow.Time},
		{Name: "color", Kind: arrow.Category, Categories: []string{"red", "green", "blue"}},
	}}
	shard := arrow.Shard{Name: "rows", Format: arrow.CSV, Open: func(context.Context) (arrow.Input, error) {
		return strings.NewReader("color,when\nblue,1970-01-02\n,1970-01-01T00:00:30Z\nteal,1970-01-01\n"), nil
	}}
	for b, err := range (&arrow.Table{Schema: schema, Shards: []arrow.Shard{shard}, BlockRows: 2}).Rows(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(mat.Formatted(b.X))
	}
	// Output:
	// ⎡86400      2⎤
	// ⎣   30    NaN⎦
	// rows: column "color", row 2 = "teal", want one of the 3 categories of the schema, or UnseenAsGap
}

// The kinds have names.
func ExampleKind() {
	var k arrow.Kind
	check(k.UnmarshalText([]byte("duration")))
	fmt.Println(k, k == arrow.Duration)
	// Output: duration true
}

// What a column is for, and what cannot be read.
func ExampleColumns() {
	shard := line()
	_, err := arrow.Columns{Target: "z"}.Learn(ctx, shard)
	fmt.Println(err)
	_, err = arrow.Columns{Target: "y", Weight: "id"}.Learn(ctx, shard)
	fmt.Println(err)
	schema, err := arrow.Columns{Target: "y", Features: []string{"x"}}.Learn(ctx, shard)
	fmt.Println(schema.Names(), err)
	// Output:
	// line.csv: column = "z", which the file lacks, want one of its columns id, x, y
	// line.csv: type of column "id" = utf8, want one of numbers
	// [x] <nil>
}

// Files that are not on the disk, with cells of their own.
func ExampleCSVOptions() {
	shard := arrow.Shard{
		Name:   "s3://bucket/rows.txt",
		Format: arrow.CSV,
		CSV:    &arrow.CSVOptions{NoHeader: true, Comma: ';', Missing: []string{"-"}},
		Open:   func(context.Context) (arrow.Input, error) { return strings.NewReader("1;2\n-;4\n"), nil },
	}
	schema, err := arrow.Columns{Target: "1"}.Learn(ctx, shard)
	check(err)
	all, err := arrow.Collect((&arrow.Table{Schema: schema, Shards: []arrow.Shard{shard}}).Targets(ctx), 0)
	fmt.Println(all.X.RawMatrix().Data, all.Y, err)
	// Output: [1 NaN] [2 4] <nil>
}

// An Input is what Open returns: here of a file in memory.
func ExampleInput() {
	open := func(context.Context) (arrow.Input, error) { return bytes.NewReader([]byte("PAR1")), nil }
	_, err := arrow.Columns{}.Learn(ctx, arrow.Shard{Name: "short.parquet", Open: open})
	fmt.Println(strings.HasPrefix(err.Error(), "short.parquet: unreadable: "))
	// Output: true
}

// A file whose name does not tell its format has it in the Shard.
func ExampleFormat() {
	shard := line()
	shard.Name = "line.txt"
	_, err := arrow.Columns{}.Learn(ctx, shard)
	fmt.Println(err)
	shard.Format = arrow.CSV
	schema, err := arrow.Columns{Ignore: []string{"id"}}.Learn(ctx, shard)
	fmt.Println(shard.Format, schema.Names(), err)
	// Output:
	// line.txt: Shard.Format = ByName, want one of Parquet, IPC and CSV for a name with that ending
	// CSV [x y] <nil>
}

// Record batches, as a query or another program gives them, with a model that learns block by block.
func ExampleShard_batches() {
	schema := apache.NewSchema([]apache.Field{
		{Name: "x", Type: apache.PrimitiveTypes.Float64, Nullable: true},
		{Name: "side", Type: apache.BinaryTypes.String},
	}, nil)
	batches := func(context.Context) (array.RecordReader, error) { // anew for each pass
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for i := range 60 {
			x := float64(i-30) + .5
			b.Field(0).(*array.Float64Builder).Append(x)
			b.Field(1).(*array.StringBuilder).Append(map[bool]string{true: "right", false: "left"}[x > 0])
		}
		batch := b.NewRecordBatch()
		defer batch.Release()
		return array.NewRecordReader(schema, []apache.RecordBatch{batch})
	}
	shard := arrow.Shard{Name: "query", Batches: batches}
	columns, err := arrow.Columns{Label: "side"}.Learn(ctx, shard)
	check(err)
	model := &eem.Classifier{Units: 10, Activation: featuremap.Tanh, Labels: []int{0, 1}}
	for b, err := range (&arrow.Table{Schema: columns, Shards: []arrow.Shard{shard}, BlockRows: 16}).Labels(ctx) {
		check(err)
		check(model.PartialFit(ctx, b.X, b.Y)) // which keeps nothing of the block
	}
	labels, err := model.Predict(mat.NewDense(2, 1, []float64{-20, 20}))
	check(err)
	for _, l := range labels {
		fmt.Println(columns.Classes[l])
	}
	// Output:
	// left
	// right
}

// One shard at a time, as workers of a cluster read them by a schema that all have.
func ExampleTable() {
	schema := &arrow.Schema{Features: []arrow.Column{{Name: "x", Kind: arrow.Number}}, Target: "y"}
	var scaler scalers.StandardScaler
	table := &arrow.Table{Schema: schema, Shards: []arrow.Shard{line()}, BlockRows: 64}
	check(scaler.FitBlocks(ctx, table.Rows(ctx)))
	fmt.Printf("mean of x: %.3f;", scaler.Means()[0])
	for b, err := range table.Targets(ctx) {
		check(err)
		fmt.Print(" ", len(b.Y))
	}
	fmt.Println(" rows")
	// Output: mean of x: 0.995; 64 64 64 8 rows
}

// Classes and their probabilities, with progress.
func ExamplePredictor() {
	shard := arrow.Shard{Name: "rows.csv", Open: func(context.Context) (arrow.Input, error) {
		return strings.NewReader("x,label\n-3,no\n-2,no\n-1,no\n1,yes\n2,yes\n3,yes\n"), nil
	}}
	schema, err := arrow.Columns{Label: "label"}.Learn(ctx, shard)
	check(err)
	table := &arrow.Table{Schema: schema, Shards: []arrow.Shard{shard}}
	model := &falkon.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .01}
	check(model.FitBlocks(ctx, table.Labels(ctx)))
	folder, err := os.MkdirTemp("", "arrow")
	check(err)
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "classes.parquet")
	predictor := &arrow.Predictor[int]{Schema: schema, Model: model, Name: "class", Proba: true,
		Observe: func(s estimators.Step) { fmt.Println(s.Message, s.Objective) }}
	_, err = predictor.Write(ctx, out, shard)
	check(err)
	back, err := arrow.Columns{Features: []string{"class", "class_of_yes"}}.Learn(ctx, arrow.Files(out)...)
	check(err)
	for b, err := range (&arrow.Table{Schema: back, Shards: arrow.Files(out)}).Rows(ctx) {
		check(err)
		fmt.Println(back.Features[0].Categories[int(b.X.At(0, 0))], b.X.At(0, 1) < .5, b.X.At(5, 1) > .5)
	}
	// Output:
	// rows.csv 6
	// no true true
}
