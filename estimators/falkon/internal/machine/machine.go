package machine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
)

// Machine is a fitted model with k outputs.
type Machine struct {
	Kernel    kernels.Kernel
	Landmarks mat.Matrix        // M×d, in the form of package anyrows
	Prepared  *kernels.Prepared // of the landmarks
	Beta      *mat.Dense        // k×M
	Bias      []float64         // length k
	Ridge     float64
	Spread    *Spread // of a Regressor
}

// NewMachine returns a machine without a variance. The parts must have matching sizes.
func NewMachine(kernel kernels.Kernel, landmarks mat.Matrix, beta *mat.Dense, bias []float64, ridge float64) (*Machine, error) {
	of := &Basis{Kernel: kernel, Landmarks: landmarks}
	if err := of.prepare(context.Background()); err != nil {
		return nil, err
	}
	return &Machine{Kernel: kernel, Landmarks: landmarks, Prepared: of.Prepared, Beta: beta, Bias: bias, Ridge: ridge}, nil
}

// Finite returns an error if the model is not finite, which happens if the input numbers are too large.
func (m *Machine) Finite(typ string, objective float64, src *rows.Source) error {
	total := vecmath.Sum(m.Bias) + mat.Sum(m.Beta) + objective + vecmath.Sum(src.Variance) + src.Weight
	if m.Spread != nil {
		total += vecmath.Sum(m.Spread.Noise) + vecmath.Sum(m.Spread.Unseen)
	}
	if total-total != 0 || math.IsInf(total, 0) {
		return fmt.Errorf("%s: the targets or the kernel's values are too large, their squares overflow: %w", typ, fault.ErrNotFinite)
	}
	return nil
}

// ToUnits converts a machine for scaled targets to the original units of the targets.
func (m *Machine) ToUnits(typ string, units *targets.Units) error {
	for j, s := range units.Spread {
		floats.Scale(s, m.Beta.RawRowView(j))
		if v := floats.Sum(m.Beta.RawRowView(j)); v-v != 0 {
			return targets.TooLarge(typ, j)
		}
	}
	units.Restore(m.Bias)
	units.Squares(m.Spread.Noise)
	units.Squares(m.Spread.Unseen)
	units.Squares(m.Spread.Within)
	return targets.Finite(typ, m.Bias, m.Spread.Noise, m.Spread.Unseen, m.Spread.Within)
}
