package enum

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestName(t *testing.T) {
	assert.Equal(t, "First", Name("Place", 0, "First", "Second"))
	assert.Equal(t, "Second", Name("Place", 1, "First", "Second"))
	assert.Equal(t, "Place(2)", Name("Place", 2, "First", "Second"))
	assert.Equal(t, "Place(-1)", Name("Place", -1, "First", "Second"))
}
