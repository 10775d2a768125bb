// Package streams checks fits to parts of the rows: blocks of a stream, merged statistics, stages, and continued fits.
package streams

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/streaming"
)

// read is a stream of rows. It calls the function then just before it yields block number after.
type read struct {
	d     subject.Data
	size  int // rows of a block
	after int
	then  func() error
}

// blocks yields the rows in memory that is reused for each block, and is overwritten at the end.
func (r read) blocks(yield func(subject.Data, error) bool) {
	n, _ := r.d.X.Dims()
	var x mat.Dense
	var y []float64
	for i := 0; i <= n/r.size; i++ {
		if r.then != nil && i == r.after {
			if err := r.then(); err != nil {
				yield(subject.Data{}, err)
				return
			}
		}
		from, to := i*r.size, min((i+1)*r.size, n)
		if from == to {
			break
		}
		x.Reset()
		x.CloneFrom(r.d.Pick(seq(from, to)).X)
		y = append(y[:0], r.d.Y[from:to]...)
		if !yield(subject.Data{X: &x, Y: y}, nil) {
			return
		}
	}
	x.Zero()
	clear(y)
}

func seq(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// fitBlocks calls FitBlocks, with the weights if there are any.
func fitBlocks(ctx context.Context, m subject.Model, rows iter.Seq2[subject.Data, error], weights []float64) error {
	switch m.Kind {
	case subject.Regressors:
		return m.Value.(streaming.BlockFitter[float64]).FitBlocks(ctx, labelled(rows, weights, func(y []float64) []float64 { return y }))
	case subject.Classifiers:
		return m.Value.(streaming.BlockFitter[int]).FitBlocks(ctx, labelled(rows, weights, subject.ToLabels))
	}
	return m.Value.(streaming.BlockFitter[streaming.None]).FitBlocks(ctx, labelled(rows, nil, noTargets))
}

func labelled[Y streaming.Target](rows iter.Seq2[subject.Data, error], weights []float64,
	of func([]float64) []Y) iter.Seq2[streaming.Block[Y], error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		n := 0
		for d, err := range rows {
			b := streaming.Block[Y]{X: d.X, Y: of(d.Y)}
			if weights != nil {
				b.Weights = slices.Clone(weights[n : n+len(d.Y)])
			}
			n += len(d.Y)
			if !yield(b, err) {
				return
			}
		}
	}
}

func CheckFitBlocks(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Blocks)
	ctx, d, x := context.Background(), s.Train(), s.Test().X
	want := s.Fitted(p, d).Outputs(p, x)
	for _, size := range []int{1, 7, subject.TrainRows} {
		m := s.New()
		p.Must("FitBlocks", fitBlocks(ctx, m, read{d: d, size: size}.blocks, nil))
		p.Same(fmt.Sprintf("FitBlocks of %d rows a block, and Fit", size), want, m.Outputs(p, x), s.Options.Tolerance)
	}
	if s.Kind&subject.Supervised != 0 && s.New().Can(estimators.Weighted) {
		a, b := s.New(), s.New()
		p.Must("FitWeighted", a.FitWeighted(ctx, d.X, d.Y, subject.Weights()))
		p.Must("FitBlocks", fitBlocks(ctx, b, read{d: d, size: 7}.blocks, subject.Weights()))
		p.Same("FitBlocks with weights, and FitWeighted", a.Outputs(p, x), b.Outputs(p, x), s.Options.Tolerance)
	}
	fitBlocksFails(s, p, want)
}

var errReading = errors.New("the stream failed")

// fitBlocksFails makes FitBlocks fail for every possible reason. It checks that the model still returns the outputs want.
func fitBlocksFails(s *subject.Subject, p *subject.Probe, want subject.Outputs) {
	m, x, other := s.Fitted(p, s.Train()), s.Test().X, s.OtherProblem()
	fails := func(doing string, ctx context.Context, r read, kind error) error {
		err := fitBlocks(ctx, m, r.blocks, nil)
		p.Wants("FitBlocks of "+doing, err, kind)
		p.Keeps("a FitBlocks of "+doing, m, x, want)
		return err
	}
	fails("a stream that fails", context.Background(), read{d: other, size: 7, after: 3, then: func() error { return errReading }},
		errReading)
	for _, after := range []int{0, 2, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		fails(fmt.Sprintf("a stream that is cancelled before block %d", after), ctx,
			read{d: other, size: 7, after: after, then: func() error { cancel(); return nil }}, context.Canceled)
		cancel()
	}
	bad := s.OtherProblem()
	bad.X.Set(23, 1, math.Inf(1))
	p.Place("FitBlocks with x[23,1] = Inf", fails("an infinity", context.Background(), read{d: bad, size: 7}, estimators.ErrNotFinite), 23,
		1)
	if !s.Options.Gaps {
		bad.X.Set(23, 1, math.NaN())
		p.Place("FitBlocks with x[23,1] = NaN", fails("a NaN", context.Background(), read{d: bad, size: 7}, estimators.ErrNotFinite), 23, 1)
	}
	err := fitBlocks(context.Background(), m, func(func(subject.Data, error) bool) {}, nil)
	p.Wants("FitBlocks of no blocks", err, estimators.ErrShape)
	err = fitBlocks(context.Background(), m, func(yield func(subject.Data, error) bool) {
		if yield(other, nil) {
			yield(subject.Data{X: subject.Problem(s.Kind, 4, 5, 2, 2).X, Y: other.Y[:5]}, nil)
		}
	}, nil)
	p.Wants("FitBlocks of a block that is narrower than the first", err, estimators.ErrShape)
	p.Keeps("a FitBlocks that failed", m, x, want)
}
