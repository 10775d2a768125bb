package codec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// someBytes returns a copy of seed in out, with a few changed bytes, truncated, or with a part repeated. Unlike a damaged file,
// such a body reaches a decoder with a valid checksum.
func someBytes(rng *rand.Rand, out, seed []byte) []byte {
	out = append(out[:0], seed...)
	for range 1 + rng.IntN(4) {
		if len(out) == 0 {
			return append(out, byte(rng.Uint32()))
		}
		at := rng.IntN(len(out))
		switch rng.IntN(8) {
		case 0:
			out = out[:at]
		case 1:
			out = append(out, out[at:]...)
		case 2:
			out[at] = byte(rng.IntN(8))<<5 | byte(24+rng.IntN(4)) // a head with a long argument
		case 3:
			out[at] = majorOther<<5 | null
		default:
			out[at] = byte(rng.Uint32())
		}
	}
	return out[:min(len(out), 1<<12)]
}

// walk does not panic, does not read past the end, and does not exceed its budget.
func TestCampaignHeads(t *testing.T) {
	data, err := Marshal("kind", 1, example())
	require.NoError(t, err)
	seeds := [][]byte{
		data[fixedSize+4 : len(data)-checksumSize], field("Inner", field("List", array(3, majorMap<<5))), field("Tree", array(2, majorOther<<5|null)),
		field("Named", field("a", field("A", []byte{0xd8, 86, 0x40}))),
	}
	types := map[reflect.Type]map[string]reflect.Type{}
	var body []byte
	campaign.Run(t, "codec heads", 20000, func(rng *rand.Rand) error {
		body = someBytes(rng, body, seeds[rng.IntN(len(seeds))])
		limit := budgetFactor*int64(len(body)) + budgetFloor
		w := walk{data: body, left: limit, types: types}
		err := w.value(reflect.TypeFor[many](), 0)
		switch {
		case err != nil && !errors.Is(err, errMalformed) && !errors.Is(err, errCount) && !errors.Is(err, errBudget):
			return fmt.Errorf("body %x: %w", body, err)
		case w.left < 0 || w.left > limit || len(w.data) >= len(body) && err == nil:
			return fmt.Errorf("body %x: %d of %d are left, after %d bytes of %d", body, w.left, limit, len(body)-len(w.data), len(body))
		}
		return nil
	})
}

// Decoding returns ErrBadModel, or matrices for which Dense returns an error or the expected number of values.
func TestCampaignDecode(t *testing.T) {
	data, err := Marshal("kind", 1, example())
	require.NoError(t, err)
	seed := data[fixedSize+4 : len(data)-checksumSize]
	var body []byte
	campaign.Run(t, "codec decode", 2000, func(rng *rand.Rand) error {
		body = someBytes(rng, body, seed)
		var got payload
		if _, err := Unmarshal(sealed(body), "kind", 1, &got); err != nil && (!errors.Is(err, fault.ErrBadModel) || len(err.Error()) > 4096) {
			return fmt.Errorf("body %x: %w", body, err)
		}
		if m, err := got.M.Dense(); err == nil && m != nil && got.M.Rows*got.M.Cols != len(got.M.Data) {
			return fmt.Errorf("body %x: a matrix of %d×%d with %d values", body, got.M.Rows, got.M.Cols, len(got.M.Data))
		}
		return nil
	})
}

// Nested envelopes can be counted and opened without a panic.
func TestCampaignEnvelopes(t *testing.T) {
	inner, err := Marshal("inner", 1, example())
	require.NoError(t, err)
	outer, err := Marshal("outer", 1, struct{ A, B []byte }{inner, inner})
	require.NoError(t, err)
	var body []byte
	campaign.Run(t, "codec envelopes", 5000, func(rng *rand.Rand) error {
		body = someBytes(rng, body, outer)
		if deep := nested(body); deep < 0 || deep > len(body)/fixedSize {
			return fmt.Errorf("%x: %d files within each other", body, deep)
		}
		_, _, got, err := open(body, "outer")
		if err != nil && !errors.Is(err, fault.ErrBadModel) || err == nil && len(got) >= len(body) {
			return fmt.Errorf("%x: %w", body, err)
		}
		return nil
	})
}
