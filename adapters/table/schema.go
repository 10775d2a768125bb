package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Schema records the decision for each column, and the reason. It is determined from the training rows. Other rows are read with it
// ([Options.Schema]), so that they have the same columns with the same codes. It is stored as JSON, and a [Model] stores it in its
// file. Reading rows does not change a Schema, so several goroutines may use it at the same time.
type Schema struct {
	Columns []Column `json:"columns"` // in the order of the input
	Task    Task     `json:"task"`    // the task of the target; Auto if there is no target
	Format  Format   `json:"format"`
}

// Column is a column of the input.
type Column struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	Kind Kind   `json:"kind"`
	// Levels holds the texts of a Category in the order of their codes 0, 1, ..., or the classes of a target.
	Levels []string `json:"levels,omitempty"`
	Gaps   int      `json:"gaps,omitempty"` // number of gaps in the rows from which the schema was determined
	Note   string   `json:"note,omitempty"` // the decision and its reason
}

// Names returns the names of the columns of the matrix.
func (s *Schema) Names() (out []string) {
	for _, c := range s.Columns {
		if c.Role == Feature {
			out = append(out, c.Name)
		}
	}
	return out
}

// Categories returns the indices of the matrix columns that hold categories, for example for the Categories of a
// selection.Regressor.
func (s *Schema) Categories() (out []int) {
	j := 0
	for _, c := range s.Columns {
		if c.Role != Feature {
			continue
		}
		if c.Kind == Category {
			out = append(out, j)
		}
		j++
	}
	return out
}

// Target returns the column to predict, and false if there is none.
func (s *Schema) Target() (Column, bool) {
	if k := s.find(Target); k >= 0 {
		return s.Columns[k], true
	}
	return Column{}, false
}

// Classes returns the classes of the labels 0, 1, ... It returns nil unless the Task is Classification.
func (s *Schema) Classes() []string {
	if c, ok := s.Target(); ok && s.Task == Classification {
		return slices.Clone(c.Levels)
	}
	return nil
}

// find returns the index of the first column with a role, or -1.
func (s *Schema) find(r Role) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Role == r })
}

// String returns a line for each column: its name, its role, its kind, and the note.
func (s *Schema) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range s.Columns {
		kind := c.Kind.String()
		if c.Role == Target {
			kind = s.Task.String()
		}
		note := c.Note
		if c.Gaps > 0 {
			note += fmt.Sprintf("; rows without a value: %d", c.Gaps)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", strings.Map(printable, c.Name), c.Role, kind, strings.Map(printable, note))
	}
	_ = w.Flush() // never fails on a strings.Builder
	return b.String()
}

// printable replaces the runes of a name that would move the cursor of a terminal or end a cell of the table.
func printable(r rune) rune {
	if !strconv.IsPrint(r) {
		return '\ufffd'
	}
	return r
}

// check returns ErrParam for an invalid schema.
func (s *Schema) check() error {
	const typ = "table: Schema"
	names := make([]string, len(s.Columns))
	features, others := 0, map[Role]int{}
	for j, c := range s.Columns {
		names[j] = c.Name
		switch {
		case c.Role < Feature || c.Role > Weight:
			return fault.Param(typ, fmt.Sprintf("Role of %q", c.Name), int(c.Role), "one of "+enum.Listed(roleNames))
		case c.Kind < Number || c.Kind > Duration:
			return fault.Param(typ, fmt.Sprintf("Kind of %q", c.Name), int(c.Kind), "one of "+enum.Listed(kindNames))
		case c.Role == Feature && (c.Kind == Text || c.Kind == ID):
			return fault.Param(typ, fmt.Sprintf("Role of %q", c.Name), c.Role, "left out for a text or an id")
		case c.Role == Feature:
			features++
		case c.Role != LeftOut:
			if others[c.Role]++; others[c.Role] > 1 {
				return fault.Param(typ, "Columns", "two of the role "+c.Role.String(), "one")
			}
		}
		if v, ok := celltext.Duplicate(c.Levels); ok {
			return fault.Param(typ, fmt.Sprintf("Levels of %q", c.Name), strconv.Quote(v)+" twice", "each once")
		}
		if err := check.Text(typ, fmt.Sprintf("Levels of %q", c.Name), c.Levels...); err != nil {
			return err
		}
	}
	switch n, twice := celltext.Duplicate(names); {
	case features == 0:
		return fault.Param(typ, "Columns", "no features", "at least one")
	case twice:
		return fault.Param(typ, "Columns", strconv.Quote(n)+" twice", "each name once")
	case s.Task < Auto || s.Task > Classification || (s.Task == Auto) != (others[Target] == 0):
		return fault.Param(typ, "Task", s.Task, "Regression or Classification with a target, Auto without")
	}
	return check.Text(typ, "Columns", names...)
}

// sameFeatures reports whether both schemas convert the same rows to the same matrix.
func (s *Schema) sameFeatures(other *Schema) bool {
	features := func(of *Schema) []Column {
		return slices.DeleteFunc(slices.Clone(of.Columns), func(c Column) bool { return c.Role != Feature })
	}
	return slices.EqualFunc(features(s), features(other), func(a, b Column) bool {
		return a.Name == b.Name && a.Kind == b.Kind && slices.Equal(a.Levels, b.Levels)
	})
}
