package settings_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

type shape interface{ Area() float64 }

type square struct{ Side float64 }

func (s square) Area() float64 { return s.Side * s.Side }

type shapes []shape

func (s shapes) Area() (sum float64) {
	for _, one := range s {
		sum += one.Area()
	}
	return sum
}

type colour int

func (c colour) String() string { return []string{"red", "green"}[c] }

type inner struct {
	Name string
	Deep *inner
}

// opaque has no exported fields.
type opaque struct{ secret int }

type all struct {
	Bool    bool
	Int     int8
	Uint    uint64
	Float   float64
	Single  float32
	Text    string
	Colour  colour
	Time    time.Duration
	Numbers []float64
	Flags   []bool
	Pair    [2]float64
	Weights map[string]float64
	Labels  map[int]inner
	Matrix  *mat.Dense
	Shape   shape
	Pointer shape
	Shapes  []shape
	Inner   inner
	Deep    *inner
	Empty   []int
	Call    func()
	Calls   []func()
	Opaque  opaque
	Channel chan int

	learnt int
}

func init() {
	registry.Add[*all]("settings_test.all", registry.Type{})
	registry.Add[square]("settings_test.square", registry.Type{Validate: func(v any) error {
		if s, ok := v.(square); ok && s.Side < 0 {
			return fmt.Errorf("side %v", s.Side)
		}
		return nil
	}})
	registry.Add[shapes]("settings_test.shapes", registry.Type{})
}

func sample() *all {
	return &all{
		Bool: true, Int: -7, Uint: math.MaxUint64, Float: .5, Single: .25, Text: "words", Colour: 1, Time: time.Hour,
		Numbers: []float64{1, math.Inf(-1), 3}, Flags: []bool{true, false}, Pair: [2]float64{4, 5}, Weights: map[string]float64{"b": 2, "a": 1},
		Labels: map[int]inner{-3: {Name: "x"}}, Matrix: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), Shape: square{2}, Pointer: &square{3},
		Shapes: []shape{square{1}, nil, shapes{square{2}, square{3}}}, Inner: inner{Name: "i"}, Deep: &inner{Deep: &inner{Name: "d"}}, Empty: []int{},
		learnt: 9,
	}
}

func TestThereAndBack(t *testing.T) {
	in := sample()
	tree, err := settings.Encode(in)
	require.NoError(t, err)
	out, err := settings.New(tree, nil, 1<<10)
	require.NoError(t, err)
	want := sample()
	want.learnt = 0
	assert.Equal(t, want, out)
	assert.Empty(t, tree.Missing())
	pairs := tree.Pairs()
	for _, p := range []settings.Pair{
		{"Colour", "green"}, {"Time", "1h0m0s"}, {"Numbers", "[1 -Inf 3]"}, {"Matrix", "matrix of 2×3"}, {"Weights", `["a": 1 "b": 2]`},
		{"Shapes", "[settings_test.square{Side: 1} nil settings_test.shapes[settings_test.square{Side: 2} settings_test.square{Side: 3}]]"},
	} {
		assert.Contains(t, pairs, p)
	}

	zero, err := settings.Encode(&all{})
	require.NoError(t, err)
	assert.Empty(t, zero.Names, "zero values need no space")
}

func TestWhatCannotBeStored(t *testing.T) {
	in := sample()
	in.Call, in.Calls, in.Opaque, in.Channel = func() {}, []func(){nil, func() {}}, opaque{3}, make(chan int)
	tree, err := settings.Encode(in)
	require.NoError(t, err)
	assert.Equal(t, []string{"Call", "Calls", "Opaque", "Channel"}, tree.Missing())
	out, err := settings.New(tree, nil, 1<<10)
	require.NoError(t, err)
	assert.Nil(t, out.(*all).Call)
	out, err = settings.New(tree, &all{Call: in.Call, Opaque: opaque{4}, Int: 5}, 1<<10)
	require.NoError(t, err)
	assert.NotNil(t, out.(*all).Call)
	assert.Equal(t, opaque{4}, out.(*all).Opaque, "from the value")
	assert.Equal(t, int8(-7), out.(*all).Int, "from the tree")

	_, err = settings.Encode(3)
	assert.ErrorContains(t, err, "registered")
	_, err = settings.Encode(&all{Shape: unknown{}})
	assert.ErrorContains(t, err, "Shape")
	circle := &inner{}
	circle.Deep = circle
	_, err = settings.Encode(&all{Deep: circle})
	assert.ErrorContains(t, err, "levels")
}

type unknown struct{}

func (unknown) Area() float64 { return 0 }

func TestTreesThatAreWrong(t *testing.T) {
	good, err := settings.Encode(sample())
	require.NoError(t, err)
	at := func(name string) int { return slices.Index(good.Names, name) }
	for what, change := range map[string]func(v *settings.Value){
		"not known":       func(v *settings.Value) { v.Type = "nothing" },
		"import \"p\"":    func(v *settings.Value) { v.Type, v.Package = "nothing", "p" },
		"learnt":          func(v *settings.Value) { v.Names[0] = "learnt" },
		"twice":           func(v *settings.Value) { v.Names[1] = v.Names[0] },
		"not the fields":  func(v *settings.Value) { v.Names = v.Names[1:] },
		"setting Int":     func(v *settings.Value) { v.List[at("Int")].Number = 1 << 20 },
		"setting Bool":    func(v *settings.Value) { v.List[at("Bool")].Number = 2 },
		"setting Pair":    func(v *settings.Value) { v.List[at("Pair")].Bytes = make([]byte, 24) },
		"setting Numbers": func(v *settings.Value) { v.List[at("Numbers")].Bytes = make([]byte, 23) },
		"setting Matrix":  func(v *settings.Value) { v.List[at("Matrix")].Number = 4 },
		"side -1": func(v *settings.Value) {
			v.List[at("Shape")].List[0].Number = math.Float64bits(-1)
		},
		"is not a settings_test.shape": func(v *settings.Value) { v.List[at("Shape")] = good },
		"setting Weights[1]": func(v *settings.Value) {
			w := &v.List[at("Weights")]
			w.List[2] = w.List[0]
		},
		"more than the file": func(v *settings.Value) {
			v.List[at("Flags")].List = make([]settings.Value, 1<<22)
		},
	} {
		bad, err := settings.Encode(sample())
		require.NoError(t, err)
		change(&bad)
		_, err = settings.New(bad, nil, 100)
		assert.ErrorContains(t, err, what)
	}
}

// The list of types is bounded, however many types a file names, and whatever their names.
func TestImportsAreBounded(t *testing.T) {
	tree := settings.Value{Type: "main.Type", Package: "main"}
	for i := range 10000 {
		name := fmt.Sprint(i%5000) + strings.Repeat("\x00", 1000)
		tree.List = append(tree.List, settings.Value{Type: name, Package: name, List: []settings.Value{{Type: "deep.Type", Package: "deep"}}})
	}
	told := tree.Imports(nil)
	require.Len(t, told, settings.MostImports)
	assert.Equal(t, []settings.Import{{"main.Type", "main"}, {"0" + strings.Repeat("\x00", 1000), "0" + strings.Repeat("\x00", 1000)}, {"deep.Type", "deep"}}, told[:3])
	text := (&settings.MissingError{Types: settings.Unknown(told)}).Error()
	assert.Less(t, len(text), 3000)
	assert.Contains(t, text, `import "main" and "0\x00`)
	assert.Contains(t, text, `"deep", which register them, and the packages of 61 more types`)
}

// Decoding and formatting any tree does not panic.
func TestCampaignSettings(t *testing.T) {
	good, err := settings.Encode(sample())
	require.NoError(t, err)
	var parts []settings.Value
	var gather func(v settings.Value)
	gather = func(v settings.Value) {
		parts = append(parts, v)
		for _, one := range v.List {
			gather(one)
		}
	}
	gather(good)
	var change func(v settings.Value, rng *rand.Rand) settings.Value
	change = func(v settings.Value, rng *rand.Rand) settings.Value {
		switch rng.IntN(60) {
		case 0:
			return parts[rng.IntN(len(parts))]
		case 1:
			v.Kind = settings.Kind(rng.IntN(16))
		case 2:
			v.Number = []uint64{0, 1, 1 << 31, 1 << 63, math.MaxUint64, rng.Uint64()}[rng.IntN(6)]
		case 3:
			v.Type = append(registry.Names(), "", "?")[rng.IntN(len(registry.Names())+2)]
		case 4:
			v.Bytes = make([]byte, rng.IntN(40))
		case 5:
			v.List = v.List[:rng.IntN(len(v.List)+1)]
		case 6:
			v.Pointer = !v.Pointer
		case 7:
			v.Names = v.Names[:rng.IntN(len(v.Names)+1)]
		case 8:
			v.Text = strings.Repeat("\x1b", rng.IntN(600))
		}
		v.List = slices.Clone(v.List)
		for i := range v.List {
			v.List[i] = change(v.List[i], rng)
		}
		return v
	}
	read := 0
	campaign.Run(t, "settings", 3000, func(rng *rand.Rand) error {
		v := change(good, rng)
		_, _, _ = v.Format(), v.Pairs(), v.Missing()
		out, err := settings.New(v, sample(), 1<<10)
		if err != nil {
			return nil
		}
		read++
		_, err = settings.Encode(out)
		return err
	})
	assert.Greater(t, read, 100)
}
