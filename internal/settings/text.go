package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostShown is the number of elements of a slice that are shown.
const mostShown = 8

// Format returns a setting in Go syntax.
func (s Value) Format() string {
	if s.Text != "" && s.Kind != String {
		return cut(s.Text)
	}
	switch s.Kind {
	case Nothing:
		return "nil"
	case LeftOut:
		return "left out"
	case Bool:
		return strconv.FormatBool(s.Number == 1)
	case Int:
		return strconv.FormatInt(int64(s.Number), 10)
	case Uint:
		return strconv.FormatUint(s.Number, 10)
	case Float:
		return number(math.Float64frombits(s.Number))
	case String:
		return strconv.Quote(s.Text[:min(len(s.Text), 200)])
	case Floats:
		return joined(len(s.Bytes)/8, func(i int) string { return number(unpack(s.Bytes[8*i : 8*i+8])[0]) })
	case Matrix:
		return fmt.Sprintf("matrix of %d×%d", s.Number, len(s.Bytes)/8/max(1, int(min(s.Number, math.MaxInt32))))
	case Bytes:
		return fmt.Sprintf("%d bytes", len(s.Bytes))
	case List:
		return joined(len(s.List), func(i int) string { return s.List[i].Format() })
	case Pairs:
		return joined(len(s.List)/2, func(i int) string { return s.List[2*i].Format() + ": " + s.List[2*i+1].Format() })
	case Other:
		if len(s.List) == 1 {
			return cut(s.Type) + s.List[0].Format()
		}
	case Struct:
		var parts []string
		for i, name := range s.Names[:min(len(s.Names), len(s.List))] {
			if s.List[i].Kind != LeftOut {
				parts = append(parts, cut(name)+": "+s.List[i].Format())
			}
		}
		return cut(s.Type) + "{" + strings.Join(parts, ", ") + "}"
	}
	return "?"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func joined(n int, one func(i int) string) string {
	parts := make([]string, 0, min(n, mostShown)+1)
	for i := range min(n, mostShown) {
		parts = append(parts, one(i))
	}
	if n > mostShown {
		parts = append(parts, fmt.Sprintf("… %d in all", n))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Pair is a setting and its formatted value.
type Pair struct{ Name, Value string }

// Pairs returns the nonzero fields of a struct.
func (s Value) Pairs() (out []Pair) {
	for i, name := range s.Names[:min(len(s.Names), len(s.List))] {
		if s.List[i].Kind != LeftOut {
			out = append(out, Pair{name, s.List[i].Format()})
		}
	}
	return out
}

// Missing returns the paths of parts that were left out.
func (s Value) Missing() []string { return s.missing("", nil) }

func (s Value) missing(path string, out []string) []string {
	if s.Kind == LeftOut {
		return append(out, path)
	}
	for i, one := range s.List {
		where := fmt.Sprintf("%s[%d]", path, i)
		if i < len(s.Names) {
			where = strings.TrimPrefix(path+"."+s.Names[i], ".")
		}
		out = one.missing(where, out)
	}
	return slices.Clip(out)
}
