package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/adapters/table/internal/survey"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// These constants are the limits that distinguish texts and ids from categories.
const (
	fewestRows   = 10  // with fewer rows, every text is a level
	nearlyEvery  = 0.9 // the smallest share of distinct values in a column that identifies its rows
	mostlyOther  = 0.5 // the same share for texts of many words
	severalWords = 3   // smallest mean number of words of a Text; an ID has fewer
	manyWords    = 5   // smallest mean number of words of a Text to which mostlyOther applies
	mostDistinct = 1e5 // the largest number of values that are counted; all others are assumed to be similar
)

// ways lists the options with which a column of numbers and words can be read.
const ways = "; or list gaps in Format.Missing, set Format.WordsAsGaps, set Decimal, Thousands or Percent for other notations, " +
	"or set Kinds or Drop"

// surveys returns an empty survey for each column whose kind depends on its distinct values.
func (t *intake) surveys() map[string]*survey.Survey {
	out := map[string]*survey.Survey{}
	for _, c := range t.columns {
		typ, _ := c.stats.Type()
		kind := cmp.Or(t.options.Kinds[c.name], c.typed.kind)
		v := &survey.Survey{Most: mostDistinct, Levels: map[string]struct{}{}}
		switch {
		case c.skip || c.typed.levels != nil || c.name == t.options.Group || c.name == t.options.Weight:
		case c.name == t.options.Target:
			out[c.name] = v
		case kind == Category:
			v.Most = math.MaxInt // all levels are counted, because the caller chose the kind
			out[c.name] = v
		case kind == 0 && (typ == celltext.Texts || c.typed.words || typ == celltext.Integers && survey.NamesID(c.name)):
			out[c.name] = v
		}
	}
	return out
}

// surveyed adds the rows in memory to the surveys, and returns the surveys.
func (t *intake) surveyed(out map[string]*survey.Survey) map[string]*survey.Survey {
	for _, c := range t.columns {
		if v := out[c.name]; v != nil {
			for i, k := range c.kinds {
				v.Add(k, c.textOf(i))
			}
		}
	}
	return out
}

// learn determines the kind of each column. The function gaps returns the number of gaps in a column.
func (t *intake) learn(surveys map[string]*survey.Survey, gaps func(*Cells) int) (*Schema, error) {
	s := &Schema{Format: t.options.Format}
	for _, c := range t.columns {
		out := Column{Name: c.name}
		var err error
		switch c.name {
		case t.options.Target:
			out.Role = Target
			s.Task, err = t.learnTarget(c, surveys[c.name], &out)
		case t.options.Group:
			out.Role, out.Kind = Group, Category
		case t.options.Weight:
			out.Role, out.Kind = Weight, Number
			err = t.checkNumbers(c, celltext.Numbers)
		default:
			if !c.skip {
				out.Gaps = gaps(c)
			}
			err = t.learnFeature(c, surveys[c.name], &out)
		}
		if err != nil {
			return nil, err
		}
		s.Columns = append(s.Columns, out)
	}
	if s.find(Feature) < 0 {
		return nil, fault.Param(t.input, "features", "none", "a column for the matrix. The columns are:\n"+s.String())
	}
	return s, s.check()
}

// learnTarget determines the task from the target.
func (t *intake) learnTarget(c *Cells, v *survey.Survey, out *Column) (Task, error) {
	typ, mixed := c.stats.Type()
	task, kind := t.options.Task, cmp.Or(t.options.Kinds[c.name], c.typed.kind)
	if task == Auto && t.options.Kinds[c.name] != 0 {
		task = Regression
		if kind == Category {
			task = Classification
		}
	}
	switch {
	case typ == celltext.Empty:
		return 0, fault.Param(t.input, c.place(), "no value in any row", "a target")
	case task != Auto:
		out.Note = "as set"
	case typ == celltext.Times && !c.typed.words && kind != Category:
		return 0, fault.Param(t.input, c.place(), "times", "a target of numbers or words, or Task set to Classification")
	case kind == Category || c.typed.words || typ == celltext.Texts:
		if task, out.Note = Classification, "words"; v != nil && v.Values >= fewestRows && v.Share() >= nearlyEvery {
			return 0, fault.Param(t.input, c.place(), "a different word in nearly every row",
				"numbers or classes, or Task set to Classification")
		}
	case mixed:
		return 0, c.stats.Mixed(t.input, c.name, "set Task, or correct the cells")
	case typ == celltext.Integers && len(v.Levels) == 2 && v.Values > 2:
		task, out.Note = Classification, "two whole numbers; numbers with Task Regression"
	default:
		task = Regression
		if out.Note = "numbers"; typ == celltext.Integers {
			out.Note = "whole numbers; classes with Task Classification"
		}
	}
	if task == Regression {
		out.Kind = Number
		return task, t.checkNumbers(c, celltext.Numbers)
	}
	if out.Kind, out.Levels = Category, slices.Clone(c.typed.levels); out.Levels == nil {
		if v.Full() {
			return 0, fault.Param(t.input, c.place(), fmt.Sprintf("%d classes or more", len(v.Levels)), "fewer classes")
		}
		out.Levels = v.Sorted()
	}
	if out.Note = fmt.Sprintf("%s; %d classes", out.Note, len(out.Levels)); len(out.Levels) < 2 {
		return 0, fault.Param(t.input, c.place(), fmt.Sprintf("the only class %q", out.Levels), "at least two classes")
	}
	return task, nil
}

// learnFeature decides the kind of a feature.
func (t *intake) learnFeature(c *Cells, v *survey.Survey, out *Column) error {
	leave := func(kind Kind, note string) {
		out.Role, out.Kind, out.Note = LeftOut, kind, note
	}
	typ, mixed := c.stats.Type()
	forced, set := t.options.Kinds[c.name]
	if out.Kind = cmp.Or(forced, c.typed.kind); set {
		out.Note = "set by Kinds"
	}
	switch {
	case c.skip && slices.Contains(t.options.Drop, c.name):
		leave(Text, "left out by Drop")
	case c.note != "":
		leave(Text, c.note)
	case c.skip:
		leave(Text, "has no name")
	case out.Kind == Text || out.Kind == ID:
		leave(out.Kind, "set by Kinds")
	case typ == celltext.Empty && out.Kind == 0:
		leave(Number, "no row has a value")
	case out.Kind == Number || out.Kind == Duration:
		if out.Kind == Duration && out.Note == "" {
			out.Note = "durations, in seconds"
		}
		return t.checkNumbers(c, celltext.Numbers)
	case out.Kind == Time:
		return t.checkNumbers(c, celltext.Times)
	case out.Kind == Category || typ == celltext.Texts || c.typed.words:
		t.learnTexts(c, v, out)
	case mixed && !t.options.Format.WordsAsGaps:
		return c.stats.Mixed(t.input, c.name, strings.TrimPrefix(ways, "; or "))
	case typ == celltext.Times:
		out.Kind, out.Note = Time, "dates or times, in seconds since 1970"
	case typ == celltext.Integers && v != nil && v.Values >= fewestRows && v.Share() >= nearlyEvery:
		leave(ID, fmt.Sprintf("nearly every row has a different integer, and the name suggests an id; include it by Kinds[%q]", c.name))
	default:
		if out.Kind, out.Note = Number, "numbers"; typ == celltext.Integers {
			out.Note = "whole numbers"
		}
		return c.stats.Numeric(t.input, c.name, t.options.Format.RoundIntegers, ways+", or Format.RoundIntegers")
	}
	return nil
}

// learnTexts decides the kind of a column of texts.
func (t *intake) learnTexts(c *Cells, v *survey.Survey, out *Column) {
	if c.typed.levels != nil {
		out.Kind, out.Levels, out.Note = Category, slices.Clone(c.typed.levels), survey.LevelsNote(len(c.typed.levels))
		return
	}
	if out.Kind != Category && v.Values >= fewestRows {
		leave := func(kind Kind, note string) {
			out.Role, out.Kind, out.Note = LeftOut, kind, note+fmt.Sprintf("; convert them to levels by Kinds[%q]", c.name)
		}
		switch {
		case v.Share() >= nearlyEvery && v.Length() < severalWords || v.Full():
			leave(ID, "nearly every row has a different name, or there are very many names"+v.DatesNote())
			return
		case v.Share() >= nearlyEvery || v.Share() >= mostlyOther && v.Length() >= manyWords:
			leave(Text, fmt.Sprintf("texts of %.0f words that differ in nearly every row", v.Length()))
			return
		}
	}
	out.Kind, out.Levels = Category, v.Sorted()
	if out.Note == "" {
		out.Note = survey.LevelsNote(len(out.Levels)) + v.DatesNote()
	}
}

// checkNumbers returns an error if a column that should hold numbers, or times, has other cells.
func (t *intake) checkNumbers(c *Cells, want celltext.Type) error {
	typ, mixed := c.stats.Type()
	if typ == celltext.Integers || typ == celltext.Empty {
		typ = want
	}
	switch {
	case t.options.Format.WordsAsGaps:
	case mixed:
		return c.stats.Mixed(t.input, c.name, strings.TrimPrefix(ways, "; or "))
	case typ != want:
		kind := map[celltext.Type]string{celltext.Numbers: "a number", celltext.Times: "a date or time"}[want]
		for i, k := range c.kinds {
			if !fits(k, want) {
				return t.wrong(c, i, kind+ways)
			}
		}
		// The rows with these cells are no longer in memory, so the error cannot list the cells.
		return fault.Param(t.input, c.place(), "other cells", kind+" in each row"+ways)
	}
	return c.stats.Numeric(t.input, c.name, t.options.Format.RoundIntegers, ways+", or Format.RoundIntegers")
}

// fits reports whether a cell of kind k is valid in a column of type want, which is a column of numbers or of times.
func fits(k celltext.Kind, want celltext.Type) bool {
	if want == celltext.Times {
		return k == celltext.Time || k == celltext.Gap
	}
	return k == celltext.Integer || k == celltext.Number || k == celltext.Gap
}

// finite reports whether a value is neither NaN nor infinite.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
