package grid

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func texts(points []Values) (out []string) {
	for _, v := range points {
		out = append(out, v.String())
	}
	return out
}

func TestPoints(t *testing.T) {
	points, err := Points(
		Axis{Name: "kernel", Choices: []string{"linear", "rbf"}},
		Axis{Name: "gamma", Low: 0.01, High: 1, Points: 3, Log: true, When: func(v Values) bool { return v.Choice("kernel") == "rbf" }},
		Axis{Name: "ridge", Values: []float64{1, 2}},
	)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"kernel=linear, ridge=1", "kernel=linear, ridge=2",
		"kernel=rbf, gamma=0.01, ridge=1", "kernel=rbf, gamma=0.01, ridge=2", "kernel=rbf, gamma=0.1, ridge=1",
		"kernel=rbf, gamma=0.1, ridge=2", "kernel=rbf, gamma=1, ridge=1", "kernel=rbf, gamma=1, ridge=2",
	}, texts(points))
	assert.False(t, points[0].Has("gamma"))
	assert.True(t, math.IsNaN(points[0].Number("gamma")))
	assert.Equal(t, 1.0, points[7].Number("gamma"), "the end exactly")
	assert.Equal(t, 1.0, points[7].Number("kernel"), "the position of a choice")
	assert.Empty(t, points[7].Choice("ridge"))
	points, err = Points(Axis{Name: "k", Low: 1, High: 3, Integer: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"k=1", "k=2", "k=3"}, texts(points), "five points rounded are three")
}

func TestQuasiRandom(t *testing.T) {
	axes := []Axis{{Name: "a", Low: 0, High: 1}, {Name: "b", Low: 1, High: 1e4, Log: true}, {Name: "c", Choices: []string{"x", "y", "z"}}}
	points, err := QuasiRandom(64, 3, axes...)
	require.NoError(t, err)
	require.Len(t, points, 64)
	var a, b [8]int
	c := map[string]int{}
	for _, v := range points {
		a[int(v.Number("a")*8)]++
		b[int(math.Log10(v.Number("b"))*2)]++
		c[v.Choice("c")]++
	}
	for i := range 8 {
		assert.InDelta(t, 8, a[i], 1)
		assert.InDelta(t, 8, b[i], 3, "base 3")
	}
	for _, word := range axes[2].Choices {
		assert.InDelta(t, 64.0/3, c[word], 3)
	}
	more, err := QuasiRandom(100, 3, axes...)
	require.NoError(t, err)
	assert.Equal(t, points, more[:64])
	other, err := QuasiRandom(64, 4, axes...)
	require.NoError(t, err)
	assert.NotEqual(t, points, other)
	few, err := QuasiRandom(50, 1, Axis{Name: "k", Low: 1, High: 4, Integer: true}, Axis{Name: "v", Values: []float64{7}})
	require.NoError(t, err)
	got := texts(few)
	slices.Sort(got)
	assert.Equal(t, []string{"k=1, v=7", "k=2, v=7", "k=3, v=7", "k=4, v=7"}, got)
}

func TestAxisErrors(t *testing.T) {
	for name, axes := range map[string][]Axis{
		"none": {}, "no name": {{Values: []float64{1}}}, "twice": {{Name: "a", Values: []float64{1}}, {Name: "a", Values: []float64{1}}},
		"nothing": {{Name: "a"}}, "two kinds": {{Name: "a", Values: []float64{1}, High: 2}}, "descending": {{Name: "a", Low: 2, High: 1}},
		"infinite": {{Name: "a", High: math.Inf(1)}}, "NaN": {{Name: "a", Low: math.NaN()}}, "log of 0": {{Name: "a", High: 1, Log: true}}, "half": {{Name: "a", High: 1.5, Integer: true}},
		"empty": {{Name: "a", Values: []float64{}}}, "no word": {{Name: "a", Choices: []string{""}}}, "points": {{Name: "a", High: 1, Points: -1}},
	} {
		_, err := Points(axes...)
		assert.ErrorIs(t, err, fault.ErrParam, name)
		_, err = QuasiRandom(3, 0, axes...)
		assert.ErrorIs(t, err, fault.ErrParam, name)
	}
	_, err := Points(Axis{Name: "a", Values: []float64{math.NaN()}})
	assert.ErrorIs(t, err, fault.ErrNotFinite)
	_, err = Points(Axis{Name: "a", High: 1, Points: 2000}, Axis{Name: "b", High: 1, Points: 2000})
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = QuasiRandom(0, 0, Axis{Name: "a", High: 1})
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = Points(Axis{Name: "a", High: 1, When: func(Values) bool { panic("no") }})
	var p *fault.PanicError
	assert.ErrorAs(t, err, &p)
}
func TestSpreadOverAxes(t *testing.T) {
	word := func(name string) func(Values) bool {
		return func(v Values) bool { return v.Choice("kernel") == name }
	}
	for name, c := range map[string]struct {
		axes []Axis
		k    int
		want map[string]int // number of values of each axis among the first k points
	}{
		"words and a range": {[]Axis{{Name: "kernel", Choices: []string{"a", "b", "c", "d", "e"}}, {Name: "n", Low: 1, High: 11, Points: 11}}, 7, map[string]int{"kernel": 5, "n": 5}},
		"two and many":      {[]Axis{{Name: "kernel", Choices: []string{"a", "b"}}, {Name: "n", Low: 1, High: 11, Points: 11}}, 8, map[string]int{"kernel": 2, "n": 7}},
		"many and two":      {[]Axis{{Name: "n", Low: 1, High: 11, Points: 11}, {Name: "kernel", Choices: []string{"a", "b"}}}, 8, map[string]int{"kernel": 2, "n": 8}},
		"alike":             {[]Axis{{Name: "a", Low: 1, High: 4, Points: 4}, {Name: "b", Low: 1, High: 4, Points: 4}, {Name: "c", Low: 1, High: 4, Points: 4}}, 6, map[string]int{"a": 4, "b": 4, "c": 4}},
		"one value":         {[]Axis{{Name: "a", Values: []float64{1}}, {Name: "b", Values: []float64{1, 2, 3}}}, 3, map[string]int{"a": 1, "b": 3}},
		"some points only": {[]Axis{
			{Name: "kernel", Choices: []string{"linear", "rbf", "poly"}}, {Name: "gamma", Low: 1, High: 9, Points: 9, When: word("rbf")},
			{Name: "degree", Values: []float64{2, 3, 4}, When: word("poly")}, {Name: "ridge", Values: []float64{1, 2, 3, 4}},
		}, 12, map[string]int{"kernel": 3, "gamma": 4, "degree": 3, "ridge": 4}},
	} {
		points, err := Points(c.axes...)
		require.NoError(t, err)
		order := spreadOver(points, 0, len(points), 0)
		for at, i := range order {
			assert.Equal(t, at+1, points[i].turn, name)
		}
		seen := map[string]map[float64]bool{}
		for _, i := range order[:c.k] {
			for _, a := range c.axes {
				if points[i].Has(a.Name) {
					if seen[a.Name] == nil {
						seen[a.Name] = map[float64]bool{}
					}
					seen[a.Name][points[i].Number(a.Name)] = true
				}
			}
		}
		for axis, want := range c.want {
			assert.GreaterOrEqual(t, len(seen[axis]), want, "%s: %s", name, axis)
		}
		slices.Sort(order)
		for i, v := range order {
			require.Equal(t, i, v, "%s: each point once", name)
		}
	}
	for n := 1; n < 200; n++ {
		seen := map[int]bool{}
		for k := range n {
			seen[k*goldenStep(n)%n] = true
		}
		assert.Len(t, seen, n)
	}
}
