package progress_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

func TestNewSteps(t *testing.T) {
	var seen []progress.Step
	ctx, end := progress.Begin(context.Background(), func(s progress.Step) { seen = append(seen, s) })
	s := progress.NewSteps(ctx, 50)
	require.NoError(t, parallel.ForEach(context.Background(), 4, 50, func(i int) error {
		s.Next(2, "%d vectors", 7)
		return nil
	}))
	require.Len(t, seen, 50)
	for i, step := range seen {
		assert.Equal(t, progress.Step{Iteration: i + 1, Total: 50, Objective: 2, Message: "7 vectors"}, step)
	}
	var err error
	end(&err)
	assert.Equal(t, progress.Step{Iteration: 50, Total: 50, Objective: 2, Message: "7 vectors", Done: 1, Between: true, Whole: 1}, seen[50])
	progress.NewSteps(context.Background(), 3).Next(1, "no observer")
}
