package columns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/spelling"
	"github.com/kernelearn/kernelearn/transformers"
)

// validate returns an error if the names or the categories are invalid for d columns.
func (c Choice) validate(d int) error {
	if c.Names != nil && len(c.Names) != d {
		return fault.Param(name, "Names", len(c.Names), fmt.Sprintf("a name for each of %d columns, or nil", d))
	}
	for i, j := range c.Categories {
		if j < 0 || j >= d || slices.Contains(c.Categories[:i], j) {
			return fault.Param(name, fmt.Sprintf("Categories[%d]", i), j, fmt.Sprintf("the index of one of %d columns, each once", d))
		}
	}
	return nil
}

// choose returns the positions of the columns of a part, for rows of d columns.
func (c Choice) choose(i int, p Part, d int) ([]int, error) {
	criteria := 0
	for _, given := range []bool{len(p.Columns) > 0, len(p.Names) > 0, p.Categories} {
		if given {
			criteria++
		}
	}
	switch field := fmt.Sprintf("Parts[%d]", i); {
	case criteria == 0:
		return nil, fault.Param(name, field+".Columns", p.Columns, "at least one column, by Columns, Names or Categories")
	case criteria > 1:
		return nil, fault.Param(name, field, fmt.Sprintf("Columns %v, Names %q, Categories %t", p.Columns, p.Names, p.Categories),
			"one of the three")
	case p.Categories:
		if c.Names == nil && c.Categories == nil {
			return nil, fault.Param(name, field+".Categories", true, "Categories of the ColumnTransformer, or a table with its categories")
		}
		return slices.Clone(c.Categories), nil
	case p.Names != nil:
		return c.named(field+".Names", p.Names)
	default:
		return numbered(field+".Columns", p.Columns, d)
	}
}

// numbered checks positions of columns and returns a copy of them.
func numbered(field string, columns []int, d int) ([]int, error) {
	for k, j := range columns {
		if j < 0 || slices.Contains(columns[:k], j) {
			return nil, fault.Param(name, field, columns, "positions >= 0, each once")
		}
		if j >= d {
			return nil, fmt.Errorf("%s: %s has column %d: %w", name, field, j, fault.Shape("x has", d, "columns", "want at least %d", j+1))
		}
	}
	return slices.Clone(columns), nil
}

// named returns the positions of the columns with the given names. The name of a category selects the columns of its levels,
// name=level, if no column has that name.
func (c Choice) named(field string, names []string) (out []int, err error) {
	if c.Names == nil {
		return nil, fault.Param(name, field, fmt.Sprintf("%q", names), "Names of the ColumnTransformer, or a table with names")
	}
	for _, wanted := range names {
		var found []int
		for j, have := range c.Names {
			if have == wanted {
				found = append(found, j)
			}
		}
		if len(found) > 1 {
			return nil, fault.Param(name, field, fmt.Sprintf("%q", wanted), fmt.Sprintf("the name of one column, not of %d", len(found)))
		}
		if len(found) == 0 {
			found = c.levels(wanted)
		}
		if len(found) == 0 {
			return nil, fault.Param(name, field, fmt.Sprintf("%q", wanted), spelling.Want(wanted, c.Names))
		}
		for _, j := range found {
			if slices.Contains(out, j) {
				return nil, fault.Param(name, field, fmt.Sprintf("%q", names), "names of columns, each once")
			}
			out = append(out, j)
		}
	}
	return out, nil
}

// levels returns the positions of the columns for the levels of a category.
func (c Choice) levels(category string) (out []int) {
	for j, have := range c.Names {
		if strings.HasPrefix(have, category+"=") {
			out = append(out, j)
		}
	}
	return out
}

// part returns an unfitted part with a clone of the transformer. It passes the names of the columns, and the categories among them,
// to the clone.
func (c Choice) part(chosen []int, of transformers.Transformer) Part {
	out := Part{Columns: chosen}
	if c.Names != nil {
		for _, j := range chosen {
			out.Names = append(out.Names, c.Names[j])
		}
	}
	if of == nil {
		return out
	}
	out.Of = estimators.Clone(of)
	estimators.SetColumnNames(out.Of, out.Names)
	var categories []int
	for k, j := range chosen {
		if slices.Contains(c.Categories, j) {
			categories = append(categories, k)
		}
	}
	estimators.SetCategories(out.Of, categories)
	return out
}
