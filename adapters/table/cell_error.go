package table

// CellError is an error with the row and the column of a cell in rows that are read with a schema. Its text is that of Err, which
// names both. The functions that read rows return it. Predictions of rows that were read with another schema return it, too. Use
// errors.As to find it.
type CellError struct {
	Row    int    // from 1, without the header; 0 for an error of the column, such as a missing column
	Column string // the column's name
	Err    error
}

// Error returns the text of Err.
func (e *CellError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }
