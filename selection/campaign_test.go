package selection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Decoding any JSON yields a Result that can be printed and has a canonical form, or a short error that leaves the Result
// unchanged.
func TestCampaignResults(t *testing.T) {
	seeds := [][]byte{
		[]byte(`{"columns":"c","others":[{"columns":"d","share":null}],"family":"RBF","param":1e-3,"warnings":["a"],"trace":[{"family":"x","param":null,"score":"+Inf"}]}`),
		[]byte(`{"lengths":[1,2],"values":[0.5],"candidate":-1,"seconds":2,"others":[]}`),
	}
	full, err := json.Marshal(search.Result{Family: "RBF", Others: []*search.Result{{Columns: "ranks"}}, Trace: []search.TraceRow{{Family: "RBF", Score: 1}}})
	require.NoError(t, err)
	seeds = append(seeds, full)
	parts := [][]byte{[]byte("null"), []byte(`"+Inf"`), []byte("1e999"), []byte("{}"), []byte("[]"), []byte(`[{}]`), []byte("-1"), []byte(`""`), []byte("true")}
	var data []byte
	campaign.Run(t, "JSON results", 1000, func(rng *rand.Rand) error {
		data = append(data[:0], seeds[rng.IntN(len(seeds))]...)
		for range 1 + rng.IntN(3) {
			if at := rng.IntN(len(data)); rng.IntN(3) == 0 {
				data[at] = byte(rng.IntN(128))
			} else if colon := bytes.IndexByte(data[at:], ':'); colon >= 0 { // change the value of a field
				from := at + colon + 1
				to := from + max(0, bytes.IndexAny(data[from:], ",}]"))
				rest := bytes.Clone(data[to:])
				data = append(append(data[:from], parts[rng.IntN(len(parts))]...), rest...)
			}
		}
		kept := search.Result{Family: "kept"}
		if err := json.Unmarshal(data, &kept); err != nil {
			if kept.Family != "kept" || len(err.Error()) > 4096 {
				return fmt.Errorf("%s: %w, and the Result is %v", data, err, kept)
			}
			return nil
		}
		_ = kept.String()
		once, err := json.Marshal(kept)
		if err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
		var again search.Result
		if err := json.Unmarshal(once, &again); err != nil {
			return fmt.Errorf("%s is written as %s: %w", data, once, err)
		}
		if twice, err := json.Marshal(again); err != nil || !bytes.Equal(once, twice) {
			return fmt.Errorf("%s is written as %s and then as %s: %w", data, once, twice, err)
		}
		return nil
	})
}
