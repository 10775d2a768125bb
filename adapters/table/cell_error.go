package table

// CellError is an error with the row and the column of a cell. The functions that read rows with a schema return it. Predictions
// return it as well, if their rows were read with another schema. Its text is the text of Err, which names the row and the column.
// Use errors.As to find it.
type CellError struct {
	Row    int    // from 1, without the header; 0 for an error of the column, such as a missing column
	Column string // the column's name
	Err    error
}

// Error returns the text of Err.
func (e *CellError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }
