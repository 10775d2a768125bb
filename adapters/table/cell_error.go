package table

// CellError says in which row and column of rows that are read by a schema an error is. Its text is that of Err, which names both. The
// functions that read rows return it, and so does a prediction of rows that another schema read: errors.As finds it.
type CellError struct {
	Row    int    // from 1, without the line of names; 0: the error is of the column, which may be missing
	Column string // its name
	Err    error
}

// Error returns the text of Err.
func (e *CellError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }
