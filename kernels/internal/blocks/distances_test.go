package blocks

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// The rows are far from the origin and close to each other, so |x|²+|z|²-2<x,z> would have no correct digit. The reference is the
// difference computed in 200 bits.
func TestDistancesDoNotCancel(t *testing.T) {
	for _, tc := range []struct{ offset, spread float64 }{{0, 1}, {1e8, 1e-3}, {1, 1e-9}, {1e6, 1e-6}} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			x, rng := mat.NewDense(200, 5, nil), rand.New(rand.NewPCG(3, 1))
			x.Apply(func(i, j int, _ float64) float64 {
				return tc.offset*float64(1+j+10*(i%3)) + tc.spread*rng.NormFloat64()
			}, x)
			x.SetRow(11, x.RawRowView(8))
			o := newOperand(x, &Layout{need: needDistances}, MeanRow(x))
			got := mat.NewDense(200, 200, nil)
			squaredDistances(got, o, o)
			worst := 0.0
			for i := range 200 {
				for j := range 200 {
					want := exactSquaredDistance(x.RawRowView(i), x.RawRowView(j))
					if want == 0 {
						assert.Equal(t, 0.0, got.At(i, j))
						continue
					}
					worst = max(worst, math.Abs(got.At(i, j)-want)/want)
				}
			}
			assert.LessOrEqual(t, worst, 1e-12)
		})
	}
}

func exactSquaredDistance(x, z []float64) float64 {
	sum := new(big.Float).SetPrec(200)
	for i, v := range x {
		d := new(big.Float).SetPrec(200).Sub(big.NewFloat(v), big.NewFloat(z[i]))
		sum.Add(sum, d.Mul(d, d))
	}
	f, _ := sum.Float64()
	return f
}
