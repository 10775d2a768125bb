package kerneltest_test

import (
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/kernels/kerneltest"
)

type formula = func(x, z []float64) float64

func dot(x, z []float64) (s float64) {
	for i := range x {
		s += x[i] * z[i]
	}
	return s
}

func distance(x, z []float64, p float64) (s float64) {
	for i := range x {
		s += math.Pow(math.Abs(x[i]-z[i]), p)
	}
	return math.Pow(s, 1/p)
}

func rbf(gamma float64) formula {
	return func(x, z []float64) float64 { return math.Exp(-gamma * math.Pow(distance(x, z, 2), 2)) }
}

func laplacian(gamma float64) formula {
	return func(x, z []float64) float64 { return math.Exp(-gamma * distance(x, z, 1)) }
}

func polynomial(degree, gamma, coef0 float64) formula {
	return func(x, z []float64) float64 { return math.Pow(gamma*dot(x, z)+coef0, degree) }
}

func matern32(length float64) formula {
	return func(x, z []float64) float64 {
		r := distance(x, z, 2) / length
		return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	}
}

func matern52(length float64) formula {
	return func(x, z []float64) float64 {
		r := distance(x, z, 2) / length
		return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	}
}

// elm is the formula of Frénay and Verleysen: the arcsine kernel of the error function, for rows with a leading one and weights
// with variance s².
func elm(s float64) formula {
	return func(x, z []float64) float64 {
		w := func(a, b []float64) float64 { return 2 * s * s * (1 + dot(a, b)) }
		return 2 / math.Pi * math.Asin(w(x, z)/math.Sqrt((1+w(x, x))*(1+w(z, z))))
	}
}

func tanh(gamma, coef0 float64) formula {
	return func(x, z []float64) float64 { return math.Tanh(gamma*dot(x, z) + coef0) }
}

func normalized(k formula) formula {
	return func(x, z []float64) float64 { return k(x, z) / math.Sqrt(k(x, x)*k(z, z)) }
}

func sum(ks ...formula) formula {
	return func(x, z []float64) (v float64) {
		for _, k := range ks {
			v += k(x, z)
		}
		return v
	}
}

func product(ks ...formula) formula {
	return func(x, z []float64) float64 {
		v := 1.0
		for _, k := range ks {
			v *= k(x, z)
		}
		return v
	}
}

func scaled(f float64, k formula) formula {
	return func(x, z []float64) float64 { return f * k(x, z) }
}

// cauchy is a third-party kernel without capabilities.
type cauchy struct{}

func (cauchy) Eval(x, z []float64) float64 {
	if len(x) != len(z) {
		panic("cauchy: rows of different length")
	}
	return cauchyFormula(x, z)
}
func (cauchy) String() string { return "cauchy" }

func cauchyFormula(x, z []float64) float64 { return 1 / (1 + math.Pow(distance(x, z, 2), 2)) }

func matern12(length float64) formula {
	return func(x, z []float64) float64 { return math.Exp(-distance(x, z, 2) / length) }
}

func rationalQuadratic(alpha, length float64) formula {
	return func(x, z []float64) float64 {
		r := distance(x, z, 2) / length
		return math.Pow(1+r*r/(2*alpha), -alpha)
	}
}

func periodic(periods, lengths []float64) formula {
	return func(x, z []float64) float64 {
		s := 0.0
		for i := range x {
			s += math.Pow(math.Sin(math.Pi*(x[i]-z[i])/periods[i%len(periods)])/lengths[i%len(lengths)], 2)
		}
		return math.Exp(-2 * s)
	}
}

// over is a kernel of columns divided by their lengths.
func over(lengths []float64, k formula) formula {
	return func(x, z []float64) float64 {
		a, b := make([]float64, len(x)), make([]float64, len(x))
		for i, l := range lengths {
			a[i], b[i] = x[i]/l, z[i]/l
		}
		return k(a, b)
	}
}

func columns(of []int, k formula) formula {
	return func(x, z []float64) float64 {
		a, b := make([]float64, len(of)), make([]float64, len(of))
		for i, j := range of {
			a[i], b[i] = x[j], z[j]
		}
		return k(a, b)
	}
}

func additive(lengths, variances []float64, k formula) formula {
	return func(x, z []float64) (s float64) {
		for i, l := range lengths {
			s += variances[i] * k([]float64{x[i] / l}, []float64{z[i] / l})
		}
		return s
	}
}

// apart is a kernel of distances divided by lengths. In columns of categories the distance depends only on equality.
func apart(lengths []float64, categories []int, k formula) formula {
	return func(x, z []float64) float64 {
		a, b := make([]float64, len(x)), make([]float64, len(z))
		for i, l := range lengths {
			a[i], b[i] = x[i]/l, z[i]/l
		}
		for _, i := range categories {
			a[i], b[i] = 0, 0
			if x[i] != z[i] {
				b[i] = 1 / lengths[i]
			}
		}
		return k(a, b)
	}
}

var noSlopes = map[string]string{
	"parameters": "holds a kernel without slopes", "derivatives": "holds a kernel without slopes", "units": "holds a kernel without slopes",
}

// TestAll runs the suite on every kernel and family of the module, and fails if one has no line here.
func TestAll(t *testing.T) {
	table := &kerneltest.Table{}
	tested := []string{"families.Fixed"} // Family2 tests this one
	for _, c := range []struct {
		kernel  kernels.Kernel
		formula formula
	}{
		{kernels.Linear{}, dot},
		{kernels.RBF{}, rbf(1)},
		{kernels.RBF{Gamma: 0.3}, rbf(0.3)},
		{kernels.RBFOfLength(2), rbf(1.0 / 8)},
		{kernels.Laplacian{}, laplacian(1)},
		{kernels.Laplacian{Gamma: 0.3}, laplacian(0.3)},
		{kernels.Matern{}, matern32(1)},
		{kernels.Matern{Nu: 0.5, Length: 2}, matern12(2)},
		{kernels.RationalQuadratic{}, rationalQuadratic(1, 1)},
		{kernels.RationalQuadratic{Alpha: 0.3, Length: 2}, rationalQuadratic(0.3, 2)},
		{kernels.Periodic{}, periodic([]float64{1}, []float64{1})},
		{kernels.Periodic{Periods: []float64{3}, Lengths: []float64{0.6}}, periodic([]float64{3}, []float64{0.6})},
		{kernels.Columns{Of: []int{0}, Kernel: kernels.Matern{}}, columns([]int{0}, matern32(1))},
		{kernels.Product{kernels.RBF{}, kernels.Columns{Of: []int{0}, Kernel: kernels.Periodic{}}}, product(rbf(1), columns([]int{0}, periodic([]float64{1}, []float64{1})))},
		{kernels.Matern{Nu: 2.5, Length: 2}, matern52(2)},
		{kernels.Polynomial{}, polynomial(3, 1, 0)},
		{kernels.Polynomial{Degree: 2, Gamma: 0.5, Coef0: 1}, polynomial(2, 0.5, 1)},
		{kernels.ELM{}, elm(1)},
		{kernels.ELM{Sigma: 3}, elm(3)},
		{kernels.Normalized{Kernel: kernels.Linear{}}, normalized(dot)},
		{kernels.Normalized{Kernel: kernels.Polynomial{Degree: 5, Coef0: 1}}, normalized(polynomial(5, 1, 1))},
		{kernels.Normalized{Kernel: kernels.ELM{}}, normalized(elm(1))},
		{kernels.Normalized{Kernel: kernels.Matern{}}, matern32(1)},
		{kernels.Normalized{Kernel: kernels.Normalized{Kernel: kernels.Linear{}}}, normalized(dot)},
		{kernels.Normalized{Kernel: cauchy{}}, cauchyFormula},
		{kernels.Normalized{Kernel: kernels.Sum{kernels.Linear{}, kernels.Matern{}}}, normalized(sum(dot, matern32(1)))},
		{kernels.Sum{kernels.RBF{}, kernels.Linear{}}, sum(rbf(1), dot)},
		{kernels.Sum{cauchy{}}, cauchyFormula},
		{kernels.Product{kernels.RBF{}, kernels.Polynomial{Coef0: 1}, cauchy{}}, product(rbf(1), polynomial(3, 1, 1), cauchyFormula)},
		{kernels.Product{kernels.RBF{Gamma: 0.1}, kernels.Scaled{Kernel: kernels.Laplacian{Gamma: 0.2}, Factor: 3}}, product(rbf(0.1), scaled(3, laplacian(0.2)))},
		{kernels.Scaled{Kernel: kernels.RBF{}, Factor: 3}, scaled(3, rbf(1))},
		{kernels.Scaled{Kernel: kernels.Linear{}}, dot},
		{kernels.Scaled{Kernel: kernels.Product{kernels.ELM{}, kernels.Laplacian{}}, Factor: 0.5}, scaled(0.5, product(elm(1), laplacian(1)))},
		{cauchy{}, cauchyFormula},
	} {
		tested = append(tested, declared.Name(c.kernel))
		kerneltest.Kernel(t, c.kernel, &kerneltest.Options{Formula: c.formula, Table: table})
	}
	// These are kernels for four columns.
	lengths, ones := []float64{0.5, 2, 1, 3}, []float64{1, 1, 1, 1}
	for _, c := range []struct {
		kernel  kernels.Kernel
		formula formula
		skip    map[string]string
	}{
		{kernel: kernels.ARD{Kernel: kernels.RBFOfLength(1), Lengths: lengths}, formula: over(lengths, rbf(0.5))},
		{kernel: kernels.ARD{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Lengths: []float64{2, 2, 2, 2}}, formula: matern52(4)},
		{kernel: kernels.ARD{Kernel: kernels.RationalQuadratic{}, Lengths: []float64{1, 3}, Groups: []int{1, 0, 0, 1}}, formula: over([]float64{3, 1, 1, 3}, rationalQuadratic(1, 1))},
		{kernel: kernels.ARD{Kernel: kernels.Linear{}, Lengths: lengths}, formula: over(lengths, dot)},
		{kernel: kernels.ARD{Kernel: kernels.Laplacian{}, Lengths: lengths}, formula: over(lengths, laplacian(1))},
		{kernel: kernels.ARD{Kernel: kernels.Normalized{Kernel: kernels.ELM{}}, Lengths: lengths}, formula: over(lengths, normalized(elm(1))), skip: noSlopes},
		{kernel: kernels.Normalized{Kernel: kernels.ARD{Kernel: kernels.Polynomial{Coef0: 1}, Lengths: lengths}}, formula: normalized(over(lengths, polynomial(3, 1, 1)))},
		{kernel: kernels.ARD{Kernel: cauchy{}, Lengths: lengths}, formula: over(lengths, cauchyFormula), skip: noSlopes},
		{
			kernel:  kernels.ARD{Kernel: kernels.Sum{kernels.ARD{Kernel: kernels.Matern{}, Lengths: ones}, kernels.Columns{Of: []int{3, 1}, Kernel: kernels.Laplacian{}}}, Lengths: lengths},
			formula: over(lengths, sum(matern32(1), columns([]int{3, 1}, laplacian(1)))),
			skip:    map[string]string{"units": "has lengths of the lengths"},
		},
		{kernel: kernels.Periodic{Periods: []float64{3, 2, 4, 5}, Lengths: lengths}, formula: periodic([]float64{3, 2, 4, 5}, lengths)},
		{kernel: kernels.ARD{Kernel: kernels.Periodic{Periods: []float64{2}}, Lengths: lengths}, formula: over(lengths, periodic([]float64{2}, ones))},
		{
			kernel:  kernels.Columns{Of: []int{2, 0}, Kernel: kernels.ARD{Kernel: kernels.Matern{}, Lengths: []float64{2, 3}}},
			formula: columns([]int{2, 0}, over([]float64{2, 3}, matern32(1))),
		},
		{
			kernel:  kernels.ARD{Kernel: kernels.Matern{}, Lengths: lengths, Categories: []int{3, 1}},
			formula: apart(lengths, []int{3, 1}, matern32(1)),
		},
		{
			kernel:  kernels.ARD{Kernel: kernels.Sum{kernels.Laplacian{Gamma: .7}, kernels.RBF{}}, Lengths: lengths, Categories: []int{2}},
			formula: apart(lengths, []int{2}, sum(laplacian(.7), rbf(1))),
		},
		{kernel: kernels.Additive{Kernel: kernels.Matern{}, Lengths: lengths}, formula: additive(lengths, ones, matern32(1))},
		{kernel: kernels.Additive{Kernel: kernels.RationalQuadratic{Alpha: 2}, Lengths: ones, Variances: lengths}, formula: additive(ones, lengths, rationalQuadratic(2, 1))},
	} {
		tested = append(tested, declared.Name(c.kernel))
		kerneltest.Kernel(t, c.kernel, &kerneltest.Options{Formula: c.formula, Columns: 4, Skip: c.skip, Table: table})
	}
	for _, c := range []struct {
		kernel  kernels.Kernel
		formula formula
	}{{kernels.Tanh{}, tanh(1, 0)}, {kernels.Tanh{Gamma: 0.3, Coef0: -1}, tanh(0.3, -1)}} {
		tested = append(tested, declared.Name(c.kernel))
		kerneltest.Kernel(t, c.kernel, &kerneltest.Options{Formula: c.formula, Indefinite: true, Table: table})
	}
	for _, f := range []families.Family{
		families.RBF{}, families.Laplacian{}, families.Matern{}, families.Matern{Nu: 0.5}, families.Matern{Nu: 2.5},
		families.RationalQuadratic{}, families.RationalQuadratic{Alpha: 3}, families.Periodic{}, families.Periodic{Period: 5}, families.ELM{}, families.Polynomial{},
	} {
		tested = append(tested, declared.Name(f))
		kerneltest.Family(t, f, &kerneltest.Options{Table: table})
	}
	for _, f := range []families.Family2{
		families.ShiftedPolynomial{},
		families.Sum{First: families.RBF{}, Second: families.Polynomial{}},
		families.Product{First: families.Matern{}, Second: families.ELM{}},
	} {
		tested = append(tested, declared.Name(f))
		kerneltest.Family2(t, f, &kerneltest.Options{Table: table})
	}

	t.Log("\n" + table.String())

	declared.Lists(t, "TestAll", tested, nil, "..", "Eval", "Kernel")
}
