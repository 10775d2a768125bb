package arrow

import (
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/streaming"
)

// BenchmarkSource reads 100 000 rows of ten columns as blocks. The ratio is relative to the time in which arrow-go reads the same
// batches, in the same run, without converting them to rows.
func BenchmarkSource(b *testing.B) {
	const rows, columns = 100_000, 10
	fields := make([]arrow.Field, columns)
	s := &table.Schema{}
	for j := range fields {
		fields[j] = field(string(rune('a'+j)), floats)
		s.Columns = append(s.Columns, number(fields[j].Name))
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
			shard := inMemory(name, content)
			for b.Loop() {
				begin := time.Now()
				for _, err := range table.Blocks[streaming.None](ctx, Source(shard), s, 0) {
					require.NoError(b, err)
				}
				ours += time.Since(begin)
				begin = time.Now()
				in, err := shard.open(ctx, table.Format{})
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
