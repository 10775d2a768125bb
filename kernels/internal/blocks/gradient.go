package blocks

import (
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// blocks keeps the memory of blocks between calls.
var blocks = sync.Pool{New: func() any { return new([Stripe * Stripe]float64) }}

// scratch is memory for one value per pair of a block.
type scratch struct {
	*mat.Dense
	memory *[Stripe * Stripe]float64
}

// borrow returns a block with the shape of like. Its elements are undefined.
func borrow(like *mat.Dense) scratch {
	r, c := like.Dims()
	memory := blocks.Get().(*[Stripe * Stripe]float64)
	return scratch{mat.NewDense(r, c, memory[:r*c]), memory}
}

func (s scratch) free() { blocks.Put(s.memory) }

// addSquares adds g (x[c]-z[c])² to dst[c].
func addSquares(dst []float64, g float64, x, z []float64) {
	if g == 0 {
		return
	}
	for c, v := range x {
		d := v - z[c]
		dst[c] += g * d * d
	}
}

// stretchSquares adds Σ_ij g[i,j] (x[i,c]-z[j,c])² to dst[c], where g is w times the slopes of squared distances. For pairs of
// close rows, whose squares would cancel, it calls near and sets g to 0.
func stretchSquares(dst []float64, g scratch, w *mat.Dense, x, z *operand, slopes func(dst, squared []float64),
	near func(i, j int, g float64)) {
	memory := borrow(w)
	defer memory.free()
	squared := squaredDistances(memory.Dense, x, z)
	ofX, ofZ := make([]float64, x.len()), make([]float64, z.len())
	for i, sx := range x.centredSq {
		gi, wi, si := g.RawRowView(i), w.RawRowView(i), squared.RawRowView(i)
		slopes(gi, si)
		floats.Mul(gi, wi)
		if x.levels != nil {
			x.levels.weigh(dst, gi, i, z.levels, 2)
		}
		for j, sz := range z.centredSq {
			v := gi[j]
			if !(si[j] > cancellation*(sx+sz)) {
				near(i, j, v)
				v = 0
			}
			gi[j] = v
			ofX[i] += v
			ofZ[j] += v
		}
	}
	weighSquares(dst, ofX, x.centredTrans)
	weighSquares(dst, ofZ, z.centredTrans)
	stretchProducts(dst, -2, x.centredTrans, g.Dense, z.centredTrans)
}

// weighSquares adds Σ_i weights[i] trans[c,i]² to dst[c].
func weighSquares(dst, weights []float64, trans *mat.Dense) {
	for c := range dst {
		s := 0.0
		for i, v := range trans.RawRowView(c) {
			s += weights[i] * v * v
		}
		dst[c] += s
	}
}

// stretchProducts adds a Σ_ij x[c,i] g[i,j] z[c,j] to dst[c].
func stretchProducts(dst []float64, a float64, x, g, z *mat.Dense) {
	_, columns := z.Dims()
	xg := mat.NewDense(len(dst), columns, nil)
	product(xg, a, x, g)
	for c := range dst {
		dst[c] += floats.Dot(xg.RawRowView(c), z.RawRowView(c))
	}
}

// weighted returns Σ w[i,j] values[i,j].
func weighted(w, values *mat.Dense) (s float64) {
	r, _ := w.Dims()
	for i := range r {
		s += floats.Dot(w.RawRowView(i), values.RawRowView(i))
	}
	return s
}
