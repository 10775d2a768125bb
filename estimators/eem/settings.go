package eem

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// Multiclass is a method for more than two classes.
type Multiclass int

// These are the methods for more than two classes. For two classes they give the same machine.
const (
	// OneVersusOne finds a direction for each pair of classes. A row is assigned to the class with the largest sum of
	// pairwise probabilities.
	OneVersusOne Multiclass = iota
	// Discriminant finds the space of K-1 directions in which the class means are farthest apart relative to the mean of the class
	// covariances, and models each class as a separate Gaussian in that space. It solves one linear system instead of K(K-1)/2, and
	// is usually slightly less accurate.
	Discriminant
)

// String returns the name of the method.
func (m Multiclass) String() string {
	return enum.Name("Multiclass", int(m), "OneVersusOne", "Discriminant")
}

// fitSettings holds the settings that Classifier and KernelClassifier share.
type fitSettings struct {
	typ           string
	config        any // the Classifier or KernelClassifier
	labels        []int
	priors, costs []float64
	empirical     bool
	class         classes.Weights
	multiclass    Multiclass
	workers       int
	observe       func(estimators.Step) // used by Solve; Fit reads it from its context
	draw          func(ctx context.Context, x *mat.Dense) (features.Layer, error)
	seed          uint64
	wanted        int    // number of rows from which units or landmarks are drawn
	onRows        int    // number of units that depend on rows; 0 if draw uses only the width of x
	signature     string // string of the settings on which statistics depend
}

func (c fitSettings) validate() error {
	if err := settings.Check(c.typ, c.config); err != nil {
		return err
	}
	switch {
	case c.empirical && c.priors != nil:
		return fault.Param(c.typ, "Priors", c.priors, "nil with EmpiricalPriors")
	case c.class.Balanced && c.empirical:
		return fault.Param(c.typ, "Balanced", true, "false with EmpiricalPriors")
	case c.class.Balanced && c.priors != nil:
		return fault.Param(c.typ, "Balanced", true, "false with Priors")
	}
	for _, f := range []struct {
		name   string
		values []float64
	}{{"Priors", c.priors}, {"Costs", c.costs}} {
		for i, v := range f.values {
			if !(v > 0) || math.IsInf(v, 1) {
				return fault.Param(c.typ, fmt.Sprintf("%s[%d]", f.name, i), v, "a finite value > 0")
			}
		}
	}
	for i := 1; i < len(c.labels); i++ {
		if c.labels[i] <= c.labels[i-1] {
			return fault.Param(c.typ, "Labels", c.labels, "ascending, each once")
		}
	}
	return c.class.Validate(c.typ)
}

// fits returns an error unless the numbers of priors and costs equal the number of classes.
func (c fitSettings) fits(names []int) error {
	k := len(names)
	switch {
	case c.priors != nil && len(c.priors) != k:
		return fault.Shape("Priors has", len(c.priors), "entries", "there are %d classes", k)
	case c.costs != nil && len(c.costs) != k:
		return fault.Shape("Costs has", len(c.costs), "entries", "there are %d classes", k)
	}
	return classes.AtLeastTwo(names)
}

// odds returns the product of prior, cost and weight for each class.
func (c fitSettings) odds(names []int, stats []*moments.Moments) []float64 {
	out := make([]float64, len(stats))
	for k, name := range names {
		out[k] = 1
		if c.priors != nil {
			out[k] = c.priors[k]
		}
		if c.empirical {
			out[k] = stats[k].Weight
		}
		if c.costs != nil {
			out[k] *= c.costs[k]
		}
		if w, ok := c.class.Of[name]; ok {
			out[k] *= w
		}
	}
	return out
}

// checkPath returns an error unless there is at least one size, and all are positive and in ascending order.
func checkPath(typ string, sizes []int) error {
	if len(sizes) == 0 {
		return fault.Shape("the path has", 0, "sizes", "want at least 1")
	}
	for i, v := range sizes {
		if v < 1 || (i > 0 && v < sizes[i-1]) {
			return fault.Param(typ, "sizes", sizes, ">= 1, ascending")
		}
	}
	return nil
}
