package sampler

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Evidence is the criterion by which the frequencies are sampled.
type Evidence int

// These are the criteria.
const (
	NormalEvidence    Evidence = iota // normal coefficients and noise of unknown variance, integrated out
	AugmentedEvidence                 // logistic, given Pólya-Gamma variables
	SurrogateEvidence                 // surrogate of the paper: sigmoid of least-squares coefficients
)

// Prior holds the constants of the model.
type Prior struct {
	Intercept   float64 // precision of the intercept
	Shape, Rate float64 // of the inverse gamma distribution of the noise variance
}

// logEvidence returns the log evidence of a factor. For normal noise it is the log evidence of the target. With Pólya-Gamma
// variables, terms that contain only the variables and the labels are left out. For the surrogate it is the log likelihood.
func (s *system) logEvidence(f *factored) float64 {
	switch s.evidence {
	case NormalEvidence:
		aN := s.shape()
		g1, _ := math.Lgamma(aN)
		g0, _ := math.Lgamma(s.a0)
		return -(s.rows.Total-s.flat())/2*math.Log(2*math.Pi) + (s.logPrior(f.ridge)-f.logDet)/2 + s.a0*math.Log(s.b0) - aN*math.Log(f.bN) +
			g1 - g0
	case AugmentedEvidence:
		q := linalg.Dot(f.z, f.z)
		for i := range s.mean {
			q -= s.precision(i, f.ridge) * s.mean[i] * s.mean[i]
		}
		return (s.logPrior(f.ridge) - f.logDet + q) / 2
	}
	w, scores := s.work.w, s.work.f
	s.coefficientsInto(w, f)
	fast.Gemv(blas.NoTrans, 1, s.phi.RawMatrix(), linalg.Vector(w), 0, linalg.Vector(scores))
	return logLikelihood(scores, s.labels, s.rows)
}

// logLikelihood returns the log likelihood of labels 0 or 1 under the sigmoid of the scores of weighted rows.
func logLikelihood(scores, labels []float64, of weights.Counts) float64 {
	sum := 0.0
	for i, v := range scores {
		v /= of.Root(i)
		sum += of.Weight(i) * (labels[i]*v - vecmath.Softplus(v))
	}
	return sum
}

// surrogateWith returns the surrogate's log likelihood with the new columns instead of those of the pair, which are no longer in
// the factor. The cost is O(np + p²).
func (s *system) surrogateWith(e *exchange, b *bottom) float64 {
	f, rest := &s.fac, s.p-2
	var own [2]float64
	own[1] = b.z[1] / b.r[2]
	own[0] = (b.z[0] - b.r[1]*own[1]) / b.r[0]
	sorted := s.work.x[:rest]
	copy(sorted, f.z[:rest])
	fast.Axpy(-own[0], linalg.Vector(s.work.solved[0][:rest]), linalg.Vector(sorted))
	fast.Axpy(-own[1], linalg.Vector(s.work.solved[1][:rest]), linalg.Vector(sorted))
	fast.Trsv(blas.NoTrans, s.triangle(f, rest), linalg.Vector(sorted))
	w := s.work.w
	clear(w)
	for i, column := range f.order[:rest] {
		w[column] = sorted[i]
	}
	scores := s.work.f
	fast.Gemv(blas.NoTrans, 1, s.phi.RawMatrix(), linalg.Vector(w), 0, linalg.Vector(scores))
	for c, column := range e.columns {
		fast.Axpy(own[c], blas64.Vector{N: s.n, Inc: e.stride, Data: column}, linalg.Vector(scores))
	}
	return logLikelihood(scores, s.labels, s.rows)
}
