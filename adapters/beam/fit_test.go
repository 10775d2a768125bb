package kernelbeam

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/transformers"
)

func TestMain(m *testing.M) {
	flag.Parse()
	Init()
	os.Exit(m.Run())
}

var scaledRidge = Register("scaled ridge", func() *pipeline.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&transformers.StandardScaler{}}, Final: &ridge.Regressor{}}
})

// linear returns rows and noisy linear targets.
func linear(n, d int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, 3*rng.NormFloat64()+float64(j))
			y[i] += float64(j%3-1) * x.At(i, j)
		}
		y[i] += rng.NormFloat64()
	}
	return x, y
}

// writeCSV writes rows to so many files, and returns their pattern.
func writeCSV(t *testing.T, x *mat.Dense, y []float64, shards int) string {
	t.Helper()
	dir := t.TempDir()
	n, d := x.Dims()
	for s := range shards {
		var out strings.Builder
		for j := range d {
			fmt.Fprintf(&out, "x%d,", j)
		}
		out.WriteString("y\n")
		for i := s * n / shards; i < (s+1)*n/shards; i++ {
			for j := range d {
				fmt.Fprintf(&out, "%v,", x.At(i, j))
			}
			fmt.Fprintf(&out, "%v\n", y[i])
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("rows-%03d.csv", s)), []byte(out.String()), 0o600))
	}
	return filepath.Join(dir, "rows-*.csv")
}

func TestFit(t *testing.T) {
	x, y := linear(5000, 6, 1)
	want := scaledRidge.make()
	require.NoError(t, want.Fit(context.Background(), x, y))
	expected, err := want.Predict(x)
	require.NoError(t, err)
	glob := writeCSV(t, x, y, 4)
	got, report, err := scaledRidge.Fit(context.Background(), &Data{Files: []string{glob}, Target: "y"}, &Options{RangeBytes: 30000})
	require.NoError(t, err)
	t.Logf("%+v", report)
	p, err := got.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, expected, p, 1e-9)
}
