package featuremap

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/transformers/internal/projection"
)

// Activations are computed in tiles of this many units and rows. A tile stays in the cache. Its product is below the size at which
// gonum uses several processors, because Workers should determine their number.
const tileUnits, tileRows = 64, 192

// tiles computes all activations. Each task gets memory for tiles from newMemory, and passes each computed tile to done.
func (r *RandomHidden) tiles(x *mat.Dense, newMemory func() func(first, unit int, rows, units int) *mat.Dense,
	done func(first, unit int, tile *mat.Dense)) error {
	n, d := x.Dims()
	u := r.state.Fitted.prepare()
	return parallel.ForEach(context.Background(), r.Workers, (n+tileRows-1)/tileRows, func(c int) error {
		first := c * tileRows
		rows := u.rows(x.Slice(first, min(first+tileRows, n), 0, d).(*mat.Dense))
		memory := newMemory()
		for unit := 0; unit < u.W.Rows; unit += tileUnits {
			tile := memory(first, unit, len(rows.squares), min(tileUnits, u.W.Rows-unit))
			u.activate(tile, unit, rows)
			if err := finiteTile(tile, first, unit); err != nil {
				return err
			}
			done(first, unit, tile)
		}
		return nil
	})
}

func finiteTile(tile *mat.Dense, first, unit int) error {
	units, _ := tile.Dims()
	for j := range units {
		for i, v := range tile.RawRowView(j) {
			if v-v != 0 {
				return &fault.NotFiniteError{Name: randomHiddenName + ": result", Row: first + i, Col: unit + j, Value: v}
			}
		}
	}
	return nil
}

// hiddenUnits holds the units in the form for products with rows.
type hiddenUnits struct {
	*hiddenModel
	weights *mat.Dense // w (h×d); for units that use distances, -2bw with shifted w
	// For the distances b|x-w|² = b(|x|² + |w|²) - 2b<x, w>, x and w are shifted by their mean. Their norms are then not much
	// larger than the distance.
	shift   []float64
	squares []float64 // |w|²
}

func (m *hiddenModel) distances() bool { return m.Activation == DataRBF || m.Activation == RandomRBF }

func (m *hiddenModel) prepare() *hiddenUnits {
	h, d := m.W.Rows, m.W.Cols
	u := &hiddenUnits{hiddenModel: m, weights: mat.NewDense(h, d, m.W.Data)}
	if !m.distances() {
		return u
	}
	u.weights, u.shift, u.squares = mat.DenseCopyOf(u.weights), make([]float64, d), make([]float64, h)
	for i := range h {
		for j, w := range u.weights.RawRowView(i) {
			u.shift[j] += w / float64(h)
		}
	}
	for i := range h {
		row := u.weights.RawRowView(i)
		for j, w := range row {
			w -= u.shift[j]
			u.squares[i] += w * w
			row[j] = -2 * m.B[i] * w
		}
	}
	return u
}

// hiddenRows holds rows in the form for products with units.
type hiddenRows struct {
	given   *mat.Dense
	trans   *mat.Dense // d×m, shifted
	squares []float64  // |x|² of the shifted x
}

func (u *hiddenUnits) rows(x *mat.Dense) hiddenRows {
	n, d := x.Dims()
	r := hiddenRows{given: x, trans: mat.NewDense(d, n, nil), squares: make([]float64, n)}
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if u.shift != nil {
				v -= u.shift[j]
			}
			r.squares[i] += v * v
			r.trans.Set(j, i, v)
		}
	}
	return r
}

// activate sets dst to the activations of consecutive units for the rows. The number of the first unit is first.
func (u *hiddenUnits) activate(dst *mat.Dense, first int, r hiddenRows) {
	units, _ := dst.Dims()
	_, d := u.weights.Dims()
	fast.Gemm(blas.NoTrans, blas.NoTrans, 1, u.weights.Slice(first, first+units, 0, d).(*mat.Dense).RawMatrix(), r.trans.RawMatrix(), 0,
		dst.RawMatrix())
	for j := range units {
		if u.distances() {
			u.fromDistances(dst.RawRowView(j), first+j, r)
		} else {
			u.fromProducts(dst.RawRowView(j), u.B[first+j])
		}
	}
}

// cancellation is a share of b(|x|² + |w|²). A distance below this share is computed again from the differences. Above it, at most
// ten bits are lost.
const cancellation = 1e-3

// fromDistances converts the values -2b<x, w> of a unit to distances and then to activations.
func (u *hiddenUnits) fromDistances(dst []float64, unit int, r hiddenRows) {
	b, own, d := u.B[unit], u.squares[unit], u.W.Cols
	for i, s := range r.squares[:len(dst)] {
		norms := b * (own + s)
		v := norms + dst[i]
		// The negated comparison is also true if the distance is NaN because norms overflowed.
		if !(v > cancellation*norms) {
			v = b * vecmath.SquaredDistance(r.given.RawRowView(i), u.W.Data[unit*d:(unit+1)*d])
		}
		dst[i] = v
	}
	u.squash(dst)
}

// fromProducts converts the values <x, w> of a unit to activations.
func (u *hiddenUnits) fromProducts(dst []float64, b float64) {
	if u.Activation == Tanh {
		floats.AddConst(b, dst)
	} else {
		over := u.divisor()
		for i, v := range dst {
			dst[i] = b - v/over
		}
	}
	u.squash(dst)
}

// divisor returns the number by which a sigmoid divides <x, w>.
func (m *hiddenModel) divisor() float64 {
	if m.Activation == NormalizedSigmoid {
		return float64(m.W.Cols)
	}
	return 1
}

// squash replaces the units' distances or products by their activations.
func (m *hiddenModel) squash(dst []float64) {
	switch m.Activation {
	case Sigmoid, NormalizedSigmoid:
		vecmath.Exp(dst, 1, dst)
		for i, e := range dst {
			dst[i] = 1 / (1 + e)
		}
	case Tanh: // 1 - 2/(1 + e²ᵗ), accurate to 2⁻⁵³
		vecmath.Exp(dst, 2, dst)
		for i, e := range dst {
			dst[i] = 1 - 2/(1+e)
		}
	default:
		vecmath.Exp(dst, -1, dst)
	}
}

// MapRow sets dst to the activations for one row.
func (m hiddenModel) MapRow(dst, x []float64) {
	d, distances, over := m.W.Cols, m.distances(), m.divisor()
	for i, b := range m.B {
		switch w := m.W.Data[i*d : (i+1)*d]; {
		case distances:
			dst[i] = b * vecmath.SquaredDistance(x, w)
		case m.Activation == Tanh:
			dst[i] = b + vecmath.Dot(x, w)
		default:
			dst[i] = b - vecmath.Dot(x, w)/over
		}
	}
	m.squash(dst)
}

func (m hiddenModel) BuildGraph(x graph.Value) (graph.Value, error) {
	if m.distances() {
		shift, w := columnMeans(projection.Dense(m.W)), mat.DenseCopyOf(projection.Dense(m.W))
		for i := range m.W.Rows {
			for j, s := range shift {
				w.RawRowView(i)[j] -= s
			}
		}
		return x.Sub(x.Row(shift)).SquaredDistances(w).Mul(x.Row(m.B)).Neg().Exp(), nil
	}
	products := x.MatMul(x.Constant(projection.Dense(m.W).T()))
	if m.Activation == Tanh {
		return products.Add(x.Row(m.B)).Tanh(), nil
	}
	return products.Div(x.Number(m.divisor())).Sub(x.Row(m.B)).Sigmoid(), nil
}
