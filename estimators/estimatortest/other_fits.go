package estimatortest

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/kernels"
)

func fitMatrix(m subject.Model, k mat.Symmetric, y []float64) error {
	if m.Kind == subject.Regressors {
		return m.Value.(estimators.MatrixFitter[float64]).FitMatrix(context.Background(), k, y)
	}
	return m.Value.(estimators.MatrixFitter[int]).FitMatrix(context.Background(), k, subject.ToLabels(y))
}

func predictMatrix(m subject.Model, k mat.Matrix) (*mat.Dense, error) {
	if m.Kind == subject.Regressors {
		y, err := m.Value.(estimators.MatrixFitter[float64]).PredictMatrix(k)
		return subject.Columns(err, y)
	}
	labels, err := m.Value.(estimators.MatrixFitter[int]).PredictMatrix(k)
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = float64(l)
	}
	return subject.Columns(err, y)
}

func checkKernelMatrix(p *subject.Probe, s *subject.Subject) {
	rows, d, x := s.Fitted(p, s.Train()), s.Train(), s.Test().X
	rows.Needs(p, estimators.KernelMatrix)
	chosen, ok := rows.Value.(interface{ ChosenKernel() kernels.Kernel })
	if !ok {
		p.Skip("does not return its kernel by ChosenKernel")
	}
	kernel := chosen.ChosenKernel()
	k, err := kernels.Matrix(context.Background(), kernel, d.X, nil)
	p.Must("the kernel matrix", err)
	cross, err := kernels.Cross(context.Background(), kernel, x, d.X, nil)
	p.Must("the kernel matrix", err)

	m := s.New()
	_, err = predictMatrix(m, cross)
	p.Wants("PredictMatrix before Fit", err, estimators.ErrNotFitted)
	p.Must("FitMatrix", fitMatrix(m, k, d.Y))
	got, err := predictMatrix(m, cross)
	p.Must("PredictMatrix", err)
	p.SameMatrix("FitMatrix and PredictMatrix on the matrices of "+kernel.String(), rows.Outputs(p, x)[0].Values, got, s.Options.Tolerance)

	_, err = predictMatrix(m, cross.Slice(0, subject.TestRows, 1, subject.TrainRows))
	p.Wants("PredictMatrix with a column too few", err, estimators.ErrShape)
	p.Wants("FitMatrix with a y too short", fitMatrix(m, k, d.Y[1:]), estimators.ErrShape)
	broken := mat.NewSymDense(subject.TrainRows, nil)
	broken.CopySym(k)
	broken.SetSym(3, 5, math.NaN())
	p.Place("FitMatrix with K[3,5] = NaN", fitMatrix(m, broken, d.Y), 3, 5)
	again, err := predictMatrix(m, cross)
	p.Must("PredictMatrix", err)
	p.SameMatrix("after a FitMatrix that failed", got, again, 0)
}

func checkLeaveOneOut(p *subject.Probe, s *subject.Subject) {
	fresh := s.New()
	fresh.Needs(p, estimators.LeaveOneOut)
	if s.Kind == subject.Multis {
		checkLeaveOneOutOfSeveral(p, s)
		return
	}
	ctx := context.Background()
	_, err := fresh.Value.(estimators.LeaveOneOutPredictor).LeaveOneOutResiduals(ctx)
	p.Wants("LeaveOneOutResiduals before Fit", err, estimators.ErrNotFitted)

	d := s.Train()
	m := s.Fitted(p, d).Value.(estimators.LeaveOneOutPredictor)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := m.LeaveOneOutResiduals(cancelled); err != nil { // an error is required only if there is something to compute
		p.Wants("LeaveOneOutResiduals with a cancelled context", err, context.Canceled)
	}
	got, err := m.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if len(got) != subject.TrainRows {
		p.Fatalf("LeaveOneOutResiduals returned %d residuals for %d rows", len(got), subject.TrainRows)
	}
	for _, out := range []int{0, 7, subject.TrainRows - 1} {
		var others []int
		for i := range subject.TrainRows {
			if i != out {
				others = append(others, i)
			}
		}
		one := s.Fitted(p, d.Pick(others)).Outputs(p, d.X.Slice(out, out+1, 0, 3))[0].Values.At(0, 0)
		if want := d.Y[out] - one; !(math.Abs(got[out]-want) <= s.Options.Tolerance*max(1, math.Abs(want))) {
			p.Errorf("the residual of row %d is %v; fitted without it, it is %v", out, got[out], want)
		}
	}
	clear(got)
	again, err := m.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if again[0] == 0 {
		p.Errorf("LeaveOneOutResiduals returned the model's own matrix")
	}
}
