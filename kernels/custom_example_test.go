package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Cauchy is a kernel of one's own. Eval and String make it one; the others are
// capabilities, each of which may be left out.
type Cauchy struct{ Width float64 }

func (c Cauchy) Eval(x, z []float64) float64 {
	if len(x) != len(z) {
		panic("Cauchy: rows of different length")
	}
	s := 0.0
	for i, v := range x {
		s += (v - z[i]) * (v - z[i])
	}
	return 1 / (1 + s/c.Width/c.Width)
}

func (c Cauchy) String() string { return fmt.Sprintf("Cauchy(width=%v)", c.Width) }

// Validate is asked before anything is computed.
func (c Cauchy) Validate() error {
	if !(c.Width > 0) || math.IsInf(c.Width, 1) {
		return errors.New("Cauchy: Width: want a finite value > 0")
	}
	return nil
}

// Diag spares the evaluation of k(x, x).
func (c Cauchy) Diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 1
	}
}

// Block evaluates many pairs at once: worth it where that is faster than Eval.
func (c Cauchy) Block(dst, x, z *mat.Dense) {
	r, n := dst.Dims()
	for i := range r {
		for j := range n {
			dst.Set(i, j, c.Eval(x.RawRowView(i), z.RawRowView(j)))
		}
	}
}

// Any type with Eval and String is a kernel; blocks, diagonal and validation are
// used where it has them.
func ExampleKernel() {
	var k kernels.Kernel = Cauchy{Width: 2}
	_, blocks := k.(kernels.Blocker)
	_, diagonal := k.(kernels.Diagonal)
	_, validates := k.(kernels.Validator)
	fmt.Println(blocks, diagonal, validates)

	gram, err := kernels.Matrix(context.Background(), kernels.Sum{k, kernels.Linear{}}, rows, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	print(gram)
	_, err = kernels.Matrix(context.Background(), Cauchy{}, rows, nil)
	fmt.Println(err)
	// Output:
	// true true true
	// ⎡ 1.000   0.800   0.138⎤
	// ⎢ 0.800   2.000   3.167⎥
	// ⎣ 0.138   3.167  26.000⎦
	// Cauchy: Width: want a finite value > 0
}

// cauchyFamily makes Cauchy searchable by its rate, 1/width.
type cauchyFamily struct{ kernels.RBFFamily }

func (cauchyFamily) At(rate float64) kernels.Kernel { return Cauchy{Width: 1 / rate} }
func (cauchyFamily) String() string                 { return "Cauchy" }

// A family of one's own may take its bounds and its start from another.
func ExampleFamily() {
	var f kernels.Family = cauchyFamily{}
	lo, hi := f.Bounds()
	fmt.Println(f, f.At(4), lo, hi, f.Integer())
	// Output: Cauchy Cauchy(width=0.25) 1e-12 1e+12 false
}

func ExampleOptions() {
	x := mat.NewDense(1000, 2, nil)
	_, err := kernels.Matrix(context.Background(), kernels.RBF{}, x, &kernels.Options{Workers: 1, MaxBytes: 1 << 20})
	fmt.Println(errors.Is(err, kernels.ErrTooLarge))
	// Output: true
}
