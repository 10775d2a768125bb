package estimatortest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// checkSmoother checks that the formulas of a Smoother for removed and added rows agree with a Smoother that is fitted to the
// resulting rows with the same settings.
func checkSmoother(p *subject.Probe, s *subject.Subject) {
	fresh := s.New()
	fresh.Needs(p, estimators.Smoothing)
	d, x, ctx := s.OtherProblem(), s.Test().X, context.Background()
	targets := mat.NewDense(len(d.Y), 2, nil)
	own := make([]float64, len(d.Y))
	for i, y := range d.Y {
		targets.SetRow(i, []float64{y, math.Sin(float64(i))})
		own[i] = 1 + float64(i%3)
	}
	if _, err := fresh.Value.(estimators.LinearSmoother).Smoother(ctx, d.X, targets, nil); err == nil {
		p.Errorf("Smoother before Fit: no error")
	} else {
		p.Wants("Smoother before Fit", err, estimators.ErrNotFitted)
	}
	m := s.Fitted(p, s.Train()).Value.(estimators.LinearSmoother)
	for _, weights := range [][]float64{nil, own} {
		checkSmootherOf(p, s, m, smootherRows{d.X, targets, weights}, x)
	}
	checkSmootherInput(p, m, d.X, targets)
}

// smootherRows holds the arguments of a Smoother.
type smootherRows struct {
	x, targets *mat.Dense
	weights    []float64
}

func (r smootherRows) leaveOut(row int) smootherRows {
	var others []int
	for i := range r.x.RawMatrix().Rows {
		if i != row {
			others = append(others, i)
		}
	}
	out := smootherRows{linalg.Rows(r.x, others), linalg.Rows(r.targets, others), nil}
	for _, i := range others {
		if r.weights != nil {
			out.weights = append(out.weights, r.weights[i])
		}
	}
	return out
}

// smootherOutputs holds the results of a Smoother for new rows.
type smootherOutputs struct {
	f, b *mat.Dense
	s    []float64
}

func (r smootherRows) outputs(p *subject.Probe, m estimators.LinearSmoother, x mat.Matrix) (estimators.Smoother, smootherOutputs) {
	smoother, err := m.Smoother(context.Background(), r.x, r.targets, r.weights)
	p.Must("Smoother", err)
	f, b, s, err := smoother.Influence(context.Background(), x)
	p.Must("Influence", err)
	n, _ := r.x.Dims()
	rows, _ := x.Dims()
	dims(p, "f of Influence", f, rows, 2)
	dims(p, "b of Influence", b, rows, n)
	if len(s) != rows {
		p.Fatalf("Influence returned %d s for %d rows", len(s), rows)
	}
	outputs, err := smoother.Outputs(context.Background(), x)
	p.Must("Outputs", err)
	p.SameMatrix("Outputs and f of Influence", f, outputs, 1e-12)
	return smoother, smootherOutputs{f, b, s}
}

func checkSmootherOf(p *subject.Probe, s *subject.Subject, m estimators.LinearSmoother, rows smootherRows, x *mat.Dense) {
	smoother, all := rows.outputs(p, m, x)
	a, c := smoother.Rows()
	n, _ := rows.x.Dims()
	dims(p, "a of Rows", a, n, 2)
	if len(c) != n {
		p.Fatalf("Rows returned %d c for %d rows", len(c), n)
	}
	// Variances are in units of the ridge, which may be small.
	differ := func(what string, got, want, scale float64) {
		if !(math.Abs(got-want) <= s.Options.Tolerance*max(scale, math.Abs(want))) {
			p.Errorf("%s: %v, of the other rows %v", what, got, want)
		}
	}
	for _, i := range []int{0, 7, n - 1} {
		others := rows.leaveOut(i)
		_, left := others.outputs(p, m, x)
		_, itself := others.outputs(p, m, rows.x.Slice(i, i+1, 0, 3))
		w := 1.0
		if rows.weights != nil {
			w = rows.weights[i]
		}
		if w == 1 { // s is for a weight of 1
			differ(fmt.Sprintf("1/c of row %d", i), 1/c[i], itself.s[0], 0)
		}
		for j := range 2 {
			e := a.At(i, j) / c[i]
			differ(fmt.Sprintf("a/c of row %d", i), e, rows.targets.At(i, j)-itself.f.At(0, j), 1)
			for r := range all.s {
				differ(fmt.Sprintf("f - b·a/c of row %d", i), all.f.At(r, j)-all.b.At(r, i)*e, left.f.At(r, j), 1)
			}
		}
		for r, v := range all.s {
			differ(fmt.Sprintf("s + b²/c of row %d", i), v+all.b.At(r, i)*all.b.At(r, i)/c[i], left.s[r], 0)
		}
	}
}

func checkSmootherInput(p *subject.Probe, m estimators.LinearSmoother, x, targets *mat.Dense) {
	n, d := x.Dims()
	ones := slices.Repeat([]float64{1}, n)
	for _, c := range []struct {
		name    string
		x       mat.Matrix
		targets *mat.Dense
		weights []float64
		want    error
	}{
		{"rows too narrow", x.Slice(0, n, 0, d-1), targets, nil, estimators.ErrShape},
		{"targets too few", x, targets.Slice(1, n, 0, 2).(*mat.Dense), nil, estimators.ErrShape},
		{"targets nil", x, nil, nil, estimators.ErrShape},
		{"weights too few", x, targets, ones[1:], estimators.ErrShape},
		{"a weight of 0", x, targets, append([]float64{0}, ones[1:]...), estimators.ErrParam},
		{"a target that is NaN", x, withNaN(targets), nil, estimators.ErrNotFinite},
		{"a row that is NaN", withNaN(x), targets, nil, estimators.ErrNotFinite},
	} {
		_, err := m.Smoother(context.Background(), c.x, c.targets, c.weights)
		p.Wants("Smoother with "+c.name, err, c.want)
	}
	smoother, err := m.Smoother(context.Background(), x, targets, nil)
	p.Must("Smoother", err)
	_, _, _, err = smoother.Influence(context.Background(), x.Slice(0, n, 0, d-1))
	p.Wants("Influence on rows that are too narrow", err, estimators.ErrShape)
	_, err = smoother.Outputs(context.Background(), withNaN(x))
	p.Wants("Outputs of a row that is NaN", err, estimators.ErrNotFinite)
}

func withNaN(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	out.Set(3, 1, math.NaN())
	return out
}

// checkSets checks the general properties of sets of classes.
func checkSets(p *subject.Probe, s *subject.Subject) {
	fresh := s.New()
	fresh.Needs(p, estimators.Sets)
	x := s.Test().X
	_, err := fresh.Value.(estimators.SetPredictor).PredictSet(x, 0.9)
	p.Wants("PredictSet before Fit", err, estimators.ErrNotFitted)
	for _, k := range []int{2, 3} {
		m := s.Fitted(p, subject.Problem(s.Kind, 18, subject.TrainRows, 3, k))
		v := m.Value.(estimators.SetPredictor)
		for _, level := range []float64{0, 1, -0.5, math.NaN()} {
			_, err := v.PredictSet(x, level)
			p.Wants(fmt.Sprintf("PredictSet of level %v", level), err, estimators.ErrParam)
		}
		var before [][]int
		for _, level := range []float64{0.05, 0.5, 0.9, 0.999} {
			sets, err := v.PredictSet(x, level)
			p.Must("PredictSet", err)
			if len(sets) != subject.TestRows {
				p.Fatalf("PredictSet returned %d sets for %d rows", len(sets), subject.TestRows)
			}
			for i, set := range sets {
				checkSet(p, i, set, m.Classifier().Classes())
				if before != nil && len(set) < len(before[i]) {
					p.Errorf("row %d: the set of level %v, %d, is smaller than that of a lower level, %d", i, level, set, before[i])
				}
			}
			before = sets
		}
	}
}

func checkSet(p *subject.Probe, row int, set, classes []int) {
	for i, label := range set {
		if !slices.Contains(classes, label) || i > 0 && label <= set[i-1] {
			p.Errorf("row %d: the set %d is not of labels of %d, ascending", row, set, classes)
		}
	}
}
