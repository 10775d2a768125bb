package codec

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

type wide struct{ A, B, C, D, E, F, G, H, I, J Floats }

type many struct {
	Inner struct{ List []wide }
	Tree  []*many
	Named map[string]wide
	Any   any
	Whole Floats
	Plain []int
}

// allocated returns the total bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// array encodes n copies of an element.
func array(n int, element ...byte) []byte {
	out := []byte{majorArray<<5 | 26, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	return append(out, bytes.Repeat(element, n)...)
}

// field encodes a map with one field.
func field(name string, value []byte) []byte {
	return append(append([]byte{majorMap<<5 | 1, majorText<<5 | byte(len(name))}, name...), value...)
}

// Short input that stands for large values is rejected before memory is allocated for them.
func TestBudget(t *testing.T) {
	const n = 1 << 20
	for name, body := range map[string][]byte{
		"empty structs":          field("Inner", field("List", array(n, majorMap<<5))),
		"nulls for structs":      field("Inner", field("List", array(n, majorOther<<5|null))),
		"in another case":        field("inner", field("LIST", array(n, majorMap<<5))),
		"empty structs far down": field("Tree", array(1, field("Tree", array(1, field("Inner", field("List", array(n, majorMap<<5)))...))...)),
		"pointers":               field("Tree", array(n, majorMap<<5)),
	} {
		if name == "pointers" && n*int(reflect.TypeFor[many]().Size()+reflect.TypeFor[*many]().Size()) <= budgetFactor*len(body)+budgetFloor {
			continue // with 32 bits the elements are small enough
		}
		data, err := Marshal("kind", 1, cbor.RawMessage(body))
		require.NoError(t, err, name)
		var out many
		spent := allocated(func() { _, err = Unmarshal(data, "kind", 1, &out) })
		require.ErrorIs(t, err, fault.ErrBadModel, name)
		assert.ErrorContains(t, err, "bytes stand for more than", name)
		assert.Less(t, spent, int64(1<<16), name)
	}
	for name, in := range map[string]many{
		"numbers": {Plain: make([]int, n), Whole: make(Floats, n)},
		"structs": {Inner: struct{ List []wide }{make([]wide, 1000)}, Named: map[string]wide{"a": {}, "b": {A: Floats{1}}}},
		"a tree":  {Tree: []*many{nil, {Any: []any{1, "a", nil, map[string]any{"b": 2.5}}}, {}}},
	} {
		data, err := Marshal("kind", 1, in)
		require.NoError(t, err, name)
		var out many
		_, err = Unmarshal(data, "kind", 1, &out)
		assert.NoError(t, err, name)
	}
}

// Nested models can be read up to a depth of maxNested, which is more than any use needs.
func TestNested(t *testing.T) {
	var data []byte
	for depth := range 40 {
		var err error
		data, err = Marshal(fmt.Sprint("level ", depth), 1, struct{ Data []byte }{data})
		require.NoError(t, err)
		var out struct{ Data []byte }
		_, err = Unmarshal(data, fmt.Sprint("level ", depth), 1, &out)
		if depth+1 <= maxNested {
			require.NoError(t, err, depth)
			continue
		}
		require.ErrorIs(t, err, fault.ErrBadModel, depth)
		assert.ErrorContains(t, err, fmt.Sprintf("%d nested models", depth+1))
	}
	beside := struct{ A, B []byte }{data[:0], nil}
	one, err := Marshal("one", 1, struct{}{})
	require.NoError(t, err)
	for range 100 {
		beside.A = append(beside.A, one...)
	}
	data, err = Marshal("many", 1, beside)
	require.NoError(t, err)
	assert.Equal(t, 2, nested(data), "beside each other they are not within each other")
}

// FuzzBudget checks that any input is read without a panic and within the budget.
func FuzzBudget(f *testing.F) {
	for _, seed := range [][]byte{field("Inner", field("List", array(3, majorMap<<5))), field("Tree", array(2, majorOther<<5|null)), field("Named", field("a", field("A", []byte{0xd8, 86, 0x40})))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		data, err := Marshal("kind", 1, cbor.RawMessage(body))
		if err != nil {
			return
		}
		var out many
		_, _ = Unmarshal(data, "kind", 1, &out) // in the first call, the decoder also caches the types
		spent := allocated(func() { _, _ = Unmarshal(data, "kind", 1, &out) })
		if limit := int64(2*budgetFactor*len(data) + 2*budgetFloor); spent > limit {
			t.Fatalf("%d bytes made %d, limit %d", len(data), spent, limit)
		}
	})
}
