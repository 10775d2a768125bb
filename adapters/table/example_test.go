package table_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
)

// flats returns a CSV file with a gap, dates and words.
func flats() string {
	var b strings.Builder
	b.WriteString("flat_id,area,city,sold,rent\n")
	for i := range 40 {
		area, city := 30+float64(i*7%50), []string{"Oslo", "Rome"}[i%2]
		sold := time.Date(2020, 1, 1+i*9, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&b, "%d,%g,%s,%s,%.1f\n", 900+i, area, city, sold.Format(time.DateOnly), 10*area+200*float64(i%2))
	}
	return strings.Replace(b.String(), "Oslo", "", 1)
}

// This example fits a model to a file, and predicts a row in its original form.
func ExampleModel() {
	rows, err := table.ParseCSV("flats.csv", strings.NewReader(flats()), &table.Options{Target: "rent"})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &table.Model{Regressor: &ridge.Regressor{Ridge: 1e-6}} // optional
	if err := model.Fit(context.Background(), rows); err != nil {
		fmt.Println(err)
		return
	}
	var p table.Prediction
	p, err = model.PredictRow(map[string]any{"area": 50, "city": "Rome", "sold": "2020-05-01"})
	fmt.Printf("%.0f %v\n", p.Number, err)
	p, err = model.PredictRow("1,50,Oslo,2020-05-01")
	fmt.Printf("%.0f %v\n", p.Number, err)
	_, err = model.PredictRow(map[string]any{"area": 50, "town": "Rome", "sold": nil})
	fmt.Println(err)
	// Output:
	// 700 <nil>
	// 500 <nil>
	// table: rows:1: column = "city", which is missing, want a value, or nil for a gap
}

// This example prints the decision for each column from a Schema, and changes it with Options.
func ExampleSchema() {
	rows, err := table.ParseCSV("flats.csv", strings.NewReader(flats()), &table.Options{Target: "rent"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var schema *table.Schema = rows.Schema
	fmt.Print(schema)
	var id table.Column = schema.Columns[0]
	fmt.Println(id.Role == table.LeftOut, id.Kind == table.ID, schema.Task == table.Regression)
	rows, err = table.ParseCSV("flats.csv", strings.NewReader(flats()), &table.Options{
		Target: "rent", Drop: []string{"sold"}, Kinds: map[string]table.Kind{"flat_id": table.Number},
	})
	fmt.Println(rows.Schema.Names(), err)
	// Output:
	// flat_id  left out  id          nearly every row has a different integer, and the name suggests an id; include it by Kinds["flat_id"]
	// area     feature   number      whole numbers
	// city     feature   category    2 levels; rows without a value: 1
	// sold     feature   time        dates or times, in seconds since 1970
	// rent     target    regression  numbers
	// true true true
	// [flat_id area city] <nil>
}

// This example writes predictions next to the columns of a file, whose columns may have any order.
func ExampleTable_WriteCSV() {
	rows, err := table.ParseCSV("flats.csv", strings.NewReader(flats()), &table.Options{Target: "rent", Drop: []string{"sold", "flat_id"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &table.Model{Regressor: &ridge.Regressor{Ridge: 1e-6}}
	if err := model.Fit(context.Background(), rows); err != nil {
		fmt.Println(err)
		return
	}
	var next *table.Table
	next, err = table.ParseCSV("next.csv", strings.NewReader("city;area\nRome;41,5\nOslo;60\n"), &table.Options{
		Schema: model.Schema(), Format: table.Format{Comma: ';', Decimal: ','},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var p *table.Predictions
	if p, err = model.Predict(next); err == nil {
		for i := range p.Numbers {
			p.Numbers[i] = math.Round(p.Numbers[i])
		}
		err = next.WriteCSV(os.Stdout, p)
	}
	fmt.Println(err)
	// Output:
	// city,area,prediction
	// Rome,"41,5",615
	// Oslo,60,600
	// <nil>
}

// This example fits a model to a slice of structs.
func ExampleFromStructs() {
	type patient struct {
		Age    int
		Smoker bool
		Weight *float64
		Risk   string `table:"risk"`
	}
	kilograms := 81.5
	patients := []patient{{Age: 40, Weight: &kilograms, Risk: "low"}, {Age: 77, Smoker: true, Risk: "high"}, {Age: 50, Risk: "low"}}
	rows, err := table.FromStructs(patients, &table.Options{Target: "risk"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rows.X.RawRowView(1), rows.Labels, rows.Schema.Classes())
	// Output: [77 1 NaN] [1 0 1] [high low]
}

// This example reads a file in blocks, as is needed if it does not fit in memory.
func ExampleSource() {
	ctx := context.Background()
	var file table.Source = table.Source{Name: "flats.csv", Open: func() (io.ReadCloser, error) { // or table.File("flats.csv")
		return io.NopCloser(strings.NewReader(flats())), nil
	}}
	schema, err := file.Learn(ctx, &table.Options{Target: "rent", Drop: []string{"sold"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &table.Model{Regressor: &falkon.Regressor{Kernel: kernels.RBF{Gamma: 1e-4}, Ridge: 1e-9}}
	if err := model.FitBlocks(ctx, file, schema); err != nil {
		fmt.Println(err)
		return
	}
	p, err := model.PredictRow("1,50,Oslo,2020-05-01")
	fmt.Printf("%.0f %v\n", p.Number, err)
	// Output: 500 <nil>
}

// This example uses a CellError to find the position of an invalid cell, for example to show the error next to the input.
func ExampleCellError() {
	rows, err := table.ParseCSV("flats.csv", strings.NewReader(flats()), &table.Options{Target: "rent"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = rows.Schema.Rows("1,50,Oslo,2020-05-01", "2,large,Oslo,2020-05-01")
	if cell := new(table.CellError); errors.As(err, &cell) {
		fmt.Println(cell.Row, cell.Column)
	}
	fmt.Println(err)
	// Output:
	// 2 area
	// table: rows:2: column "area" = "large", want a number, as in the rows that the schema was learnt from
}

// This example prints a role, a kind and a task. JSON contains the same words.
func ExampleRole() {
	var role table.Role = table.Feature
	var task table.Task = table.Classification
	fmt.Println(role, table.Category, task)
	// Output: feature category classification
}

// pairs is a Reader for a format with a single block of rows.
type pairs struct {
	fill func(seconds, volts *table.Cells) // nil after its call
	rows int
}

// Columns implements table.Reader.
func (p *pairs) Columns() []table.Column {
	return []table.Column{{Name: "seconds", Kind: table.Duration}, {Name: "volts"}}
}

// Next implements table.Reader.
func (p *pairs) Next(_ context.Context, to []*table.Cells, most int) (int, error) {
	if p.fill == nil || p.rows > most {
		return 0, io.EOF
	}
	p.fill(to[0], to[1])
	p.fill = nil
	return p.rows, nil
}

// Close implements table.Reader.
func (p *pairs) Close() error { return nil }

// This example implements a Reader for a format that this package does not support. The rows of the Reader and those of a CSV file
// form one source.
func ExampleReader() {
	open := func(context.Context) (table.Reader, error) { // called for each pass
		return &pairs{rows: 2, fill: func(seconds, volts *table.Cells) {
			if seconds != nil { // nil if the column is not read
				seconds.AppendNumbers([]float64{0.5, 1})
			}
			if volts != nil {
				volts.AppendNumbers([]float64{3.5, math.NaN()})
			}
		}}, nil
	}
	text := table.Source{Name: "run.csv", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("volts,seconds\n4,1.5\n")), nil
	}}
	rows, err := table.Join(table.Source{Name: "run.bin", Read: open}, text).Table(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(rows.Schema)
	fmt.Println(rows.X.RawMatrix().Data)
	// Output:
	// seconds  feature  duration  durations, in seconds
	// volts    feature  number    numbers; rows without a value: 1
	// [0.5 3.5 1 NaN 1.5 4]
}

// This example uses an Encoder to find all cells that do not match the schema.
func ExampleEncoder() {
	schema := &table.Schema{Columns: []table.Column{
		{Name: "area", Kind: table.Number}, {Name: "city", Kind: table.Category, Levels: []string{"Oslo", "Rome"}},
	}}
	encoder, err := schema.Encoder()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(encoder.Text(0, " 60.5 "))
	fmt.Println(encoder.Text(1, "Rome"))
	_, err = encoder.Text(0, "about 60")
	fmt.Println(err)
	// Output:
	// 60.5 <nil>
	// 1 <nil>
	// column "area" = "about 60", want a number
}

// This example converts predictions to columns, for a file of another format.
func ExamplePredictionColumn() {
	p := &table.Predictions{Numbers: []float64{2}, Low: []float64{1}, High: []float64{3}}
	var columns []table.PredictionColumn = p.Columns("rent")
	for _, c := range columns {
		fmt.Println(c.Name, c.Numbers)
	}
	// Output:
	// rent [2]
	// rent_low [1]
	// rent_high [3]
}
