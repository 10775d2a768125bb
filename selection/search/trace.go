package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// TraceRow is one step of a search: the evaluated point, its results, and the decision about it. Values that were not computed are
// NaN, and null in JSON.
type TraceRow struct {
	// Iteration is the number of the row, from 1.
	Iteration int `json:"iteration"`

	// Round is the round of a grid.Halving, of an entropy.Search on more rows, or of a shape.Search, from 1.
	Round int `json:"round,omitempty"`

	// Family is the family of Param. It is "" for a candidate. For a family with two parameters it includes the other parameter, as
	// in families.Fixed.
	Family string `json:"family,omitempty"`

	// Columns is the scaling of the columns. It is "" unless several scalings are compared.
	Columns string `json:"columns,omitempty"`
	Point

	// Type is the type of a candidate.
	Type string `json:"type,omitempty"`

	// Name is the name of a candidate, if it has one.
	Name string `json:"name,omitempty"`

	// Rows is the number of rows of the entropy, or of the fit of the learner.
	Rows int `json:"rows"`

	// Residual is the fraction of the trace of the kernel matrix that the pivots do not represent.
	Residual float64 `json:"residual,omitempty"`

	Score float64 `json:"score"`

	// Ridge is the ridge of a closed-form score.
	Ridge float64 `json:"ridge"`

	// Ridges holds the scores at all ridges at which the closed form was evaluated, in ascending order of the ridges.
	Ridges []RidgeScore `json:"ridges,omitempty"`

	Basis Basis `json:"basis,omitempty"`

	// ScoredOn is the number of pivots, rows or folds, depending on Basis.
	ScoredOn int      `json:"scored_on,omitempty"`
	Unscored Unscored `json:"unscored,omitempty"`

	// Chosen reports whether this row is the choice.
	Chosen bool `json:"chosen,omitempty"`

	// Matrices is the number of kernel matrices that the search computed for this row.
	Matrices int `json:"matrices,omitempty"`

	// Fits is the number of fits of the learner.
	Fits    int     `json:"fits,omitempty"`
	Seconds float64 `json:"seconds"`

	// Done is the completed share of the whole Fit, including the search, folds and the last fit, from 0 to 1. It is an estimate
	// that never decreases. It is set only in rows passed to Observe, and not in the trace of a Result.
	Done float64 `json:"done,omitempty"`

	// Step is set in rows that only report progress to Observe. Such rows are passed to Observe between the others, after every
	// four-hundredth of the work. They have no Iteration and no score, they are not in the Trace of a Result, and Resume ignores
	// them. While a machine for many rows is fitted on ScoredOn landmarks, Step is a step of that fit.
	Step *estimators.Step `json:"step,omitempty"`

	// EntropyRow and ClimbRow hold fields that only some strategies set. In rows of other strategies they have the values that
	// NewRow sets.
	EntropyRow
	ClimbRow
}

// EntropyRow holds the additional fields of an entropy.Search or an entropy.GoldenSection.
type EntropyRow struct {
	// Aim is the target entropy. It is NaN if there was none.
	Aim float64 `json:"aim"`

	// EntropyLow is a lower bound of the entropy. If Entropy is exact, they are equal.
	EntropyLow  float64 `json:"entropy_low"`
	Entropy     float64 `json:"entropy"`
	EntropyHigh float64 `json:"entropy_high"`
	Bits        float64 `json:"bits"`

	// Rank is the number of pivots of a low-rank entropy. It is 0 if the entropy is exact.
	Rank int `json:"rank,omitempty"`

	// Wide reports that the search could not decide with the entropy. Even with the largest allowed number of pivots, its bounds do
	// not show on which side of a target it lies.
	Wide bool `json:"wide,omitempty"`

	// StandardError is the standard error of Entropy, from subsamples.
	StandardError float64 `json:"standard_error,omitempty"`

	// Band is the position of the entropy relative to the band of an entropy.GoldenSection.
	Band Band `json:"band,omitempty"`

	// Taken holds the targets for which the point was chosen.
	Taken []Taken `json:"taken,omitempty"`
}

// ClimbRow holds the additional fields of a shape.Search. The search climbs to a maximum of its objective.
type ClimbRow struct {
	// Theta holds the logs of the kernel's parameters and of the ridge at the point. Gradient is the gradient of the score with
	// respect to them.
	Theta    []float64 `json:"theta,omitempty"`
	Gradient []float64 `json:"gradient,omitempty"`

	// Elsewhere is another starting point, in the form of Theta. From there, a search that has climbed to Theta can reach a clearly
	// higher maximum. It is nil if none was found.
	Elsewhere []float64 `json:"elsewhere,omitempty"`
}

// RidgeScore holds the closed-form scores of a kernel at one ridge.
type RidgeScore struct {
	Ridge float64 `json:"ridge"`

	// Score is the leave-one-out error divided by the variance of the targets.
	Score float64 `json:"score"`

	// StandardError is the standard error of Score, from its spread over the rows.
	StandardError float64 `json:"standard_error"`

	// Evidence is the log evidence.
	Evidence float64 `json:"evidence"`

	// Wrong is the leave-one-out error rate of a classification: the fraction of rows that a model of all other rows misclassifies.
	// It is 0 for regression.
	Wrong float64 `json:"wrong,omitempty"`
}

// Basis identifies the data of a score.
type Basis string

// The values of Basis. Scores with different bases are not comparable.
const (
	// OnMatrix means that the score uses the kernel matrix of all rows.
	OnMatrix Basis = "matrix"
	// OnPivots means that it uses all rows, through the features of ScoredOn pivots.
	OnPivots Basis = "pivots"
	// OnRows means that it uses the kernel matrix of ScoredOn rows.
	OnRows Basis = "rows"
	// OnFolds means that it is the mean over ScoredOn folds.
	OnFolds Basis = "folds"
	// OnFeatures means that it uses all rows, through the ScoredOn features of the learner.
	OnFeatures Basis = "features"
	// OnBlocks means that it is a sum over blocks of rows, with ScoredOn rows in total.
	OnBlocks Basis = "blocks"
	// OnLandmarks means that it uses Rows rows, through the features of ScoredOn landmarks that are not among these rows.
	OnLandmarks Basis = "landmarks"
	// OnStarts means that it is the gain in log evidence per row compared with pure noise, averaged over ScoredOn rows. It is that
	// of the highest of the maxima that a shape.Search has reached from several starting points.
	OnStarts Basis = "starts"
)

// Unscored is the reason why a requested score is missing.
type Unscored string

// The reasons.
const (
	FitFailed   Unscored = "a fit failed"
	BudgetSpent Unscored = "the budget was spent"
)

// Band is the position of an entropy relative to the band of an entropy.GoldenSection.
type Band string

// The positions.
const (
	BelowBand Band = "below the band"
	InBand    Band = "in the band"
	AboveBand Band = "above the band"
)

// Taken holds a target entropy for which the row was chosen, and the status of the search for it.
type Taken struct {
	Target float64 `json:"target"`
	Status Status  `json:"status"`
}

// Decision describes the purpose of the row and its outcome.
func (t TraceRow) Decision() string {
	var parts []string
	if t.Step != nil {
		if t.ScoredOn == 0 {
			return strings.TrimSuffix(fmt.Sprintf("%.1f%% done, %s", 100*t.Done, t.Step.Message), ", ")
		}
		return fmt.Sprintf("fit on %d landmarks, %s", t.ScoredOn, t.Step.Message)
	}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if !math.IsNaN(t.Aim) {
		add("towards entropy %.3g", t.Aim)
	}
	if t.Wide {
		add("bounds still wide at %d pivots", t.Rank)
	}
	if t.Band != "" {
		add("%s", t.Band)
	}
	for _, taken := range t.Taken {
		add("taken for %.3g (%s)", taken.Target, taken.Status)
	}
	switch {
	case t.Unscored == BudgetSpent && t.Fits > 0:
		add("not scored: %s after %d of %d folds", t.Unscored, t.Fits, t.ScoredOn)
	case t.Unscored != "":
		add("not scored: %s", t.Unscored)
	case t.Basis == OnFolds:
		add("mean of %d folds", t.ScoredOn)
	case t.Basis == OnLandmarks:
		add("on %d %s, slope %.3g", t.ScoredOn, t.Basis, floats.Norm(t.Gradient, 2))
	case t.Basis == OnStarts && t.Elsewhere != nil:
		add("other starts on %d rows: one is clearly better", t.ScoredOn)
	case t.Basis == OnStarts:
		add("other starts on %d rows: none is clearly better", t.ScoredOn)
	case t.Round > 0 && len(t.Theta) > 0:
		least := missing
		for _, at := range t.Ridges {
			if !(at.Score > least) {
				least = at.Score
			}
		}
		add("leave-one-out NMSE %.4g of all %d rows on %d %s, residual %.2g", least, t.Rows, t.ScoredOn, t.Basis, t.Residual)
	case len(t.Theta) > 0 && len(t.Gradient) == 0:
		add("one length for all columns")
	case len(t.Theta) > 0:
		add("slope %.3g", floats.Norm(t.Gradient, 2))
	case t.Round > 0 && t.Basis == OnPivots:
		add("on %d rows by %d %s, residual %.2g", t.Rows, t.ScoredOn, t.Basis, t.Residual)
	case t.Round > 0 && t.Basis == OnFeatures:
		add("all %d rows on the learner's %d features", t.Rows, t.ScoredOn)
	case t.Round > 0 && t.Basis == OnMatrix:
		ridges := "1 ridge"
		if len(t.Ridges) != 1 {
			ridges = fmt.Sprintf("%d ridges", len(t.Ridges))
		}
		add("on %d rows at %s", t.Rows, ridges)
	case t.Basis == OnPivots || t.Basis == OnRows:
		add("scored on %d %s", t.ScoredOn, t.Basis)
	}
	out := strings.Join(parts, "; ")
	if t.Round > 0 {
		out = fmt.Sprintf("round %d: %s", t.Round, out)
	}
	if t.Name != "" {
		out += ", " + t.Name
	}
	if t.Type != "" {
		out += ", " + t.Type
	}
	if t.Chosen {
		out += ": chosen"
	}
	return out
}

// NewRow returns a row without results.
func NewRow(p Point) TraceRow {
	return TraceRow{
		Point: p, Score: missing, Ridge: missing,
		EntropyRow: EntropyRow{Aim: missing, EntropyLow: missing, Entropy: missing, EntropyHigh: missing, Bits: missing},
	}
}

// SetEntropy sets an exact entropy.
func (t *TraceRow) SetEntropy(e measures.VonNeumann) {
	t.EntropyLow, t.Entropy, t.EntropyHigh, t.Bits = e.Entropy, e.Entropy, e.Entropy, e.Bits
}

// SetCurve sets Ridges to the closed-form scores of curve, and Score and Ridge to those of the best ridge.
func (t *TraceRow) SetCurve(curve []RidgeScore, byEvidence bool, basis Basis, on int) {
	t.SetScore(missing, missing, basis, on)
	t.Ridges = curve
	best := missing
	for i := len(curve) - 1; i >= 0; i-- { // in a tie, the larger ridge is chosen
		c := curve[i]
		v := -c.Score
		if byEvidence {
			v = c.Evidence
		}
		if math.IsNaN(best) || v > best {
			best, t.Score, t.Ridge = v, math.Abs(v), c.Ridge
			if byEvidence {
				t.Score = v
			}
		}
	}
}

// SetScore sets a score.
func (t *TraceRow) SetScore(score, ridge float64, basis Basis, on int) {
	t.Score, t.Ridge, t.Basis, t.ScoredOn, t.Unscored = score, ridge, basis, on, ""
}

// ClearScore removes a score.
func (t *TraceRow) ClearScore(why Unscored) {
	t.SetScore(missing, missing, "", 0)
	t.Ridges = nil
	t.Unscored = why
}

// missing is the value of quantities that were not computed.
var missing = math.NaN()

// MarshalJSON writes NaN as null.
func (t TraceRow) MarshalJSON() ([]byte, error) { return marshalFields(t) }

// UnmarshalJSON reads the result of MarshalJSON.
func (t *TraceRow) UnmarshalJSON(data []byte) error { return unmarshalFields(data, t) }

// cloneTrace returns a deep copy.
func cloneTrace(rows []TraceRow) []TraceRow {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Taken, out[i].Ridges = slices.Clone(out[i].Taken), slices.Clone(out[i].Ridges)
		out[i].Theta, out[i].Gradient, out[i].Elsewhere = slices.Clone(out[i].Theta), slices.Clone(out[i].Gradient),
			slices.Clone(out[i].Elsewhere)
	}
	return out
}
