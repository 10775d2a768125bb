package targets

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/graph"
)

// Transformation is an invertible transformation that makes targets more normal: the logarithm, or the power transformation of Yeo and
// Johnson (Biometrika 87, 2000) around their mean. Its unit is a power of two, so the transformation of targets is bit-identical
// after multiplication by any power of two.
type Transformation struct {
	Unit      float64
	Logarithm bool
	Lambda    float64 // exponent of the power
	Centre    float64 // the power is taken of v = (y/Unit - Centre)/Spread
	Spread    float64
	// Low and High bound predictions, in units of Unit. They extend the range of the targets by its length on either side.
	Low, High float64
	// Noise is the variance of transformed targets around their predictions.
	Noise float64
}

func newTransformation(y []float64) (*Transformation, []float64) {
	t := &Transformation{Unit: Unit(y), Spread: 1}
	v := Divided(y, t.Unit)
	least, largest := floats.Min(v), floats.Max(v)
	t.Low, t.High = 2*least-largest, 2*largest-least
	return t, v
}

// NewLogarithm returns the logarithm for targets that are all positive, and nil otherwise.
func NewLogarithm(y []float64) *Transformation {
	t, v := newTransformation(y)
	if !(floats.Min(v) > 0) {
		return nil
	}
	t.Logarithm, t.Low = true, 0
	return t
}

// NewPower returns a power transformation. The function lambdaOf finds the exponent for the standardised targets. NewPower returns
// nil for constant targets.
func NewPower(y []float64, lambdaOf func(v []float64) (float64, error)) (*Transformation, error) {
	t, v := newTransformation(y)
	mean, deviation := stat.PopMeanStdDev(v, nil)
	if !(deviation > 0) {
		return nil, nil
	}
	t.Centre, t.Spread = mean, deviation
	for i := range v {
		v[i] = (v[i] - mean) / deviation
	}
	var err error
	t.Lambda, err = lambdaOf(v)
	return t, err
}

// Apply returns the transformed target.
func (t *Transformation) Apply(y float64) float64 {
	v := y / t.Unit
	if t.Logarithm {
		return math.Log(v)
	}
	if v = (v - t.Centre) / t.Spread; v < 0 {
		return -power(-v, 2-t.Lambda)
	}
	return power(v, t.Lambda)
}

// power returns ((1+v)^p - 1)/p for v >= 0.
func power(v, p float64) float64 {
	l := math.Log1p(v)
	if p == 0 {
		return l
	}
	return math.Expm1(p*l) / p
}

// LogSlope returns the log of the derivative of Apply, without the factor 1/Unit.
func (t *Transformation) LogSlope(y float64) float64 {
	v := y / t.Unit
	if t.Logarithm {
		return -math.Log(v)
	}
	v = (v - t.Centre) / t.Spread
	p := t.Lambda
	if v < 0 {
		v, p = -v, 2-p
	}
	return (p-1)*math.Log1p(v) - math.Log(t.Spread)
}

// inverse returns the v >= 0 for which power returns z. It is infinite if z is beyond the range of power.
func inverse(z, p float64) float64 {
	switch {
	case p == 0:
		return math.Expm1(z)
	case p*z <= -1:
		return math.Inf(1)
	}
	return math.Expm1(math.Log1p(p*z) / p)
}

// Invert returns the target whose transformation is z, limited to Low and High.
func (t *Transformation) Invert(z float64) float64 {
	var v float64
	switch {
	case t.Logarithm:
		v = math.Exp(z)
	case z < 0:
		v = t.Centre - t.Spread*inverse(-z, 2-t.Lambda)
	default:
		v = t.Centre + t.Spread*inverse(z, t.Lambda)
	}
	return t.Unit * min(max(v, t.Low), t.High)
}

// rule returns the nodes and weights of a quadrature for the standard normal distribution.
var rule = sync.OnceValues(func() (nodes, weights []float64) {
	nodes, weights = make([]float64, 20), make([]float64, 20)
	quad.Hermite{}.FixedLocations(nodes, weights, math.Inf(-1), math.Inf(1))
	floats.Scale(math.Sqrt2, nodes)
	floats.Scale(1/floats.Sum(weights), weights)
	return nodes, weights
})

// Mean returns the mean of a target whose transformation has mean z and variance Noise.
func (t *Transformation) Mean(z float64) (mean float64) {
	deviation := math.Sqrt(t.Noise)
	nodes, weights := rule()
	for k, u := range nodes {
		mean += weights[k] * t.Invert(z+deviation*u)
	}
	return mean
}

// Variance returns the mean squared deviation from a mean of a target whose transformation is normal with mean z and the given
// variance.
func (t *Transformation) Variance(z, variance, mean float64) (sum float64) {
	deviation := math.Sqrt(variance)
	nodes, weights := rule()
	for k, u := range nodes {
		d := t.Invert(z+deviation*u) - mean
		sum += weights[k] * d * d
	}
	return sum
}

// InvertIntervals transforms the ends of intervals back to the scale of the targets, in place.
func (t *Transformation) InvertIntervals(low, high []float64) {
	for i := range low {
		low[i], high[i] = t.Invert(low[i]), t.Invert(high[i])
	}
}

// Valid reports whether the values of a file are a valid transformation.
func (t *Transformation) Valid() bool {
	for _, v := range []float64{t.Unit, t.Spread} {
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
	}
	for _, v := range []float64{t.Lambda, t.Centre, t.Low, t.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return t.Noise >= 0 && !math.IsInf(t.Noise, 1) && t.Low < t.High
}

// GraphInvert is Invert for values of a graph.
func (t *Transformation) GraphInvert(z graph.Value) graph.Value {
	var v graph.Value
	if t.Logarithm {
		v = z.Exp()
	} else {
		zero := z.Number(0)
		up := graphInverse(z.Max(zero), t.Lambda).Times(t.Spread).Plus(t.Centre)
		down := graphInverse(z.Neg().Max(zero), 2-t.Lambda).Times(-t.Spread).Plus(t.Centre)
		v = z.Less(zero).Where(down, up)
	}
	return v.Max(z.Number(t.Low)).Min(z.Number(t.High)).Times(t.Unit)
}

// graphInverse is inverse for values of a graph. Beyond the range of power it exceeds all results of Invert.
func graphInverse(z graph.Value, p float64) graph.Value {
	if p == 0 {
		return z.Expm1()
	}
	return z.Times(p).Max(z.Number(math.Nextafter(-1, 0))).Log1p().Times(1 / p).Min(z.Number(700)).Expm1()
}

// GraphVariance is Variance for values of a graph.
func (t *Transformation) GraphVariance(z, variance, mean graph.Value) graph.Value {
	return t.graphSum(z, variance.Sqrt(), func(v graph.Value) graph.Value { return v.Sub(mean).Square() })
}

// GraphMean is Mean for values of a graph.
func (t *Transformation) GraphMean(z graph.Value) graph.Value {
	return t.graphSum(z, z.Fill(math.Sqrt(t.Noise)), func(v graph.Value) graph.Value { return v })
}

func (t *Transformation) graphSum(z, deviation graph.Value, of func(graph.Value) graph.Value) (sum graph.Value) {
	nodes, weights := rule()
	for k, u := range nodes {
		term := of(t.GraphInvert(z.Add(deviation.Times(u)))).Times(weights[k])
		if k == 0 {
			sum = term
		} else {
			sum = sum.Add(term)
		}
	}
	return sum
}
