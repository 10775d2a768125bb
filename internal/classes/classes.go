// Package classes holds what classifiers make of labels: the distinct ones in order, the
// position of each row's among them, targets of ±1, the class of the largest score, and
// the weight that a row has by its class.
package classes

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Distinct returns the labels that occur, ascending.
func Distinct(labels ...[]int) []int {
	out := slices.Concat(labels...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Distinguish returns the distinct labels of y, ascending, and the position of each row's among
// them. Fewer than two are ErrShape.
func Distinguish(y []int) (classes, at []int, err error) {
	classes = Distinct(y)
	if err := AtLeastTwo(classes); err != nil {
		return nil, nil, err
	}
	return classes, Positions(classes, y), nil
}

// AtLeastTwo returns the ErrShape of too few classes.
func AtLeastTwo(classes []int) error {
	if k := len(classes); k < 2 {
		return fault.Shape("y has", k, "class", "want at least 2")
	}
	return nil
}

// Positions returns where the labels of y stand in classes, which has them all.
func Positions(classes, y []int) []int {
	at := make([]int, len(y))
	for i, label := range y {
		at[i], _ = slices.BinarySearch(classes, label)
	}
	return at
}

// Valid reports whether classes may have come from Of: two or more, ascending.
func Valid(classes []int) bool {
	for i := 1; i < len(classes); i++ {
		if classes[i] <= classes[i-1] {
			return false
		}
	}
	return len(classes) >= 2
}

// Machines returns how many machines tell one of k classes from the rest: k, or 1 for
// two classes, whose machines would be the same but for the sign.
func Machines(k int) int {
	if k == 2 {
		return 1
	}
	return k
}

// AgainstRest returns the targets of the machines, n×Machines(k), for rows at these
// positions of k classes: +1 in the column of a row's class and -1 elsewhere. The one
// column of two classes is that of the second.
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

// Indicators are the targets of labels as numbers, a row for each: a column for each class, 1 in the rows of the class
// and 0 elsewhere, and of two classes the column of the second. No number is stored.
type Indicators struct {
	at             []int // the positions of the classes
	first, columns int   // first is the class of column 0
}

// NewIndicators returns those of y.
func NewIndicators(y []int) Indicators {
	labels := Distinct(y)
	columns := max(1, Machines(len(labels)))
	return Indicators{at: Positions(labels, y), first: max(0, len(labels)-columns), columns: columns}
}

// Dims returns the number of rows and of columns.
func (m Indicators) Dims() (rows, columns int) { return len(m.at), m.columns }

// At returns whether row i is of the class of column j, as 1 or 0.
func (m Indicators) At(i, j int) float64 {
	if m.at[i] == m.first+j {
		return 1
	}
	return 0
}

// T returns the transpose.
func (m Indicators) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// Scores returns a column for each class from the outputs f of the machines, n×Machines(k):
// f itself, or of two classes the columns -f and f.
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

// SetBoth sets the scores of two classes from the output of their one machine.
func SetBoth(scores []float64, f float64) { scores[0], scores[1] = -f, f }

// Largest returns the position of the largest score, and the first of those that tie.
func Largest(scores []float64) int {
	best := 0
	for k, v := range scores {
		if v > scores[best] {
			best = k
		}
	}
	return best
}

// Labels are those of the classes, ascending.
type Labels []int

// Predict returns for each row of what a Decision has returned the label of the largest score.
func (l Labels) Predict(scores *mat.Dense, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	return Predicted(l, scores), nil
}

// Predicted returns for each row of scores, n×K, the class of the largest.
func Predicted(classes []int, scores *mat.Dense) []int {
	n, _ := scores.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = classes[Largest(scores.RawRowView(i))]
	}
	return out
}
