// Package golden reads the reference data of tests.
package golden

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
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

// update makes Model write its file. It is needed only for a new version of a format. The files of old versions are kept, and prove
// that they can still be read.
var update = flag.Bool("update", false, "write missing golden model files")

// Model returns the bytes of the golden model file testdata/name. With the test flag -update it writes the result of the function
// make to a missing file. It never changes an existing one.
func Model(tb testing.TB, name string, make func() ([]byte, error)) []byte {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if _, err := os.Stat(path); *update && errors.Is(err, fs.ErrNotExist) {
		data, err := make()
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return Bytes(tb, name)
}

// Dense returns a matrix with the rows of a JSON array.
func Dense(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

// MaxError returns the largest |got - want| / max(1, |want|), or infinity if the lengths differ or a value is NaN.
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

// Page compares a page of the repository, at a path relative to the package under test, with the text that a test generated. With
// the test flag -update it writes the page.
func Page(tb testing.TB, path, made string) {
	tb.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(made), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if string(page) != made {
		tb.Errorf("%s differs from the result of the code: go test -update rewrites it", path)
	}
}
