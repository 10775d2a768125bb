package transformers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	randomHiddenName = "transformers: RandomHidden"
	randomHiddenKind = "transformers.RandomHidden"
)

// DefaultUnits is the number of hidden units of a RandomHidden whose Units is 0.
const DefaultUnits = 250

// Activation is what a hidden unit of weights w and bias b makes of a row x of d
// columns, and how w and b are drawn.
type Activation int

// The activations. The first is for features of comparable scale (StandardScaler), as
// is Tanh; Sigmoid, NormalizedSigmoid and RandomRBF are those of Czarnecki and Tabor
// (arXiv 1501.05279), for features in [0, 1] (MinMaxScaler), w and b uniform in [0, 1].
const (
	// DataRBF is exp(-b|x-w|²), w a training row and b = 10^u/median|x-x'|², u uniform
	// in [-1, 1]: units of many widths where the data are.
	DataRBF Activation = iota
	// Sigmoid is 1/(1 + exp(-<w,x> + b)): it saturates as d grows.
	Sigmoid
	// NormalizedSigmoid is 1/(1 + exp(-<w,x>/d + b)).
	NormalizedSigmoid
	// RandomRBF is exp(-b|x-w|²).
	RandomRBF
	// Tanh is tanh(<w,x> + b), w normal of standard deviation 3/√d, b standard normal.
	Tanh
)

// String returns the activation's name.
func (a Activation) String() string {
	names := []string{"DataRBF", "Sigmoid", "NormalizedSigmoid", "RandomRBF", "Tanh"}
	if a < 0 || int(a) >= len(names) {
		return fmt.Sprintf("Activation(%d)", int(a))
	}
	return names[a]
}

// RandomHidden is a hidden layer whose weights are drawn and never trained: the
// features of extreme learning machines. Layers of the same Seed are nested: the units
// of a smaller one are the first of a larger one.
//
// Fit draws the units, O(hd), and for DataRBF looks at a sample of the rows;
// Transform of m rows costs O(mhd). DataRBF has at most as many units as Fit has rows.
type RandomHidden struct {
	Units      int // h; 0: DefaultUnits
	Activation Activation
	Seed       uint64
	Workers    int // goroutines; 0: GOMAXPROCS

	fitted *hiddenModel
}

type hiddenModel struct {
	Activation Activation
	W          codec.Matrix // h×d
	B          codec.Floats
}

var (
	_ Transformer = (*RandomHidden)(nil)
	_ Cloner      = (*RandomHidden)(nil)
)

// Fit draws the units for rows like those of x (n×d).
func (r *RandomHidden) Fit(ctx context.Context, x mat.Matrix) error {
	units := r.Units
	if units == 0 {
		units = DefaultUnits
	}
	switch {
	case units < 1:
		return fault.Param(randomHiddenName, "Units", r.Units, ">= 1, or 0 for the default")
	case r.Activation < DataRBF || r.Activation > Tanh:
		return fault.Param(randomHiddenName, "Activation", int(r.Activation), "DataRBF, Sigmoid, NormalizedSigmoid, RandomRBF or Tanh")
	}
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := in.Dims()
	var m *hiddenModel
	if r.Activation == DataRBF {
		m, err = r.fromRows(ctx, in, min(units, n))
	} else {
		m = r.draw(units, d)
	}
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.fitted = m
	return nil
}

// stream is the random numbers of unit i alone, so that layers are nested.
func (r *RandomHidden) stream(i int) *rand.Rand {
	return rand.New(rand.NewPCG(r.Seed, 0x68696464656e<<16+uint64(i))) // the streams "hidden" 0, 1, ...
}

func (r *RandomHidden) draw(units, d int) *hiddenModel {
	m := &hiddenModel{Activation: r.Activation, W: codec.Matrix{Rows: units, Cols: d}, B: make(codec.Floats, units)}
	for i := range units {
		rng := r.stream(i)
		for range d {
			w := rng.Float64()
			if r.Activation == Tanh {
				w = rng.NormFloat64() * 3 / math.Sqrt(float64(d))
			}
			m.W.Data = append(m.W.Data, w)
		}
		m.B[i] = rng.Float64()
		if r.Activation == Tanh {
			m.B[i] = rng.NormFloat64()
		}
	}
	return m
}

func (r *RandomHidden) fromRows(ctx context.Context, x *mat.Dense, units int) (*hiddenModel, error) {
	n, d := x.Dims()
	median, err := kernels.MedianSquaredDistance(ctx, x, r.Seed)
	if err != nil {
		return nil, err
	}
	scale := 1 / median
	if !(median > 0) || scale == 0 || math.IsInf(scale, 1) {
		scale = 1 / float64(d)
	}
	m := &hiddenModel{Activation: DataRBF, W: codec.Matrix{Rows: units, Cols: d}, B: make(codec.Floats, units)}
	order := rand.New(rand.NewPCG(r.Seed, 0x63656e74726573)).Perm(n) // the stream "centres"
	for i := range units {
		m.W.Data = append(m.W.Data, x.RawRowView(order[i])...)
		m.B[i] = math.Pow(10, 2*r.stream(i).Float64()-1) * scale
	}
	return m, nil
}

// Transform returns the activations of the units for the rows of x (m×d), m×h.
func (r *RandomHidden) Transform(x mat.Matrix) (*mat.Dense, error) {
	out := &mat.Dense{}
	if err := r.TransformTo(out, x); err != nil {
		return nil, err
	}
	return out, nil
}

// TransformTo is Transform into dst, which is m×h or empty; after an error it holds
// nothing of use.
func (r *RandomHidden) TransformTo(dst *mat.Dense, x mat.Matrix) error {
	m := r.fitted
	if m == nil {
		return fault.NotFitted(randomHiddenName)
	}
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	if err := check.Columns("x", in, m.W.Cols); err != nil {
		return err
	}
	n, d := in.Dims()
	if err := fits(dst, n, m.W.Rows); err != nil {
		return err
	}
	units := m.prepare()
	return parallel.For(context.Background(), r.Workers, (n+hiddenRows-1)/hiddenRows, func(c int) error {
		first, last := c*hiddenRows, min((c+1)*hiddenRows, n)
		part := dst.Slice(first, last, 0, m.W.Rows).(*mat.Dense)
		units.activate(part, in.Slice(first, last, 0, d).(*mat.Dense))
		for i := range last - first {
			for j, v := range part.RawRowView(i) {
				if v-v != 0 {
					return &fault.NotFiniteError{Name: randomHiddenName + ": activation", Row: first + i, Col: j, Value: v}
				}
			}
		}
		return nil
	})
}

// Products of hiddenRows rows with hiddenColumns units at a time: they stay in the
// cache, and below the size that gonum's product spreads over processors of its own
// accord, which Workers is to say.
const hiddenRows, hiddenColumns = 64, 192

// hiddenUnits are the units in the form that a product with rows wants.
type hiddenUnits struct {
	*hiddenModel
	trans *mat.Dense // d×h: the columns w; for distances -2bw, of w less the shift
	// For distances b|x-w|² = b(|x|² + |w|²) - 2b<x, w>, in which x and w are less
	// their mean, so that the norms do not dwarf the distance.
	shift   []float64
	squares []float64 // |w|²
}

func (m *hiddenModel) distances() bool { return m.Activation == DataRBF || m.Activation == RandomRBF }

func (m *hiddenModel) prepare() *hiddenUnits {
	h, d := m.W.Rows, m.W.Cols
	u := &hiddenUnits{hiddenModel: m, trans: mat.NewDense(d, h, nil)}
	if m.distances() {
		u.shift, u.squares = make([]float64, d), make([]float64, h)
		for i := range h {
			for j, w := range m.W.Data[i*d : (i+1)*d] {
				u.shift[j] += w / float64(h)
			}
		}
	}
	for i := range h {
		for j, w := range m.W.Data[i*d : (i+1)*d] {
			if m.distances() {
				w -= u.shift[j]
				u.squares[i] += w * w
				w *= -2 * m.B[i]
			}
			u.trans.Set(j, i, w)
		}
	}
	return u
}

// activate sets dst to the activations of up to hiddenRows rows.
func (u *hiddenUnits) activate(dst, x *mat.Dense) {
	rows, d := x.Dims()
	from := x
	if u.distances() {
		from = mat.NewDense(rows, d, nil)
		for i := range rows {
			row := from.RawRowView(i)
			for j, v := range x.RawRowView(i) {
				row[j] = v - u.shift[j]
			}
		}
	}
	for first := 0; first < u.W.Rows; first += hiddenColumns {
		last := min(first+hiddenColumns, u.W.Rows)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, from.RawMatrix(), u.trans.Slice(0, d, first, last).(*mat.Dense).RawMatrix(),
			0, dst.Slice(0, rows, first, last).(*mat.Dense).RawMatrix())
	}
	for i := range rows {
		if u.distances() {
			u.fromDistances(dst.RawRowView(i), x.RawRowView(i), from.RawRowView(i))
		} else {
			u.fromProducts(dst.RawRowView(i), d)
		}
	}
}

// cancellation is the share of b(|x|² + |w|²) below which a distance is taken again
// from the differences: above it, ten bits are lost at most.
const cancellation = 1e-3

// fromDistances completes a row of -2b<x, w>, in which shifted is x less the shift.
func (u *hiddenUnits) fromDistances(dst, x, shifted []float64) {
	own := 0.0
	for _, v := range shifted {
		own += v * v
	}
	squares, d := u.squares[:len(dst)], len(x)
	for i, b := range u.B {
		norms := b * (own + squares[i])
		v := norms + dst[i]
		// The negated comparison also catches the NaN of norms that overflowed.
		if !(v > cancellation*norms) {
			v = 0
			for j, w := range u.W.Data[i*d : (i+1)*d] {
				v += (x[j] - w) * (x[j] - w)
			}
			v *= b
		}
		dst[i] = v
	}
	vecmath.Exp(dst, -1, dst)
}

// fromProducts completes a row of <x, w>.
func (u *hiddenUnits) fromProducts(dst []float64, d int) {
	b := u.B[:len(dst)]
	switch u.Activation {
	case Sigmoid, NormalizedSigmoid:
		over := 1.0
		if u.Activation == NormalizedSigmoid {
			over = float64(d)
		}
		for i, v := range dst {
			dst[i] = b[i] - v/over
		}
		vecmath.Exp(dst, 1, dst)
		for i, e := range dst {
			dst[i] = 1 / (1 + e)
		}
	case Tanh: // 1 - 2/(1 + e²ᵗ), to 2⁻⁵³ of 1
		for i, v := range dst {
			dst[i] = v + b[i]
		}
		vecmath.Exp(dst, 2, dst)
		for i, e := range dst {
			dst[i] = 1 - 2/(1+e)
		}
	}
}

// First returns a fitted layer of the first units of r alone, at most those it has: what
// Fit draws for that number, by the nesting. It is ErrNotFitted before Fit.
func (r *RandomHidden) First(units int) (*RandomHidden, error) {
	switch {
	case r.fitted == nil:
		return nil, fault.NotFitted(randomHiddenName)
	case units < 1:
		return nil, fault.Param(randomHiddenName, "units", units, ">= 1")
	}
	m := r.fitted
	k := min(units, m.W.Rows)
	out := &RandomHidden{Units: units, Activation: r.Activation, Seed: r.Seed, Workers: r.Workers}
	out.fitted = &hiddenModel{Activation: m.Activation, W: codec.Matrix{Rows: k, Cols: m.W.Cols, Data: m.W.Data[: k*m.W.Cols : k*m.W.Cols]}, B: m.B[:k:k]}
	return out, nil
}

// Weights returns the units' w (h×d) and b (h), nil before Fit.
func (r *RandomHidden) Weights() (w *mat.Dense, b []float64) {
	if r.fitted == nil {
		return nil, nil
	}
	return mat.NewDense(r.fitted.W.Rows, r.fitted.W.Cols, append([]float64(nil), r.fitted.W.Data...)), append([]float64(nil), r.fitted.B...)
}

// Clone returns an unfitted RandomHidden of the same configuration.
func (r *RandomHidden) Clone() Transformer {
	return &RandomHidden{Units: r.Units, Activation: r.Activation, Seed: r.Seed, Workers: r.Workers}
}

// MarshalBinary implements encoding.BinaryMarshaler. The activation is stored with the
// units. It is ErrNotFitted before Fit.
func (r *RandomHidden) MarshalBinary() ([]byte, error) {
	return marshal(randomHiddenName, randomHiddenKind, r.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are ErrBadModel and
// leave r as it was.
func (r *RandomHidden) UnmarshalBinary(data []byte) error {
	return unmarshal(data, randomHiddenKind, &r.fitted, (*hiddenModel).valid)
}

func (m *hiddenModel) valid() error {
	w, err := m.W.Dense()
	switch {
	case err != nil:
		return err
	case w == nil || len(m.B) != m.W.Rows || !m.B.Finite():
		return fmt.Errorf("%d×%d weights and %d biases, want as many and finite", m.W.Rows, m.W.Cols, len(m.B))
	case m.Activation < DataRBF || m.Activation > Tanh:
		return fmt.Errorf("activation %d", int(m.Activation))
	}
	return nil
}
