package selection

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// A copy of a row in another part, or among the rows that remain when it is left out, tells a learner its target. So a
// search sees the distinct rows, each once with a weight, and its folds keep equal rows together. The learner is fitted
// on all rows given, because it has to know what equal rows have for targets.

// merge returns the distinct ones of the preprocessed rows, with weights of mean 1, and what is given to learners: the
// same weights, if they take any.
func (c engine[Y, E]) merge(rows *mat.Dense, given rowSet[Y]) (*distinct.Rows, rowSet[Y]) {
	merged := distinct.Merge(rows, given.weights).Relative()
	if given.weights != nil || merged.Repeated() && c.takesWeights() {
		given.weights = merged.Given()
	}
	return merged, given
}

func (c engine[Y, E]) takesWeights() bool {
	return !slices.ContainsFunc(c.space.samples(), func(e E) bool {
		return any(e) == nil || !estimators.Supports(e, estimators.Weighted)
	})
}

// rowsOf are the rows of a problem, of which one of target and labels is nil.
func rowsOf(merged *distinct.Rows, target []float64, labels []int) problem {
	p := problem{x: merged.X, weights: merged.Weights, merged: merged, givenY: target, givenLabels: labels, y: target, labels: labels}
	if !merged.Repeated() {
		return p
	}
	if target != nil {
		p.y = merged.Mean(mat.NewDense(len(target), 1, target)).RawMatrix().Data
	} else {
		p.labels = mostFrequent(merged, labels)
	}
	return p
}

// mostFrequent returns the label of the largest weight among equal rows, the smallest of those that tie.
func mostFrequent(merged *distinct.Rows, labels []int) []int {
	names := classes.Distinct(labels)
	sums := mat.NewDense(merged.Len(), len(names), nil)
	for i, at := range classes.Positions(names, labels) {
		row := sums.RawRowView(merged.Index[i])
		row[at] += weights.At(merged.Given(), i)
	}
	out := make([]int, merged.Len())
	for i := range out {
		out[i] = names[classes.Largest(sums.RawRowView(i))]
	}
	return out
}

// machineTargets returns the targets of the machine of package lssvm (n×k): those of a regression, or ±1 of classes, as
// they are given and as means over equal rows, and the number of classes.
func (p *problem) machineTargets() (given, mean *mat.Dense, names int, err error) {
	if p.labels == nil {
		mean = mat.NewDense(len(p.y), 1, slices.Clone(p.y))
		if p.repeated() {
			return mat.NewDense(len(p.givenY), 1, p.givenY), mean, 0, nil
		}
		return mean, mean, 0, nil
	}
	labels := p.labels
	if p.repeated() {
		labels = p.givenLabels
	}
	distinctLabels, at, err := classes.Of(labels)
	if err != nil {
		return nil, nil, 0, err
	}
	given = classes.AgainstRest(at, len(distinctLabels))
	if p.repeated() {
		return given, p.merged.Mean(given), len(distinctLabels), nil
	}
	return given, given, len(distinctLabels), nil
}

// rowsDiffer returns an ErrShape error if all rows are equal.
func (p *problem) rowsDiffer() error {
	n, _ := p.x.Dims()
	if n > 1 {
		return nil
	}
	if p.repeated() {
		n = len(p.merged.Index)
	}
	return fault.Shape("x has", 1, "distinct row", "%d given: the entropy is 0 at every parameter, want at least 2 that differ", n)
}

func (p *problem) repeated() bool { return p.merged != nil && p.merged.Repeated() }

// foldsOf divides the distinct rows. A splitter of this package that knows rows by their number alone is asked for
// them; another one for all rows given, of which the first of those that are equal decides.
func (p *problem) foldsOf(s Splitter) ([]Fold, error) {
	n, _ := p.x.Dims()
	if !p.repeated() || numbersRows(s) {
		return split(s, n, p.labels)
	}
	folds, err := split(s, len(p.merged.Index), p.givenLabels)
	if err != nil {
		return nil, err
	}
	for i, f := range folds {
		folds[i] = Fold{Train: firsts(f.Train, p.merged), Test: firsts(f.Test, p.merged)}
	}
	return folds, partsHaveRows(folds)
}

// numbersRows reports whether a splitter takes any n rows.
func numbersRows(s Splitter) bool {
	switch s.(type) {
	case KFold, *KFold, StratifiedKFold, *StratifiedKFold, ShuffleSplit, *ShuffleSplit, StratifiedShuffleSplit, *StratifiedShuffleSplit:
		return true
	}
	return false
}

// firsts returns the distinct rows whose first occurrence is among rows, which ascend.
func firsts(rows []int, merged *distinct.Rows) []int {
	var out []int
	for _, i := range rows {
		if at := merged.Index[i]; merged.First[at] == i {
			out = append(out, at)
		}
	}
	return out
}

// spreadFolds takes folds of distinct rows to the rows given.
func spreadFolds(folds []Fold, merged *distinct.Rows) []Fold {
	if merged == nil || !merged.Repeated() {
		return folds
	}
	members := make([][]int, merged.Len())
	for i, at := range merged.Index {
		members[at] = append(members[at], i)
	}
	spread := func(rows []int) []int {
		var out []int
		for _, at := range rows {
			out = append(out, members[at]...)
		}
		slices.Sort(out)
		return out
	}
	out := make([]Fold, len(folds))
	for i, f := range folds {
		out[i] = Fold{Train: spread(f.Train), Test: spread(f.Test)}
	}
	return out
}
