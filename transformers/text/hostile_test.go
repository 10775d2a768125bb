package text

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

var ctx = context.Background()

// Any string is a document. An empty document has no terms, and a byte that is not UTF-8 counts as U+FFFD.
func TestHostileDocuments(t *testing.T) {
	documents := []string{"", "word\xff\xfeword \x00", "\xf0\x28\x8c\x28", "word", strings.Repeat("word ", 1<<16), "\ufffd"}
	for _, unit := range []Unit{Words, Characters, CharactersOfWords} {
		v := &TFIDF{Terms: Terms{Unit: unit, Longest: 2}}
		x, err := v.FitTransform(ctx, documents)
		require.NoError(t, err, unit)
		h, err := (&Hashing{Terms: v.Terms, Columns: 8}).Transform(ctx, documents)
		require.NoError(t, err, unit)
		for _, rows := range [][]float64{x.SquaredNorms(), h.SquaredNorms()} {
			assert.Len(t, rows, len(documents))
			assert.Zero(t, rows[0], "%v: the empty document is an empty row", unit)
			for i, s := range rows[1:] {
				assert.True(t, s == 0 || math.Abs(s-1) < 1e-12, "%v: row %d has the squared length %v", unit, i+1, s)
			}
		}
		if unit == Words {
			assert.Equal(t, []string{"word", "word word"}, v.FeatureNames())
			assert.Equal(t, 1., x.SquaredNorms()[1])
		} else {
			assert.Contains(t, v.FeatureNames(), "\ufffd\ufffd"[:3*v.Terms.Longest], "two bytes are two characters")
		}
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add("a b", "\xff", uint8(0), uint8(1), uint8(3))
	f.Add("İΣ \x1c\x85 ", strings.Repeat("xy ", 40), uint8(2), uint8(9), uint8(0))
	f.Fuzz(func(t *testing.T, first, second string, unit, shortest, longest uint8) {
		v := &TFIDF{Terms: Terms{Unit: Unit(unit % 3), Shortest: int(shortest % 8), Longest: int(longest % 8)}, MaxBytes: 1 << 20}
		documents := []string{first, second, first}
		x, err := v.FitTransform(ctx, documents)
		if err != nil {
			assert.True(t, errors.Is(err, fault.ErrShape) || errors.Is(err, fault.ErrParam) || errors.Is(err, fault.ErrTooLarge), err)
			return
		}
		a, av := x.Row(0)
		b, bv := x.Row(2)
		assert.Equal(t, a, b)
		assert.Equal(t, av, bv)
		h, err := (&Hashing{Terms: v.Terms, NoSigns: true, Norm: NoNorm, Columns: 1 + int(unit)}).Transform(ctx, documents)
		require.NoError(t, err)
		counts := &TFIDF{Terms: v.Terms, NoIDF: true, Norm: NoNorm}
		y, err := counts.FitTransform(ctx, documents)
		require.NoError(t, err)
		for i := range documents { // no term is lost or added
			sums := [2]float64{}
			h.DoRowNonZero(i, func(_, _ int, v float64) { sums[0] += v })
			y.DoRowNonZero(i, func(_, _ int, v float64) { sums[1] += v })
			assert.Equal(t, sums[0], sums[1])
		}
	})
}

func TestErrors(t *testing.T) {
	documents := []string{"one two", "two three"}
	for name, c := range map[string]struct {
		v    *TFIDF
		want error
		says string
	}{
		"order":     {&TFIDF{Terms: Terms{Shortest: 3, Longest: 2}}, fault.ErrParam, "text: Terms: Longest = 2"},
		"negative":  {&TFIDF{Terms: Terms{Shortest: -1}}, fault.ErrParam, "text: Terms: Shortest = -1"},
		"unit":      {&TFIDF{Terms: Terms{Unit: 9}}, fault.ErrParam, "Unit"},
		"norm":      {&TFIDF{Norm: -1}, fault.ErrParam, "Norm"},
		"share":     {&TFIDF{MaxShare: 1.5}, fault.ErrParam, "MaxShare = 1.5"},
		"stop":      {&TFIDF{Terms: Terms{Unit: Characters, StopWords: []string{"a"}}}, fault.ErrParam, "StopWords"},
		"none left": {&TFIDF{MinDocuments: 3}, fault.ErrShape, "of 3 terms in 2 documents, the vocabulary has 0 terms"},
		"memory":    {&TFIDF{MaxBytes: 300}, fault.ErrTooLarge, "text: TFIDF: the terms of 2 documents"},
	} {
		err := c.v.Fit(ctx, documents)
		assert.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, c.says, name)
	}
	v := &TFIDF{}
	_, err := v.Transform(ctx, documents)
	assert.ErrorIs(t, err, fault.ErrNotFitted)
	assert.Nil(t, v.FeatureNames())
	assert.Nil(t, v.Vocabulary())
	assert.Nil(t, v.IDF())
	require.NoError(t, v.Fit(ctx, documents))
	assert.ErrorIs(t, v.Fit(ctx, nil), fault.ErrShape)
	_, err = v.Transform(ctx, nil)
	assert.ErrorIs(t, err, fault.ErrShape)
	assert.Len(t, v.FeatureNames(), 3, "a failed Fit keeps the earlier vocabulary")

	many := make([]string, 1000)
	for i := range many {
		many[i] = "one two three"
	}
	v.MaxBytes = 50_000
	_, err = v.Transform(ctx, many)
	assert.ErrorIs(t, err, fault.ErrTooLarge)
	_, err = (&Hashing{MaxBytes: 50_000}).Transform(ctx, many)
	assert.ErrorIs(t, err, fault.ErrTooLarge)
	_, err = (&Hashing{Columns: -1}).Transform(ctx, many)
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = (&Hashing{}).Transform(ctx, nil)
	assert.ErrorIs(t, err, fault.ErrShape)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, (&TFIDF{}).Fit(ended, many), context.Canceled)
	_, err = (&Hashing{}).Transform(ended, many)
	assert.ErrorIs(t, err, context.Canceled)
	var forgotten context.Context
	assert.ErrorIs(t, (&TFIDF{}).Fit(forgotten, many), fault.ErrParam)
}

// The processing of a single long document stops when the context ends.
func TestLongDocumentIsCancelled(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	terms := 0
	look := looking(ended, func([]byte) error {
		if terms++; terms == 10 {
			cancel()
		}
		return nil
	})
	a, err := Terms{Unit: Characters, Longest: 3}.analyzer()
	require.NoError(t, err)
	assert.ErrorIs(t, a.each(strings.Repeat("long ", 1<<16), look), context.Canceled)
	assert.Equal(t, termsPerCheck-1, terms)
}

func TestProgress(t *testing.T) {
	many := make([]string, 40*chunkDocuments)
	for i := range many {
		many[i] = "one two three"
	}
	last, calls := 0., 0
	watched := progress.Observed(ctx, func(s progress.Step) { last, calls = s.Done, calls+1 })
	_, err := (&TFIDF{Workers: 1}).FitTransform(watched, many)
	require.NoError(t, err)
	assert.Greater(t, calls, 5)
	assert.Equal(t, 1., last)
}
