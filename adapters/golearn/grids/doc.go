// Package grids makes golearn's grids and reads them: CSV files, matrices, slices and structs become grids, grids become matrices, and
// rows are divided by a seed.
//
//	ReadCSV, ParseCSV, CSVOptions           a CSV file, with gaps as gaps
//	FeatureGrid, LabelledGrid, TargetGrid   a matrix, with no class, a class of texts, or numbers to predict; Rows makes one of slices
//	StructGrid                              a slice of structs
//	Matrix, Labels, Targets                 the reverse
//	WithClass                               another class attribute
//	Split, StratifiedSplit                  rows for training and for testing
//	Folds, Fold                             the divisions of a cross-validation
//
// golearn's own parser turns a gap into 0; [ReadCSV] makes it NaN, reads dates as times, and reports columns that are nearly all
// numbers. [CSVOptions] has decimal and thousands marks, the encoding, columns to leave out, and the grid of a fit whose types a
// test file has to have. golearn's own splits draw without a seed and shuffle the grid in place; those here repeat, and leave the grid
// as it is.
//
// Errors name the function, and the attribute and row or the file and line. No function changes its grid or panics at one.
package grids
