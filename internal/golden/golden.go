// Package golden reads the reference numbers that tests compare with.
package golden

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Load reads testdata/name of the package under test into out.
func Load(tb testing.TB, name string, out any) {
	tb.Helper()
	if err := json.Unmarshal(Bytes(tb, name), out); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
}

// Bytes reads testdata/name of the package under test.
func Bytes(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// Dense makes a matrix of the rows of a JSON array.
func Dense(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

// MaxError returns the largest |got - want| / max(1, |want|), and infinity where
// the lengths differ or a value is NaN: a golden value holds to tol if MaxError
// is at most tol.
func MaxError(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	worst := 0.0
	for i, w := range want {
		e := math.Abs(got[i]-w) / math.Max(1, math.Abs(w))
		if math.IsNaN(e) {
			return math.Inf(1)
		}
		worst = math.Max(worst, e)
	}
	return worst
}
