//go:build !race

package estimatortest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// noAllocations asserts that f allocates nothing once it has run.
func noAllocations(t *testing.T, name string, f func()) {
	t.Helper()
	assert.Zero(t, testing.AllocsPerRun(100, f), name)
}
