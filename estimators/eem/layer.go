package eem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// layer is what both machines see rows through. Layers are nested: the first columns
// are the features of a smaller one.
type layer interface {
	// features of the rows of x (m×d) are put into the columns of dst (h×m).
	features(dst, x *mat.Dense) error
	// width is the number of features of the first units; all of them if units is large.
	width(units int) int
	// first is the layer of the first units.
	leading(units int) (layer, error)
	// along returns what finds the place of rows along directions (features×r).
	scorer(ctx context.Context, directions *mat.Dense) (scorer, error)
}

// scorer finds the place of rows along directions.
type scorer interface {
	// place is that of one row x, into z, without allocating.
	write(z, x []float64)
	scores(x *mat.Dense) (*mat.Dense, error)
	// graph is scores as a graph.
	graph(x graph.Value) (graph.Value, error)
}

// placed is scores of a single row, which blocks would only make slower.
func placed(s scorer, x *mat.Dense, directions int) (*mat.Dense, error) {
	out := mat.NewDense(1, directions, nil)
	s.write(out.RawRowView(0), x.RawRowView(0))
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

// hiddenLayer sees rows through random units.
type hiddenLayer struct {
	hidden *featuremap.RandomHidden
	units  int
}

func newHiddenLayer(h *featuremap.RandomHidden) *hiddenLayer {
	_, b := h.UnitWeights()
	return &hiddenLayer{hidden: h, units: len(b)}
}

func (l *hiddenLayer) features(dst, x *mat.Dense) error { return l.hidden.UnitsTo(dst, x) }
func (l *hiddenLayer) width(units int) int              { return min(units, l.units) }

func (l *hiddenLayer) leading(units int) (layer, error) {
	h, err := l.hidden.Truncate(units)
	return &hiddenLayer{hidden: h, units: l.width(units)}, err
}

func (l *hiddenLayer) scorer(_ context.Context, directions *mat.Dense) (scorer, error) {
	return &hiddenScorer{hidden: l.hidden, directions: directions}, nil
}

type hiddenScorer struct {
	hidden     *featuremap.RandomHidden
	directions *mat.Dense // h×r
}

func (s *hiddenScorer) scores(x *mat.Dense) (*mat.Dense, error) {
	_, r := s.directions.Dims()
	if n, _ := x.Dims(); n == 1 {
		return placed(s, x, r)
	}
	h := &mat.Dense{}
	return inChunks(x, r, func(dst, x *mat.Dense) error {
		rows, _ := x.Dims()
		if last, _ := h.Dims(); last != rows {
			h = &mat.Dense{}
		}
		err := s.hidden.TransformTo(h, x)
		if err == nil {
			fast.Mul(dst, h, s.directions)
		}
		return err
	})
}

func (s *hiddenScorer) write(z, x []float64) {
	units, _ := s.directions.Dims()
	p := rowwise.Scratch(units)
	defer rowwise.Release(p)
	if s.hidden.TransformRow(*p, x) != nil {
		z[0] = math.NaN() // of an activation that is not finite
		return
	}
	combination(z, *p, s.directions)
}
