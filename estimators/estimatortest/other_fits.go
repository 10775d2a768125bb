package estimatortest

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

func (m model) partialFit(x mat.Matrix, y []float64) error {
	switch m.kind {
	case regressors:
		return m.value.(estimators.PartialFitter[float64]).PartialFit(context.Background(), x, y)
	case transforms:
		return m.value.(transformers.PartialFitter).PartialFit(context.Background(), x)
	}
	return m.value.(estimators.PartialFitter[int]).PartialFit(context.Background(), x, toLabels(y))
}

func checkPartialFit(p *probe, s *subject) {
	m, d, x := s.new(), s.train(), s.gappy(s.test().x)
	m.needs(p, estimators.Partial)
	p.Must("PartialFit before Fit", m.partialFit(d.x, d.y))
	if m.can(estimators.Mergeable) {
		p.same("PartialFit before Fit, and FitStatistics", s.merged(p, d, 1).outputs(p, x), m.outputs(p, x), s.options.Tolerance)
	} else {
		p.same("PartialFit before Fit, and Fit", s.fitted(p, d).outputs(p, x), m.outputs(p, x), s.options.Tolerance)
	}

	want := m.outputs(p, x)
	bad := s.train()
	bad.x.Set(2, 1, math.Inf(1))
	p.place("PartialFit with x[2,1] = Inf", m.partialFit(bad.x, bad.y), 2, 1)
	p.wants("PartialFit of a narrower x", m.partialFit(d.x.Slice(0, trainRows, 0, 2), d.y), estimators.ErrShape)
	p.keeps("a PartialFit that failed", m, x, want)

	more := s.otherProblem()
	for range 2 { // after which its values are the most frequent
		p.Must("PartialFit", m.partialFit(more.x, more.y))
	}
	moved := false
	for i, o := range m.outputs(p, x) {
		moved = moved || !mat.Equal(o.values, want[i].values)
	}
	if !moved {
		p.Errorf("PartialFit of other rows changes no result")
	}
}

func (m model) fitMatrix(k mat.Symmetric, y []float64) error {
	if m.kind == regressors {
		return m.value.(estimators.MatrixFitter[float64]).FitMatrix(context.Background(), k, y)
	}
	return m.value.(estimators.MatrixFitter[int]).FitMatrix(context.Background(), k, toLabels(y))
}

func (m model) predictMatrix(k mat.Matrix) (*mat.Dense, error) {
	if m.kind == regressors {
		y, err := m.value.(estimators.MatrixFitter[float64]).PredictMatrix(k)
		return columns(err, y)
	}
	labels, err := m.value.(estimators.MatrixFitter[int]).PredictMatrix(k)
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = float64(l)
	}
	return columns(err, y)
}

func checkKernelMatrix(p *probe, s *subject) {
	rows, d, x := s.fitted(p, s.train()), s.train(), s.test().x
	rows.needs(p, estimators.KernelMatrix)
	chosen, ok := rows.value.(interface{ ChosenKernel() kernels.Kernel })
	if !ok {
		p.Skip("does not say by ChosenKernel which kernel it used")
	}
	kernel := chosen.ChosenKernel()
	k, err := kernels.Matrix(context.Background(), kernel, d.x, nil)
	p.Must("the kernel matrix", err)
	cross, err := kernels.Cross(context.Background(), kernel, x, d.x, nil)
	p.Must("the kernel matrix", err)

	m := s.new()
	_, err = m.predictMatrix(cross)
	p.wants("PredictMatrix before Fit", err, estimators.ErrNotFitted)
	p.Must("FitMatrix", m.fitMatrix(k, d.y))
	got, err := m.predictMatrix(cross)
	p.Must("PredictMatrix", err)
	p.sameMatrix("FitMatrix and PredictMatrix on the matrices of "+kernel.String(), rows.outputs(p, x)[0].values, got, s.options.Tolerance)

	_, err = m.predictMatrix(cross.Slice(0, testRows, 1, trainRows))
	p.wants("PredictMatrix with a column too few", err, estimators.ErrShape)
	p.wants("FitMatrix with a y too short", m.fitMatrix(k, d.y[1:]), estimators.ErrShape)
	broken := mat.NewSymDense(trainRows, nil)
	broken.CopySym(k)
	broken.SetSym(3, 5, math.NaN())
	p.place("FitMatrix with K[3,5] = NaN", m.fitMatrix(broken, d.y), 3, 5)
	again, err := m.predictMatrix(cross)
	p.Must("PredictMatrix", err)
	p.sameMatrix("after a FitMatrix that failed", got, again, 0)
}

func checkLeaveOneOut(p *probe, s *subject) {
	fresh := s.new()
	fresh.needs(p, estimators.LeaveOneOut)
	if s.kind == multis {
		checkLeaveOneOutOfSeveral(p, s)
		return
	}
	ctx := context.Background()
	_, err := fresh.value.(estimators.LeaveOneOutPredictor).LeaveOneOutResiduals(ctx)
	p.wants("LeaveOneOutResiduals before Fit", err, estimators.ErrNotFitted)

	d := s.train()
	m := s.fitted(p, d).value.(estimators.LeaveOneOutPredictor)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := m.LeaveOneOutResiduals(cancelled); err != nil { // where there is something to compute
		p.wants("LeaveOneOutResiduals with a cancelled context", err, context.Canceled)
	}
	got, err := m.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if len(got) != trainRows {
		p.Fatalf("LeaveOneOutResiduals gave %d residuals for %d rows", len(got), trainRows)
	}
	for _, out := range []int{0, 7, trainRows - 1} {
		var others []int
		for i := range trainRows {
			if i != out {
				others = append(others, i)
			}
		}
		one := s.fitted(p, d.pick(others)).outputs(p, d.x.Slice(out, out+1, 0, 3))[0].values.At(0, 0)
		if want := d.y[out] - one; !(math.Abs(got[out]-want) <= s.options.Tolerance*max(1, math.Abs(want))) {
			p.Errorf("the residual of row %d is %v; fitted without it, it is %v", out, got[out], want)
		}
	}
	clear(got)
	again, err := m.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if again[0] == 0 {
		p.Errorf("what LeaveOneOutResiduals returned is the model's own")
	}
}
