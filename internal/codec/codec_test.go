package codec

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

type payload struct {
	Name  string
	V     Floats
	M     Matrix
	Empty Matrix
	Count int
}

func example() payload {
	return payload{
		Name: "n", V: Floats{1, -0.5, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64},
		M: FromDense(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}).Slice(0, 2, 1, 3).(*mat.Dense)), Count: -3,
	}
}

func TestRoundTrip(t *testing.T) {
	data, err := Marshal("kind", 7, example())
	require.NoError(t, err)
	again, err := Marshal("kind", 7, example())
	require.NoError(t, err)
	assert.Equal(t, data, again, "the same value gives the same bytes")
	var got payload
	version, err := Unmarshal(data, "kind", 9, &got)
	require.NoError(t, err)
	assert.Equal(t, 7, version)
	want := example()
	want.Empty.Data = Floats{}
	assert.Equal(t, want, got)
	m, err := got.M.Dense()
	require.NoError(t, err)
	assert.True(t, mat.Equal(mat.NewDense(2, 2, []float64{2, 3, 5, 6}), m))
	m, err = got.Empty.Dense()
	assert.NoError(t, err)
	assert.Nil(t, m)
}

func TestRefused(t *testing.T) {
	data, err := Marshal("kind", 7, example())
	require.NoError(t, err)
	refuse := func(data []byte, kind string, version int, text string) {
		t.Helper()
		var got payload
		_, err := Unmarshal(data, kind, version, &got)
		require.ErrorIs(t, err, fault.ErrBadModel)
		assert.ErrorContains(t, err, text)
		assert.Equal(t, payload{}, got)
	}
	for i := range data {
		refuse(data[:i], "kind", 7, "kind: bad model data")
		flipped := append([]byte(nil), data...)
		flipped[i] ^= 0x40
		refuse(flipped, "kind", 7, "kind: bad model data")
	}
	refuse(append(data[:len(data):len(data)], 0), "kind", 7, "announced")
	refuse(data, "other", 7, "the data holds a kind")
	refuse(data, "kind", 6, "newer release: version 7, this release reads up to 6")
	refuse([]byte("%PDF-1.4 and more of a file in quite another format ............"), "kind", 7, "not a kernelearn model")
}

// sealed returns an envelope around body, with a valid checksum.
func sealed(body []byte) []byte {
	out := append([]byte(magic), envelopeFormat, 4)
	out = append(out, "kind"...)
	out = binary.LittleEndian.AppendUint16(out, 1)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(body)))
	out = append(out, body...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

func TestHostilePayloads(t *testing.T) {
	for name, body := range map[string][]byte{
		"nothing":          {},
		"array of 2^40":    {0x9b, 0, 0, 1, 0, 0, 0, 0, 0},
		"string of 2^62":   {0x5b, 0x40, 0, 0, 0, 0, 0, 0, 0},
		"map of 2^32":      {0xbb, 0, 0, 0, 1, 0, 0, 0, 0},
		"nested":           append(make([]byte, 0), repeat(0x81, 10000)...),
		"a number":         {0x01},
		"an unknown field": {0xa1, 0x61, 'x', 0x01},
		"odd floats":       {0xa1, 0x61, 'V', 0xd8, 86, 0x43, 1, 2, 3},
		"another tag":      {0xa1, 0x61, 'V', 0xd8, 85, 0x40},
		"floats as text":   {0xa1, 0x61, 'V', 0xd8, 86, 0x61, 'a'},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var got payload
		_, err := Unmarshal(sealed(body), "kind", 1, &got)
		runtime.ReadMemStats(&after)
		assert.ErrorIs(t, err, fault.ErrBadModel, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), name)
	}
}

func repeat(b byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}

func TestMatrixDimensions(t *testing.T) {
	for _, m := range []Matrix{
		{Rows: 2, Cols: 2, Data: Floats{1}}, {Rows: -1, Cols: -1, Data: Floats{1}}, {Rows: 1 << (bits.UintSize / 2), Cols: 1 << (bits.UintSize / 2)}, {Rows: 0, Cols: 3, Data: Floats{}},
		{Rows: 1, Cols: 1, Data: Floats{math.NaN()}}, {Rows: 1, Cols: 1, Data: Floats{math.Inf(1)}},
	} {
		_, err := m.Dense()
		assert.Error(t, err, "%+v", m)
	}
	assert.False(t, Floats{1, math.Inf(-1)}.Finite())
	assert.True(t, Floats{}.Finite())
}

func TestMarshalErrors(t *testing.T) {
	for _, kind := range []string{"", string(repeat('k', 256))} {
		_, err := Marshal(kind, 1, example())
		assert.Error(t, err)
	}
	_, err := Marshal("kind", 1<<16, example())
	assert.Error(t, err)
	_, err = Marshal("kind", 1, func() {})
	assert.Error(t, err)
}

func FuzzUnmarshal(f *testing.F) {
	data, err := Marshal("kind", 1, example())
	require.NoError(f, err)
	f.Add(data[fixedSize+4 : len(data)-checksumSize])
	f.Fuzz(func(t *testing.T, body []byte) {
		var got payload
		if _, err := Unmarshal(sealed(body), "kind", 1, &got); err != nil {
			assert.ErrorIs(t, err, fault.ErrBadModel)
		}
		_, _ = got.M.Dense()
	})
}

func TestSym(t *testing.T) {
	m := mat.NewSymDense(3, []float64{1, 2, 3, 0, 4, 5, 0, 0, 6})
	packed := FromSym(m)
	assert.Equal(t, Floats{1, 2, 3, 4, 5, 6}, packed)
	back, ok := packed.Sym(3)
	require.True(t, ok)
	assert.True(t, mat.Equal(m, back))
	assert.Nil(t, FromSym(nil))
	none, ok := Floats(nil).Sym(0)
	assert.True(t, ok)
	assert.Nil(t, none)
	for n, bad := range map[int]Floats{2: {1, 2}, 1: {math.NaN()}, -1: nil, math.MaxInt: {1}} {
		_, ok := bad.Sym(n)
		assert.False(t, ok, "%d", n)
	}
}
