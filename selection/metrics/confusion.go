package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Confusion counts the rows by true and predicted class.
type Confusion struct {
	Classes []int
	Counts  [][]int // [i][j]: rows of Classes[i] predicted as Classes[j]
}

// NewConfusion counts the rows by their true class y (n) and their predicted class (n). Classes are in the order of labels. If
// labels is nil, they are the labels that occur in y or predicted, in ascending order. It returns ErrShape for unequal lengths, for
// a label that is not in labels, and for a duplicate in labels.
func NewConfusion(y, predicted, labels []int) (_ *Confusion, err error) {
	defer fault.Recover(&err)
	if err := sameLength("predicted", len(predicted), len(y)); err != nil {
		return nil, err
	}
	if labels == nil {
		labels = classes.Distinct(y, predicted)
	}
	c := &Confusion{Classes: slices.Clone(labels), Counts: make([][]int, len(labels))}
	at := make(map[int]int, len(labels))
	for i, label := range labels {
		if _, twice := at[label]; twice {
			return nil, fault.Shape("labels has", 2, fmt.Sprintf("entries equal to %d", label), "want 1")
		}
		at[label], c.Counts[i] = i, make([]int, len(labels))
	}
	place := func(name string, v []int, i int) (int, error) {
		p, ok := at[v[i]]
		if !ok {
			return 0, fault.Shape("labels has", 0, fmt.Sprintf("entries equal to %s[%d]", name, i), "which is %d", v[i])
		}
		return p, nil
	}
	for i := range y {
		row, err := place("y", y, i)
		if err != nil {
			return nil, err
		}
		col, err := place("predicted", predicted, i)
		if err != nil {
			return nil, err
		}
		c.Counts[row][col]++
	}
	return c, nil
}

// tally returns the number of rows in a class, the number predicted as the class, and the number that are both.
func (c *Confusion) tally(class int) (actual, predicted, both int) {
	at := slices.Index(c.Classes, class)
	if at < 0 {
		return 0, 0, 0
	}
	for j, n := range c.Counts[at] {
		actual += n
		predicted += c.Counts[j][at]
	}
	return actual, predicted, c.Counts[at][at]
}

// Precision returns the fraction of the rows predicted as a class that are in it. It is NaN if no row was predicted as the class.
func (c *Confusion) Precision(class int) float64 {
	_, predicted, both := c.tally(class)
	return float64(both) / float64(predicted)
}

// Recall returns the fraction of the rows in a class that were predicted as the class. It is NaN if no row is in the class.
func (c *Confusion) Recall(class int) float64 {
	actual, _, both := c.tally(class)
	return float64(both) / float64(actual)
}

// FBeta returns (1 + β²)·both/(β²·actual + predicted), the weighted harmonic mean of Precision and Recall, in which recall counts β
// times as much. It is 0 if the class occurs but is never predicted. It is NaN if the class neither occurs nor is predicted, or β
// is not positive.
func (c *Confusion) FBeta(class int, beta float64) float64 {
	actual, predicted, both := c.tally(class)
	if actual+predicted == 0 || !(beta > 0) {
		return math.NaN()
	}
	return fBeta(float64(actual), float64(predicted), float64(both), beta)
}

// F1 returns [Confusion.FBeta] with β = 1.
func (c *Confusion) F1(class int) float64 { return c.FBeta(class, 1) }

// Accuracy returns the fraction of correctly predicted rows.
func (c *Confusion) Accuracy() float64 {
	all, right := 0, 0
	for i, row := range c.Counts {
		right += row[i]
		for _, n := range row {
			all += n
		}
	}
	return float64(right) / float64(all)
}

// BalancedAccuracy returns the mean of Recall over the classes that have a row.
func (c *Confusion) BalancedAccuracy() float64 {
	sum, classes := 0.0, 0.0
	for _, class := range c.Classes {
		if r := c.Recall(class); !math.IsNaN(r) {
			sum, classes = sum+r, classes+1
		}
	}
	return sum / classes
}

// String returns a table with one line per class of y and one column per predicted class. Recall and Precision are at the edges,
// with "-" where undefined, and Accuracy is in the corner.
func (c *Confusion) String() string {
	ratio := func(v float64) string {
		if math.IsNaN(v) {
			return "-"
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	head, foot := []string{`y \ predicted`}, []string{"precision"}
	var lines [][]string
	for i, class := range c.Classes {
		head, foot = append(head, strconv.Itoa(class)), append(foot, ratio(c.Precision(class)))
		line := []string{strconv.Itoa(class)}
		for _, n := range c.Counts[i] {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, append(line, ratio(c.Recall(class))))
	}
	lines = append(append([][]string{append(head, "recall")}, lines...), append(foot, ratio(c.Accuracy())))
	width := make([]int, len(head)+1)
	for _, line := range lines {
		for j, cell := range line {
			width[j] = max(width[j], len(cell))
		}
	}
	var out strings.Builder
	for _, line := range lines {
		for j, cell := range line {
			if j > 0 {
				out.WriteString("  ")
			}
			fmt.Fprintf(&out, "%*s", width[j], cell)
		}
		out.WriteByte('\n')
	}
	return out.String()
}
