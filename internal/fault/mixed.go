package fault

import (
	"fmt"
	"strings"
)

// MixedColumnError reports a column that is nearly all numbers, or times, and has a few other words. These words may be gaps,
// numbers in another notation, or levels of a category.
type MixedColumnError struct {
	File, Column string
	Of           string        // kind of the majority of the cells: "numbers" or "times"
	Cells        int           // number of cells that are not gaps
	Strange      int           // number of cells that are neither gaps nor of the kind Of
	Words        []StrangeText // the first distinct words, in the order of their lines
	Hint         string        // what the user can do
}

// StrangeText is a cell that differs from the others of its column.
type StrangeText struct {
	Text  string
	Line  int // line of its first occurrence, counted from 1
	Times int // the number of occurrences
}

func (e *MixedColumnError) Error() string {
	list := make([]string, len(e.Words))
	for i, w := range e.Words {
		list[i] = fmt.Sprintf("%q in line %d", w.Text, w.Line)
		if w.Times > 1 {
			list[i] += fmt.Sprintf(" (%d times)", w.Times)
		}
	}
	place := e.File
	if len(e.Words) > 0 {
		place += fmt.Sprintf(":%d", e.Words[0].Line)
	}
	s := fmt.Sprintf("%s: column %q is nearly all %s, but %d of %d cells are not: ", place, e.Column, e.Of, e.Strange, e.Cells)
	if e.Strange == e.Cells {
		s = fmt.Sprintf("%s: column %q has numbers in another notation: ", place, e.Column)
	}
	s += strings.Join(list, ", ")
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// Unwrap returns ErrParam.
func (e *MixedColumnError) Unwrap() error { return ErrParam }
