package arff

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/celltext"
)

// Type is the type of an attribute.
type Type int

// The types.
const (
	Numeric Type = iota + 1
	String
	Date
	Nominal
)

// Attribute is a declared column.
type Attribute struct {
	Name   string
	Type   Type
	Levels []string // of a Nominal
}

// dates lists the supported formats of dates.
var dates = []string{"yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss"}

// ParseAttribute parses the text of a declaration after the word @attribute. Its error describes the expected form.
func ParseAttribute(text string) (Attribute, error) {
	words, rest, err := Cells(text, 1)
	if err != nil || len(words) == 0 || words[0].Text == "" {
		return Attribute{}, errors.New("a name and a type")
	}
	out := Attribute{Name: words[0].Text}
	rest = strings.TrimSpace(rest)
	switch kind := strings.ToLower(rest); {
	case kind == "numeric", kind == "real", kind == "integer":
		out.Type = Numeric
	case kind == "string":
		out.Type = String
	case kind == "date" || strings.HasPrefix(kind, "date ") && slices.Contains(dates, strings.Trim(rest[len("date"):], `"' `)):
		out.Type = Date
	case strings.HasPrefix(rest, "{") && strings.HasSuffix(rest, "}"):
		return out.nominal(rest[1 : len(rest)-1])
	default:
		return out, errors.New("numeric, real, integer, string, {values}, or date by one of " + strings.Join(dates, ", "))
	}
	return out, nil
}

// nominal returns the attribute with the values that text declares.
func (a Attribute) nominal(text string) (Attribute, error) {
	levels, _, err := Cells(text, -1)
	if err != nil {
		return a, errors.New("values between commas: " + err.Error())
	}
	a.Type, a.Levels = Nominal, []string{}
	for _, l := range levels {
		a.Levels = append(a.Levels, l.Text)
	}
	if v, twice := celltext.Duplicate(a.Levels); twice {
		return a, errors.New(strconv.Quote(v) + " once among its values")
	}
	return a, nil
}
