package codec

import (
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/badtext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Marshal rejects text that is not UTF-8 anywhere in a value, because it could not be read again.
func TestTextsAreUTF8(t *testing.T) {
	type inner struct {
		Text  string
		Bytes []byte
	}
	v := struct {
		Text    string
		List    []string
		Named   map[string]string
		In      inner
		Pointer *inner
		Deep    map[string][]inner
		Numbers Floats
		Count   int
	}{
		Text: "ä", List: []string{"a", "日"}, Named: map[string]string{"k": "v"}, In: inner{"a", []byte{0xe4}}, Pointer: &inner{"b", nil},
		Deep: map[string][]inner{"d": {{"e", nil}, {"f", []byte{0xff}}}}, Numbers: Floats{1, -1e300}, Count: -70000,
	}
	data, err := Marshal("kind", 1, v)
	require.NoError(t, err)
	again := v
	_, err = Unmarshal(data, "kind", 1, &again)
	require.NoError(t, err)
	n := badtext.ForEachField(&v, func(path string) {
		_, err := Marshal("kind", 1, v)
		require.ErrorIs(t, err, fault.ErrParam, path)
		assert.ErrorContains(t, err, `kind: a text = "j\xe4", want UTF-8`, path)
	})
	assert.Equal(t, 10, n)
	_, err = Marshal("kind", 1, cbor.RawMessage{0xa1, 0x61, 'x', 0x61, 0xe4})
	require.ErrorIs(t, err, fault.ErrParam)
}
