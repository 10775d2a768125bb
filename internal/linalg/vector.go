package linalg

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// Vector returns v as a BLAS vector.
func Vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

// Dot returns Σ x[i]y[i], computed with BLAS.
func Dot(x, y []float64) float64 { return fast.Dot(Vector(x), Vector(y)) }

// Axpy adds a·x to y.
func Axpy(a float64, x, y []float64) {
	if len(x) > 0 {
		fast.Axpy(a, Vector(x), Vector(y))
	}
}
