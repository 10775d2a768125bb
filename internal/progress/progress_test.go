package progress_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// listen begins a fit, and records its steps.
func listen(t *testing.T) (ctx context.Context, seen *[]progress.Step, end func()) {
	t.Helper()
	seen = new([]progress.Step)
	ctx, done := progress.Begin(context.Background(), func(s progress.Step) { *seen = append(*seen, s) })
	return ctx, seen, func() {
		var err error
		done(&err)
		require.NoError(t, err)
	}
}

func rising(t *testing.T, steps []progress.Step) {
	t.Helper()
	before := 0.0
	for _, s := range steps {
		require.GreaterOrEqual(t, s.Done, before)
		before = s.Done
	}
	assert.Equal(t, 1.0, before)
}

// Without observers there are no parts, and the context is the caller's.
func TestNobodyListens(t *testing.T) {
	ctx := context.Background()
	own, end := progress.Begin(ctx, nil)
	assert.Equal(t, ctx, own)
	assert.False(t, progress.Watched(own))
	for _, part := range progress.Parts(ctx, 1, 2) {
		assert.Equal(t, ctx, part)
	}
	assert.Nil(t, progress.NewLoop(ctx))
	progress.NewLoop(ctx).Report(.5)
	progress.NewLoop(ctx).End()
	progress.Open(ctx).Report(.5)
	assert.Equal(t, ctx, progress.NewSeries(ctx, 3).Next())
	progress.Tell(ctx, progress.Step{})
	progress.Report(ctx, .5)
	progress.Counts(ctx)
	progress.Locked(ctx, func(done float64) { assert.Zero(t, done) })
	own, done := progress.Open(ctx).Parallel(1)
	done()
	assert.Equal(t, ctx, own)
	var err error
	end(&err)
	assert.NoError(t, err)
}

// Parts keep their shares whatever happens in them, and a part is completed when the next begins.
func TestParts(t *testing.T) {
	ctx, seen, end := listen(t)
	parts := progress.Parts(ctx, 1, 2, 1)
	l := progress.NewLoop(parts[1]) // the first reports nothing
	l.Report(1e-9)
	l.Report(.5)
	l.End()
	last := (*seen)[len(*seen)-1]
	assert.InDelta(t, .95*(.25+.5*.95*.5), last.Done, 1e-6)
	l = progress.NewLoop(parts[2])
	l.Report(.01)
	l.End()
	assert.Greater(t, (*seen)[len(*seen)-1].Done, .95*.75)
	end()
	rising(t, *seen)
}

// Steps follow the completed share, and occur after several pieces of work that changed little.
func TestSteps(t *testing.T) {
	ctx, seen, end := listen(t)
	l := progress.NewLoop(ctx)
	for i := range 100_000 {
		l.Report(float64(i) / 100_000)
	}
	l.Report(.3) // ignored, because the share never falls
	l.End()
	assert.InDelta(t, 5000, len(*seen), 10)
	for _, s := range *seen {
		assert.True(t, s.Between)
	}
	progress.Tell(ctx, progress.Step{Iteration: 1, Total: 2, Objective: 7, Message: "an iteration"})
	told := (*seen)[len(*seen)-1]
	assert.Equal(t, progress.Step{Iteration: 1, Total: 2, Objective: 7, Message: "an iteration", Done: told.Done, Whole: told.Done}, told)
	end()
	assert.Equal(t, progress.Step{Iteration: 1, Total: 2, Objective: 7, Message: "an iteration", Done: 1, Whole: 1, Between: true}, (*seen)[len(*seen)-1])
	rising(t, *seen)
}

// Work within a loop with the same context does not report, nor does detached work.
func TestSilence(t *testing.T) {
	ctx, seen, end := listen(t)
	apart := progress.NewLoop(progress.Detach(ctx))
	assert.Nil(t, apart)
	outer := progress.NewLoop(ctx)
	assert.Nil(t, progress.NewLoop(ctx))
	for _, part := range progress.Parts(ctx, 1, 1) {
		assert.Nil(t, progress.NewLoop(part))
	}
	own, finish := progress.Begin(ctx, nil)
	assert.Equal(t, ctx, own)
	finish(new(error))
	require.NoError(t, parallel.ForEach(ctx, 2, 50, func(int) error { return nil }))
	assert.Empty(t, *seen)
	outer.End()
	require.NoError(t, parallel.ForEach(ctx, 2, 50, func(int) error { return nil }))
	assert.Greater(t, len(*seen), 40)
	end()
	// A detached fit calls no observer, whether it starts within a fit or outside.
	told := 0
	observed := progress.Observed(context.Background(), func(progress.Step) { told++ })
	_, finish = progress.Begin(progress.Detach(observed), nil)
	finish(new(error))
	assert.Zero(t, told)
}

// Each fit with an observed context is a fit of its own.
func TestObserved(t *testing.T) {
	var seen []progress.Step
	ctx := progress.Observed(context.Background(), func(s progress.Step) { seen = append(seen, s) })
	for range 2 {
		own := 0
		_, end := progress.Begin(ctx, func(progress.Step) { own++ })
		end(new(error))
		assert.Equal(t, 1, own)
	}
	require.Len(t, seen, 2)
	assert.Equal(t, []float64{1, 1}, []float64{seen[0].Done, seen[1].Done})
}

// Shares of parallel tasks add up in any order, and so do the shares of nested fits.
func TestBeside(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, seen, end := listen(t)
		progress.Counts(ctx)
		require.NoError(t, parallel.ForEachPart(ctx, workers, 8, func(ctx context.Context, i int) (err error) {
			ctx, finish := progress.Begin(ctx, nil)
			defer finish(&err)
			loop := progress.NewLoop(ctx)
			defer loop.End()
			for k := range 100 {
				loop.Report(float64(k) / 100)
			}
			progress.Tell(ctx, progress.Step{Iteration: i + 1, Message: "inside"})
			return nil
		}))
		last := (*seen)[len(*seen)-1]
		assert.InDelta(t, .95, last.Done, 1./200)
		assert.Zero(t, last.Iteration, "iterations of a fit that counts are its own")
		assert.Equal(t, "inside", last.Message)
		end()
		rising(t, *seen)
	}
}

// Iterations of a fit are passed on to the enclosing fit unless that fit has iterations of its own.
func TestTellGoesOut(t *testing.T) {
	ctx, seen, end := listen(t)
	var inner []progress.Step
	own, finish := progress.Begin(progress.Open(ctx).Share(.5, 1), func(s progress.Step) { inner = append(inner, s) })
	progress.Report(own, .5)
	progress.Tell(own, progress.Step{Iteration: 3})
	assert.Equal(t, 3, (*seen)[len(*seen)-1].Iteration)
	assert.Equal(t, .5, inner[len(inner)-1].Done)
	assert.InDelta(t, .95*(.5+.5*.95*.5), inner[len(inner)-1].Whole, 1e-9)
	assert.InDelta(t, inner[len(inner)-1].Whole, (*seen)[len(*seen)-1].Done, 1e-9)
	finish(new(error))
	assert.Equal(t, 1.0, inner[len(inner)-1].Done)
	end()
}

// Context checks without other information advance progress by decreasing amounts. Derived contexts end with their parents.
func TestLooks(t *testing.T) {
	ctx, seen, end := listen(t)
	before := 0.0
	for range 5000 {
		require.NoError(t, ctx.Err())
	}
	require.NotEmpty(t, *seen)
	before = (*seen)[len(*seen)-1].Done
	assert.InDelta(t, .95, before, .06)
	assert.Less(t, before, .95)
	end()
	cancelled, cancel := context.WithCancel(context.Background())
	ctx, _ = progress.Begin(cancelled, func(progress.Step) {})
	inner, stop := context.WithCancel(progress.Open(ctx).Share(0, 1))
	defer stop()
	cancel()
	assert.ErrorIs(t, ctx.Err(), context.Canceled)
	<-inner.Done()
	assert.ErrorIs(t, progress.Silent(ctx).Err(), context.Canceled)
}

// A fit with a time limit has completed at least the elapsed share of its time. It is completed when it returns, and not before.
func TestWithin(t *testing.T) {
	ctx, seen, end := listen(t)
	now := time.Unix(0, 0)
	progress.Deadline(ctx, 40*time.Second, func() time.Time { return now })
	series := progress.NewSeries(ctx, 1000)
	for second := 1; second <= 50; second++ {
		now = now.Add(time.Second)
		require.NoError(t, series.Next().Err())
		last := (*seen)[len(*seen)-1]
		assert.GreaterOrEqual(t, last.Done, .98*min(float64(second)/40, 1), "after %d s", second)
		assert.Less(t, last.Done, 1.0)
	}
	progress.NewLoop(ctx).Report(1) // the work ends before the time
	end()
	rising(t, *seen)
}

// Expected parts are equal, and each further part receives an eighth of the remainder.
func TestSeries(t *testing.T) {
	ctx, seen, _ := listen(t)
	s := progress.NewSeries(ctx, 3)
	var ends []float64
	for range 6 {
		l := progress.NewLoop(s.Next())
		l.Report(1)
		l.End()
		ends = append(ends, (*seen)[len(*seen)-1].Done/.95)
	}
	left := .25
	for i, low := range []float64{0, .25, .5, .75, .75 + left/8, .75 + left/8 + left*7/64} {
		high := []float64{.25, .5, .75, .75 + left/8, .75 + left/8 + left*7/64, .75 + left/8 + left*7/64 + left*49/512}[i]
		assert.InDelta(t, low+.95*(high-low), ends[i], 2e-3)
	}
}

// A panic in an observer becomes the error of the fit, and the observer is not called again. A failed fit is not completed.
func TestErrors(t *testing.T) {
	calls := 0
	fit := func() (err error) {
		ctx, end := progress.Begin(context.Background(), func(progress.Step) { calls++; panic("closed") })
		defer end(&err)
		l := progress.NewLoop(ctx)
		defer l.End()
		l.Report(.5)
		return nil
	}
	assert.True(t, fault.IsPanic(fit()))
	assert.Equal(t, 1, calls)
	last := func() (err error) { // at the very end
		_, end := progress.Begin(context.Background(), func(progress.Step) { panic("closed") })
		defer end(&err)
		return nil
	}
	assert.True(t, fault.IsPanic(last()))
	inTask := func() (err error) {
		ctx, end := progress.Begin(context.Background(), func(progress.Step) { panic("closed") })
		defer end(&err)
		return parallel.ForEach(ctx, 4, 100, func(int) error { return nil })
	}
	assert.True(t, fault.IsPanic(inTask()))

	_, seen, _ := listen(t)
	failed := func() (err error) {
		_, end := progress.Begin(context.Background(), func(s progress.Step) { *seen = append(*seen, s) })
		defer end(&err)
		return errors.New("failed")
	}
	assert.Error(t, failed())
	assert.Empty(t, *seen)
}

func TestTowards(t *testing.T) {
	assert.InDelta(t, .5, progress.Towards(1e4, 1e2, 1), 1e-12)
	for _, v := range []float64{progress.Towards(1, 2, 3), progress.Towards(0, 0, 0), progress.Towards(2, 0, 1)} {
		assert.Zero(t, v)
	}
	assert.Equal(t, 1.0, progress.Towards(10, .1, 1))
}
