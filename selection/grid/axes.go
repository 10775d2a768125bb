package grid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Axis is a named setting with its possible values: Values, Choices, or a range from Low to High.
type Axis struct {
	Name string

	// Values are the values of a numeric axis.
	Values []float64

	// Choices are the values of an axis of names.
	Choices []string
	// Low and High are the ends of a range.
	Low  float64
	High float64

	// Points is the number of points of a range in a grid, including both ends. If it is 0, 5 is used.
	Points int

	// If Log is set, successive points of a range have the same ratio. Low must then be > 0.
	Log bool

	// If Integer is set, the points of a range are rounded to integers.
	Integer bool

	// If When is not nil, it reports whether the setting exists, given the settings of the preceding axes. If the setting does not
	// exist, [Values.Has] returns false.
	When func(v Values) bool
}

// Values holds settings by name. It is a point, with a value for each axis that exists there.
type Values struct {
	settings []setting
	turn     int // position of a grid point in the order of spreadOver, from 1
}

type setting struct {
	name   string
	number float64
	choice string // "" for a number
}

func (v Values) find(name string) (setting, bool) {
	i := slices.IndexFunc(v.settings, func(s setting) bool { return s.name == name })
	if i < 0 {
		return setting{number: math.NaN()}, false
	}
	return v.settings[i], true
}

// Has reports whether a setting exists.
func (v Values) Has(name string) bool { _, ok := v.find(name); return ok }

// Number returns a numeric setting. For a choice it returns the position of the choice, and for a setting that does not exist NaN.
func (v Values) Number(name string) float64 { s, _ := v.find(name); return s.number }

// Choice returns the chosen name of a setting. It returns "" if the setting is a number or does not exist.
func (v Values) Choice(name string) string { s, _ := v.find(name); return s.choice }

// Turn returns the position of v, from 1, in the order in which a search tries the points of [Points]. Every prefix of that order
// contains several values of each axis. Turn is 0 for points that are tried in the given order.
func (v Values) Turn() int { return v.turn }

// String returns the settings, such as "kernel=rbf, C=10".
func (v Values) String() string {
	parts := make([]string, len(v.settings))
	for i, s := range v.settings {
		parts[i] = s.name + "=" + s.choice
		if s.choice == "" {
			parts[i] += fmt.Sprintf("%.6g", s.number)
		}
	}
	return strings.Join(parts, ", ")
}

const (
	defaultAxisPoints = 5
	mostPoints        = 1 << 20

	quasiStream = 0x7175617369 // the random stream "quasi"
)

// Points returns all combinations of the values of axes, with the last axis varying fastest. An axis that does not exist at a point
// adds no combinations. A search tries the points in a different order: see selection.CandidateGrid. It returns an ErrParam error
// for an invalid axis, and for more than 2²⁰ combinations.
func Points(axes ...Axis) (_ []Values, err error) {
	defer fault.Recover(&err)
	if err := validateAxes(axes); err != nil {
		return nil, err
	}
	out := []Values{{}}
	for _, a := range axes {
		var next []Values
		for _, v := range out {
			if !a.applies(v) {
				next = append(next, v)
				continue
			}
			steps := a.steps()
			if len(next)+steps > mostPoints {
				return nil, fault.Param("grid: Points", "combinations", fmt.Sprintf("%d and more", len(next)+steps),
					fmt.Sprintf("at most %d: take fewer values, or QuasiRandom", mostPoints))
			}
			seen := map[setting]bool{}
			for i := range steps {
				t := 0.0
				if steps > 1 {
					t = float64(i) / float64(steps-1)
				}
				s := a.setting(t, i)
				if !seen[s] { // rounding makes some points equal
					seen[s] = true
					next = append(next, v.and(s))
				}
			}
		}
		out = next
	}
	for turn, i := range spreadOver(out, 0, len(out), 0) {
		out[i].turn = turn + 1
	}
	return out, nil
}

// spreadOver returns the positions lo to hi-1 in an order whose prefixes are spread over all axes. The points at these positions
// have equal settings on the first depth axes. The values of the next axis take turns, in the order of search.Spread. Each starts
// at a different position among its own points, because the same position would repeat the values of the other axes.
func spreadOver(points []Values, lo, hi, depth int) []int {
	if hi-lo == 1 {
		return []int{lo}
	}
	var parts [][]int // points of each value of the next axis
	for from := lo; from < hi; {
		to := from + 1
		for to < hi && points[to].settings[depth] == points[from].settings[depth] {
			to++
		}
		parts = append(parts, spreadOver(points, from, to, depth+1))
		from = to
	}
	inTurn := make([][]int, len(parts))
	for turn, i := range search.Spread(len(parts)) {
		n := len(parts[i])
		first := turn * goldenStep(n) % n
		inTurn[turn] = append(slices.Clone(parts[i][first:]), parts[i][:first]...)
	}
	out := make([]int, 0, hi-lo)
	for k := 0; len(out) < hi-lo; k++ {
		inTurn = slices.DeleteFunc(inTurn, func(part []int) bool { return len(part) <= k })
		for _, part := range inTurn {
			out = append(out, part[k])
		}
	}
	return out
}

// goldenStep returns a step whose multiples are spread evenly over n positions and visit each once: the number next to the golden
// section of n that is coprime to n.
func goldenStep(n int) int {
	step := max(1, int(math.Round(float64(n)*(math.Sqrt(5)-1)/2)))
	for a, b := step, n; ; a, b = step, n {
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return step
		}
		step--
	}
}

// QuasiRandom returns n points that fill the axes evenly. They are the points of J. H. Halton (Numerische Mathematik 2, 1960, 84)
// with a random shift, so the points for a larger n include those for a smaller one. Axes of names, of Values and of integers have
// only a few values, so several points may be equal. Repeated points are left out, so it may return fewer than n. It accepts at
// most 16 axes, and otherwise returns ErrParam. It also returns ErrParam for an invalid axis.
func QuasiRandom(n int, seed uint64, axes ...Axis) (_ []Values, err error) {
	defer fault.Recover(&err)
	if err := validateAxes(axes); err != nil {
		return nil, err
	}
	primes := []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}
	switch {
	case n < 1 || n > mostPoints:
		return nil, fault.Param("grid: QuasiRandom", "n", n, fmt.Sprintf("in [1, %d]", mostPoints))
	case len(axes) > len(primes):
		return nil, fault.Param("grid: QuasiRandom", "axes", len(axes), fmt.Sprintf("at most %d", len(primes)))
	}
	rng := rand.New(rand.NewPCG(seed, quasiStream))
	shift := make([]float64, len(axes))
	for d := range shift {
		shift[d] = rng.Float64()
	}
	var out []Values
	seen := map[string]bool{}
	for i := range n {
		var v Values
		for d, a := range axes {
			if !a.applies(v) {
				continue
			}
			_, t := math.Modf(radicalInverse(i+1, primes[d]) + shift[d])
			steps := a.steps()
			v = v.and(a.setting(t, min(int(t*float64(steps)), steps-1)))
		}
		key := fmt.Sprint(v.settings)
		if !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out, nil
}

// radicalInverse mirrors the digits of i at the radix point.
func radicalInverse(i, base int) (out float64) {
	for scale := 1 / float64(base); i > 0; scale /= float64(base) {
		out += float64(i%base) * scale
		i /= base
	}
	return out
}

func (v Values) and(s setting) Values {
	return Values{settings: append(slices.Clone(v.settings), s)}
}

func (a Axis) applies(v Values) bool { return a.When == nil || a.When(v) }

// steps returns the number of grid points on the axis.
func (a Axis) steps() int {
	switch {
	case a.Values != nil:
		return len(a.Values)
	case a.Choices != nil:
		return len(a.Choices)
	case a.Low == a.High:
		return 1
	case a.Points == 0:
		return defaultAxisPoints
	}
	return a.Points
}

// setting returns value i of an axis with a list of values, or the value at the fraction t of a range.
func (a Axis) setting(t float64, i int) setting {
	switch {
	case a.Values != nil:
		return setting{name: a.Name, number: a.Values[i]}
	case a.Choices != nil:
		return setting{name: a.Name, number: float64(i), choice: a.Choices[i]}
	}
	v := a.Low + t*(a.High-a.Low)
	if a.Log {
		v = math.Exp(math.Log(a.Low) + t*(math.Log(a.High)-math.Log(a.Low)))
	}
	if a.Integer {
		v = math.Round(v)
	}
	return setting{name: a.Name, number: min(max(v, a.Low), a.High)}
}

func validateAxes(axes []Axis) error {
	const typ = "selection: Axis"
	if len(axes) == 0 {
		return fault.Param(typ, "axes", 0, "at least one")
	}
	names := map[string]bool{}
	for _, a := range axes {
		kinds := 0
		for _, given := range []bool{a.Values != nil, a.Choices != nil, a.Low != 0 || a.High != 0} {
			if given {
				kinds++
			}
		}
		field := func(name string) string { return fmt.Sprintf("%q.%s", a.Name, name) }
		if err := check.Text(typ, "Name", a.Name); err != nil {
			return err
		}
		if err := check.Text(typ, field("Choices"), a.Choices...); err != nil {
			return err
		}
		switch {
		case a.Name == "" || names[a.Name]:
			return fault.Param(typ, "Name", fmt.Sprintf("%q", a.Name), "distinct names")
		case kinds != 1:
			return fault.Param(typ, field("Values, Choices, Low and High"), fmt.Sprintf("%d of them", kinds),
				"either Values, or Choices, or a range")
		case a.Values == nil && a.Choices == nil && !(a.Low <= a.High && a.High-a.Low <= math.MaxFloat64):
			return fault.Param(typ, field("Low, High"), fmt.Sprintf("%v, %v", a.Low, a.High), "finite and ascending")
		case a.Values == nil && a.Choices == nil && a.Log && a.Low <= 0:
			return fault.Param(typ, field("Low"), a.Low, "> 0 with Log")
		case a.Integer && (a.Low != math.Trunc(a.Low) || a.High != math.Trunc(a.High)):
			return fault.Param(typ, field("Low, High"), fmt.Sprintf("%v, %v", a.Low, a.High), "an integer with Integer")
		case a.Values != nil && len(a.Values) == 0 || a.Choices != nil && len(a.Choices) == 0:
			return fault.Param(typ, field("Values"), 0, "at least one")
		case a.Points < 0 || a.Points > mostPoints:
			return fault.Param(typ, field("Points"), a.Points, fmt.Sprintf("in [0, %d]", mostPoints))
		case slices.Contains(a.Choices, ""):
			return fault.Param(typ, field("Choices"), `""`, "words")
		}
		if err := check.Vector(field("Values"), a.Values); err != nil {
			return err
		}
		names[a.Name] = true
	}
	return nil
}
