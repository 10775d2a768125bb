// Package table converts tables with words, dates and gaps to matrices. It keeps the conversion with a model, so that the model
// predicts rows in their original form. It uses only the standard library.
//
//   - [ReadCSV], [ReadARFF], [ReadSVMLight], [FromRows] and [FromStructs] read a file, the rows of an SQL query or a slice of structs
//     into a [Table]: the matrix X, the targets or labels, the groups and the weights. [Options] name the columns that are not
//     features, and [Format] sets how cells are written.
//   - [Schema] records the decision for each [Column]: its [Role], its [Kind], its levels, and a note with the reason. It is determined
//     from the rows of a fit, other rows are read by it, and it is JSON.
//   - [Model] is an estimator with the schema, in one file. It predicts a table, and [Table.WriteCSV] writes the [Predictions] beside
//     the columns of the input. It also predicts a single row, a map, a struct or a line of text, and returns a [Prediction].
//   - [Source] gives rows that do not fit in memory: of a CSV file, of another format by a [Reader], such as Parquet by package
//     adapters/arrow, or of several files ([Join]). Its schema is determined in two passes. [Blocks] are for FitBlocks of an estimator,
//     and Tables for predictions.
//   - [Encoder] reads single cells by a schema, as package adapters/beam does.
//
// A first program is
//
//	model, err := table.FitCSV(ctx, "flats.csv", &table.Options{Target: "rent"})
//	p, err := model.PredictRow(map[string]any{"area": 60, "district": "harbour", "built": nil})
//
// # Kinds of columns
//
// Cells are classified by the rules of all readers of this module. A gap is an empty cell or an entry of Format.Missing, a number
// is decimal, a time is an ISO date with or without a time of day, and all other cells are words. A column is
//
//   - a [Number] if all its cells are numbers;
//   - a [Time], in seconds since 1970 in UTC, if all are times;
//   - a [Duration], in seconds, if the format declares it, as Arrow and Parquet files do;
//   - an [ID], left out, if at least nine of ten values differ, and they are words, fewer than three per value on average, or whole
//     numbers under a name that is usual for ids, such as id, user_id or key;
//   - a [Text], left out, if at least nine of ten values differ and have three words or more on average, or if half of them differ and
//     have five;
//   - a [Category] if it has other words. Its levels are in ascending order, as numbers if all are whole numbers.
//
// With fewer than ten values, no column is an ID or a Text. A column without a value or a name is left out. A column of nearly only
// numbers, or times, is an error that lists the other words, since each may be a gap, a number in another notation, or a level.
// [Options] decide between these. Options.Kinds overrides all of this.
//
// A gap is NaN. The estimators of package selection fill gaps, and [Model] fills them for others. Only the equality of categories
// counts, and their codes are numbers without a meaning to most kernels: [Schema.Categories] returns the columns that hold them,
// for a search. A level that the schema does not have gets the code after the last, which differs from those of all rows of the
// fit.
package table
