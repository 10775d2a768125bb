//go:build !race

package estimatortest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// noAllocations checks that f allocates no memory after its first call.
func noAllocations(t *testing.T, name string, f func()) {
	t.Helper()
	assert.Zero(t, testing.AllocsPerRun(100, f), name)
}
