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

// listen begins a fit, and keeps what it is told.
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

// Where nobody listens there are no parts, and the context is the caller's own.
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

// Parts have their shares whatever is in them, and what comes before one is over when it begins.
func TestParts(t *testing.T) {
	ctx, seen, end := listen(t)
	parts := progress.Parts(ctx, 1, 2, 1)
	l := progress.NewLoop(parts[1]) // the first says nothing
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

// Steps come by the share that is done, and after some pieces of work that changed little.
func TestSteps(t *testing.T) {
	ctx, seen, end := listen(t)
	l := progress.NewLoop(ctx)
	for i := range 100_000 {
		l.Report(float64(i) / 100_000)
	}
	l.Report(.3) // which is over
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

// What is within a loop with the same context is silent, and so is what is apart.
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
	// A fit apart tells nobody, be it from within a fit or from before one.
	told := 0
	observed := progress.Observed(context.Background(), func(progress.Step) { told++ })
	_, finish = progress.Begin(progress.Detach(observed), nil)
	finish(new(error))
	assert.Zero(t, told)
}

// Each fit of a context that is observed is one of its own.
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

// Tasks beside each other add up, in any order, and fits in fits.
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

// Iterations of a fit are those of the one that it is in, if that has none.
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

// Looks at a context of which nothing else is known bring it on, less and less; derived contexts end with it.
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

// A fit with a limit of time has at least the share done that has passed of it, and is done when it returns, not before.
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
	progress.NewLoop(ctx).Report(1) // the work is done before the time
	end()
	rising(t, *seen)
}

// As many as are expected are even, others get an eighth of what is left.
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

// An observer that panics is the error of the fit, and is not called again; a fit that fails is not done.
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
