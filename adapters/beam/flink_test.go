package kernelbeam

import (
	"context"
	"flag"
	"os"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// onFlink sends the test's jobs to the job server of flink/run.
func onFlink(t *testing.T) {
	t.Helper()
	address := os.Getenv("BEAM_FLINK")
	if address == "" {
		t.Skip("BEAM_FLINK has no job server's address: run flink/run go test -count=1 -run Flink .")
	}
	for name, value := range map[string]string{"runner": "flink", "endpoint": address, "environment_type": "LOOPBACK", "parallelism": "4"} {
		was := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { assert.NoError(t, flag.Set(name, was)) })
	}
}

// On Flink the model is equal to that of one pass in memory, even if a task manager is killed during the fit (flink/run -k).
func TestFlink(t *testing.T) {
	onFlink(t)
	x, y := linear(100_000, 6, 50)
	want := stagesInMemory(t, scaledRidge, x, y)
	got, report, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{writeCSV(t, x, y, 7)}, Options: table.Options{Target: "y"}}, &Options{RangeBytes: 1 << 20})
	require.NoError(t, err)
	sameCoefficients(t, want, got)
	assert.Equal(t, 100_000, report.Rows)
	assert.GreaterOrEqual(t, report.Metrics["rows"], int64(200_000), "more where rows were read again")
}

// Accumulators of several megabytes can be sent between task managers. An unknown label on a task manager is an error that names
// the file and the row.
func TestFlinkLargeAccumulators(t *testing.T) {
	onFlink(t)
	x, y := linear(2500, 500, 51)
	want := stagesInMemory(t, manyUnits, x, y)
	got, _, err := manyUnits.Fit(context.Background(), &Data{Files: []string{writeCSV(t, x, y, 3)}, Options: table.Options{Target: "y"}}, nil)
	require.NoError(t, err)
	a, err := want.Predict(x)
	require.NoError(t, err)
	b, err := got.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, a, b, 1e-6)
	_, _, err = classes.Fit(context.Background(), &Data{Files: []string{writeParquet(t, x, y, 1)}, Options: table.Options{Target: "y"}}, nil)
	assert.ErrorContains(t, err, ".parquet:1: ")
	assert.ErrorContains(t, err, "is none of the classes a")
}
