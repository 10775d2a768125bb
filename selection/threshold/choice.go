package threshold

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
)

// Choice holds a threshold and its scores on left-out rows.
type Choice struct {
	// Threshold is the probability above which Positive is predicted. It is -1 if all rows are predicted as Positive, and 1 if no
	// row is.
	Threshold float64

	// Precision is the share of correct rows among those predicted as Positive. It is NaN if no row is predicted as Positive.
	Precision float64

	// Recall is the share of the rows of class Positive that are predicted as Positive.
	Recall float64

	// Score is the maximised quantity: the precision with MinRecall, the recall with MinPrecision, F-beta with Beta, or minus the
	// mean cost of a row with costs. If none of these is set, it is the balanced accuracy of Positive against all other classes.
	Score float64
}

// counts holds the sums of the weights of the rows that a threshold predicts as the class, and of all rows.
type counts struct {
	truePositives, falsePositives float64
	positives, negatives          float64
}

func (c counts) precision() float64 { return c.truePositives / (c.truePositives + c.falsePositives) }
func (c counts) recall() float64    { return c.truePositives / c.positives }

// aim compares thresholds.
type aim struct {
	// score is the quantity to maximise. It is -Inf for a threshold that is not allowed.
	score func(counts) float64
	// unreached returns the error that is returned if no threshold is allowed.
	unreached func(best counts) error
}

// aim returns the quantity to maximise according to the settings.
func (c *Classifier) aim() (aim, error) {
	var set []string
	for name, value := range map[string]float64{"MinRecall": c.MinRecall, "MinPrecision": c.MinPrecision, "Beta": c.Beta,
		"FalsePositiveCost": c.FalsePositiveCost, "FalseNegativeCost": c.FalseNegativeCost} {
		if value > 0 {
			set = append(set, name)
		}
	}
	slices.Sort(set)
	costs := c.FalsePositiveCost > 0 && c.FalseNegativeCost > 0
	one := len(set) <= 1 && c.FalsePositiveCost == 0 && c.FalseNegativeCost == 0
	if !one && !(costs && len(set) == 2) {
		return aim{}, fault.Param(classifierType, strings.Join(set, " and "), "set", "one of MinRecall, MinPrecision, Beta and both costs")
	}
	switch {
	case costs:
		return aim{score: func(n counts) float64 {
			cost := n.falsePositives*c.FalsePositiveCost + (n.positives-n.truePositives)*c.FalseNegativeCost
			return -cost / (n.positives + n.negatives)
		}}, nil
	case c.MinRecall > 0:
		return aim{score: func(n counts) float64 {
			if n.recall() < c.MinRecall {
				return math.Inf(-1)
			}
			return n.precision()
		}}, nil
	case c.MinPrecision > 0:
		return aim{score: func(n counts) float64 {
			if !(n.precision() >= c.MinPrecision) {
				return math.Inf(-1)
			}
			return n.recall()
		}, unreached: func(best counts) error {
			return fault.Param(classifierType, "MinPrecision", c.MinPrecision,
				fmt.Sprintf("at most %.3g, the highest precision of any threshold on the rows left out", best.precision()))
		}}, nil
	case c.Beta > 0:
		share := 1 / (1 + c.Beta*c.Beta)
		return aim{score: func(n counts) float64 {
			return n.truePositives / ((1-share)*n.positives + share*(n.truePositives+n.falsePositives))
		}}, nil
	}
	return aim{score: func(n counts) float64 { return (n.recall() + 1 - n.falsePositives/n.negatives) / 2 }}, nil
}

// choose returns the best threshold for the probabilities p of the class. If several are equally good, it returns the highest.
func choose(a aim, rows folds.Rows[int], positive int, p []float64) (Choice, error) {
	order := make([]int, len(p))
	var n counts
	for i, label := range rows.Y {
		order[i] = i
		if w := weights.Weight(rows.Weights, i); label == positive {
			n.positives += w
		} else {
			n.negatives += w
		}
	}
	if n.positives == 0 || n.negatives == 0 {
		return Choice{}, fault.Shape("rows left out have", 0, "rows of one of the two classes",
			"want rows of class %d and of another class", positive)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	best := Choice{Threshold: 1, Precision: math.NaN(), Score: a.score(n)}
	if math.IsNaN(best.Score) { // no row is above the threshold, so there is no precision
		best.Score = math.Inf(-1)
	}
	precise := n
	for i := 0; i < len(order); {
		at := p[order[i]]
		for ; i < len(order) && p[order[i]] == at; i++ {
			if w := weights.Weight(rows.Weights, order[i]); rows.Y[order[i]] == positive {
				n.truePositives += w
			} else {
				n.falsePositives += w
			}
		}
		if !(n.precision() <= precise.precision()) {
			precise = n
		}
		if score := a.score(n); score > best.Score {
			best = Choice{Threshold: below(at, p, order, i), Precision: n.precision(), Recall: n.recall(), Score: score}
		}
	}
	if math.IsInf(best.Score, -1) {
		return Choice{}, a.unreached(precise)
	}
	return best, nil
}

// below returns a threshold between the probability at and the next lower probability, p[order[next]].
func below(at float64, p []float64, order []int, next int) float64 {
	if next == len(order) {
		return -1 // all rows are predicted as the class
	}
	if middle := at/2 + p[order[next]]/2; middle < at {
		return middle
	}
	return p[order[next]]
}
