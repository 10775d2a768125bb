package single

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// drawn returns n random rows of d columns.
func drawn(n, d int, number func() float64) (*Rows, [][]float32) {
	rows, plain := NewRows(n, d), make([][]float32, n)
	for i := range plain {
		row := make([]float64, d)
		for j := range row {
			row[j] = number()
			plain[i] = append(plain[i], float32(row[j]))
		}
		rows.Set(i, row)
	}
	return rows, plain
}

// TestDistances checks that distances agree with sums in float64, for windows of any shape and position.
func TestDistances(t *testing.T) {
	onPaths(func(path string) { t.Run(path, testDistances) })
}

func testDistances(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{1, 3, 8, 20} {
		rows, plain := drawn(150, d, random.NormFloat64)
		codes, plainCodes := drawn(150, d, func() float64 { return float64(random.IntN(3)) })
		apart := make([]float32, d)
		for j := range apart {
			apart[j] = random.Float32()
		}
		for _, w := range []Window{
			{0, 150, 0, 150}, {3, 8, 5, 128}, {0, 4, 0, 32}, {7, 5, 100, 49}, {149, 1, 0, 7}, {0, 0, 0, 3}, {10, 11, 64, 65},
		} {
			count := w.Rows * w.Columns
			squared, absolute, distinct := make([]float32, count), make([]float32, count), make([]float32, count)
			for i := range distinct {
				distinct[i] = 1
			}
			rows.SquaredDistances(squared, w)
			rows.ManhattanDistances(absolute, w)
			codes.AddDistinct(distinct, w, apart)
			for i := range w.Rows {
				for j := range w.Columns {
					var s, m, c float64
					for k, v := range plain[w.Row+i] {
						difference := float64(v) - float64(plain[w.Column+j][k])
						s += difference * difference
						m += math.Abs(difference)
						if plainCodes[w.Row+i][k] != plainCodes[w.Column+j][k] {
							c += float64(apart[k])
						}
					}
					at, bound := i*w.Columns+j, float64(d+3)*0x1p-24
					assert.InDelta(t, s, squared[at], bound*s)
					assert.InDelta(t, m, absolute[at], bound*m)
					assert.InDelta(t, 1+c, distinct[at], bound*(1+c))
					if w.Row+i == w.Column+j {
						assert.Zero(t, squared[at])
						assert.Zero(t, absolute[at])
					}
				}
			}
		}
	}
}

// ulp returns the distance between adjacent float32 numbers near v.
func ulp(v float64) float64 {
	a := float32(math.Abs(v))
	return max(0x1p-149, float64(math.Nextafter32(a, 1e38)-a))
}

// TestExp checks the documented error of Exp over all arguments.
func TestExp(t *testing.T) {
	onPaths(func(path string) { t.Run(path, testExp) })
}

func testExp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	var x []float32
	for range 20000 {
		x = append(x, float32(-110+200*random.Float64()), float32(-10*random.Float64()),
			float32(math.Ldexp(random.Float64()-0.5, -random.IntN(160))))
	}
	for k := -152; k < 130; k++ {
		edge := float32((float64(k) + 0.5) * math.Ln2)
		x = append(x, edge, math.Nextafter32(edge, 200), math.Nextafter32(edge, -200), float32(float64(k)*math.Ln2))
	}
	x = append(x, lowest, highest, 0, -87.4, -103.9, 88.7, 88.73)
	for _, a := range []float32{1, -0.7} {
		got := append([]float32(nil), x...)
		Exp(got, a)
		worst := 0.
		for i, v := range x {
			argument := float64(a) * float64(v)
			want := math.Exp(argument)
			if argument > 88.7228 { // near the largest number, and above
				assert.Greater(t, got[i], float32(3e38), "%g", argument)
				continue
			}
			bound := (3+math.Abs(argument))*0x1p-24*want + 0x1p-149
			worst = max(worst, math.Abs(float64(got[i])-want)/bound)
			if !(math.Abs(float64(got[i])-want) <= bound) {
				t.Fatalf("exp(%g) is %g, want %g", argument, got[i], want)
			}
		}
		t.Logf("worst: %.2f of the bound", worst)
		assert.Greater(t, worst, 0.1, "nothing was measured")
	}
	infinite := float32(math.Inf(1))
	for range 2 {
		special := []float32{0, float32(math.Copysign(0, -1)), infinite, -infinite, float32(math.NaN()),
			1e30, -1e30, -104, 90, 1e-40, -1e-40, -200, 200, 3e38, -3e38, 0}
		Exp(special, 1)
		assert.True(t, special[4] != special[4])
		special[4] = 7
		assert.Equal(t, []float32{1, 1, infinite, 0, 7, infinite, 0, 0, infinite, 1, 1, 0, infinite, infinite, 0, 1}, special)
	}
	Exp(nil, 1)
}

// TestMatern checks the documented error of Matern for the three kernels.
func TestMatern(t *testing.T) {
	onPaths(func(path string) { t.Run(path, testMatern) })
}

func testMatern(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	for _, c := range [][3]float64{{1, 0, 0}, {3, 1, 0}, {5, 1, 1. / 3}} {
		var x []float32
		for range 10000 {
			x = append(x, float32(12*random.Float64()), float32(math.Exp(20*random.NormFloat64())),
				float32(math.Ldexp(random.Float64(), -random.IntN(160))))
		}
		x = append(x, 0, math.MaxFloat32, float32(math.Inf(1)), farthest, 1e-45)
		a := float32(c[0] / 1.7)
		got := append([]float32(nil), x...)
		Matern(got, a, float32(c[1]), float32(c[2]))
		for i, v := range x {
			s := math.Sqrt(min(float64(a)*float64(v), farthest))
			want := (1 + c[1]*s + c[2]*s*s) * math.Exp(-s)
			// If the product is subnormal, its square root has half the digits, and a correspondingly small error.
			bound := (7+s)*0x1p-24*want + 1e4*0x1p-149 + math.Sqrt(ulp(float64(a)*float64(v)))*0x1p-24
			if float64(a)*float64(v) < 0x1p-126 {
				bound += 0x1p-60
			}
			if !(math.Abs(float64(got[i])-want) <= bound) {
				t.Fatalf("%v: matern(%g) is %g, want %g", c, v, got[i], want)
			}
		}
		special := make([]float32, 16)
		special[3] = float32(math.NaN())
		Matern(special, a, float32(c[1]), float32(c[2]))
		assert.True(t, special[3] != special[3])
		assert.Equal(t, float32(1), special[0])
	}
}

// TestScaleAndFinite checks that Scale and Finite agree with plain loops.
func TestScaleAndFinite(t *testing.T) {
	onPaths(func(path string) { t.Run(path, testScaleAndFinite) })
}

func testScaleAndFinite(t *testing.T) {
	for n := range 40 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i) - 7
		}
		Scale(x, 3)
		for i := range x {
			assert.Equal(t, 3*(float32(i)-7), x[i])
		}
		assert.True(t, Finite(x))
		for i := range x {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				old := x[i]
				x[i] = float32(v)
				assert.False(t, Finite(x), "%d of %d", i, n)
				x[i] = old
			}
		}
	}
}

// TestRange checks that Set rejects the rows that float32 cannot hold.
func TestRange(t *testing.T) {
	r := NewRows(1, 3)
	assert.True(t, r.Set(0, []float64{1e18, -1e18, 1e-300}))
	for _, v := range []float64{1e19, -1e300, math.Inf(1), math.NaN()} {
		assert.False(t, r.Set(0, []float64{0, v, 0}))
	}
}

// besides returns n numbers next to a page that must not be read.
func besides(t *testing.T, side string, n int) []float32 {
	memory := guarded.Copy(t, side, make([]float64, (n+1)/2))
	if n == 0 {
		return nil
	}
	all := unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), 2*len(memory))
	if side == "after" {
		return all[len(all)-n:]
	}
	return all[:n:n]
}

// TestNothingBeside checks that no loop reads or writes outside its slices.
func TestNothingBeside(t *testing.T) {
	onPaths(func(path string) {
		for _, side := range guarded.Sides {
			for _, n := range []int{1, 7, 8, 16, 31, 32, 33, 48, 70} {
				x := besides(t, side, n)
				guarded.Run(t, path+" "+side, func() {
					Exp(x, -1)
					Matern(x, 1, 1, 0)
					Scale(x, 2)
					Finite(x)
				})
				for _, d := range []int{1, 3} {
					rows, _ := drawn(n, d, func() float64 { return 1 })
					// The last column ends at the end of the memory.
					short := besides(t, side, (d-1)*rows.stride+n)
					copy(short, rows.values)
					rows.values = short
					apart := besides(t, side, d)
					for _, w := range []Window{{0, n, 0, n}, {n / 2, n - n/2, n / 3, n - n/3}} {
						dst := besides(t, side, w.Rows*w.Columns)
						guarded.Run(t, path+" "+side, func() {
							rows.SquaredDistances(dst, w)
							rows.ManhattanDistances(dst, w)
							rows.AddDistinct(dst, w, apart)
						})
					}
				}
			}
		}
	})
}
