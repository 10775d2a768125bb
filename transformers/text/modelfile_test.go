package text_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/transformers/text"
)

// A file of package modelfile contains the settings of the vectorizer.
func TestModelFilesHaveSettings(t *testing.T) {
	ctx := context.Background()
	documents := []string{"Rows and COLUMNS", "columns of Rows, and the rest"}
	v := &text.TFIDF{Terms: text.Terms{Unit: text.Words, Longest: 2, StopWords: []string{"and"}, KeepCase: true},
		Sublinear: true, Norm: text.L1, MaxShare: .9}
	want, err := v.FitTransform(ctx, documents)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, modelfile.Write(&file, v))
	read, err := modelfile.Read[*text.TFIDF](&file)
	require.NoError(t, err)
	assert.Equal(t, v.Terms, read.Terms)
	got, err := read.Transform(ctx, documents)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	h := &text.Hashing{Terms: text.Terms{Unit: text.CharactersOfWords, Shortest: 3}, Columns: 99, NoSigns: true}
	require.NoError(t, modelfile.Write(&file, h))
	again, err := modelfile.Read[*text.Hashing](&file)
	require.NoError(t, err)
	assert.Equal(t, h, again)
}
