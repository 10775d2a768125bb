package codec

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestInspect(t *testing.T) {
	type whole struct{ Parts [][]byte }
	write := func(kind string, version int, parts ...[]byte) []byte {
		data, err := Marshal(kind, version, whole{parts})
		require.NoError(t, err)
		return data
	}
	inner := write("inner", 300)
	middle := write("middle", 2, inner, inner, []byte("KELN but no more"))
	data := write("outer", 1, middle, inner)
	got, err := Inspect(data)
	require.NoError(t, err)
	small := Content{Kind: "inner", Version: 300, Bytes: len(inner)}
	assert.Equal(t, Content{
		Kind: "outer", Version: 1, Bytes: len(data), Checksum: data[len(data)-checksumSize:],
		Within: []Content{{Kind: "middle", Version: 2, Bytes: len(middle), Within: []Content{small, small}}, small},
	}, got)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		_, err := Inspect(changed)
		assert.ErrorIs(t, err, fault.ErrBadModel, "byte %d", i)
		_, err = Inspect(data[:i])
		assert.ErrorIs(t, err, fault.ErrBadModel, "%d bytes", i)
	}

	many := write("many", 1, bytes.Repeat(inner, 2*mostWithin))
	got, err = Inspect(many)
	require.NoError(t, err)
	assert.Len(t, got.Within, mostWithin)
}

// plain is a value whose MarshalBinary returns its own bytes.
type plain []byte

func (p plain) MarshalBinary() ([]byte, error) { return p, nil }

func (p *plain) UnmarshalBinary(data []byte) error {
	*p = bytes.Clone(data)
	return nil
}

func TestText(t *testing.T) {
	text, err := Text(plain{0, 1, 255})
	require.NoError(t, err)
	assert.Equal(t, "AAH/", string(text))
	var got plain
	require.NoError(t, FromText("kind", &got, text))
	assert.Equal(t, plain{0, 1, 255}, got)
	assert.ErrorIs(t, FromText("kind", &got, []byte("*")), fault.ErrBadModel)
	assert.Equal(t, plain{0, 1, 255}, got)
}
