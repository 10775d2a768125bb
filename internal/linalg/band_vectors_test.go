//go:build (amd64 || arm64) && !purego

package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// The vector loops agree with the BLAS, and change nothing outside their operands.
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

// The reduction also works without AVX2.
func TestReductionWithoutVectors(t *testing.T) {
	defer func(before bool) { hasVectors = before }(hasVectors)
	hasVectors = false
	for _, n := range []int{bandWidth + 2, 2*bandWidth + 2, 5*bandWidth + 7} {
		a := randomSymmetric(n, uint64(n))
		tri := must(inTwoStages(background, clone(a).RawSymmetric()))
		assertReduces(t, a, tri, transposedQ(tri))
		var e mat.EigenSym
		assert.True(t, e.Factorize(a, false))
		assert.InDeltaSlice(t, e.Values(nil), must(tri.Values(background)), 1e-12*mat.Norm(a, 2))
	}
}

// dotBy computes Σ a[j]x[j] in the order of the vector loops: in groups of twelve, four of which share a register. It adds the sums
// by thirds, halves and pairs.
func dotBy(a, x []float64) float64 {
	var s [12]float64
	for j, v := range a {
		if j < 12 {
			s[j] = v * x[j]
		} else {
			s[j%12] = math.FMA(v, x[j], s[j%12])
		}
	}
	for j := range 4 {
		s[j] = s[j] + s[4+j] + s[8+j]
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// symmetricBy computes the product with a symmetric matrix in the order of the vector loops.
func symmetricBy(a []float64, stride int, x, u []float64) {
	for i := 0; i < bandWidth; i += 4 {
		var rows [4][4]float64
		for r := range 4 {
			for c := range 4 {
				v := 0.
				if c >= r {
					v = a[(i+r)*stride+i+c]
				}
				rows[r][c] = v * x[i+c]
				if c > r {
					u[i+c] = math.FMA(v, x[i+r], u[i+c])
				}
			}
		}
		for j := i + 4; j < bandWidth; j++ {
			for r := range 4 {
				rows[r][j%4] = math.FMA(a[(i+r)*stride+j], x[j], rows[r][j%4])
			}
			at := func(r int) float64 { return a[(i+r)*stride+j] }
			even := math.FMA(at(2), x[i+2], math.FMA(at(0), x[i], u[j]))
			odd := at(1) * x[i+1]
			u[j] = even + math.FMA(at(3), x[i+3], odd)
		}
		for r, s := range rows {
			u[i+r] += (s[0] + s[1]) + (s[2] + s[3])
		}
	}
}

// The vector loops are bit-identical on all processors. They agree with these loops in Go.
func TestVectorLoopsToTheBit(t *testing.T) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	const stride = bandLength - 1
	x, y := randomDense(1, 2*bandWidth, 1).RawRowView(0), randomDense(1, 2*bandWidth, 2).RawRowView(0)
	for _, rows := range []int{1, 2, 5, bandWidth} {
		whole := randomDense(bandWidth, stride, uint64(rows)).RawMatrix().Data
		rowOf := func(a []float64, i int) []float64 { return a[i*stride:][:bandWidth] }
		want, got := make([]float64, bandWidth), make([]float64, bandWidth)
		for i := range rows {
			for j, v := range rowOf(whole, i) {
				want[j] = math.FMA(v, x[i], want[j])
			}
		}
		timesColumns(rows, &whole[0], stride, &x[0], &got[0])
		require.Equal(t, want, got, "AᵀV, %d rows", rows)

		for i := range rows {
			want[i] = dotBy(rowOf(whole, i), x)
		}
		timesRows(rows, &whole[0], stride, &x[0], &got[0])
		require.Equal(t, want[:rows], got[:rows], "AX, %d rows", rows)

		wanted, a := append([]float64(nil), whole...), append([]float64(nil), whole...)
		for i := range rows {
			for j, v := range rowOf(wanted, i) {
				rowOf(wanted, i)[j] = math.FMA(-x[2*i+1], y[bandWidth+j], math.FMA(-x[2*i], y[j], v))
			}
		}
		subtractTwo(rows, &a[0], stride, &x[0], &y[0])
		require.Equal(t, wanted, a, "pairs, %d rows", rows)

		steps, forms, z := randomDense(rows, 2, 7).RawMatrix().Data, make([]float64, quadStrip), make([]float64, quadStrip)
		for i := range rows {
			for j, v := range rowOf(whole, i)[:quadStrip] {
				z[j] = math.FMA(-steps[2*i], z[j], v)
				forms[j] = math.FMA(steps[2*i+1]*z[j], z[j], forms[j])
			}
		}
		quadColumns(rows, &whole[0], stride, &steps[0], &got[0])
		require.Equal(t, forms, got[:quadStrip], "quadratic forms, %d rows", rows)
	}

	whole := randomDense(bandWidth, stride, 9).RawMatrix().Data
	want, got := append([]float64(nil), y[:bandWidth]...), append([]float64(nil), y[:bandWidth]...)
	symmetricBy(whole, stride, x, want)
	symmetricTimes(&whole[0], stride, &x[0], &got[0])
	require.Equal(t, want, got, "symmetric")
	wanted := append([]float64(nil), whole...)
	for i := range bandWidth {
		for j := i; j < bandWidth; j++ {
			v := &wanted[i*stride+j]
			*v = math.FMA(-y[i], x[j], math.FMA(-x[i], y[j], *v))
		}
	}
	subtractSymmetric(&whole[0], stride, &x[0], &y[0])
	require.Equal(t, wanted, whole, "symmetric update")
}

// The vector loops neither read nor write outside their operands.
func TestVectorLoopsStayInside(t *testing.T) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	const stride = bandLength - 1
	for _, side := range guarded.Sides {
		numbers := func(n int, seed uint64) *float64 {
			return &guarded.Copy(t, side, randomDense(1, n, seed).RawRowView(0))[0]
		}
		for _, rows := range []int{1, 2, bandWidth} {
			span := func(columns int) *float64 { return numbers((rows-1)*stride+columns, 3) }
			guarded.Run(t, fmt.Sprint(rows, " rows, unreadable ", side), func() {
				timesColumns(rows, span(bandWidth), stride, numbers(rows, 1), numbers(bandWidth, 2))
				timesRows(rows, span(bandWidth), stride, numbers(bandWidth, 1), numbers(rows, 2))
				subtractTwo(rows, span(bandWidth), stride, numbers(2*rows, 1), numbers(2*bandWidth, 2))
				quadColumns(rows, span(quadStrip), stride, numbers(2*rows, 1), numbers(quadStrip, 2))
			})
		}
		guarded.Run(t, "symmetric, unreadable "+side, func() {
			square := numbers((bandWidth-1)*stride+bandWidth, 3)
			symmetricTimes(square, stride, numbers(bandWidth, 1), numbers(bandWidth, 2))
			subtractSymmetric(square, stride, numbers(bandWidth, 1), numbers(bandWidth, 2))
		})
	}
}
