package classes

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Weights holds the fields Balanced and ClassWeights of a classifier.
type Weights struct {
	Balanced bool            // whether each row has the weight n/(K·rows of its class)
	Of       map[int]float64 // a factor > 0 for each label, in addition to Balanced; absent: 1
	Part     bool            // whether the rows are a subset, in which classes of Of may be absent
}

// Validate returns an ErrParam error if a factor is not finite and positive. The error names the type.
func (w Weights) Validate(typ string) error {
	for _, label := range slices.Sorted(maps.Keys(w.Of)) {
		if v := w.Of[label]; !(v > 0) || v-v != 0 {
			return fault.Param(typ, fmt.Sprintf("ClassWeights[%d]", label), v, "a finite value > 0")
		}
	}
	return nil
}

// Distinguish is like the function [Distinguish], for a fit of typ. It also checks own, the weights of FitWeighted (nil for Fit).
// Each factor must belong to a class that occurs.
func (w Weights) Distinguish(typ string, y []int, own []float64) (classes, at []int, err error) {
	if err := check.GivenWeights(typ, own, len(y)); err != nil {
		return nil, nil, err
	}
	if classes, at, err = Distinguish(y); err != nil {
		return nil, nil, err
	}
	return classes, at, w.CheckClasses(typ, classes)
}

// CheckClasses returns an ErrParam error if a factor belongs to a class that is not in classes, unless the rows are a subset.
func (w Weights) CheckClasses(typ string, classes []int) error {
	if w.Part {
		return nil
	}
	for _, label := range slices.Sorted(maps.Keys(w.Of)) {
		if !slices.Contains(classes, label) {
			return fault.Param(typ, fmt.Sprintf("ClassWeights[%d]", label), w.Of[label], "weights of classes in y only: "+listed(classes))
		}
	}
	return nil
}

// mostListed is the number of classes that an error lists.
const mostListed = 10

func listed(classes []int) string {
	out := fmt.Sprint(classes[:min(len(classes), mostListed)])
	if more := len(classes) - mostListed; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// Folding is embedded in classifiers with class weights, and in those that wrap other classifiers.
type Folding struct{ fold bool }

// FitsFold marks the value as fitted to a fold, which may lack some of the classes.
func (f *Folding) FitsFold() { f.fold = true }

// IsFold reports whether FitsFold was called.
func (f *Folding) IsFold() bool { return f.fold }

// FitsFold calls the method FitsFold of an estimator, if it has one.
func FitsFold(estimator any) {
	if f, ok := estimator.(interface{ FitsFold() }); ok {
		f.FitsFold()
	}
}

// Factors returns the factor of each class. rows holds the weights of the rows, which are all 1 if it is nil. With Balanced, the
// factors depend on the sums of these weights.
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

// Rows returns the weight of each row times the factor of its class. It returns nil if there are neither weights nor factors.
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

// InClass returns the weight of each row divided by the mean weight of its class. If rows is nil, it returns nil.
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
