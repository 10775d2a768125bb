package moments

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestDamagedFiles(t *testing.T) {
	for name, s := range map[string]stored{
		"moments":  {N: 1, Mean: []float64{1}, Low: []float64{0}, C3: []float64{0}},
		"rows":     {N: -1, Mean: []float64{1}, Low: []float64{0}, C2: []float64{0}, C3: []float64{0}},
		"no rows":  {N: 0, Mean: []float64{1}, Low: []float64{0}, C2: []float64{0}, C3: []float64{0}},
		"negative": {N: 2, Mean: []float64{1}, Low: []float64{0}, C2: []float64{0}, C3: []float64{0}, C4: -1},
		"infinite": {N: 2, Mean: []float64{math.Inf(1)}, Low: []float64{0}, C2: []float64{0}, C3: []float64{0}},
	} {
		data, err := codec.Marshal(Kind, 1, s)
		require.NoError(t, err)
		assert.ErrorIs(t, (&Moments{}).UnmarshalBinary(data), fault.ErrBadModel, name)
	}
}
