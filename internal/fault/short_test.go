package fault

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Long values in errors are shortened.
func TestErrorsAreShort(t *testing.T) {
	long := make([]int, 1<<20)
	for _, err := range []error{
		BadModel("kind", "columns %v", long), Param("type", "Field", long, "fewer"), Param("type", "Field", 1, fmt.Sprint(long)),
		Shape("x has", 1, "columns", "fitted on %v", long), Param("type", "Field", strings.Repeat("é", 1<<10), "less"),
	} {
		assert.Less(t, len(err.Error()), 1000)
		assert.True(t, strings.Contains(err.Error(), " ... "))
	}
	assert.EqualError(t, Param("type", "Field", []int{1, 2}, "one"), "type: Field = [1 2], want one")
}
