package golearn

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/internal/testkit/filefuzz"
)

// golearns lists the models that are stored in golearn's archives, with the reason why their files are not fuzzed.
var golearns = map[string]string{
	"pipeline: naive Bayes":      "is written in another order each time",
	"pipeline: tree, no steps":   "is read into the tree itself, which an error leaves half read",
	"pipeline: tree":             "as above",
	"refitted":                   "fits golearn's tree anew to stored rows, which never ends for some",
	"pipeline: nested tree":      "as above",
	"pipeline: chi merge":        "fits its filter anew to stored rows, which allocates more",
	"pipeline: filter then both": "as above",
}

// fileSubjects returns all types of this package that can be stored, fitted to a few rows.
func fileSubjects(tb testing.TB) (out []*filefuzz.Subject) {
	models := savedModels()
	for name := range golearns {
		require.Contains(tb, models, name)
	}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		if reason := golearns[name]; reason != "" {
			continue
		}
		c := models[name]
		g := c.grid(tb)
		m := c.build()
		require.NoError(tb, m.Fit(g), name)
		data, err := m.MarshalBinary()
		require.NoError(tb, err, name)
		build := func() any { return c.build() }
		s := &filefuzz.Subject{Name: name, New: build, Files: [][]byte{data}, Args: []any{&g}}
		assert.NoError(tb, s.Prepare())
		out = append(out, s)
	}
	return out
}

// FuzzFiles changes files and keeps their checksums valid: see [filefuzz].
func FuzzFiles(f *testing.F) { filefuzz.Fuzz(f, fileSubjects(f)) }

// TestCampaignFiles does the same as FuzzFiles on random inputs.
func TestCampaignFiles(t *testing.T) {
	subjects := fileSubjects(t)
	campaign.Run(t, "files of golearn", 200, func(rng *rand.Rand) error { return filefuzz.CheckRandom(subjects, rng) })
}
