package survey

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/celltext"
)

func TestSurvey(t *testing.T) {
	v := &Survey{Most: 3, Levels: map[string]struct{}{}}
	for _, text := range []string{"10", "9", "10", "10"} {
		v.Add(celltext.Integer, text)
	}
	v.Add(celltext.Gap, "NA")
	assert.Equal(t, []string{"9", "10"}, v.Sorted(), "as numbers")
	assert.Equal(t, .5, v.Share())
	assert.Equal(t, 1., v.Length())
	assert.False(t, v.Full())
	v.Add(celltext.Word, "two words")
	assert.Equal(t, []string{"10", "9", "two words"}, v.Sorted())
	assert.True(t, v.Full())
}

func TestNamesID(t *testing.T) {
	for name, want := range map[string]bool{"id": true, "user_id": true, "userId": true, "Row Index": true, "width": false, "paid": false, "": false} {
		assert.Equal(t, want, NamesID(name), name)
	}
}
