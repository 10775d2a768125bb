package text

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

var stored = []string{"a row of a kernel matrix", "a column of numbers", "größe der Matrix"}

func TestModelFiles(t *testing.T) {
	configured := TFIDF{Terms: Terms{Longest: 2}, Sublinear: true}
	fitted := configured
	want, err := fitted.FitTransform(ctx, stored)
	require.NoError(t, err)
	data := golden.Model(t, "TFIDF-v1.keln", fitted.MarshalBinary)
	read := configured
	require.NoError(t, read.UnmarshalBinary(data))
	got, err := read.Transform(ctx, stored)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, fitted.Vocabulary(), read.Vocabulary())

	h := &Hashing{Columns: 100}
	require.NoError(t, h.UnmarshalBinary(golden.Model(t, "Hashing-v1.keln", h.MarshalBinary)))
	assert.Equal(t, &Hashing{Columns: 100}, h)
	assert.ErrorIs(t, h.UnmarshalBinary(data), fault.ErrBadModel)

	_, err = (&TFIDF{}).MarshalBinary()
	assert.ErrorIs(t, err, fault.ErrNotFitted)
	for name, s := range map[string]storedVocabulary{
		"no terms":     {Documents: 1},
		"no factor":    {Documents: 1, Terms: []string{"a"}},
		"no documents": {Terms: []string{"a"}, Factors: []float64{1}},
		"order":        {Documents: 1, Terms: []string{"b", "a"}, Factors: []float64{1, 1}},
		"twice":        {Documents: 1, Terms: []string{"a", "a"}, Factors: []float64{1, 1}},
	} {
		bad, err := codec.Marshal(tfidfKind, version, s)
		require.NoError(t, err)
		assert.ErrorIs(t, read.UnmarshalBinary(bad), fault.ErrBadModel, name)
	}
	assert.Equal(t, fitted.Vocabulary(), read.Vocabulary(), "a bad file changes nothing")
}
