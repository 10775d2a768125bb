package columnstats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// columnsOfMany returns columns of n values that are difficult for a sketch: ascending, descending, in waves, with many ties at an
// end or in the middle, and with extreme values.
func columnsOfMany(n int) map[string][]float64 {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	of := func(f func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	return map[string][]float64{
		"normal":          of(func(int) float64 { return rng.NormFloat64() }),
		"rising":          of(func(i int) float64 { return float64(i) }),
		"falling":         of(func(i int) float64 { return -float64(i) }),
		"waves":           of(func(i int) float64 { return math.Sin(float64(i) / 3000) }),
		"one value":       of(func(int) float64 { return 3 }),
		"two values":      of(func(i int) float64 { return float64(i * 7919 % 2) }),
		"mostly zero":     of(func(_ int) float64 { return max(0, rng.NormFloat64()-1.3) }),
		"zero in between": of(func(i int) float64 { return rng.NormFloat64() * float64(i%10/9) }),
		"far":             of(func(int) float64 { return math.Exp(100 * rng.NormFloat64()) }),
	}
}

// The error of a rank is within the bound that the sketch computes, which is within the documented bound. The two values that a
// bracket finds are exact, although it counts only a few values.
func TestSketchAndBracket(t *testing.T) {
	for _, n := range []int{SketchBuffer - 1, SketchBuffer, 50_000, 200_003} {
		for name, column := range columnsOfMany(n) {
			var s Sketch
			s.add(column)
			r := s.Rank()
			sorted := slices.Clone(column)
			slices.Sort(sorted)
			assert.LessOrEqual(t, float64(r.Missed), max(0, float64(n)*(math.Log2(float64(n)/SketchBuffer)+3)/(2*SketchBuffer)), name)
			assert.Equal(t, n < SketchBuffer, r.Missed == 0)
			assert.Equal(t, n, r.N)
			assert.Equal(t, n, r.upTo[len(r.upTo)-1])
			assert.Equal(t, sorted[0], r.valueOfRank(0))
			assert.Equal(t, sorted[n-1], r.valueOfRank(n-1))
			for _, share := range []float64{0, .0001, .01, .1, .5, .9, .99, .9999, 1} {
				i := int(share * float64(n-1))
				v := r.valueOfRank(i)
				within := slices.Index(sorted[max(0, i-r.Missed):min(n, i+r.Missed+1)], v) >= 0
				assert.True(t, within, "%s of %d: %v is not within %d of rank %d", name, n, v, r.Missed, i)
				if i == n-1 {
					continue
				}
				b := r.bracket(i)
				b.add(column)
				first, second := b.pair()
				assert.Equal(t, [2]float64{sorted[i], sorted[i+1]}, [2]float64{first, second}, "%s of %d, rank %d", name, n, i)
				assert.LessOrEqual(t, len(b.within), 6*r.Missed+3, "%s of %d, rank %d", name, n, i)
			}
		}
	}
}

// In a sketch that is merged from any parts, the error of a rank is within the bound that the sketch computes. This bound is within
// the proven bound.
func TestMergedSketches(t *testing.T) {
	const n = 300_000
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Exp(3 * rng.NormFloat64())
	}
	sorted := slices.Sorted(slices.Values(values))
	for name, order := range map[string]func(){
		"drawn": func() {}, "ascending": func() { copy(values, sorted) },
	} {
		order()
		for _, parts := range []int{1, 4, 64, 1000} {
			sketches := make([]*Sketch, parts)
			for k := range sketches {
				sketches[k] = &Sketch{}
				sketches[k].add(slices.Clone(values[k*n/parts : (k+1)*n/parts]))
			}
			for len(sketches) > 1 {
				i := rng.IntN(len(sketches) - 1)
				sketches[i].merge(sketches[len(sketches)-1])
				sketches = sketches[:len(sketches)-1]
			}
			s := sketches[0]
			r := s.Rank()
			assert.Equal(t, n, r.upTo[len(r.upTo)-1], "no weight is lost")
			assert.Equal(t, [2]float64{sorted[0], sorted[n-1]}, [2]float64{s.Least, s.Largest})
			assert.LessOrEqual(t, float64(s.missed()), n*(math.Log2(n/SketchBuffer)+1)/SketchBuffer)
			for k, v := range r.values {
				upTo, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
				assert.LessOrEqual(t, max(upTo-r.upTo[k], r.upTo[k]-upTo), s.missed(), "%s, %d parts, %v", name, parts, v)
			}
			for _, l := range s.levels {
				assert.Less(t, len(l.values), SketchBuffer)
			}
		}
	}
}
