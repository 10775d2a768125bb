package arrow

import (
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"
)

// BenchmarkTable reads 100 000 rows of ten columns as blocks. The ratio is to arrow-go's reading of the same batches, in the same
// run, which makes no rows of them.
func BenchmarkTable(b *testing.B) {
	const rows, columns = 100_000, 10
	fields := make([]arrow.Field, columns)
	s := &Schema{}
	for j := range fields {
		fields[j] = field(string(rune('a'+j)), floats)
		s.Features = append(s.Features, Column{Name: fields[j].Name, Kind: Number})
	}
	builder := array.NewRecordBuilder(testMem, arrow.NewSchema(fields, nil))
	for j := range fields {
		for i := range rows {
			builder.Field(j).(*array.Float64Builder).Append(float64(i*j) * .618)
		}
	}
	batch := builder.NewRecordBatch()
	for name, content := range map[string][]byte{"a.parquet": parquetBytes(b, batch), "a.arrow": ipcBytes(b, false, batch)} {
		b.Run(name, func(b *testing.B) {
			var ours, theirs time.Duration
			table := &Table{Schema: s, Shards: []Shard{inMemory(name, content)}}
			for b.Loop() {
				begin := time.Now()
				for _, err := range table.Rows(ctx) {
					require.NoError(b, err)
				}
				ours += time.Since(begin)
				begin = time.Now()
				in, err := table.Shards[0].open(ctx, newRequest(nil, 0, 0))
				require.NoError(b, err)
				require.NoError(b, in.start(ctx, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
				for some := true; some; {
					some, err = in.next(ctx)
					require.NoError(b, err)
				}
				in.close()
				theirs += time.Since(begin)
			}
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/rows/columns, "ns/cell")
		})
	}
}
