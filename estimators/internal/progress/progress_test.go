package progress_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/internal/progress"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

func TestSteps(t *testing.T) {
	var seen []estimators.Step
	ctx, end := progress.Begin(context.Background(), func(s estimators.Step) { seen = append(seen, s) })
	s := progress.New(ctx, 50)
	require.NoError(t, parallel.ForEach(context.Background(), 4, 50, func(i int) error {
		s.Next(2, "%d vectors", 7)
		return nil
	}))
	require.Len(t, seen, 50)
	for i, step := range seen {
		assert.Equal(t, estimators.Step{Iteration: i + 1, Total: 50, Objective: 2, Message: "7 vectors"}, step)
	}
	var err error
	end(&err)
	assert.Equal(t, estimators.Step{Iteration: 50, Total: 50, Objective: 2, Message: "7 vectors", Done: 1, Between: true}, seen[50])
	progress.New(context.Background(), 3).Next(1, "nobody looks")
}
