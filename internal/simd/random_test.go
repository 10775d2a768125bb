package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A call is one call of a routine with random arguments, applied to copies of the slices. The last slice is the result.
type call struct {
	name   string
	slices [][]float64
	on     func(impl blas.Float64, s [][]float64)
}

func (c call) result(impl blas.Float64) []float64 {
	s := make([][]float64, len(c.slices))
	for i := range s {
		s[i] = append([]float64(nil), c.slices[i]...)
	}
	c.on(impl, s)
	return s[len(s)-1]
}

// A source draws random arguments.
type source struct{ *rand.Rand }

func pick[T any](s source, from ...T) T { return from[s.IntN(len(from))] }

// size draws a size, usually a small one, and often one next to a block boundary.
func (s source) size() int {
	switch s.IntN(8) {
	case 0:
		return pick(s, 8, 12, 24, 48, 64, 128, 256) + s.IntN(3) - 1
	case 1:
		return 1 + s.IntN(300)
	case 2:
		return 1 + s.IntN(3)
	}
	return 1 + s.IntN(50)
}

func (s source) scalar() float64 { return pick(s, 0, 1, -1, s.NormFloat64()) }

// coefficient draws a scalar that is rarely 0.
func (s source) coefficient() float64 { return pick(s, 0, 1, 1, -1, -1, s.NormFloat64(), 0.5, 2) }

// matrix draws random elements, with NaN between the rows.
func (s source) matrix(rows, columns int) (a []float64, lda int) {
	lda = columns + pick(s, 0, 0, 1, 5)
	a = make([]float64, rows*lda+s.IntN(3))
	for i := range a {
		a[i] = math.NaN()
	}
	for i := range rows {
		for j := range columns {
			a[i*lda+j] = s.NormFloat64()
		}
	}
	return a, lda
}

// triangle draws a well-conditioned triangular matrix. The other triangle is NaN, and so is a unit diagonal.
func (s source) triangle(n int, ul blas.Uplo, d blas.Diag) (a []float64, lda int) {
	a, lda = s.matrix(n, n)
	for i := range n {
		for j := range n {
			switch {
			case (ul == blas.Upper) == (i > j) && i != j, i == j && d == blas.Unit:
				a[i*lda+j] = math.NaN()
			case i == j:
				a[i*lda+j] = math.Copysign(1+s.Float64(), s.NormFloat64())
			default:
				a[i*lda+j] /= float64(n)
			}
		}
	}
	return a, lda
}

// vector draws random elements, with NaN between them.
func (s source) vector(n int) (x []float64, inc int) {
	inc = pick(s, 1, 1, 1, 2, 3, -1, -2)
	x = make([]float64, 1+(n-1)*max(inc, -inc)+s.IntN(3))
	for i := range x {
		x[i] = math.NaN()
	}
	for i := range n {
		x[i*max(inc, -inc)] = s.NormFloat64()
	}
	return x, inc
}

var (
	transposition = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	triangleNames = []blas.Uplo{blas.Upper, blas.Lower}
	sides         = []blas.Side{blas.Left, blas.Right}
	diagonals     = []blas.Diag{blas.Unit, blas.NonUnit}
)

func flip(t blas.Transpose, rows, columns int) (int, int) {
	if t == blas.NoTrans {
		return rows, columns
	}
	return columns, rows
}

// randomCall draws one of the replaced routines and its arguments.
func randomCall(s source) call {
	m, n, k := s.size(), s.size(), s.size()
	tA, tB := pick(s, transposition...), pick(s, transposition...)
	ul, side, d := pick(s, triangleNames...), pick(s, sides...), pick(s, diagonals...)
	alpha, beta := s.coefficient(), s.scalar()
	order := m
	if side == blas.Right {
		order = n
	}
	arguments := fmt.Sprintf(" %c%c%c%c%c m=%d n=%d k=%d alpha=%v beta=%v", tA, tB, ul, side, d, m, n, k, alpha, beta)
	switch s.IntN(16) {
	case 0, 1:
		ra, ca := flip(tA, m, k)
		rb, cb := flip(tB, k, n)
		a, lda := s.matrix(ra, ca)
		b, ldb := s.matrix(rb, cb)
		c, ldc := s.matrix(m, n)
		return call{"Dgemm" + arguments, [][]float64{a, b, c}, func(impl blas.Float64, s [][]float64) {
			impl.Dgemm(tA, tB, m, n, k, alpha, s[0], lda, s[1], ldb, beta, s[2], ldc)
		}}
	case 2:
		ra, ca := flip(tA, n, k)
		a, lda := s.matrix(ra, ca)
		c, ldc := s.triangle(n, ul, blas.NonUnit)
		return call{"Dsyrk" + arguments, [][]float64{a, c}, func(impl blas.Float64, s [][]float64) {
			impl.Dsyrk(ul, tA, n, k, alpha, s[0], lda, beta, s[1], ldc)
		}}
	case 3:
		ra, ca := flip(tA, n, k)
		a, lda := s.matrix(ra, ca)
		b, ldb := s.matrix(ra, ca)
		c, ldc := s.triangle(n, ul, blas.NonUnit)
		return call{"Dsyr2k" + arguments, [][]float64{a, b, c}, func(impl blas.Float64, s [][]float64) {
			impl.Dsyr2k(ul, tA, n, k, alpha, s[0], lda, s[1], ldb, beta, s[2], ldc)
		}}
	case 4:
		a, lda := s.triangle(order, ul, blas.NonUnit)
		b, ldb := s.matrix(m, n)
		c, ldc := s.matrix(m, n)
		return call{"Dsymm" + arguments, [][]float64{a, b, c}, func(impl blas.Float64, s [][]float64) {
			impl.Dsymm(side, ul, m, n, alpha, s[0], lda, s[1], ldb, beta, s[2], ldc)
		}}
	case 5, 6:
		a, lda := s.triangle(order, ul, d)
		b, ldb := s.matrix(m, n)
		return call{"Dtrsm" + arguments, [][]float64{a, b}, func(impl blas.Float64, s [][]float64) {
			impl.Dtrsm(side, ul, tA, d, m, n, alpha, s[0], lda, s[1], ldb)
		}}
	case 7:
		a, lda := s.triangle(order, ul, d)
		b, ldb := s.matrix(m, n)
		return call{"Dtrmm" + arguments, [][]float64{a, b}, func(impl blas.Float64, s [][]float64) {
			impl.Dtrmm(side, ul, tA, d, m, n, alpha, s[0], lda, s[1], ldb)
		}}
	case 8:
		lx, ly := flip(tA, n, m)
		a, lda := s.matrix(m, n)
		x, incX := s.vector(lx)
		y, incY := s.vector(ly)
		return call{"Dgemv" + arguments, [][]float64{a, x, y}, func(impl blas.Float64, s [][]float64) {
			impl.Dgemv(tA, m, n, alpha, s[0], lda, s[1], incX, beta, s[2], incY)
		}}
	case 9:
		a, lda := s.triangle(n, ul, blas.NonUnit)
		x, incX := s.vector(n)
		y, incY := s.vector(n)
		return call{"Dsymv" + arguments, [][]float64{a, x, y}, func(impl blas.Float64, s [][]float64) {
			impl.Dsymv(ul, n, alpha, s[0], lda, s[1], incX, beta, s[2], incY)
		}}
	case 10: // gonum's routine reads outside x and y if an increment is negative
		x, incX := s.vector(m)
		y, incY := s.vector(n)
		incX, incY = max(incX, -incX), max(incY, -incY)
		a, lda := s.matrix(m, n)
		return call{"Dger" + arguments, [][]float64{x, y, a}, func(impl blas.Float64, s [][]float64) {
			impl.Dger(m, n, alpha, s[0], incX, s[1], incY, s[2], lda)
		}}
	case 11:
		x, incX := s.vector(n)
		a, lda := s.triangle(n, ul, blas.NonUnit)
		return call{"Dsyr" + arguments, [][]float64{x, a}, func(impl blas.Float64, s [][]float64) {
			impl.Dsyr(ul, n, alpha, s[0], incX, s[1], lda)
		}}
	case 12:
		x, incX := s.vector(n)
		y, incY := s.vector(n)
		a, lda := s.triangle(n, ul, blas.NonUnit)
		return call{"Dsyr2" + arguments, [][]float64{x, y, a}, func(impl blas.Float64, s [][]float64) {
			impl.Dsyr2(ul, n, alpha, s[0], incX, s[1], incY, s[2], lda)
		}}
	case 13:
		a, lda := s.triangle(n, ul, d)
		x, incX := s.vector(n)
		return call{"Dtrsv" + arguments, [][]float64{a, x}, func(impl blas.Float64, s [][]float64) {
			impl.Dtrsv(ul, tA, d, n, s[0], lda, s[1], incX)
		}}
	case 14:
		x, incX := s.vector(n)
		y, incY := s.vector(n)
		return call{"Ddot, Dnrm2" + arguments, [][]float64{x, y, {0, 0}}, func(impl blas.Float64, s [][]float64) {
			s[2][0] = impl.Ddot(n, s[0], incX, s[1], incY)
			s[2][1] = impl.Dnrm2(n, s[0], max(incX, -incX))
		}}
	}
	x, incX := s.vector(n)
	y, incY := s.vector(n)
	return call{"Daxpy, Dscal" + arguments, [][]float64{x, y}, func(impl blas.Float64, s [][]float64) {
		impl.Daxpy(n, alpha, s[0], incX, s[1], incY)
		impl.Dscal(n, beta, s[1], max(incY, -incY))
	}}
}

// near requires that the numbers agree up to rounding, and that other elements are unchanged.
func near(t *testing.T, c call, got, want []float64) {
	t.Helper()
	scale := 1.0
	for _, w := range want {
		if !math.IsNaN(w) {
			scale = max(scale, math.Abs(w))
		}
	}
	for i, w := range want {
		if math.IsNaN(w) && math.IsNaN(got[i]) || math.Abs(got[i]-w) <= 1e-13*scale {
			continue
		}
		// Without assembly gonum v0.17.0 clears all of a y that is longer than its vector.
		if runtime.GOARCH != "amd64" && (strings.HasPrefix(c.name, "Dgemv T") || strings.HasPrefix(c.name, "Dgemv C")) && w == 0 && math.IsNaN(got[i]) {
			continue
		}
		t.Fatalf("%s: element %d is %v, want %v", c.name, i, got[i], w)
	}
}

func TestAgainstGonum(t *testing.T) {
	oneGoroutine(t)
	everywhere(t, func(t *testing.T) {
		for seed := range uint64(1500) {
			c := randomCall(source{rand.New(rand.NewPCG(seed, 0))})
			near(t, c, c.result(Implementation{}), c.result(gonum.Implementation{}))
		}
	})
}

func FuzzAgainstGonum(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) {
		c := randomCall(source{rand.New(rand.NewPCG(seed, 1))})
		near(t, c, c.result(Implementation{}), c.result(gonum.Implementation{}))
	})
}

// bits makes NaNs comparable.
func bits(x []float64) []uint64 {
	b := make([]uint64, len(x))
	for i, v := range x {
		b[i] = math.Float64bits(v)
	}
	return b
}

// largeCalls returns calls that are large enough to be parallel.
func largeCalls() (calls []call) {
	s := source{rand.New(rand.NewPCG(7, 7))}
	add := func(name string, on func(impl blas.Float64, s [][]float64), slices ...[]float64) {
		calls = append(calls, call{name, slices, on})
	}
	const m, n, k = 331, 283, 601
	a, lda := s.matrix(m, k)
	b, ldb := s.matrix(k, n)
	c, ldc := s.matrix(m, n)
	add("Dgemm", func(impl blas.Float64, s [][]float64) {
		impl.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, s[0], lda, s[1], ldb, 0.5, s[2], ldc)
	}, a, b, c)
	const long, narrow = 1501, 43
	long0, ld0 := s.matrix(long, narrow)
	square, ldSquare := s.matrix(narrow, narrow)
	long1, ld1 := s.matrix(long, narrow)
	add("Dgemm, tall and narrow", func(impl blas.Float64, s [][]float64) {
		impl.Dgemm(blas.NoTrans, blas.Trans, long, narrow, narrow, 1, s[0], ld0, s[1], ldSquare, 0.5, s[2], ld1)
	}, long0, square, long1)
	for _, ul := range triangleNames {
		square, lds := s.triangle(m, ul, blas.NonUnit)
		add("Dsyrk", func(impl blas.Float64, s [][]float64) {
			impl.Dsyrk(ul, blas.NoTrans, m, k, 1, s[0], lda, 0.5, s[1], lds)
		}, a, square)
		add("Dsymm", func(impl blas.Float64, s [][]float64) {
			impl.Dsymm(blas.Left, ul, m, n, 1, s[0], lds, s[1], ldc, 0.5, s[2], ldc)
		}, square, c, c)
		add("Dtrsm", func(impl blas.Float64, s [][]float64) {
			impl.Dtrsm(blas.Left, ul, blas.NoTrans, blas.NonUnit, m, n, 1, s[0], lds, s[1], ldc)
		}, square, c)
		add("Dtrmm", func(impl blas.Float64, s [][]float64) {
			impl.Dtrmm(blas.Left, ul, blas.Trans, blas.NonUnit, m, n, 1, s[0], lds, s[1], ldc)
		}, square, c)
	}
	x, incX := s.vector(m)
	y, incY := s.vector(k)
	incX, incY = max(incX, -incX), max(incY, -incY)
	const order = 701
	for _, ul := range triangleNames {
		square, lds := s.triangle(order, ul, blas.NonUnit)
		x, incX := s.vector(order)
		y, incY := s.vector(order)
		add("Dsymv", func(impl blas.Float64, s [][]float64) {
			impl.Dsymv(ul, order, 1, s[0], lds, s[1], incX, 0.5, s[2], incY)
		}, square, x, y)
		add("Dsyr2", func(impl blas.Float64, s [][]float64) {
			impl.Dsyr2(ul, order, 1, s[0], incX, s[1], incY, s[2], lds)
		}, x, y, square)
		add("Dtrsv", func(impl blas.Float64, s [][]float64) {
			impl.Dtrsv(ul, blas.Trans, blas.NonUnit, order, s[0], lds, s[1], incX)
		}, square, x)
	}
	for _, t := range transposition[:2] {
		from, to, incFrom, incTo := y, x, incY, incX
		if t == blas.Trans {
			from, to, incFrom, incTo = x, y, incX, incY
		}
		add("Dgemv", func(impl blas.Float64, s [][]float64) {
			impl.Dgemv(t, m, k, 1, s[0], lda, s[1], incFrom, 0.5, s[2], incTo)
		}, a, from, to)
	}
	add("Dger", func(impl blas.Float64, s [][]float64) {
		impl.Dger(m, k, 1, s[0], incX, s[1], incY, s[2], lda)
	}, x, y, a)
	return calls
}

func TestLargeAgainstGonum(t *testing.T) {
	calls := largeCalls()
	everywhere(t, func(t *testing.T) {
		for _, c := range calls {
			near(t, c, c.result(Implementation{}), c.result(gonum.Implementation{}))
		}
	})
}

// Results are bit-identical for any GOMAXPROCS.
func TestWorkersDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	calls := largeCalls()
	everywhere(t, func(t *testing.T) {
		for _, c := range calls {
			runtime.GOMAXPROCS(1)
			want := bits(c.result(Implementation{}))
			for _, workers := range []int{2, 3, 7} {
				runtime.GOMAXPROCS(workers)
				require.True(t, slices.Equal(want, bits(c.result(Implementation{}))), "%s on %d", c.name, workers)
			}
		}
	})
}

// panicOf returns the value with which a call panics after one slice is shortened to the given length, or nil.
func (c call) panicOf(impl blas.Float64, cut, length int) (p any) {
	s := make([][]float64, len(c.slices))
	for i := range s {
		s[i] = append([]float64(nil), c.slices[i]...)
	}
	s[cut] = s[cut][:length]
	defer func() { p = recover() }()
	c.on(impl, s)
	return nil
}

// Slices that are too short panic as in gonum, and longer slices do not.
func TestShortSlices(t *testing.T) {
	oneGoroutine(t)
	refused := 0
	everywhere(t, func(t *testing.T) {
		for seed := range uint64(1500) {
			s := source{rand.New(rand.NewPCG(seed, 3))}
			c := randomCall(s)
			cut := s.IntN(len(c.slices))
			length := max(0, len(c.slices[cut])-s.IntN(6))
			want := c.panicOf(gonum.Implementation{}, cut, length)
			require.Equal(t, want, c.panicOf(Implementation{}, cut, length), c.name)
			if want != nil {
				refused++
			}
		}
	})
	require.Greater(t, refused, 500)
}

// Invalid flags, leading dimensions, increments and sizes panic as in gonum.
func TestBadArguments(t *testing.T) {
	x := make([]float64, 100*100)
	type flags struct {
		t        blas.Transpose
		ul       blas.Uplo
		s        blas.Side
		d        blas.Diag
		n, ld, i int
	}
	good := flags{blas.NoTrans, blas.Upper, blas.Left, blas.NonUnit, 60, 60, 1}
	bad := []flags{good}
	for range 6 {
		bad = append(bad, good)
	}
	bad[0].t, bad[1].ul, bad[2].s, bad[3].d, bad[4].n, bad[5].ld, bad[6].i = 'x', 'x', 'x', 'x', -1, 59, 0
	routines := map[string]func(impl blas.Float64, f flags){
		"Dgemm": func(impl blas.Float64, f flags) {
			impl.Dgemm(f.t, blas.Trans, f.n, f.n, f.n, 1, x, f.ld, x, f.ld, 1, x, f.ld)
		},
		"Dsyrk": func(impl blas.Float64, f flags) { impl.Dsyrk(f.ul, f.t, f.n, f.n, 1, x, f.ld, 1, x, f.ld) },
		"Dsyr2k": func(impl blas.Float64, f flags) {
			impl.Dsyr2k(f.ul, f.t, f.n, f.n, 1, x, f.ld, x, f.ld, 1, x, f.ld)
		},
		"Dsymm": func(impl blas.Float64, f flags) {
			impl.Dsymm(f.s, f.ul, f.n, f.n, 1, x, f.ld, x, f.ld, 1, x, f.ld)
		},
		"Dtrsm": func(impl blas.Float64, f flags) { impl.Dtrsm(f.s, f.ul, f.t, f.d, f.n, f.n, 1, x, f.ld, x, f.ld) },
		"Dtrmm": func(impl blas.Float64, f flags) { impl.Dtrmm(f.s, f.ul, f.t, f.d, f.n, f.n, 1, x, f.ld, x, f.ld) },
		"Dgemv": func(impl blas.Float64, f flags) { impl.Dgemv(f.t, f.n, f.n, 1, x, f.ld, x, f.i, 1, x, 1) },
		"Dsymv": func(impl blas.Float64, f flags) { impl.Dsymv(f.ul, f.n, 1, x, f.ld, x, 1, 1, x, f.i) },
		"Dger":  func(impl blas.Float64, f flags) { impl.Dger(f.n, f.n, 1, x, f.i, x, 1, x, f.ld) },
		"Dsyr":  func(impl blas.Float64, f flags) { impl.Dsyr(f.ul, f.n, 1, x, f.i, x, f.ld) },
		"Dsyr2": func(impl blas.Float64, f flags) { impl.Dsyr2(f.ul, f.n, 1, x, 1, x, f.i, x, f.ld) },
		"Dtrsv": func(impl blas.Float64, f flags) { impl.Dtrsv(f.ul, f.t, f.d, f.n, x, f.ld, x, f.i) },
		"Ddot":  func(impl blas.Float64, f flags) { impl.Ddot(f.n, x, f.i, x, 1) },
		"Daxpy": func(impl blas.Float64, f flags) { impl.Daxpy(f.n, 1, x, f.i, x, 1) },
		"Dscal": func(impl blas.Float64, f flags) { impl.Dscal(f.n, 1, x, f.i) },
		"Dnrm2": func(impl blas.Float64, f flags) { impl.Dnrm2(f.n, x, f.i) },
	}
	everywhere(t, func(t *testing.T) {
		for name, routine := range routines {
			refused := 0
			for _, f := range bad {
				want := call{on: func(impl blas.Float64, _ [][]float64) { routine(impl, f) }, slices: [][]float64{nil}}
				panicked := want.panicOf(gonum.Implementation{}, 0, 0)
				require.Equal(t, panicked, want.panicOf(Implementation{}, 0, 0), "%s %+v", name, f)
				if panicked != nil {
					refused++
				}
			}
			require.GreaterOrEqual(t, refused, 2, name)
		}
	})
}

// If the diagonal has no finite reciprocal, Dtrsm returns gonum's result.
func TestDtrsmOfTinyDiagonals(t *testing.T) {
	const n = 40
	for _, v := range []float64{0, math.SmallestNonzeroFloat64, -1e-310, 1e-308, 1e308} {
		for _, side := range []blas.Side{blas.Left, blas.Right} {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				a := make([]float64, n*n)
				for i := range n {
					a[i*n+i] = 1
				}
				a[7*n+7] = v
				solved := func(impl blas.Float64Level3) []float64 {
					b := make([]float64, n*n)
					for i := range b {
						b[i] = 3 * v
					}
					impl.Dtrsm(side, ul, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, b, n)
					return b
				}
				want, got := solved(gonum.Implementation{}), solved(Implementation{})
				for i, w := range want {
					if !(math.IsNaN(w) && math.IsNaN(got[i])) && got[i] != w && math.Abs(got[i]-w) > 1e-14*math.Abs(w) {
						t.Fatalf("%v %c %c: element %d is %v, want %v", v, side, ul, i, got[i], w)
					}
				}
			}
		}
	}
}
