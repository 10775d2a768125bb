// Package values reads Go values as the cells of a table.
//
//	Cell      the cell of a value; Bool returns that of a bool in a column with a known kind
//	Text      the text of a cell
//	Row       the values of a row, by the names of its columns
//	FieldsOf  the columns of a struct
package values
