package streams

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// mergeTolerance limits the difference between results from merged statistics and a value v to mergeTolerance·max(1, |v|).
const mergeTolerance = 1e-10

// shards distributes n rows randomly to count parts. Some parts may be empty.
func shards(rng *rand.Rand, n, count int) [][]int {
	out := make([][]int, count)
	for _, i := range rng.Perm(n) {
		k := rng.IntN(count)
		out[k] = append(out[k], i)
	}
	return out
}

// merged fits a new model to the statistics of parts of the rows. Different workers sum the parts, in blocks. The sums are encoded
// and decoded after some of the blocks, and at the end.
func merged(s *subject.Subject, p *subject.Probe, d subject.Data, count int) subject.Model {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(uint64(count), 7))
	stages, err := newStages(s.New())
	p.Must("NewStages", err)
	for {
		at, of := stages.stage()
		if at == of {
			break
		}
		state, err := stages.MarshalBinary()
		p.Must("MarshalBinary of stages", err)
		n, _ := d.X.Dims()
		var parts []summed
		for _, rows := range shards(rng, n, count) {
			parts = append(parts, shard(s, p, state, d, rows))
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
	m := s.New()
	p.Must("FitStages", stages.fitModel(ctx, m))
	return m
}

// shard returns the statistics that a worker sums over its rows. The worker receives the encoded state of the stages.
func shard(s *subject.Subject, p *subject.Probe, state []byte, d subject.Data, rows []int) summed {
	worker, err := newStages(s.New())
	p.Must("NewStages", err)
	p.Must("UnmarshalBinary of stages", worker.UnmarshalBinary(state))
	out, err := worker.fresh()
	p.Must("NewStatistics", err)
	for from := 0; from < len(rows); from += 7 {
		p.Must("AddBlock", out.add(context.Background(), d.Pick(rows[from:min(from+7, len(rows))]), nil))
		if from == 7 {
			out = travelled(p, worker, out)
		}
	}
	return travelled(p, worker, out)
}

// travelled returns statistics that were encoded and decoded.
func travelled(p *subject.Probe, stages staged, of summed) summed {
	data, err := of.MarshalBinary()
	p.Must("MarshalBinary of statistics", err)
	out, err := stages.fresh()
	p.Must("NewStatistics", err)
	p.Must("UnmarshalBinary of statistics", out.UnmarshalBinary(data))
	clear(data)
	return out
}

func CheckStatistics(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Mergeable)
	far := s.Train()
	far.X.Apply(func(_, _ int, v float64) float64 { return 1e6 + v }, far.X)
	farTest := mat.DenseCopyOf(s.Test().X)
	farTest.Apply(func(_, _ int, v float64) float64 { return 1e6 + v }, farTest)
	for _, c := range []struct {
		name string
		d    subject.Data
		x    *mat.Dense
	}{{"rows", s.Train(), s.Gappy(s.Test().X)}, {"rows around a million", far, s.Gappy(farTest)}} {
		want := merged(s, p, c.d, 1).Outputs(p, c.x)
		for _, count := range []int{1, 4, 64} {
			p.Same(fmt.Sprintf("%s in %d parts, and in one", c.name, count), want, merged(s, p, c.d, count).Outputs(p, c.x), mergeTolerance)
		}
	}
	if s.Kind&subject.Supervised != 0 && s.New().Can(estimators.Weighted) && s.Options.Skip["weighted-fit"] == "" &&
		s.Options.Skip["statistics-and-fit"] == "" {
		weightedStatistics(s, p)
	}
	statisticsKeep(s, p)
	stagesFail(s, p)
}

// CheckStatisticsFit checks that a fit to statistics equals a fit to rows.
func CheckStatisticsFit(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Mergeable)
	d, x := s.Train(), s.Gappy(s.Test().X)
	want, got := s.Fitted(p, d).Outputs(p, x), merged(s, p, d, 4).Outputs(p, x)
	if s.Kind == subject.Regressors { // because Fit of a regressor may compute the noise from single rows
		want, got = want[:1], got[:1]
	}
	p.Same("FitStatistics, and Fit", want, got, s.Options.Tolerance)
}

// weightedStatistics checks that a weight of 2 has the same effect on statistics as repeating the row.
func weightedStatistics(s *subject.Subject, p *subject.Probe) {
	stages, err := newStages(s.New())
	p.Must("NewStages", err)
	if _, of := stages.stage(); of != 1 { // the first of several stages does not use weights
		return
	}
	d, x := s.Train(), s.Test().X
	var twice []int
	for i, w := range subject.Weights() {
		for range int(w) {
			twice = append(twice, i)
		}
	}
	var got [2]subject.Outputs
	for k, c := range []struct {
		d       subject.Data
		weights []float64
	}{{d, subject.Weights()}, {d.Pick(twice), nil}} {
		of, err := stages.fresh()
		p.Must("NewStatistics", err)
		p.Must("AddBlock", of.add(context.Background(), c.d, c.weights))
		fit, err := newStages(s.New())
		p.Must("NewStages", err)
		p.Must("FitStatistics", fit.fit(context.Background(), of))
		m := s.New()
		p.Must("FitStages", fit.fitModel(context.Background(), m))
		got[k] = m.Outputs(p, x)
	}
	// Only the predictions are compared, because the noise may depend on the number of rows.
	p.Same("AddBlock with a weight of 2, and the row twice", got[1][:1], got[0][:1], s.Options.Tolerance)
	of, err := stages.fresh()
	p.Must("NewStatistics", err)
	for _, w := range []float64{0, -1, math.NaN()} {
		bad := subject.Weights()
		bad[4] = w
		if err := of.add(context.Background(), d, bad); err == nil {
			p.Errorf("AddBlock with a weight of %v: no error", w)
		} else {
			p.Contract(fmt.Sprintf("AddBlock with a weight of %v", w), err)
		}
	}
}

// statisticsKeep makes AddBlock, Merge and UnmarshalBinary fail for every possible reason, and checks that the statistics are
// unchanged.
func statisticsKeep(s *subject.Subject, p *subject.Probe) {
	stages, err := newStages(s.New())
	p.Must("NewStages", err)
	of, err := stages.fresh()
	p.Must("NewStatistics", err)
	if of.rows() != 0 {
		p.Errorf("new statistics have %d rows", of.rows())
	}
	ctx, d := context.Background(), s.Train()
	p.Must("AddBlock", of.add(ctx, d, nil))
	want, err := of.MarshalBinary()
	p.Must("MarshalBinary", err)
	keeps := func(after string) {
		got, err := of.MarshalBinary()
		p.Must("MarshalBinary", err)
		if !bytes.Equal(want, got) {
			p.Errorf("after %s the statistics have changed", after)
		}
	}
	fails := func(doing string, err, kind error) {
		p.Wants(doing, err, kind)
		keeps(doing + " that failed")
	}
	other := s.OtherProblem()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	fails("AddBlock with a cancelled context", of.add(cancelled, other, nil), context.Canceled)
	other.X.Set(23, 1, math.Inf(1))
	err = of.add(ctx, other, nil)
	fails("AddBlock with x[23,1] = Inf", err, estimators.ErrNotFinite)
	p.Place("AddBlock with x[23,1] = Inf", err, 23, 1)
	fails("AddBlock of a narrower x", of.add(ctx, subject.Problem(s.Kind, 4, 5, 2, 2), nil), estimators.ErrShape)
	fails("AddBlock without rows", of.add(ctx, subject.Data{X: &mat.Dense{}, Y: nil}, nil), estimators.ErrShape)
	if s.Kind&subject.Supervised != 0 {
		fails("AddBlock of a y that is too short", of.add(ctx, subject.Data{X: d.X, Y: d.Y[1:]}, nil), estimators.ErrShape)
	}
	fails("Merge of statistics of another type", of.foreign(), estimators.ErrParam)
	narrow, err := stages.fresh()
	p.Must("NewStatistics", err)
	if narrow.add(ctx, subject.Problem(s.Kind, 4, 5, 2, 2), nil) == nil { // add fails if the width is already known
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
	p.Must("AddBlock", copied.add(ctx, s.OtherProblem(), nil))
	keeps("an AddBlock to its Clone")
	p.Must("Merge with itself", of.merge(of))
	if of.rows() != 2*subject.TrainRows {
		p.Errorf("merged with themselves, statistics of %d rows have %d", subject.TrainRows, of.rows())
	}
}

func flippedByte(data []byte) []byte {
	out := bytes.Clone(data)
	out[len(out)/2] ^= 0x40
	return out
}

// stagesFail makes fits fail.
func stagesFail(s *subject.Subject, p *subject.Probe) {
	ctx, x := context.Background(), s.Test().X
	m := s.Fitted(p, s.OtherProblem())
	want := m.Outputs(p, x)
	stages, err := newStages(m)
	p.Must("NewStages", err)
	p.Wants("FitStages of unfinished stages", stages.fitModel(ctx, m), estimators.ErrParam)
	none, err := stages.fresh()
	p.Must("NewStatistics", err)
	p.Wants("FitStatistics of no rows", stages.fit(ctx, none), estimators.ErrShape)
	p.Wants("FitStatistics of nil", stages.fit(ctx, nil), estimators.ErrParam)
	p.Must("AddBlock", none.add(ctx, s.Train(), nil))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	p.Wants("FitStatistics with a cancelled context", stages.fit(cancelled, none), context.Canceled)
	if at, _ := stages.stage(); at != 0 {
		p.Errorf("after a FitStatistics that failed the stage is %d", at)
	}
	p.Keeps("a FitStatistics that failed", m, x, want)
	p.Wants("UnmarshalBinary of stages from no bytes", stages.UnmarshalBinary(nil), estimators.ErrBadModel)
	p.Must("FitStatistics", stages.fit(ctx, none))
	p.Keeps("a stage of another fit", m, x, want)
}
