package features

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Layer maps rows to the features to which a machine is fitted. Layers are nested: the first features of a layer are those of a
// smaller layer.
type Layer interface {
	// Features sets the columns of dst (h×m) to the features of the rows of x (m×d).
	Features(dst, x *mat.Dense) error
	// Width returns the number of features of the first units. If the layer has fewer units, it returns the number of all features.
	Width(units int) int
	// Leading returns the layer that consists of the first units.
	Leading(units int) (Layer, error)
	// Scorer returns a Scorer for directions (features×r).
	Scorer(ctx context.Context, directions *mat.Dense) (Scorer, error)
}

// Scorer computes the positions of rows along directions.
type Scorer interface {
	// Write sets z to the position of one row x, without allocating memory.
	Write(z, x []float64)
	// Scores returns the positions of the rows of x (m×d).
	Scores(x *mat.Dense) (*mat.Dense, error)
	// Graph returns the graph of Scores.
	Graph(x graph.Value) (graph.Value, error)
}

// placed is like Scores for a single row, which Scores would predict more slowly, as a block.
func placed(s Scorer, x *mat.Dense, directions int) (*mat.Dense, error) {
	out := mat.NewDense(1, directions, nil)
	s.Write(out.RawRowView(0), x.RawRowView(0))
	if v := mat.Sum(out); v-v != 0 {
		return nil, &fault.NotFiniteError{Name: "eem: place of a row", Row: 0, Col: -1, Value: v}
	}
	return out, nil
}

// combination sets z to the sum of the rows of directions, each multiplied by its value.
func combination(z, values []float64, directions *mat.Dense) {
	clear(z)
	for i, v := range values {
		for j, w := range directions.RawRowView(i) {
			z[j] += v * w
		}
	}
}

// predictChunk is the number of rows that are predicted at a time, to limit the memory of a prediction.
const predictChunk = 2048

// inChunks returns a matrix with the given number of columns. It calls f to set its rows, a chunk at a time.
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
