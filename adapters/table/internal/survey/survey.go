// Package survey counts the distinct texts of a column. Package table uses the counts to decide between categories, texts and ids.
package survey

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kernelearn/kernelearn/internal/celltext"
)

// Survey counts the distinct texts of a column.
type Survey struct {
	Most   int // the number of levels at which counting stops
	Levels map[string]struct{}
	Values int // without gaps
	words  int
}

// Add counts a cell.
func (v *Survey) Add(k celltext.Kind, text string) {
	if k == celltext.Gap || v.Full() {
		return
	}
	v.Values++
	v.words += len(strings.Fields(text))
	if _, ok := v.Levels[text]; !ok {
		v.Levels[text] = struct{}{}
	}
}

// Full reports whether the limit of levels is reached.
func (v *Survey) Full() bool { return len(v.Levels) >= v.Most }

// Share returns the number of distinct values divided by the number of values.
func (v *Survey) Share() float64 { return float64(len(v.Levels)) / float64(max(1, v.Values)) }

// Length returns the mean number of words of a value.
func (v *Survey) Length() float64 { return float64(v.words) / float64(max(1, v.Values)) }

// Sorted returns the levels in ascending order, as numbers if all are integers.
func (v *Survey) Sorted() []string {
	out, numbers := make([]string, 0, len(v.Levels)), make(map[string]int64, len(v.Levels))
	for text := range v.Levels {
		out = append(out, text)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			numbers[text] = n
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(numbers) == len(out) && numbers[a] != numbers[b] {
			return cmp.Compare(numbers[a], numbers[b])
		}
		return strings.Compare(a, b)
	})
	return out
}

// DatesNote returns a note on the supported format of dates, if the values of a column look like dates.
func (v *Survey) DatesNote() string {
	for text := range v.Levels {
		parts := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
		if len(parts) < 3 || !unicode.IsDigit(rune(text[0])) || strings.ContainsFunc(text, unicode.IsLetter) {
			return ""
		}
	}
	return "; dates are read as 2024-12-31"
}

// idNames lists words with which names of ids usually end.
var idNames = []string{"id", "ids", "uid", "uuid", "guid", "key", "index", "idx", "rownames", "rownum"}

// NamesID reports whether a name is usual for ids: id, user_id, userId, uuid, key, index, row.
func NamesID(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(splitCase(name)), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return false
	}
	return words[0] == "id" || slices.Contains(idNames, words[len(words)-1])
}

// splitCase inserts a space between a small letter and a capital.
func splitCase(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// LevelsNote returns the number of levels in words.
func LevelsNote(n int) string {
	if n == 1 {
		return "1 level"
	}
	return strconv.Itoa(n) + " levels"
}
