package estimatortest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// mergeTolerance, times max(1, |v|), is how far results of merged statistics may lie apart.
const mergeTolerance = 1e-10

// shards deals rows to so many parts at random, of which some may get none.
func shards(rng *rand.Rand, n, count int) [][]int {
	out := make([][]int, count)
	for _, i := range rng.Perm(n) {
		k := rng.IntN(count)
		out[k] = append(out[k], i)
	}
	return out
}

// merged fits a new model by the statistics of parts of the rows, each of which another worker sums up in
// blocks, and that travel as bytes in the middle and at the end.
func (s *subject) merged(p *probe, d data, count int) model {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(uint64(count), 7))
	stages, err := s.new().stages()
	p.Must("NewStages", err)
	for {
		at, of := stages.stage()
		if at == of {
			break
		}
		state, err := stages.MarshalBinary()
		p.Must("MarshalBinary of stages", err)
		n, _ := d.x.Dims()
		var parts []summed
		for _, rows := range shards(rng, n, count) {
			parts = append(parts, s.shard(p, state, d, rows))
		}
		for len(parts) > 1 {
			i, j := rng.IntN(len(parts)), len(parts)-1
			if i == j {
				i--
			}
			p.Must("Merge", parts[i].merge(parts[j]))
			parts = parts[:j]
		}
		if got := parts[0].rows(); got != n {
			p.Fatalf("statistics of %d parts have %d rows, want %d", count, got, n)
		}
		p.Must("FitStatistics", stages.fit(ctx, parts[0]))
		if next, _ := stages.stage(); next != at+1 {
			p.Fatalf("FitStatistics went from stage %d to %d", at, next)
		}
	}
	m := s.new()
	p.Must("FitStages", stages.fitModel(ctx, m))
	return m
}

// shard is what a worker does that has the state of the stages.
func (s *subject) shard(p *probe, state []byte, d data, rows []int) summed {
	worker, err := s.new().stages()
	p.Must("NewStages", err)
	p.Must("UnmarshalBinary of stages", worker.UnmarshalBinary(state))
	out, err := worker.fresh()
	p.Must("NewStatistics", err)
	for from := 0; from < len(rows); from += 7 {
		p.Must("AddBlock", out.add(context.Background(), d.pick(rows[from:min(from+7, len(rows))]), nil))
		if from == 7 {
			out = s.travelled(p, worker, out)
		}
	}
	return s.travelled(p, worker, out)
}

// travelled is what the bytes of statistics are read into.
func (s *subject) travelled(p *probe, stages staged, of summed) summed {
	data, err := of.MarshalBinary()
	p.Must("MarshalBinary of statistics", err)
	out, err := stages.fresh()
	p.Must("NewStatistics", err)
	p.Must("UnmarshalBinary of statistics", out.UnmarshalBinary(data))
	clear(data)
	return out
}

func checkStatistics(p *probe, s *subject) {
	s.new().needs(p, estimators.Mergeable)
	far := s.train()
	far.x.Apply(func(_, _ int, v float64) float64 { return 1e6 + v }, far.x)
	farTest := mat.DenseCopyOf(s.test().x)
	farTest.Apply(func(_, _ int, v float64) float64 { return 1e6 + v }, farTest)
	for _, c := range []struct {
		name string
		d    data
		x    *mat.Dense
	}{{"rows", s.train(), s.gappy(s.test().x)}, {"rows around a million", far, s.gappy(farTest)}} {
		want := s.merged(p, c.d, 1).outputs(p, c.x)
		for _, count := range []int{1, 4, 64} {
			p.same(fmt.Sprintf("%s in %d parts, and in one", c.name, count), want, s.merged(p, c.d, count).outputs(p, c.x), mergeTolerance)
		}
	}
	if s.kind&supervised != 0 && s.new().can(estimators.Weighted) && s.options.Skip["weighted-fit"] == "" &&
		s.options.Skip["statistics-and-fit"] == "" {
		s.weightedStatistics(p)
	}
	s.statisticsKeep(p)
	s.stagesFail(p)
}

// gappy is x with a gap in each column, where the type fills them.
func (s *subject) gappy(x *mat.Dense) *mat.Dense {
	if s.options.Gaps {
		_, d := x.Dims()
		for j := range d {
			x.Set(j, j, math.NaN())
		}
	}
	return x
}

// checkStatisticsFit holds what is learnt from statistics to what is learnt from rows.
func checkStatisticsFit(p *probe, s *subject) {
	s.new().needs(p, estimators.Mergeable)
	d, x := s.train(), s.gappy(s.test().x)
	want, got := s.fitted(p, d).outputs(p, x), s.merged(p, d, 4).outputs(p, x)
	if s.kind == regressors { // whose noise Fit may take from single rows
		want, got = want[:1], got[:1]
	}
	p.same("FitStatistics, and Fit", want, got, s.options.Tolerance)
}

// weightedStatistics are of the weights 1 and 2, and of the rows once or twice.
func (s *subject) weightedStatistics(p *probe) {
	stages, err := s.new().stages()
	p.Must("NewStages", err)
	if _, of := stages.stage(); of != 1 { // whose first stages know no weights
		return
	}
	d, x := s.train(), s.test().x
	var twice []int
	for i, w := range weights() {
		for range int(w) {
			twice = append(twice, i)
		}
	}
	var got [2]outputs
	for k, c := range []struct {
		d       data
		weights []float64
	}{{d, weights()}, {d.pick(twice), nil}} {
		of, err := stages.fresh()
		p.Must("NewStatistics", err)
		p.Must("AddBlock", of.add(context.Background(), c.d, c.weights))
		fit, err := s.new().stages()
		p.Must("NewStages", err)
		p.Must("FitStatistics", fit.fit(context.Background(), of))
		m := s.new()
		p.Must("FitStages", fit.fitModel(context.Background(), m))
		got[k] = m.outputs(p, x)
	}
	// The prediction alone: what is said of noise may count rows.
	p.same("AddBlock with a weight of 2, and the row twice", got[1][:1], got[0][:1], s.options.Tolerance)
	of, err := stages.fresh()
	p.Must("NewStatistics", err)
	for _, w := range []float64{0, -1, math.NaN()} {
		bad := weights()
		bad[4] = w
		if err := of.add(context.Background(), d, bad); err == nil {
			p.Errorf("AddBlock with a weight of %v: no error", w)
		} else {
			p.contract(fmt.Sprintf("AddBlock with a weight of %v", w), err)
		}
	}
}

// statisticsKeep has AddBlock, Merge and UnmarshalBinary fail in all ways on statistics, which stay what they were.
func (s *subject) statisticsKeep(p *probe) {
	stages, err := s.new().stages()
	p.Must("NewStages", err)
	of, err := stages.fresh()
	p.Must("NewStatistics", err)
	if of.rows() != 0 {
		p.Errorf("new statistics have %d rows", of.rows())
	}
	ctx, d := context.Background(), s.train()
	p.Must("AddBlock", of.add(ctx, d, nil))
	want, err := of.MarshalBinary()
	p.Must("MarshalBinary", err)
	keeps := func(after string) {
		got, err := of.MarshalBinary()
		p.Must("MarshalBinary", err)
		if !bytes.Equal(want, got) {
			p.Errorf("after %s the statistics are others", after)
		}
	}
	fails := func(doing string, err, kind error) {
		p.wants(doing, err, kind)
		keeps(doing + " that failed")
	}
	other := s.otherProblem()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	fails("AddBlock with a cancelled context", of.add(cancelled, other, nil), context.Canceled)
	other.x.Set(23, 1, math.Inf(1))
	err = of.add(ctx, other, nil)
	fails("AddBlock with x[23,1] = Inf", err, estimators.ErrNotFinite)
	p.place("AddBlock with x[23,1] = Inf", err, 23, 1)
	fails("AddBlock of a narrower x", of.add(ctx, problem(s.kind, 4, 5, 2, 2), nil), estimators.ErrShape)
	fails("AddBlock without rows", of.add(ctx, data{&mat.Dense{}, nil}, nil), estimators.ErrShape)
	if s.kind&supervised != 0 {
		fails("AddBlock of a y that is too short", of.add(ctx, data{d.x, d.y[1:]}, nil), estimators.ErrShape)
	}
	fails("Merge of statistics of another type", of.foreign(), estimators.ErrParam)
	narrow, err := stages.fresh()
	p.Must("NewStatistics", err)
	if narrow.add(ctx, problem(s.kind, 4, 5, 2, 2), nil) == nil { // but where the width is known
		fails("Merge of narrower statistics", of.merge(narrow), estimators.ErrShape)
	}
	none, err := stages.fresh()
	p.Must("NewStatistics", err)
	p.Must("Merge of statistics of no rows", of.merge(none))
	keeps("a Merge of no rows")
	for name, bad := range map[string][]byte{"nothing": nil, "half": want[:len(want)/2], "a changed byte": flippedByte(want)} {
		fails("UnmarshalBinary of "+name, of.UnmarshalBinary(bad), estimators.ErrBadModel)
	}
	copied := of.clone()
	p.Must("AddBlock", copied.add(ctx, s.otherProblem(), nil))
	keeps("an AddBlock to its Clone")
	p.Must("Merge with itself", of.merge(of))
	if of.rows() != 2*trainRows {
		p.Errorf("merged with themselves, statistics of %d rows have %d", trainRows, of.rows())
	}
}

func flippedByte(data []byte) []byte {
	out := bytes.Clone(data)
	out[len(out)/2] ^= 0x40
	return out
}

// stagesFail has fits fail.
func (s *subject) stagesFail(p *probe) {
	ctx, x := context.Background(), s.test().x
	m := s.fitted(p, s.otherProblem())
	want := m.outputs(p, x)
	stages, err := m.stages()
	p.Must("NewStages", err)
	p.wants("FitStages of stages that are not at their end", stages.fitModel(ctx, m), estimators.ErrParam)
	none, err := stages.fresh()
	p.Must("NewStatistics", err)
	p.wants("FitStatistics of no rows", stages.fit(ctx, none), estimators.ErrShape)
	p.wants("FitStatistics of nil", stages.fit(ctx, nil), estimators.ErrParam)
	p.Must("AddBlock", none.add(ctx, s.train(), nil))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	p.wants("FitStatistics with a cancelled context", stages.fit(cancelled, none), context.Canceled)
	if at, _ := stages.stage(); at != 0 {
		p.Errorf("after a FitStatistics that failed the stage is %d", at)
	}
	p.keeps("a FitStatistics that failed", m, x, want)
	p.wants("UnmarshalBinary of stages from nothing", stages.UnmarshalBinary(nil), estimators.ErrBadModel)
	p.Must("FitStatistics", stages.fit(ctx, none))
	p.keeps("a stage of another fit", m, x, want)
}
