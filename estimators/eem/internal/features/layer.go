package features

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Layer maps rows to the features that a machine learns from. Layers are nested: the first columns
// are the features of a smaller one.
type Layer interface {
	// Features of the rows of x (m×d) are put into the columns of dst (h×m).
	Features(dst, x *mat.Dense) error
	// Width is the number of features of the first units; all of them if units is large.
	Width(units int) int
	// Leading is the layer of the first units.
	Leading(units int) (Layer, error)
	// Scorer returns what finds the place of rows along directions (features×r).
	Scorer(ctx context.Context, directions *mat.Dense) (Scorer, error)
}

// Scorer finds the place of rows along directions.
type Scorer interface {
	// Write puts the place of one row x into z, without allocating.
	Write(z, x []float64)
	// Scores has the place of each row of x (m×d).
	Scores(x *mat.Dense) (*mat.Dense, error)
	// Graph is Scores as a graph.
	Graph(x graph.Value) (graph.Value, error)
}

// placed is scores of a single row, which blocks would only make slower.
func placed(s Scorer, x *mat.Dense, directions int) (*mat.Dense, error) {
	out := mat.NewDense(1, directions, nil)
	s.Write(out.RawRowView(0), x.RawRowView(0))
	if v := mat.Sum(out); v-v != 0 {
		return nil, &fault.NotFiniteError{Name: "eem: place of a row", Row: 0, Col: -1, Value: v}
	}
	return out, nil
}

// combination sets z to the sum of the rows of directions, each times a value.
func combination(z, values []float64, directions *mat.Dense) {
	clear(z)
	for i, v := range values {
		for j, w := range directions.RawRowView(i) {
			z[j] += v * w
		}
	}
}

// predictChunk rows at a time bound the memory of a prediction.
const predictChunk = 2048

// inChunks puts f of each chunk of x into the rows of the result.
func inChunks(x *mat.Dense, columns int, f func(dst, x *mat.Dense) error) (*mat.Dense, error) {
	n, d := x.Dims()
	out := mat.NewDense(n, columns, nil)
	for first := 0; first < n; first += predictChunk {
		last := min(first+predictChunk, n)
		if err := f(out.Slice(first, last, 0, columns).(*mat.Dense), x.Slice(first, last, 0, d).(*mat.Dense)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
