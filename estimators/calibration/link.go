package calibration

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// leastProbability is the smallest probability whose logarithm is used. Smaller probabilities count as leastProbability.
const leastProbability = 1e-15

// scores holds an estimator's scores of rows in two forms. If the estimator provides only one form, it is used for both.
type scores struct {
	decided *mat.Dense // n×K: decisions, or the logarithms of probabilities
	logs    *mat.Dense // n×K: the logarithms of probabilities; nil if there are none
}

// newScores returns the scores from decisions, probabilities or both.
func newScores(decided, proba *mat.Dense) scores {
	s := scores{decided: decided}
	if proba != nil {
		s.logs = &mat.Dense{}
		s.logs.Apply(func(_, _ int, p float64) float64 { return math.Log(max(p, leastProbability)) }, proba)
		if decided == nil {
			s.decided = s.logs
		}
	}
	return s
}

// put copies the rows of from to rows of s with the given indices. If s is empty, it gets n rows and k columns.
func (s *scores) put(from scores, rows []int, n, k int) {
	if s.decided == nil {
		s.decided = mat.NewDense(n, k, nil)
		if from.logs != nil {
			s.logs = mat.NewDense(n, k, nil)
		}
	}
	for i, row := range rows {
		s.decided.SetRow(row, from.decided.RawRowView(i))
		if s.logs != nil {
			s.logs.SetRow(row, from.logs.RawRowView(i))
		}
	}
}

// probabilities returns the probabilities that a link computes from the scores.
func (s scores) probabilities(l link) *mat.Dense {
	if l.logs {
		return s.logs
	}
	return s.decided
}

// link converts scores to probabilities.
type link struct {
	method Method
	logs   bool       // whether the scores are logarithms of probabilities
	smooth platt.Link // used by Temperature and Platt
	steps  []steps    // used by Isotonic: one for each class, or only for the second of two
}

// apply returns probabilities.
func (l link) apply(s scores) *mat.Dense {
	out := mat.DenseCopyOf(s.probabilities(l))
	if l.method != Isotonic {
		l.smooth.Apply(out)
		return out
	}
	n, k := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		if k == 2 {
			row[1] = l.steps[0].value(row[1] - row[0])
			row[0] = 1 - row[1]
			continue
		}
		sum := 0.0
		for j, f := range row {
			row[j] = l.steps[j].value(f)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return out
}

// fitOne fits one method to the scores of rows, with the classes at and the weights own.
func (s scores) fitOne(m Method, at []int, own []float64) link {
	l := link{method: m, logs: m == Temperature && s.logs != nil}
	of := s.probabilities(l)
	n, k := of.Dims()
	switch {
	case m == Temperature:
		l.smooth = platt.FitSlope(of, at, own)
	case m == Platt:
		l.smooth = platt.Fit(of, at, own)
	case k == 2:
		f := make([]float64, n)
		for i := range f {
			f[i] = of.At(i, 1) - of.At(i, 0)
		}
		l.steps = []steps{fitSteps(f, at, 1, own)}
	default:
		for j := range k {
			l.steps = append(l.steps, fitSteps(mat.Col(nil, j, of), at, j, own))
		}
	}
	return l
}

const (
	// parts is the number of parts into which Automatic divides the scores.
	parts = 5
	// leastOfClass is the number of different rows that each class needs, so that Automatic considers Isotonic.
	leastOfClass = 100
)

// fit fits the given method. For Automatic, this is the method with the smallest log loss on scores to which it was not fitted. The
// function deal returns the part of each row. If steps is true, Isotonic is considered.
func (s scores) fit(ctx context.Context, m Method, steps bool, at []int, own []float64, deal func(parts int) []int) (link, error) {
	if m != Automatic {
		return s.fitOne(m, at, own), ctx.Err()
	}
	best, least := Temperature, math.Inf(1)
	n, _ := s.decided.Dims()
	considered := []Method{Temperature, Platt}
	if steps {
		considered = append(considered, Isotonic)
	}
	part := deal(parts)
	for _, m := range considered {
		loss := 0.0
		for p := range parts {
			if err := ctx.Err(); err != nil {
				return link{}, err
			}
			var in, out []int
			for i := range n {
				if part[i] == p {
					out = append(out, i)
				} else {
					in = append(in, i)
				}
			}
			if len(in) == 0 || len(out) == 0 {
				continue
			}
			l := s.rows(in).fitOne(m, linalg.Pick(at, in), linalg.Pick(own, in))
			proba := l.apply(s.rows(out))
			for i, row := range out {
				loss -= weights.Weight(own, row) * math.Log(max(proba.At(i, at[row]), leastProbability))
			}
		}
		// A method with more parameters is chosen only if it is better by more than rounding.
		if loss < least-1e-9*math.Abs(least) || math.IsInf(least, 1) {
			best, least = m, loss
		}
	}
	return s.fitOne(best, at, own), ctx.Err()
}

func (s scores) rows(rows []int) scores {
	out := scores{decided: linalg.Rows(s.decided, rows)}
	if s.logs != nil {
		out.logs = linalg.Rows(s.logs, rows)
	}
	return out
}

// dealt assigns the rows of each of k classes to the parts in turn, in random order, and returns the part of each row.
func dealt(at []int, k, parts int, seed uint64) []int {
	out, next := make([]int, len(at)), 0
	order := stream(seed).Perm(len(at))
	for class := range k {
		for _, i := range order {
			if at[i] == class {
				out[i] = next % parts
				next++
			}
		}
	}
	return out
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x63616c6962)) }
