package estimatortest_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

// manyChecks is a context that counts its checks.
type manyChecks struct {
	context.Context
	seen atomic.Int64
}

// Err returns the error of the context, and counts as a check.
func (l *manyChecks) Err() error {
	l.seen.Add(1)
	return l.Context.Err()
}

// TestStepsComeEarly checks, without a clock, that every fit and search that can take seconds reports its progress early and
// evenly. The first step is reported before a fifth of the context's checks and of the work. At most half of the checks are between
// two steps, and the shares increase to 1. BenchmarkProgress measures the same fits with more rows.
func TestStepsComeEarly(t *testing.T) {
	for _, c := range progressing() {
		t.Run(c.name, func(t *testing.T) {
			if raceEnabled { // for the race detector, only fits with as many goroutines as processors matter
				rows := 150
				if strings.HasPrefix(c.name, "gabasr") {
					rows = 40
				}
				require.NoError(t, c.run(context.Background(), longRows(min(c.rows, rows), min(c.d, 10))))
				return
			}
			f := longRows(min(c.rows, 400), min(c.d, 30))
			ctx := &manyChecks{Context: context.Background()}
			var steps []estimators.Step
			var at []int64
			require.NoError(t, c.run(estimators.Observed(ctx, func(s estimators.Step) { steps, at = append(steps, s), append(at, ctx.seen.Load()) }), f))
			looks := ctx.seen.Load()
			require.GreaterOrEqual(t, len(steps), c.least(), "steps")
			before, pause := 0.0, int64(0)
			for i, s := range steps {
				require.True(t, s.Done >= before && s.Done <= 1, "%v is done after %v", s.Done, before)
				if before = s.Done; i > 0 {
					pause = max(pause, at[i]-at[i-1])
				}
			}
			assert.Equal(t, 1.0, before, "the share done at the end")
			if c.least() > few {
				assert.LessOrEqual(t, steps[0].Done, .2, "the share done at the first step")
				assert.LessOrEqual(t, float64(at[0])/float64(looks), .2, "the share of the looks before the first step")
				assert.LessOrEqual(t, float64(pause)/float64(looks), .5, "the share of the looks between two steps")
			}
		})
	}
}

// TestAllSayHowFarTheyAre checks that the list contains all types with settings, except those whose fits take no time and report
// only their end.
func TestAllSayHowFarTheyAre(t *testing.T) {
	var named strings.Builder
	for _, c := range progressing() {
		named.WriteString(c.name + "\n")
	}
	for _, make0 := range withSettings {
		e := make0()
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "*")
		if strings.Contains(named.String(), name) || strings.Contains(named.String(), strings.TrimPrefix(name, "selection.")) {
			continue
		}
		var last estimators.Step
		require.NoError(t, fitAny(estimators.Observed(context.Background(), func(s estimators.Step) { last = s }), e), name)
		assert.Equal(t, 1.0, last.Done, name)
		_, transforms := e.(transformers.Transformer)
		assert.True(t, transforms, "%s is in the list of BenchmarkProgress", name)
	}
}
