package kernelbeam

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// writeMixed writes rows with numbers, words, times, booleans and gaps to a CSV file and to a Parquet file, and returns their
// paths.
func writeMixed(t *testing.T, dir string) (text, typed string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 1))
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "area", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "rooms", Type: arrow.PrimitiveTypes.Int64}, {Name: "district", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "when", Type: &arrow.TimestampType{Unit: arrow.Second}}, {Name: "garden", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "rent", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var lines strings.Builder
	lines.WriteString("id,area,rooms,district,when,garden,rent\n")
	for i := range 400 {
		area, rooms, when, garden := 40+60*rng.Float64(), int64(1+rng.IntN(5)), int64(86400*rng.IntN(20000)), rng.IntN(2) == 0
		district := []string{"harbour", "north", "south"}[rng.IntN(3)]
		rent := 10*area + 100*float64(rooms) + rng.NormFloat64()
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("flat%d", i))
		b.Field(2).(*array.Int64Builder).Append(rooms)
		b.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp(when))
		b.Field(5).(*array.BooleanBuilder).Append(garden)
		b.Field(6).(*array.Float64Builder).Append(rent)
		size, where := strconv.FormatFloat(area, 'g', -1, 64), district
		if i%10 == 0 {
			size = ""
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.Float64Builder).Append(area)
		}
		if i%11 == 0 {
			where = "NA"
			b.Field(3).AppendNull()
		} else {
			b.Field(3).(*array.StringBuilder).Append(district)
		}
		fmt.Fprintf(&lines, "flat%d,%s,%d,%s,%s,%v,%v\n", i, size, rooms, where, time.Unix(when, 0).UTC().Format(time.DateOnly), garden, rent)
	}
	text, typed = filepath.Join(dir, "flats.csv"), filepath.Join(dir, "flats.parquet")
	writeFile(t, text, lines.String())
	batch := b.NewRecordBatch()
	defer batch.Release()
	f, err := os.Create(typed)
	require.NoError(t, err)
	w, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	require.NoError(t, err)
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Close())
	return text, typed
}

// A CSV file and a Parquet file result in the same schema and matrix as with table.ReadCSV, and therefore in the same model and
// predictions.
func TestOneSchema(t *testing.T) {
	ctx := context.Background()
	text, typed := writeMixed(t, t.TempDir())
	rows, err := table.ReadCSV(text, &table.Options{Target: "rent", Task: table.Regression, Drop: []string{"id"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"area", "rooms", "district", "when", "garden"}, rows.Schema.Names())
	want := stagesInMemory(t, filledRidge, rows.X, rows.Targets)
	model, err := table.Bind(rows.Schema, want)
	require.NoError(t, err)
	predicted, err := model.Predict(rows)
	require.NoError(t, err)
	for _, file := range []string{text, typed} {
		for name, o := range map[string]table.Options{"learnt": {Target: "rent"}, "given": {Schema: rows.Schema}} {
			d := &Data{Files: []string{file}, Options: o, ID: "id"}
			options := &Options{NoEngine: true, RangeBytes: 3000}
			got, report, err := filledRidge.Fit(ctx, d, options)
			require.NoError(t, err, name)
			assert.Equal(t, rows.Schema, report.Schema, "%s, %s", file, name)
			sameCoefficients(t, want, got)
			out := filepath.Join(t.TempDir(), "p.csv")
			d.Options = table.Options{Schema: report.Schema}
			_, err = filledRidge.PredictFiles(ctx, want, d, options, out)
			require.NoError(t, err)
			files, err := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
			require.NoError(t, err)
			seen := 0
			for _, path := range files {
				f, err := os.Open(path)
				require.NoError(t, err)
				records, err := csv.NewReader(f).ReadAll()
				require.NoError(t, err)
				require.NoError(t, f.Close())
				for _, r := range records[1:] {
					i, err := strconv.Atoi(strings.TrimPrefix(r[2], "flat"))
					require.NoError(t, err)
					v, err := strconv.ParseFloat(r[3], 64)
					require.NoError(t, err)
					assert.InDelta(t, predicted.Numbers[i], v, 1e-9)
					seen++
				}
			}
			assert.Equal(t, 400, seen)
		}
	}
}
