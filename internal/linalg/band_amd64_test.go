//go:build !purego

package linalg

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The vector loops do what the BLAS does, and touch nothing beside it.
func TestVectorLoops(t *testing.T) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	const stride = bandLength - 1
	x, y := randomDense(1, 2*bandWidth, 1).RawRowView(0), randomDense(1, 2*bandWidth, 2).RawRowView(0)
	for _, rows := range []int{1, 2, 3, bandWidth - 1, bandWidth} {
		whole := randomDense(bandWidth+2, stride, uint64(rows)).RawMatrix().Data
		a := blas64.General{Rows: rows, Cols: bandWidth, Stride: stride, Data: whole[stride+1:]}
		compare := func(what string, vectors func(out []float64, a blas64.General), byBLAS func(out []float64, a blas64.General)) {
			own, other := a, a
			ownWhole, otherWhole := append([]float64(nil), whole...), append([]float64(nil), whole...)
			own.Data, other.Data = ownWhole[stride+1:], otherWhole[stride+1:]
			got, want := make([]float64, bandWidth+1), make([]float64, bandWidth+1)
			vectors(got, own)
			byBLAS(want, other)
			assert.InDeltaSlice(t, want, got, 1e-13, "%s, %d rows", what, rows)
			for i, v := range otherWhole {
				if v == whole[i] {
					assert.Equal(t, v, ownWhole[i], "%s, %d rows, element %d", what, rows, i)
				} else {
					assert.InDelta(t, v, ownWhole[i], 1e-13, "%s, %d rows", what, rows)
				}
			}
		}
		compare("AᵀV", func(out []float64, a blas64.General) { timesColumns(rows, &a.Data[0], stride, &x[0], &out[0]) },
			func(out []float64, a blas64.General) {
				blas64.Gemv(blas.Trans, 1, a, Vector(x[:rows]), 0, Vector(out[:bandWidth]))
			})
		compare("AX", func(out []float64, a blas64.General) { timesRows(rows, &a.Data[0], stride, &x[0], &out[0]) },
			func(out []float64, a blas64.General) {
				blas64.Gemv(blas.NoTrans, 1, a, Vector(x[:bandWidth]), 0, Vector(out[:rows]))
			})
		compare("pairs", func(_ []float64, a blas64.General) { subtractTwo(rows, &a.Data[0], stride, &x[0], &y[0]) },
			func(_ []float64, a blas64.General) {
				blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, blas64.General{Rows: rows, Cols: 2, Stride: 2, Data: x},
					blas64.General{Rows: 2, Cols: bandWidth, Stride: bandWidth, Data: y}, 1, a)
			})
		if rows < bandWidth {
			continue
		}
		upper := func(a blas64.General) blas64.Symmetric {
			return blas64.Symmetric{N: bandWidth, Stride: stride, Data: a.Data, Uplo: blas.Upper}
		}
		compare("symmetric", func(out []float64, a blas64.General) { symmetricTimes(&a.Data[0], stride, &x[0], &out[0]) },
			func(out []float64, a blas64.General) {
				blas64.Symv(1, upper(a), Vector(x[:bandWidth]), 0, Vector(out[:bandWidth]))
			})
		compare("symmetric update", func(_ []float64, a blas64.General) { subtractSymmetric(&a.Data[0], stride, &x[0], &y[0]) },
			func(_ []float64, a blas64.General) {
				blas64.Syr2(-1, Vector(x[:bandWidth]), Vector(y[:bandWidth]), upper(a))
			})
	}
}

// Processors without AVX2 reduce a matrix as well.
func TestReductionWithoutVectors(t *testing.T) {
	defer func(before bool) { hasVectors = before }(hasVectors)
	hasVectors = false
	for _, n := range []int{bandWidth + 2, 2*bandWidth + 2, 5*bandWidth + 7} {
		a := randomSymmetric(n, uint64(n))
		tri := inTwoStages(clone(a).RawSymmetric())
		assertReduces(t, a, tri, transposedQ(tri))
		var e mat.EigenSym
		assert.True(t, e.Factorize(a, false))
		assert.InDeltaSlice(t, e.Values(nil), tri.Values(), 1e-12*mat.Norm(a, 2))
	}
}
