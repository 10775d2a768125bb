// Package gridtable reads golearn's grids, converts them to matrices, and writes grids.
//
//	Column, Kind                       an attribute by value: its name, type and levels
//	Cells                              the cells of a column, read as numbers from any storage
//	Table                              the features and classes of a grid, or of some of its rows
//	Read, ReadLabelled, ReadTraining   a grid as a Table, with the checks for its purpose
//	Table.Find, Align                  the columns of a training grid in another one, matched by name, type and texts of levels
//	Encoder                            the matrix of a Table: a column for each number and for each level
//	Table.Labels, Targets              the class column
//	Table.Grid, GridSharing            a Table as a grid, with new attributes or those of the grid that was read
//	Stored                             a Table in a model file
//	Divisible, EachFold                the division of rows into folds
//
// Cells are read in blocks of 64 rows, column by column. A panic of golearn, or of a filter that it runs at each cell, becomes an
// error.
package gridtable
