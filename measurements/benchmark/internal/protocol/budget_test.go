package protocol

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

func TestBudgetGrowsWithRows(t *testing.T) {
	s := Settings{Budget: 20 * time.Second, Threads: 1, Methods: []methods.Method{methods.Baselines[0]}}
	for rows, want := range map[int]time.Duration{10: 20, 1000: 20, 1001: 21, 2500: 50, 36_000: 720} {
		assert.Equal(t, want*time.Second, s.budgetOf(rows), rows)
	}
	p := Prepared{splits: 1, Description: Description{Set: "a", Task: methods.RegressionTask, TrainRows: 2500}}
	j := s.Jobs(p)[0]
	assert.Equal(t, "50s", j.Key.Budget)
	assert.Equal(t, []uint64{50, 150}, []uint64{j.Seconds, j.Clock})
	assert.Zero(t, j.Key.Threads)
	s.Threads = 2
	j = s.Jobs(p)[0]
	assert.Equal(t, uint64(100), j.Seconds, "of two processors")
	assert.Equal(t, 2, j.Key.Threads, "not mixed with cells of one")
	s.Sizes = []int{2500}
	assert.Equal(t, 20*time.Second, s.budgetOf(2500), "that of -synthetic does not grow")
}
