//go:build unix

package openblas

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// OpenBLAS uses one thread within tasks of the library, for any number of goroutines, and its previous number of threads
// afterwards.
func TestThreads(t *testing.T) {
	if !ownThreads {
		t.Skip("no OpenBLAS with threads of its own")
	}
	defer useThreads(threads())
	useThreads(3)
	for _, workers := range []int{1, 2} {
		for _, end := range []error{nil, errors.New("bad")} {
			err := parallel.ForEach(context.Background(), workers, 2, func(int) error {
				assert.Equal(t, 1, threads())
				return end
			})
			assert.ErrorIs(t, err, end)
			assert.Equal(t, 3, threads())
		}
	}
	assert.NoError(t, parallel.ForEach(context.Background(), 2, 1, func(int) error {
		assert.Equal(t, 3, threads(), "a task alone")
		return nil
	}))
}
