package targets

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/graph"
)

// Bend is an invertible transformation that makes targets more normal: the logarithm, or the power transformation of Yeo and
// Johnson (Biometrika 87, 2000) around their mean. Its unit is a power of two, so the transformation of targets is bit-identical
// after multiplication by any power of two.
type Bend struct {
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

func newBend(y []float64) (*Bend, []float64) {
	b := &Bend{Unit: Unit(y), Spread: 1}
	v := Divided(y, b.Unit)
	least, largest := floats.Min(v), floats.Max(v)
	b.Low, b.High = 2*least-largest, 2*largest-least
	return b, v
}

// NewLogarithm returns the logarithm for targets that are all positive, and nil otherwise.
func NewLogarithm(y []float64) *Bend {
	b, v := newBend(y)
	if !(floats.Min(v) > 0) {
		return nil
	}
	b.Logarithm, b.Low = true, 0
	return b
}

// NewPower returns a power transformation. LambdaOf finds the exponent for the standardised targets. It returns nil for constant
// targets.
func NewPower(y []float64, lambdaOf func(v []float64) (float64, error)) (*Bend, error) {
	b, v := newBend(y)
	mean, deviation := stat.PopMeanStdDev(v, nil)
	if !(deviation > 0) {
		return nil, nil
	}
	b.Centre, b.Spread = mean, deviation
	for i := range v {
		v[i] = (v[i] - mean) / deviation
	}
	var err error
	b.Lambda, err = lambdaOf(v)
	return b, err
}

// Of returns the transformed target.
func (b *Bend) Of(y float64) float64 {
	v := y / b.Unit
	if b.Logarithm {
		return math.Log(v)
	}
	if v = (v - b.Centre) / b.Spread; v < 0 {
		return -power(-v, 2-b.Lambda)
	}
	return power(v, b.Lambda)
}

// power returns ((1+v)^p - 1)/p for v >= 0.
func power(v, p float64) float64 {
	l := math.Log1p(v)
	if p == 0 {
		return l
	}
	return math.Expm1(p*l) / p
}

// LogSlope returns the log of the derivative of Of, without the factor 1/Unit.
func (b *Bend) LogSlope(y float64) float64 {
	v := y / b.Unit
	if b.Logarithm {
		return -math.Log(v)
	}
	v = (v - b.Centre) / b.Spread
	p := b.Lambda
	if v < 0 {
		v, p = -v, 2-p
	}
	return (p-1)*math.Log1p(v) - math.Log(b.Spread)
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

// From returns the target whose transformation is z, limited to Low and High.
func (b *Bend) From(z float64) float64 {
	var v float64
	switch {
	case b.Logarithm:
		v = math.Exp(z)
	case z < 0:
		v = b.Centre - b.Spread*inverse(-z, 2-b.Lambda)
	default:
		v = b.Centre + b.Spread*inverse(z, b.Lambda)
	}
	return b.Unit * min(max(v, b.Low), b.High)
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
func (b *Bend) Mean(z float64) (mean float64) {
	deviation := math.Sqrt(b.Noise)
	nodes, weights := rule()
	for k, u := range nodes {
		mean += weights[k] * b.From(z+deviation*u)
	}
	return mean
}

// Variance returns the mean squared deviation from a mean of a target whose transformation is normal with mean z and the given
// variance.
func (b *Bend) Variance(z, variance, mean float64) (sum float64) {
	deviation := math.Sqrt(variance)
	nodes, weights := rule()
	for k, u := range nodes {
		d := b.From(z+deviation*u) - mean
		sum += weights[k] * d * d
	}
	return sum
}

// Ends transforms the ends of intervals back to the scale of the targets, in place.
func (b *Bend) Ends(low, high []float64) {
	for i := range low {
		low[i], high[i] = b.From(low[i]), b.From(high[i])
	}
}

// Valid reports whether the values of a file are a valid transformation.
func (b *Bend) Valid() bool {
	for _, v := range []float64{b.Unit, b.Spread} {
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
	}
	for _, v := range []float64{b.Lambda, b.Centre, b.Low, b.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return b.Noise >= 0 && !math.IsInf(b.Noise, 1) && b.Low < b.High
}

// GraphFrom is From for values of a graph.
func (b *Bend) GraphFrom(z graph.Value) graph.Value {
	var v graph.Value
	if b.Logarithm {
		v = z.Exp()
	} else {
		zero := z.Number(0)
		up := graphInverse(z.Max(zero), b.Lambda).Times(b.Spread).Plus(b.Centre)
		down := graphInverse(z.Neg().Max(zero), 2-b.Lambda).Times(-b.Spread).Plus(b.Centre)
		v = z.Less(zero).Where(down, up)
	}
	return v.Max(z.Number(b.Low)).Min(z.Number(b.High)).Times(b.Unit)
}

// graphInverse is inverse for values of a graph. Beyond the range of power it exceeds all results of From.
func graphInverse(z graph.Value, p float64) graph.Value {
	if p == 0 {
		return z.Expm1()
	}
	return z.Times(p).Max(z.Number(math.Nextafter(-1, 0))).Log1p().Times(1 / p).Min(z.Number(700)).Expm1()
}

// GraphVariance is Variance for values of a graph.
func (b *Bend) GraphVariance(z, variance, mean graph.Value) graph.Value {
	return b.graphSum(z, variance.Sqrt(), func(v graph.Value) graph.Value { return v.Sub(mean).Square() })
}

// GraphMean is Mean for values of a graph.
func (b *Bend) GraphMean(z graph.Value) graph.Value {
	return b.graphSum(z, z.Fill(math.Sqrt(b.Noise)), func(v graph.Value) graph.Value { return v })
}

func (b *Bend) graphSum(z, deviation graph.Value, of func(graph.Value) graph.Value) (sum graph.Value) {
	nodes, weights := rule()
	for k, u := range nodes {
		term := of(b.GraphFrom(z.Add(deviation.Times(u)))).Times(weights[k])
		if k == 0 {
			sum = term
		} else {
			sum = sum.Add(term)
		}
	}
	return sum
}
