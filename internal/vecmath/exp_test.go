package vecmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// bigExp returns eˣ to about 200 bits: the series of x/2^s, squared s times.
func bigExp(x float64) *big.Float {
	const prec, halvings, terms = 300, 40, 12
	u := new(big.Float).SetPrec(prec).SetFloat64(x)
	u.SetMantExp(u, -halvings)
	term := new(big.Float).SetPrec(prec).SetInt64(1)
	sum := new(big.Float).SetPrec(prec).SetInt64(1)
	for i := 1; i <= terms; i++ {
		term.Quo(term.Mul(term, u), new(big.Float).SetInt64(int64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns the error of got in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	unit := math.Abs(w) - math.Nextafter(math.Abs(w), 0)
	d := new(big.Float).SetPrec(300).SetFloat64(got)
	e, _ := d.Sub(d, want).Float64()
	return math.Abs(e) / unit
}

// Errors are at most 2 units in the last place. The arguments are of all sizes, including those most common in kernels. They
// include the bounds, and both sides of each point where the table's index or the exponent changes.
func TestExpTo2Ulps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var x []float64
	for range 4000 {
		x = append(x, -745+1454*rng.Float64(), -10*rng.Float64(), math.Ldexp(rng.Float64()-0.5, -rng.IntN(60)))
	}
	for k := -400; k <= 400; k++ {
		edge := (float64(k) + 0.5) * math.Ln2 / tableSize
		x = append(x, edge, math.Nextafter(edge, 9), math.Nextafter(edge, -9), float64(k)*math.Ln2)
	}
	for _, end := range []float64{lowest, highest, 0, -744, 709.782712893384} {
		x = append(x, end, math.Nextafter(end, 0), math.Nextafter(end, 2*end), 0.9999*end)
	}
	got := make([]float64, len(x))
	Exp(got, 1, x)
	worst, at := 0.0, 0.0
	for i, v := range x {
		want := bigExp(v)
		if w, _ := want.Float64(); math.IsInf(w, 0) || w == 0 {
			assert.Equal(t, w, got[i], "exp(%v)", v)
			continue
		}
		if u := ulps(got[i], want); u > worst {
			worst, at = u, v
		}
	}
	t.Logf("worst: %.3f ulp at %v", worst, at)
	assert.LessOrEqual(t, worst, 2.0)
	assert.Greater(t, worst, 0.5, "nothing was measured")
}

func TestExpSpecialValues(t *testing.T) {
	x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1e300, -1e300, 710, -745.2, -746, -750}
	got := make([]float64, len(x))
	Exp(got, 1, x)
	assert.Equal(t, []float64{1, 1, math.Inf(1), 0, math.Inf(1), 0, math.Inf(1), 0, 0, 0}, got)
	Exp(got[:1], 1, []float64{math.NaN()})
	assert.True(t, math.IsNaN(got[0]))
	// 0·Inf is NaN, and -0·x is 0.
	Exp(got[:2], 0, []float64{math.Inf(1), 3})
	assert.True(t, math.IsNaN(got[0]))
	assert.Equal(t, 1.0, got[1])
	Exp(nil, 1, nil)
}

func TestExpInPlaceAndScaled(t *testing.T) {
	x := []float64{0, 1, 2, 5}
	want := make([]float64, 4)
	for i, v := range x {
		want[i] = math.Exp(-0.3 * v)
	}
	dst := append(make([]float64, 0, 9), 7, 7, 7, 7, 7)
	Exp(dst, -0.3, x)
	assert.InDeltaSlice(t, want, dst[:4], 1e-15)
	assert.Equal(t, 7.0, dst[4], "no more than len(x) are written")
	Exp(x, -0.3, x)
	assert.Equal(t, dst[:4], x)
}

// BenchmarkExp times 1000 exponentials of typical kernel arguments, and a loop over math.Exp in the same run. "ratio" is the loop's
// time divided by ours.
func BenchmarkExp(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 1000), make([]float64, 1000)
	for i := range x {
		x[i] = 5 * rng.Float64()
	}
	var ours, loop stopwatch
	b.ReportAllocs()
	for b.Loop() {
		ours.time(func() { Exp(y, -0.7, x) })
		loop.time(func() {
			for i, v := range x {
				y[i] = math.Exp(-0.7 * v)
			}
		})
	}
	b.ReportMetric(loop.nanoseconds()/ours.nanoseconds(), "ratio")
	b.ReportMetric(ours.nanoseconds()/1000, "ns/exp")
	b.ReportMetric(loop.nanoseconds()/1000, "ns/math.Exp")
}
