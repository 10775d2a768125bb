package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
)

// These constants describe the sets that the paper generates. The paper does not state the noise of the first set, nor the number
// of rows and the noise of the second.
const (
	xorName     = "xor"
	mixtureName = "eq12"

	xorRows   = 6000
	xorSpread = 0.5

	mixtureRows   = 250
	mixtureCount  = 250  // number of frequencies
	mixtureExtent = 8.0  // x is uniform in ±mixtureExtent
	mixtureNoise  = 0.07 // standard deviation of the noise; that of the function is about 1
)

// xor draws four normal clouds around (±1, ±1). Clouds at opposite corners have the same class.
func xor(seed uint64) *dataset.Set {
	rng := rand.New(rand.NewPCG(seed, 0x786f72))
	s := &dataset.Set{Name: xorName, X: mat.NewDense(xorRows, 2, nil), Classes: []string{"unlike", "like"}, Positive: "like",
		SHA256: "generated"}
	for i := range xorRows {
		a, b := float64(2*rng.IntN(2)-1), float64(2*rng.IntN(2)-1)
		s.X.SetRow(i, []float64{a + xorSpread*rng.NormFloat64(), b + xorSpread*rng.NormFloat64()})
		label := 0
		if a == b {
			label = 1
		}
		s.Labels = append(s.Labels, label)
	}
	return s
}

// mixtureSeries draws the paper's equation (12). It is a function with 250 frequencies, drawn from three normal distributions, and
// normal weights.
func mixtureSeries(seed uint64) *dataset.Set {
	rng := rand.New(rand.NewPCG(seed, 0x6571_3132))
	parts := [][2]float64{{0, 0.5}, {3 * math.Pi / 4, 0.5}, {11 * math.Pi / 8, 0.25}}
	w, weights := make([]float64, mixtureCount), make([]float64, 2*mixtureCount+1)
	for i := range w {
		p := parts[rng.IntN(len(parts))]
		w[i] = p[0] + p[1]*rng.NormFloat64()
	}
	for i := range weights {
		weights[i] = rng.NormFloat64()
	}
	s := &dataset.Set{Name: mixtureName, X: mat.NewDense(mixtureRows, 1, nil), SHA256: "generated"}
	for i := range mixtureRows {
		x := mixtureExtent * (2*rng.Float64() - 1)
		f := weights[0]
		for j, v := range w {
			sin, cos := math.Sincos(v * x)
			f += (weights[1+2*j]*cos + weights[2+2*j]*sin) / math.Sqrt(mixtureCount)
		}
		s.X.Set(i, 0, x)
		s.Y = append(s.Y, f+mixtureNoise*rng.NormFloat64())
	}
	return s
}
