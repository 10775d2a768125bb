// Package classes handles the labels of classifiers: distinct labels in order, the position of each row's label among them, targets
// of ±1, the class with the largest score, and row weights by class.
package classes

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Distinct returns the labels that occur, in ascending order.
func Distinct(labels ...[]int) []int {
	out := slices.Concat(labels...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Distinguish returns the distinct labels of y in ascending order, and the position of each row's label among them. If there are
// fewer than two, it returns an ErrShape error.
func Distinguish(y []int) (classes, at []int, err error) {
	classes = Distinct(y)
	if err := AtLeastTwo(classes); err != nil {
		return nil, nil, err
	}
	return classes, Positions(classes, y), nil
}

// AtLeastTwo returns an ErrShape error for fewer than two classes.
func AtLeastTwo(classes []int) error {
	if k := len(classes); k < 2 {
		return fault.Shape("y has", k, "class", "want at least 2")
	}
	return nil
}

// Positions returns the positions of the labels of y in classes, which must contain all labels.
func Positions(classes, y []int) []int {
	at := make([]int, len(y))
	for i, label := range y {
		at[i], _ = slices.BinarySearch(classes, label)
	}
	return at
}

// Valid reports whether classes contains at least two labels, in ascending order.
func Valid(classes []int) bool {
	for i := 1; i < len(classes); i++ {
		if classes[i] <= classes[i-1] {
			return false
		}
	}
	return len(classes) >= 2
}

// Machines returns the number of one-against-rest machines for k classes: k, or 1 for two classes, whose machines differ only in
// sign.
func Machines(k int) int {
	if k == 2 {
		return 1
	}
	return k
}

// AgainstRest returns the targets of the machines, n×Machines(k). at holds the position of each row's label among k classes. A row
// has +1 in the column of its class and -1 elsewhere. For two classes the single column is that of the second class.
func AgainstRest(at []int, k int) *mat.Dense {
	columns := Machines(k)
	first := k - columns
	out := mat.NewDense(len(at), columns, nil)
	for i, l := range at {
		row := out.RawRowView(i)
		for j := range row {
			row[j] = -1
		}
		if l >= first {
			row[l-first] = 1
		}
	}
	return out
}

// Indicators is a matrix of 0 and 1, with a row for each label and a column for each class. For two classes it has only the column
// of the second class. It computes its entries on demand.
type Indicators struct {
	at             []int // positions of the classes
	first, columns int   // first is the class in column 0
}

// NewIndicators returns the indicators of the labels y.
func NewIndicators(y []int) Indicators {
	labels := Distinct(y)
	columns := max(1, Machines(len(labels)))
	return Indicators{at: Positions(labels, y), first: max(0, len(labels)-columns), columns: columns}
}

// Dims returns the number of rows and of columns.
func (m Indicators) Dims() (rows, columns int) { return len(m.at), m.columns }

// At returns 1 if row i is in the class of column j, and 0 otherwise.
func (m Indicators) At(i, j int) float64 {
	if m.at[i] == m.first+j {
		return 1
	}
	return 0
}

// T returns the transpose.
func (m Indicators) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// Scores returns a column for each class from the outputs f of the machines, n×Machines(k). This is f itself, or for two classes
// the columns -f and f.
func Scores(f *mat.Dense) *mat.Dense {
	n, columns := f.Dims()
	if columns > 1 {
		return f
	}
	out := mat.NewDense(n, 2, nil)
	for i := range n {
		SetBoth(out.RawRowView(i), f.At(i, 0))
	}
	return out
}

// SetBoth sets the scores of two classes from the output of their single machine.
func SetBoth(scores []float64, f float64) { scores[0], scores[1] = -f, f }

// Largest returns the position of the largest score, or of the first one if several are equal.
func Largest(scores []float64) int {
	best := 0
	for k, v := range scores {
		if v > scores[best] {
			best = k
		}
	}
	return best
}

// Labels are the labels of the classes in ascending order.
type Labels []int

// Predict returns the label with the largest score for each row. Its arguments are the results of Decision.
func (l Labels) Predict(scores *mat.Dense, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	return Predicted(l, scores), nil
}

// Predicted returns the label of the class with the largest score for each row of scores (n×K).
func Predicted(classes []int, scores *mat.Dense) []int {
	n, _ := scores.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = classes[Largest(scores.RawRowView(i))]
	}
	return out
}
