// Package values reads Go values as the cells of a table.
//
//	Cell      the cell of a value; Bool, that of a bool in a column that is known; Text, the reverse
//	Row       the values of a row by the names of its columns
//	FieldsOf  the columns of a struct
package values
