package table

import (
	"database/sql"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// FromRows reads all remaining rows of a query and does not close the query. NULL is a gap, and a bool is false or true. Texts are
// read like the cells of a file, since some drivers return numbers as texts. Options may be nil.
//
// It returns the errors of [ReadCSV], which name the row, counted from 1, and the errors of the query. It returns ErrParam for a
// value that is not a number, text, bool or time.
func FromRows(rows *sql.Rows, o *Options) (*Table, error) {
	const input = "table: FromRows"
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, fault.Param(input, "rows", "nil", "those of a query")
	}
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input, err)
	}
	t, err := newIntake(input, header(names), options)
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for j := range values {
		into[j] = &values[j]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("%s: %w", t.place(t.rows), err)
		}
		for j, v := range values {
			if err := t.addValue(t.columns[j], v, false); err != nil {
				return nil, err
			}
		}
		t.rows++
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.place(t.rows), err)
	}
	return t.table()
}
