package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDifferNames(t *testing.T) {
	assert.NoError(t, differ("p", Key{Seed: 1}, Key{Seed: 1}))
	assert.ErrorContains(t, differ("p", Key{Seed: 1}, Key{Seed: 2}), "p was made with seed 1, this run has 2")
	assert.ErrorContains(t, differ("p", Description{}, Description{Positive: "yes"}), `positive none, this run has "yes"`)
}
