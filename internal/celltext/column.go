package celltext

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Column counts the cells of a column by kind. The zero value is an empty column.
type Column struct {
	count    [Word + 1]int32
	decimals int8
	seen     *remarkable // nil if all cells were numbers or gaps
}

// remarkable holds cells that an error may have to show.
type remarkable struct {
	words, lookalikes []fault.StrangeText // the first few, with their counts
	tooLarge, rounded fault.StrangeText   // the first of each kind
	huge              bool                // whether an integer does not fit into int64
}

// mostWords is the number of distinct words that are kept.
const mostWords = 10

// shownBytes is the number of bytes of a cell that an error shows.
const shownBytes = 40

// Add counts a cell. line is its line in the file.
func (c *Column) Add(cell Cell, text string, line int) {
	if c.count[cell.Kind] < math.MaxInt32 {
		c.count[cell.Kind]++
	}
	c.decimals = max(c.decimals, int8(cell.Decimals))
	tooLarge := cell.Measured() && math.IsInf(cell.Value, 0)
	if (cell.Kind < Lookalike && !tooLarge && !cell.Rounded) || c.seen != nil && c.seen.full(cell, tooLarge) {
		return
	}
	if c.seen == nil {
		c.seen = &remarkable{}
	}
	c.seen.add(cell, tooLarge, text, line)
}

// full reports whether enough cells of this kind are kept. A column of texts may contain many.
func (r *remarkable) full(cell Cell, tooLarge bool) bool {
	switch {
	case tooLarge:
		return r.tooLarge.Line > 0
	case cell.Kind == Integer:
		return r.rounded.Line > 0 && r.huge
	}
	return cell.Kind == Word && len(r.words) > mostWords || cell.Kind == Lookalike && len(r.lookalikes) > mostWords
}

func (r *remarkable) add(cell Cell, tooLarge bool, text string, line int) {
	first := func(of *fault.StrangeText) {
		if of.Line == 0 {
			*of = fault.StrangeText{Text: Short(text), Line: line, Times: 1}
		}
	}
	switch {
	case tooLarge:
		first(&r.tooLarge)
	case cell.Kind == Integer:
		first(&r.rounded)
		r.huge = r.huge || math.Abs(cell.Value) >= 1<<63
	case cell.Kind == Word:
		r.words = countText(r.words, text, line)
	default:
		r.lookalikes = countText(r.lookalikes, text, line)
	}
}

// countText counts a word and returns the words. It keeps one word more than an error shows.
func countText(words []fault.StrangeText, text string, line int) []fault.StrangeText {
	text = Short(text)
	if i := slices.IndexFunc(words, func(w fault.StrangeText) bool { return w.Text == text }); i >= 0 {
		words[i].Times++
		return words
	}
	return append(words, fault.StrangeText{Text: text, Line: line, Times: 1})
}

// Short returns the part of a text that is shown in an error.
func Short(text string) string {
	if len(text) > shownBytes {
		text = strings.ToValidUTF8(text[:shownBytes], "") + "..."
	}
	return strings.Clone(text)
}

// List returns the first names, as many as are shown in an error, separated by commas.
func List(names []string) string {
	const most = 20 // more names would hide the rest of an error
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// Type classifies a column.
type Type int

// The types. A column of gaps is Empty. A column of numbers is Integers if all its numbers are integers.
const (
	Empty Type = iota
	Integers
	Numbers
	Times
	Texts
)

// nearlyAll is the smallest ratio of numbers to other cells at which a column is treated as nearly all numbers. It is reached if
// four of five cells are numbers.
const nearlyAll = 4

// Type returns the type of the column. mixed reports that at least four of five cells are numbers, or times, and that the column
// also contains words or numbers in another notation. In this case the type is that of the majority.
func (c *Column) Type() (t Type, mixed bool) {
	numbers, like, times, words := int(c.count[Integer])+int(c.count[Number]), int(c.count[Lookalike]), int(c.count[Time]),
		int(c.count[Word])
	switch {
	case numbers+like+times+words == 0:
		return Empty, false
	case like+times+words == 0 && c.count[Number] == 0:
		return Integers, false
	case like+times+words == 0:
		return Numbers, false
	case numbers+like+words == 0:
		return Times, false
	case numbers+like >= nearlyAll*(times+words):
		return Numbers, true
	case times >= nearlyAll*(numbers+like+words):
		return Times, true
	}
	return Texts, false
}

// Decimals returns the number of decimals with which the numbers are printed as they were written.
func (c *Column) Decimals() int { return int(c.decimals) }

// Int64 reports whether all integers fit into int64.
func (c *Column) Int64() bool { return c.seen == nil || !c.seen.huge }

// MixedHint advises on a column that is nearly all numbers. It is for readers whose options have these names.
const MixedHint = "list gaps in Missing or set WordsAsGaps, set Decimal, Thousands or Percent for other notations, or name the column in " +
	"Categorical or Ignore"

// Mixed returns the error for a column that is nearly all numbers. The hint tells the user what to do.
func (c *Column) Mixed(file, name, hint string) error {
	e := &fault.MixedColumnError{File: file, Column: name, Hint: hint, Of: "numbers"}
	for _, n := range c.count[Integer:] {
		e.Cells += int(n)
	}
	strange := int(c.count[Word]) + int(c.count[Lookalike])
	if t, _ := c.Type(); t == Times {
		e.Of = "times"
		strange += int(c.count[Integer]) + int(c.count[Number])
	} else {
		strange += int(c.count[Time])
	}
	if c.seen != nil {
		e.Words = append(slices.Clone(c.seen.words), c.seen.lookalikes...)
	}
	slices.SortStableFunc(e.Words, func(a, b fault.StrangeText) int { return a.Line - b.Line })
	e.Words = e.Words[:min(len(e.Words), mostWords)]
	e.Strange = strange
	return e
}

// Numeric returns the error for numbers that a float64 cannot hold, or nil. If round is set, integers may be rounded.
func (c *Column) Numeric(file, name string, round bool, hint string) error {
	if c.seen == nil {
		return nil
	}
	if s := c.seen.tooLarge; s.Line > 0 {
		return fmt.Errorf("%s:%d: column %q: %w", file, s.Line, name, TooLarge(s.Text))
	}
	if s := c.seen.rounded; s.Line > 0 && !round {
		return fault.Param(fmt.Sprintf("%s:%d", file, s.Line), fmt.Sprintf("column %q", name), s.Text,
			"an integer that float64 represents exactly"+hint)
	}
	return nil
}

// TooLarge returns the error for a number beyond the largest float64.
func TooLarge(text string) error {
	return fmt.Errorf("%.40s exceeds the range of float64: %w", text, fault.ErrNotFinite)
}
