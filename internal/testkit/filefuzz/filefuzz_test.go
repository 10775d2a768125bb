package filefuzz

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// model is a stored type with faults that a test selects.
type model struct {
	stored struct {
		Values codec.Floats
		Count  int
	}
	fault string
}

var errOther = errors.New("another error")

func (m *model) MarshalBinary() ([]byte, error) { return codec.Marshal("model", 1, m.stored) }

func (m *model) UnmarshalBinary(data []byte) error {
	in := m.stored
	in.Values, in.Count = nil, 0
	if _, err := codec.Unmarshal(data, "model", 1, &in); err != nil {
		if m.fault == "half read" {
			m.stored.Count++
		}
		return err
	}
	switch {
	case m.fault == "panics" && in.Count == 0:
		panic("no count")
	case m.fault == "allocates" && in.Count > 1<<20:
		_ = make([]byte, min(in.Count, 1<<26))
	case m.fault == "another error" && in.Count < 0:
		return errOther
	case m.fault == "refuses itself" && in.Count == 2:
		return fault.BadModel("model", "a count of 2") // valid files never contain 2, but a mutation turns 3 into 2
	}
	if in.Count < 0 || !in.Values.Finite() && m.fault != "predicts infinity" {
		return fault.BadModel("model", "count %d", in.Count)
	}
	if m.fault == "refuses itself" && in.Count == 4 {
		in.Count = 2
	}
	m.stored = in
	return nil
}

func (m *model) Predict() ([]float64, error) {
	if m.fault == "no value" {
		return m.stored.Values[:3], nil
	}
	return m.stored.Values, nil
}

// Correct types pass, and each fault is found within a few thousand inputs.
func TestCheckFindsFaults(t *testing.T) {
	for _, name := range []string{"", "half read", "panics", "allocates", "another error", "refuses itself", "predicts infinity", "no value"} {
		s := &Subject{Name: "model", New: func() any { return &model{fault: name} }}
		sound := &model{}
		sound.stored.Values, sound.stored.Count = codec.Floats{1, 2, math.Pi}, 3
		data, err := sound.MarshalBinary()
		require.NoError(t, err)
		s.Files = [][]byte{data}
		require.NoError(t, s.Prepare(), name)
		rng := rand.New(rand.NewPCG(1, 2))
		var found error
		accepted := 0
		for range 5000 {
			input := Input(rng)
			loaded, err := s.Check(input)
			if loaded {
				accepted++
			}
			if found = err; found != nil {
				if _, err := s.Check(s.Mutate(input)); name != "half read" { // only a call that compares the old value detects it
					assert.Error(t, err, "%s: the file itself is the finding too", name)
				}
				break
			}
		}
		if name == "" {
			assert.NoError(t, found)
			assert.Greater(t, accepted, 500, "changed files that are read")
			continue
		}
		assert.Error(t, found, name)
	}
}

// A tree is written as it was read.
func TestTree(t *testing.T) {
	type inside struct{ Data, Result []byte }
	m := &model{}
	m.stored.Values = codec.Floats{1, -2, 1e-310}
	inner, err := m.MarshalBinary()
	require.NoError(t, err)
	data, err := codec.Marshal("outer", 3, inside{inner, []byte(`{"a":[1,-2,0.5,null,"x"]}`)})
	require.NoError(t, err)
	f := openFile(data)
	require.NotNil(t, f)
	assert.Equal(t, data, f.encode())
	assert.Len(t, f.body.all(nil), 19, "those of the file and of the JSON within it")
	assert.Equal(t, data, (&file{f.kind, f.version, f.body.clone()}).encode())
}
