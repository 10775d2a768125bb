package estimatortest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/streaming"
)

// read is a stream of rows: what comes, and what happens before block after is asked for.
type read struct {
	d     data
	size  int // of a block
	after int
	then  func() error
}

// blocks yields the rows in memory that is used again for each block and overwritten at the end.
func (r read) blocks(yield func(data, error) bool) {
	n, _ := r.d.x.Dims()
	var x mat.Dense
	var y []float64
	for i := 0; i <= n/r.size; i++ {
		if r.then != nil && i == r.after {
			if err := r.then(); err != nil {
				yield(data{}, err)
				return
			}
		}
		from, to := i*r.size, min((i+1)*r.size, n)
		if from == to {
			break
		}
		x.Reset()
		x.CloneFrom(r.d.pick(seq(from, to)).x)
		y = append(y[:0], r.d.y[from:to]...)
		if !yield(data{&x, y}, nil) {
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
func (m model) fitBlocks(ctx context.Context, rows iter.Seq2[data, error], weights []float64) error {
	switch m.kind {
	case regressors:
		return m.value.(streaming.BlockFitter[float64]).FitBlocks(ctx, labelled(rows, weights, func(y []float64) []float64 { return y }))
	case classifiers:
		return m.value.(streaming.BlockFitter[int]).FitBlocks(ctx, labelled(rows, weights, toLabels))
	}
	return m.value.(streaming.BlockFitter[streaming.None]).FitBlocks(ctx, labelled(rows, nil, noTargets))
}

func labelled[Y streaming.Target](rows iter.Seq2[data, error], weights []float64, of func([]float64) []Y) iter.Seq2[streaming.Block[Y],
	error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		n := 0
		for d, err := range rows {
			b := streaming.Block[Y]{X: d.x, Y: of(d.y)}
			if weights != nil {
				b.Weights = slices.Clone(weights[n : n+len(d.y)])
			}
			n += len(d.y)
			if !yield(b, err) {
				return
			}
		}
	}
}

func checkFitBlocks(p *probe, s *subject) {
	s.new().needs(p, estimators.Blocks)
	ctx, d, x := context.Background(), s.train(), s.test().x
	want := s.fitted(p, d).outputs(p, x)
	for _, size := range []int{1, 7, trainRows} {
		m := s.new()
		p.Must("FitBlocks", m.fitBlocks(ctx, read{d: d, size: size}.blocks, nil))
		p.same(fmt.Sprintf("FitBlocks of %d rows a block, and Fit", size), want, m.outputs(p, x), s.options.Tolerance)
	}
	if s.kind&supervised != 0 && s.new().can(estimators.Weighted) {
		a, b := s.new(), s.new()
		p.Must("FitWeighted", a.fitWeighted(ctx, d.x, d.y, weights()))
		p.Must("FitBlocks", b.fitBlocks(ctx, read{d: d, size: 7}.blocks, weights()))
		p.same("FitBlocks with weights, and FitWeighted", a.outputs(p, x), b.outputs(p, x), s.options.Tolerance)
	}
	s.fitBlocksFails(p, want)
}

var errReading = errors.New("the stream broke off")

// fitBlocksFails has FitBlocks fail in all ways on a model that gives these outputs.
func (s *subject) fitBlocksFails(p *probe, want outputs) {
	m, x, other := s.fitted(p, s.train()), s.test().x, s.otherProblem()
	fails := func(doing string, ctx context.Context, r read, kind error) error {
		err := m.fitBlocks(ctx, r.blocks, nil)
		p.wants("FitBlocks of "+doing, err, kind)
		p.keeps("a FitBlocks of "+doing, m, x, want)
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
	bad := s.otherProblem()
	bad.x.Set(23, 1, math.Inf(1))
	p.place("FitBlocks with x[23,1] = Inf", fails("an infinity", context.Background(), read{d: bad, size: 7}, estimators.ErrNotFinite), 23,
		1)
	if !s.options.Gaps {
		bad.x.Set(23, 1, math.NaN())
		p.place("FitBlocks with x[23,1] = NaN", fails("a NaN", context.Background(), read{d: bad, size: 7}, estimators.ErrNotFinite), 23, 1)
	}
	err := m.fitBlocks(context.Background(), func(func(data, error) bool) {}, nil)
	p.wants("FitBlocks of no blocks", err, estimators.ErrShape)
	err = m.fitBlocks(context.Background(), func(yield func(data, error) bool) {
		if yield(other, nil) {
			yield(data{problem(s.kind, 4, 5, 2, 2).x, other.y[:5]}, nil)
		}
	}, nil)
	p.wants("FitBlocks of a block that is narrower than the first", err, estimators.ErrShape)
	p.keeps("a FitBlocks that failed", m, x, want)
}
