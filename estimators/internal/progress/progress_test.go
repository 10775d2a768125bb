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
	s := &progress.Steps{Total: 50, Observe: func(s estimators.Step) { seen = append(seen, s) }}
	require.NoError(t, parallel.For(context.Background(), 4, 50, func(i int) error {
		s.Next(2, "%d vectors", 7)
		return nil
	}))
	require.Len(t, seen, 50)
	for i, step := range seen {
		assert.Equal(t, estimators.Step{Iteration: i + 1, Total: 50, Objective: 2, Message: "7 vectors"}, step)
	}
	(*progress.Steps)(nil).Next(1, "nobody looks")
	(&progress.Steps{}).Next(1, "nobody looks")
}
