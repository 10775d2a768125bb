// Package grids creates and reads golearn's grids. It converts tables, CSV files, matrices, slices and structs to grids, and grids
// to matrices. It also divides rows with a seed.
//
//	FromTable                               a table of package adapters/table: of a CSV, ARFF or Parquet file, or an SQL query
//	ReadCSV, ParseCSV                       a CSV file, whose last column is the class
//	FeatureGrid, LabelledGrid, TargetGrid   a matrix, with no class, a class of texts, or numbers to predict; Rows converts slices
//	StructGrid                              a slice of structs
//	Matrix, Labels, Targets                 the features and the class of a grid, as a matrix and slices
//	WithClass                               another class attribute
//	Split, StratifiedSplit                  rows for training and for testing
//	Folds, Fold                             the divisions of a cross-validation
//
// golearn's own parser reads a gap as 0. [ReadCSV] reads it as NaN, reads dates as times, omits ids and texts, and reports columns
// that consist almost entirely of numbers. table.Options sets the purpose of columns, decimal and thousands marks and the encoding.
// With Options.Schema a test file is read with the schema of the training rows. golearn's own splits draw without a seed and
// shuffle the grid in place. The splits of this package are reproducible and do not change the grid.
//
// Errors name the function, and either the attribute and the row or the file and the line. No function changes its grid, and none
// panics because of a grid.
package grids
