package gabasr

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// learnedKernel is the mean of the kernels of all draws. It does not change with a later Fit.
type learnedKernel struct {
	features.Scaling
	kind  features.Map
	w, v  []*mat.Dense // frequencies of the draws
	label string
}

// stationaryKernel is a learnedKernel that also has a spectral density, which only stationary kernels have.
type stationaryKernel struct{ of *learnedKernel }

func (k stationaryKernel) String() string                   { return k.of.String() }
func (k stationaryKernel) Eval(x, z []float64) float64      { return k.of.Eval(x, z) }
func (k stationaryKernel) Block(dst, x, z *mat.Dense)       { k.of.Block(dst, x, z) }
func (k stationaryKernel) Diag(dst []float64, x *mat.Dense) { k.of.Diag(dst, x) }

var (
	_ kernels.Blocker  = (*learnedKernel)(nil)
	_ kernels.Blocker  = stationaryKernel{}
	_ kernels.Spectral = stationaryKernel{}
)

func (l *learned) kernel() kernels.Kernel {
	if l == nil {
		return nil
	}
	k := &learnedKernel{Scaling: l.Scaling, kind: l.kind}
	h := fnv.New64a()
	add := func(values []float64) {
		for _, v := range values {
			_ = binary.Write(h, binary.LittleEndian, v) // writing to a hash does not fail
		}
	}
	add(l.Mean)
	add(l.Inverse)
	pairs := 0
	for _, m := range l.machines {
		for _, d := range m.Draws {
			w, v := features.Matrix(d.W), features.Matrix(d.V)
			k.w, k.v = append(k.w, w), append(k.v, v)
			pairs += features.Pairs(w, v, l.kind)
			add(d.W.Data)
			add(d.V.Data)
		}
	}
	k.label = fmt.Sprintf("GaBaSR(%v, columns=%v of %d, pairs=%d, hash=%016x)", Map(l.kind), l.Columns, l.Width, pairs, h.Sum64())
	if l.kind == features.Stationary {
		return stationaryKernel{k}
	}
	return k
}

func (k *learnedKernel) String() string { return k.label }

// Eval returns the mean of φ(x)'φ(z) over the draws, without the intercept. It returns NaN for rows whose width differs from that
// in Fit, which estimators report as an error.
func (k *learnedKernel) Eval(x, z []float64) float64 {
	if len(x) != len(z) {
		panic(fmt.Sprintf("gabasr: Eval of rows of %d and %d", len(x), len(z)))
	}
	if len(x) != k.Width {
		return math.NaN()
	}
	dst := mat.NewDense(1, 1, nil)
	k.Block(dst, mat.NewDense(1, len(x), slices.Clone(x)), mat.NewDense(1, len(z), slices.Clone(z)))
	return dst.At(0, 0)
}

// Block implements kernels.Blocker.
func (k *learnedKernel) Block(dst, x, z *mat.Dense) {
	if _, d := x.Dims(); d != k.Width {
		dst.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, dst)
		return
	}
	xs, zs := k.Apply(x), k.Apply(z)
	beta := 0.0
	for i, w := range k.w {
		a, b := k.features(xs, w, k.v[i]), k.features(zs, w, k.v[i])
		fast.Gemm(blas.NoTrans, blas.Trans, 1/float64(len(k.w)), a.RawMatrix(), b.RawMatrix(), beta, dst.RawMatrix())
		beta = 1
	}
}

func (k *learnedKernel) features(x, w, v *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	pairs := features.Pairs(w, v, k.kind)
	out := mat.NewDense(n, 2*pairs, nil)
	// MapRows returns only the error of the context, and this context cannot end.
	_ = features.MapRows(context.Background(), out, x, w, v, k.kind, pairs, nil, 1)
	return out
}

// Diag implements kernels.Blocker.
func (k *learnedKernel) Diag(dst []float64, x *mat.Dense) {
	if _, d := x.Dims(); d != k.Width {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	if k.kind == features.Stationary {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	clear(dst)
	xs := k.Apply(x)
	for i, w := range k.w {
		phi := k.features(xs, w, k.v[i])
		for r := range dst {
			row := phi.RawRowView(r)
			dst[r] += linalg.Dot(row, row) / float64(len(k.w))
		}
	}
}

// SpectralDensity implements kernels.Spectral. All frequencies of all draws are equally likely.
func (k stationaryKernel) SpectralDensity() (kernels.SpectralDensity, error) {
	count, _ := k.of.w[0].Dims()
	return kernels.SpectralDensity{Variance: 1, Uniforms: func(int) int { return 1 }, Frequency: func(w, u []float64) {
		if len(w) != k.of.Width {
			for j := range w {
				w[j] = math.NaN() // NaN, as for Eval
			}
			return
		}
		at := min(int(u[0]*float64(count*len(k.of.w))), count*len(k.of.w)-1)
		k.of.Frequency(w, k.of.w[at/count].RawRowView(at%count))
	}}, nil
}
