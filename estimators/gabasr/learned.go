package gabasr

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

// learned is what Regressor and Classifier have in common after Fit: the scaling of x and
// a machine for each target.
type learned struct {
	scaling
	kind     Map
	burnIn   int
	machines []*machine
}

// Component is a normal distribution of a mixture of frequencies, in radians over the
// units of x. In columns that were constant at Fit mean and covariance are 0.
type Component struct {
	Weight     float64 // the share of frequencies, over all kept sweeps; all sum to 1
	Mean       []float64
	Covariance *mat.SymDense
}

// best returns the draw of the highest log evidence.
func (m *machine) best() *draw {
	out := m.Draws[0]
	for _, d := range m.Draws {
		if d.LogEv > out.LogEv {
			out = d
		}
	}
	return out
}

// rows returns w or v of the best draws of all machines as frequencies of x.
func (l *learned) rows(local bool) *mat.Dense {
	if l == nil || local && l.kind == Stationary {
		return nil
	}
	var data []float64
	for _, m := range l.machines {
		from := m.best().W
		if local {
			from = m.best().V
		}
		row := make([]float64, l.Width)
		for i := range from.Rows {
			l.frequency(row, from.Data[i*from.Cols:(i+1)*from.Cols])
			data = append(data, row...)
		}
	}
	return mat.NewDense(len(data)/l.Width, l.Width, data)
}

// mixture returns the components of all kept sweeps.
func (l *learned) mixture(local bool) (out []Component) {
	if l == nil {
		return nil
	}
	l.eachPart(local, func(p storedPart, weight float64) {
		d := len(p.Mu)
		root := p.lower(d)
		c := Component{Weight: weight, Mean: make([]float64, l.Width), Covariance: mat.NewSymDense(l.Width, nil)}
		l.frequency(c.Mean, p.Mu)
		columns := mat.NewDense(d, d, nil) // of L⁻¹, so that the covariance is its transpose times it
		v := make([]float64, d)
		for j := range d {
			clear(v)
			v[j] = 1
			solve(root, v)
			columns.SetCol(j, v)
		}
		for a, i := range l.Columns {
			for b, j := range l.Columns[:a+1] {
				sum := 0.0
				for k := range d {
					sum += columns.At(k, a) * columns.At(k, b)
				}
				c.Covariance.SetSym(i, j, sum*l.Inverse[a]*l.Inverse[b])
			}
		}
		out = append(out, c)
	})
	return out
}

// eachPart calls f for the components of all kept sweeps.
func (l *learned) eachPart(local bool, f func(p storedPart, weight float64)) {
	for _, m := range l.machines {
		for _, d := range m.Draws {
			parts, total := d.Mixture, d.W.Rows
			if local {
				parts, total = d.Local, d.V.Rows
			}
			for _, p := range parts {
				f(p, float64(p.N)/float64(total*len(m.Draws)*len(l.machines)))
			}
		}
	}
}

func (p storedPart) lower(d int) *mat.TriDense {
	out := mat.NewTriDense(d, mat.Lower, nil)
	at := 0
	for i := range d {
		for j := range i + 1 {
			out.SetTri(i, j, p.Root[at])
			at++
		}
	}
	return out
}

// density returns ½[p(ω) + p(-ω)] of the mixture at each row of at.
func (l *learned) density(typ string, at mat.Matrix) ([]float64, error) {
	if l == nil {
		return nil, fault.NotFitted(typ)
	}
	in, err := check.Wide("at", at, l.Width)
	if err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	d := len(l.Columns)
	logJacobian := -float64(d) / 2 * math.Log(2*math.Pi)
	for _, v := range l.Inverse {
		logJacobian -= math.Log(v)
	}
	out, w, negative := make([]float64, n), make([]float64, d), make([]float64, d)
	l.eachPart(false, func(p storedPart, weight float64) {
		c := &part{mu: p.Mu, root: p.lower(d)}
		for i := range n {
			for k, j := range l.Columns {
				w[k] = in.At(i, j) / l.Inverse[k]
				negative[k] = -w[k]
			}
			out[i] += weight / 2 * (math.Exp(c.logDensity(w)+logJacobian) + math.Exp(c.logDensity(negative)+logJacobian))
		}
	})
	return out, nil
}

// trace returns a copy of all traces.
func (l *learned) trace() (out []Sweep) {
	if l == nil {
		return nil
	}
	for _, m := range l.machines {
		out = append(out, m.Trace...)
	}
	return out
}

// evidences returns the mean log evidence of the kept sweeps and that of the start, each
// summed over the machines.
func (l *learned) evidences() (kept, baseline float64) {
	if l == nil {
		return 0, 0
	}
	for _, m := range l.machines {
		for _, d := range m.Draws {
			kept += d.LogEv / float64(len(m.Draws))
		}
		baseline += m.Baseline
	}
	return kept, baseline
}

// rHat is the largest of the machines' split R̂, 0 before Fit.
func (l *learned) rHat() float64 {
	if l == nil {
		return 0
	}
	out := 0.0
	for _, m := range l.machines {
		out = math.Max(out, splitRHat(m.Trace, l.burnIn)) // NaN if one is
	}
	return out
}

// fourierMap returns the map of the best draws.
func (l *learned) fourierMap(workers int) transformers.Transformer {
	if l == nil {
		return nil
	}
	// Given frequencies leave nothing to learn of the rows but their width; Kernel has the
	// factor 1.
	rows := mat.NewDense(1, l.Width, nil)
	var out transformers.Transformer
	if l.kind == Stationary {
		out = &transformers.RandomFourier{Kernel: kernels.RBF{}, Frequencies: l.rows(false), Workers: workers}
	} else {
		out = &transformers.LocallyStationaryFourier{
			Local: kernels.RBF{}, Stationary: kernels.RBF{}, Frequencies: l.rows(false), LocalFrequencies: l.rows(true),
			AllPairs: l.kind == AllPairs && len(l.machines) == 1, Origin: l.origin(), Workers: workers,
		}
		if l.kind == AllPairs && len(l.machines) > 1 {
			// All pairs within each machine, which only a list of pairs can say.
			w, v := l.pairedRows()
			out.(*transformers.LocallyStationaryFourier).Frequencies, out.(*transformers.LocallyStationaryFourier).LocalFrequencies = w, v
		}
	}
	if err := out.Fit(context.Background(), rows); err != nil {
		panic(fmt.Sprintf("gabasr: a map of fitted frequencies: %v", err)) // they are finite and as wide
	}
	return out
}

// pairedRows lists the pairs of the best draws of all machines.
func (l *learned) pairedRows() (w, v *mat.Dense) {
	var ws, vs []float64
	row := make([]float64, l.Width)
	for _, m := range l.machines {
		d := m.best()
		for k := range d.V.Rows {
			for n := range d.W.Rows {
				l.frequency(row, d.W.Data[n*d.W.Cols:(n+1)*d.W.Cols])
				ws = append(ws, row...)
				l.frequency(row, d.V.Data[k*d.V.Cols:(k+1)*d.V.Cols])
				vs = append(vs, row...)
			}
		}
	}
	return mat.NewDense(len(ws)/l.Width, l.Width, ws), mat.NewDense(len(vs)/l.Width, l.Width, vs)
}

// learnedKernel is the mean of the kernels of all draws. It is a value of its own: a later
// Fit does not change it.
type learnedKernel struct {
	scaling
	kind  Map
	w, v  []*mat.Dense // of the draws
	label string
}

// stationaryKernel adds the spectral density, which only a stationary kernel has.
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
	k := &learnedKernel{scaling: l.scaling, kind: l.kind}
	h := fnv.New64a()
	add := func(values []float64) {
		for _, v := range values {
			_ = binary.Write(h, binary.LittleEndian, v) // a hash takes all
		}
	}
	add(l.Mean)
	add(l.Inverse)
	pairs := 0
	for _, m := range l.machines {
		for _, d := range m.Draws {
			w, v := dense(d.W), dense(d.V)
			k.w, k.v = append(k.w, w), append(k.v, v)
			pairs += pairsOf(w, v, l.kind)
			add(d.W.Data)
			add(d.V.Data)
		}
	}
	k.label = fmt.Sprintf("GaBaSR(%v, columns=%v of %d, pairs=%d, hash=%016x)", l.kind, l.Columns, l.Width, pairs, h.Sum64())
	if l.kind == Stationary {
		return stationaryKernel{k}
	}
	return k
}

func (k *learnedKernel) String() string { return k.label }

// Eval returns the mean over the draws of φ(x)'φ(z), without the intercept; NaN for rows
// of another width than Fit's, which estimators report as an error.
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
	xs, zs := k.apply(x), k.apply(z)
	beta := 0.0
	for i, w := range k.w {
		a, b := k.features(xs, w, k.v[i]), k.features(zs, w, k.v[i])
		blas64.Gemm(blas.NoTrans, blas.Trans, 1/float64(len(k.w)), a.RawMatrix(), b.RawMatrix(), beta, dst.RawMatrix())
		beta = 1
	}
}

func (k *learnedKernel) features(x, w, v *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	pairs := pairsOf(w, v, k.kind)
	out := mat.NewDense(n, 2*pairs, nil)
	mapRows(out, x, w, v, k.kind, pairs, nil, 1)
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
	if k.kind == Stationary {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	clear(dst)
	xs := k.apply(x)
	for i, w := range k.w {
		phi := k.features(xs, w, k.v[i])
		for r := range dst {
			row := phi.RawRowView(r)
			dst[r] += linalg.Dot(row, row) / float64(len(k.w))
		}
	}
}

// SpectralDensity implements kernels.Spectral: each frequency of each draw is as likely.
func (s stationaryKernel) SpectralDensity() (kernels.SpectralDensity, error) {
	k := s.of
	count, _ := k.w[0].Dims()
	return kernels.SpectralDensity{Variance: 1, Uniforms: func(int) int { return 1 }, Frequency: func(w, u []float64) {
		if len(w) != k.Width {
			for j := range w {
				w[j] = math.NaN() // as Eval
			}
			return
		}
		at := min(int(u[0]*float64(count*len(k.w))), count*len(k.w)-1)
		k.frequency(w, k.w[at/count].RawRowView(at%count))
	}}, nil
}
