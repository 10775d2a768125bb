package exact

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// Sums of numbers of any magnitude equal those of big numbers, for any grouping. They also survive a round trip through bytes.
func TestCampaignSums(t *testing.T) {
	campaign.Run(t, "exact sums", 3000, func(rng *rand.Rand) error {
		var all, first, second Sum
		want := new(big.Float).SetPrec(4000)
		values := make([]float64, 1+rng.IntN(6))
		for i := range values {
			v := math.Float64frombits(rng.Uint64())
			if v-v != 0 {
				v = rng.NormFloat64()
			}
			values[i] = v
			all.Add(v)
			want.Add(want, new(big.Float).SetPrec(4000).SetFloat64(v))
			if rng.IntN(2) == 0 {
				first.Add(v)
			} else {
				second.Add(v)
			}
		}
		first.Merge(second)
		data, err := all.MarshalBinary()
		if err != nil {
			return fmt.Errorf("%v: %w", values, err)
		}
		parts, err := first.MarshalBinary()
		if err != nil || !bytes.Equal(data, parts) {
			return fmt.Errorf("%v: parts give %x, all %x, %v", values, parts, data, err)
		}
		var read Sum
		if err := read.UnmarshalBinary(data); err != nil {
			return fmt.Errorf("%v: %w", values, err)
		}
		if got := read.Float(); got.Cmp(want) != 0 {
			return fmt.Errorf("%v: %v, want %v", values, got, want)
		}
		return nil
	})
}

// Arbitrary bytes are decoded to a sum in its canonical form, or cause an error.
func TestCampaignBytesOfSums(t *testing.T) {
	var data [64]byte
	campaign.Run(t, "bytes of exact sums", 20000, func(rng *rand.Rand) error {
		b := data[:rng.IntN(5)*8+2-2*(rng.IntN(8)/7)]
		for i := range b {
			b[i] = byte(rng.Uint32())
			if rng.IntN(3) == 0 {
				b[i] = byte(-rng.IntN(2))
			}
		}
		if len(b) > 1 {
			b[1] = byte(rng.IntN(2))
		}
		var s Sum
		if s.UnmarshalBinary(b) != nil {
			return nil
		}
		once, err := s.MarshalBinary()
		if err != nil {
			return fmt.Errorf("%x: %w", b, err)
		}
		var again Sum
		if err := again.UnmarshalBinary(once); err != nil {
			return fmt.Errorf("%x is written as %x: %w", b, once, err)
		}
		twice, err := again.MarshalBinary()
		if err != nil || !bytes.Equal(once, twice) {
			return fmt.Errorf("%x is written as %x and then as %x, %v", b, once, twice, err)
		}
		return nil
	})
}
