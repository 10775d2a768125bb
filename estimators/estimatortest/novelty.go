package estimatortest

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// far is a value that is far from the rows of all problems, in every column.
const far = 50

// checkNovelty checks the results of a detector for obvious cases.
func checkNovelty(p *subject.Probe, s *subject.Subject) {
	d := subject.Problem(s.Kind, 1, 5*subject.TrainRows, 3, 2)
	m := s.Fitted(p, d)
	usual := subject.Problem(s.Kind, 2, 5*subject.TestRows, 3, 2).X
	n, columns := usual.Dims()
	x := mat.NewDense(n+columns, columns, nil)
	x.Slice(0, n, 0, columns).(*mat.Dense).Copy(usual)
	for j := range columns {
		x.SetRow(n+j, usual.RawRowView(j))
		x.Set(n+j, j, far)
	}
	scores, err := m.Detector().Score(x)
	p.Must("Score", err)
	novel, err := m.Detector().Predict(x)
	p.Must("Predict", err)
	if len(scores) != n+columns || len(novel) != n+columns {
		p.Fatalf("%d scores and %d predictions of %d rows", len(scores), len(novel), n+columns)
	}
	count, least, largest := 0, math.Inf(1), math.Inf(-1)
	for i := range n {
		if novel[i] {
			count++
		}
		least = min(least, scores[i])
	}
	if count > n/2 {
		p.Errorf("%d of %d rows like those of Fit are novel", count, n)
	}
	for i := n; i < n+columns; i++ {
		if !novel[i] {
			p.Errorf("a row of %d where others are from -1 to 1 is not novel", far)
		}
		largest = max(largest, scores[i])
	}
	if largest >= least {
		p.Errorf("a row far from all has the score %v, one like those of Fit %v", largest, least)
	}
	// The same threshold decides about the novelty of all rows, up to the change of p-values that one more row causes.
	highest, lowest := math.Inf(-1), math.Inf(1)
	for i, yes := range novel {
		if yes {
			highest = max(highest, scores[i])
		} else {
			lowest = min(lowest, scores[i])
		}
	}
	spread := 0.0
	for _, v := range scores[:n] {
		spread = max(spread, v-least)
	}
	if highest > lowest+0.05*spread {
		p.Errorf("a novel row has the score %v, one that is not %v", highest, lowest)
	}
	if !m.Can(estimators.PValues) {
		return
	}
	values, err := m.Value.(estimators.PPredictor).PredictP(x)
	p.Must("PredictP", err)
	if len(values) != n+columns {
		p.Fatalf("%d p-values of %d rows", len(values), n+columns)
	}
	sum := 0.0
	for i, v := range values {
		if !(v > 0 && v <= 1) {
			p.Fatalf("the p-value of row %d is %v", i, v)
		}
		if i < n {
			sum += v
		} else if v > 2/float64(len(d.Y)) {
			p.Errorf("the p-value of a row far from all is %v", v)
		}
	}
	if mean := sum / float64(n); !(mean > 0.3 && mean < 0.7) {
		p.Errorf("the mean p-value of rows like those of Fit is %v", mean)
	}
}
