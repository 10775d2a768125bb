package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// evidence computes F from Cholesky factors.
func evidence(t *testing.T, kernel kernels.Kernel, ridge float64, rows *mat.Dense, y []float64) float64 {
	n, _ := rows.Dims()
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			c.SetSym(i, j, kernel.Eval(rows.RawRowView(i), rows.RawRowView(j)))
		}
		c.SetSym(i, i, c.At(i, i)+ridge)
	}
	var factor mat.Cholesky
	require.True(t, factor.Factorize(c))
	ones, solved, eta := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	require.NoError(t, factor.SolveVecTo(solved, mat.NewVecDense(n, y)))
	require.NoError(t, factor.SolveVecTo(eta, ones))
	total := mat.Sum(eta)
	fit := floats.Dot(y, solved.RawVector().Data) - math.Pow(mat.Sum(solved), 2)/total
	return -float64(n-1)/2*math.Log(fit) - factor.LogDet()/2 - math.Log(total)/2
}

// If the probes are the columns of √n I, the trace is exact. The gradient then agrees with finite differences of the evidence.
func TestEvidenceGradient(t *testing.T) {
	const n, d, ridge = 40, 3, 0.05
	random := rand.New(rand.NewPCG(3, 3))
	rows, targets, y := mat.NewDense(n, d, nil), mat.NewDense(n, n+1, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			rows.Set(i, j, random.NormFloat64())
		}
		y[i] = math.Sin(2*rows.At(i, 0)) + 0.1*random.NormFloat64()
		targets.Set(i, i+1, math.Sqrt(n))
	}
	targets.SetCol(0, y)
	kernel := kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{0.8, 1.5, 3}}
	got, err := evidenceGradient(context.Background(), kernel, ridge, rows, targets)
	require.NoError(t, err)
	const h = 1e-4
	for j := range d + 1 {
		at := func(by float64) float64 {
			other, r := kernel, ridge
			other.Lengths = append([]float64(nil), kernel.Lengths...)
			if j < d {
				other.Lengths[j] *= math.Exp(by)
			} else {
				r *= math.Exp(by)
			}
			return evidence(t, other, r, rows, y)
		}
		assert.InDelta(t, (at(h)-at(-h))/(2*h), got[j], 1e-4*math.Abs(got[j])+1e-5, "parameter %d", j)
	}
}

// Adam finds the maximum of a parabola.
func TestAdam(t *testing.T) {
	theta := []float64{0, 0}
	a := newAdam(2)
	for i := range 200 {
		a.ascend(theta, []float64{-(theta[0] - 1), -100 * (theta[1] + 2)}, 0.2*(1-float64(i)/200))
	}
	assert.InDeltaSlice(t, []float64{1, -2}, theta, 0.02)
}
