//go:build !race

package estimatortest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// noAllocations asserts that f does not allocate memory after its first call.
func noAllocations(t *testing.T, name string, f func()) {
	t.Helper()
	assert.Zero(t, testing.AllocsPerRun(100, f), name)
}
