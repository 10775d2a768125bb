package table

import (
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Texts returns the original cells of a column of the input, with a text for each row and "" for an empty cell. The column may be
// of any kind and role, including a column that the schema leaves out of X. Package transformers/text converts texts to sparse
// rows. Texts returns ErrParam for a name that is not a column of the input.
func (t *Table) Texts(name string) ([]string, error) {
	names, cell := t.written()
	column := slices.Index(names, name)
	if column < 0 {
		return nil, fault.Param("table: Texts", "column", strconv.Quote(name), "a column of the input; there are "+celltext.List(names))
	}
	out := make([]string, t.Rows())
	for i := range out {
		out[i] = cell(i, column)
	}
	return out, nil
}
