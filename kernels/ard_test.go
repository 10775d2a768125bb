package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestShapeParamErrors(t *testing.T) {
	l := []float64{1, 2}
	for want, k := range map[string]Kernel{
		"ARD: Lengths = none, ":                            ARD{Kernel: RBF{}},
		"ARD: Lengths[1] = 0, ":                            ARD{Kernel: RBF{}, Lengths: []float64{1, 0}},
		"ARD: Lengths[0] = +Inf":                           ARD{Kernel: RBF{}, Lengths: []float64{math.Inf(1)}},
		"ARD: Lengths[0] = 1e-320":                         ARD{Kernel: RBF{}, Lengths: []float64{1e-320}},
		"ARD: Groups[1] = 2, want 0 to 1":                  ARD{Kernel: RBF{}, Lengths: l, Groups: []int{0, 2}},
		"ARD: Groups = [0 0], ":                            ARD{Kernel: RBF{}, Lengths: l, Groups: []int{0, 0}},
		"Kernel = nil":                                     ARD{Lengths: l},
		"rows have 2 columns, Columns uses":                ARD{Kernel: Columns{Of: []int{2}, Kernel: RBF{}}, Lengths: l},
		"Columns: Of = none":                               Columns{Kernel: RBF{}},
		"Columns: Of[1] = 3":                               Columns{Kernel: RBF{}, Of: []int{3, 3}},
		"Columns: Of[0] = -1":                              Columns{Kernel: RBF{}, Of: []int{-1}},
		"rows have 1 columns, ARD has":                     Columns{Kernel: ARD{Kernel: RBF{}, Lengths: l}, Of: []int{1}},
		"Periodic: Periods[1] = -2":                        Periodic{Periods: []float64{1, -2}},
		"Periodic: len(Lengths) = 2":                       Periodic{Periods: []float64{1, 2, 3}, Lengths: l},
		"Additive: Kernel = Laplacian(gamma=1)":            Additive{Kernel: Laplacian{}, Lengths: l},
		"Additive: len(Variances) = 1, want 2":             Additive{Kernel: RBF{}, Lengths: l, Variances: []float64{1}},
		"ARD: Categories[1] = 0, want 0 to 1,":             ARD{Kernel: RBF{}, Lengths: l, Categories: []int{0, 0}},
		"ARD: Categories[0] = 2, want 0 to 1,":             ARD{Kernel: RBF{}, Lengths: l, Categories: []int{2}},
		"ARD: Kernel = Linear, want a kernel that depends": ARD{Kernel: Linear{}, Lengths: l, Categories: []int{0}},
		"ARD: Kernel = Sum(RBF(gamma=1), ELM(s":            ARD{Kernel: Sum{RBF{}, ELM{}}, Lengths: l, Categories: []int{0}},
		"Additive: Variances[0] = NaN":                     Additive{Kernel: RBF{}, Lengths: []float64{1}, Variances: []float64{math.NaN()}},
		"RationalQuadratic: Alpha = -1":                    RationalQuadratic{Alpha: -1},
		"Matern: Nu = 1, want 0.5, 1.5 or 2.5, ":           Matern{Nu: 1},
	} {
		assert.ErrorContains(t, Validate(k), want)
	}
	k := ARD{Kernel: RBF{}, Lengths: l}
	three := random(2, 3, 1)
	_, err := OrMedianRBF(ctx, k, three, 0)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = Matrix(ctx, k, three, nil)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = Prepare(ctx, Normalized{Kernel: Scaled{Kernel: k}}, three, nil)
	require.ErrorIs(t, err, fault.ErrShape)
	one, err := Share(ctx, three, nil)
	require.NoError(t, err)
	_, err = one.Matrix(ctx, Product{k})
	require.ErrorIs(t, err, fault.ErrShape)
	two, err := ShareCross(ctx, three, three, nil)
	require.NoError(t, err)
	_, err = two.Cross(ctx, k)
	require.ErrorIs(t, err, fault.ErrShape)
}

// The names of two kernels differ if a single length differs, but a name is at most one line long, whatever the number of columns.
func TestNamesOfManyColumns(t *testing.T) {
	lengths := make([]float64, 500)
	for j := range lengths {
		lengths[j] = float64(j+1) / 3
	}
	k := ARD{Kernel: RBF{}, Lengths: lengths}
	name := k.String()
	assert.Less(t, len(name), 160)
	assert.Contains(t, name, "ARD(RBF(gamma=1), lengths=[0.3333333333333333 0.6666666666666666 1 ... 500 in all, sha256 ")
	lengths[499] = math.Nextafter(lengths[499], 0)
	assert.NotEqual(t, name, k.String())
}
