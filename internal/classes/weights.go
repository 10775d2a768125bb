package classes

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Weights is how a classifier's fields Balanced and ClassWeights weigh the classes.
type Weights struct {
	Balanced bool            // each class n/(K·its rows), so that all count alike
	Of       map[int]float64 // a factor > 0 for a class; absent: 1; times the balance
	Part     bool            // the rows are a part of others, in which classes of Of may be
}

// Validate returns the ErrParam of a factor that is not a finite number above 0. The type's
// name stands in it.
func (w Weights) Validate(typ string) error {
	for _, label := range slices.Sorted(maps.Keys(w.Of)) {
		if v := w.Of[label]; !(v > 0) || v-v != 0 {
			return fault.Param(typ, fmt.Sprintf("ClassWeights[%d]", label), v, "a finite value > 0")
		}
	}
	return nil
}

// Distinguish is [Distinguish] of the labels of a fit of typ, with the weights of FitWeighted, nil for those of Fit. It checks
// these, and that a factor is of a class that occurs.
func (w Weights) Distinguish(typ string, y []int, own []float64) (classes, at []int, err error) {
	if err := check.GivenWeights(typ, own, len(y)); err != nil {
		return nil, nil, err
	}
	if classes, at, err = Distinguish(y); err != nil {
		return nil, nil, err
	}
	return classes, at, w.CheckClasses(typ, classes)
}

// CheckClasses returns the ErrParam of a factor for a class that is none of classes, unless the rows are a part of others.
func (w Weights) CheckClasses(typ string, classes []int) error {
	if w.Part {
		return nil
	}
	for _, label := range slices.Sorted(maps.Keys(w.Of)) {
		if !slices.Contains(classes, label) {
			return fault.Param(typ, fmt.Sprintf("ClassWeights[%d]", label), w.Of[label], "weights of classes that y has: "+listed(classes))
		}
	}
	return nil
}

// mostListed classes stand in an error.
const mostListed = 10

func listed(classes []int) string {
	out := fmt.Sprint(classes[:min(len(classes), mostListed)])
	if more := len(classes) - mostListed; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// Folding is embedded by classifiers that have weights of classes, and by those that wrap others.
type Folding struct{ fold bool }

// FitsFold says that the value is fitted to a fold, which may lack a class that all rows have.
func (f *Folding) FitsFold() { f.fold = true }

// IsFold reports whether FitsFold was called.
func (f *Folding) IsFold() bool { return f.fold }

// FitsFold calls the method FitsFold of an estimator that has one.
func FitsFold(estimator any) {
	if f, ok := estimator.(interface{ FitsFold() }); ok {
		f.FitsFold()
	}
}

// Factors returns the factor of each class, for rows at these positions and of these
// weights, of which nil is 1 each: a class's rows and n are sums of weights.
func (w Weights) Factors(classes, at []int, rows []float64) []float64 {
	count, total := make([]float64, len(classes)), 0.0
	for i, l := range at {
		count[l] += weights.Weight(rows, i)
		total += weights.Weight(rows, i)
	}
	out := make([]float64, len(classes))
	for k, label := range classes {
		out[k] = 1
		if v, ok := w.Of[label]; ok {
			out[k] = v
		}
		if w.Balanced {
			out[k] *= total / (float64(len(classes)) * count[k])
		}
	}
	return out
}

// Rows returns the weight of each row times its class's factor; nil where all are 1.
func (w Weights) Rows(classes, at []int, rows []float64) []float64 {
	if rows == nil && len(w.Of) == 0 && !w.Balanced {
		return nil
	}
	factors := w.Factors(classes, at, rows)
	out := make([]float64, len(at))
	for i, l := range at {
		out[i] = factors[l] * weights.Weight(rows, i)
	}
	return out
}

// InClass returns the weights of rows of classes at these positions, divided by the mean of their class, and nil for nil.
func InClass(at []int, rows []float64) []float64 {
	if rows == nil {
		return nil
	}
	sum, count := map[int]float64{}, map[int]float64{}
	for i, c := range at {
		sum[c] += rows[i]
		count[c]++
	}
	out := make([]float64, len(rows))
	for i, c := range at {
		out[i] = rows[i] / sum[c] * count[c]
	}
	return out
}
