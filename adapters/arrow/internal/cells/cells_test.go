package cells

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecimalIsTheNearestNumber(t *testing.T) {
	for _, c := range []struct {
		digits string
		scale  int
		want   float64
	}{
		{"1", 1, .1}, {"3", 1, .3}, {"123456789012345678901234567890", 29, 1.2345678901234567890123456789},
		{"9007199254740993", 0, 9007199254740992}, {"9007199254740993", 16, .9007199254740993}, {"5", -3, 5000},
		{"-7", 600, 0}, {"-7", -600, math.Inf(-1)}, {"0", -600, 0},
	} {
		v, ok := new(big.Int).SetString(c.digits, 10)
		require.True(t, ok)
		assert.Equal(t, c.want, decimal(v, c.scale), "%s scale %d", c.digits, c.scale)
	}
}
