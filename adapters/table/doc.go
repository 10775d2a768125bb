// Package table makes matrices of tables as they are, with words, dates and gaps in them, and keeps beside a model what it made of
// them, so that the model predicts rows as they were written. It uses the standard library alone.
//
//   - [ReadCSV], [ReadARFF], [ReadSVMLight], [FromRows] and [FromStructs] read a file, the rows of an SQL query or a slice of structs
//     into a [Table]: the matrix X, the targets or labels, the groups and the weights. [Options] name the columns that are not
//     features, and [Format] sets how cells are written.
//   - [Schema] records what became of each [Column]: its [Role], its [Kind], its levels, and a note with the reason. It is learnt with the
//     rows, other rows are read by it, and it is JSON.
//   - [Model] is an estimator with the schema, in one file. It predicts a table, of which the [Predictions] are written beside the
//     columns of the input ([Table.WriteCSV]), or a single row, a [Prediction], which is a map, a struct or a line of text.
//   - [Source] gives rows that memory does not hold: of a CSV file, of another format by a [Reader], such as Parquet by package
//     adapters/arrow, or of several files ([Join]). Its schema is learnt in two passes. [Blocks] are for FitBlocks of an estimator, and
//     Tables for predictions.
//   - [Encoder] reads single cells by a schema, as package adapters/beam does.
//
// A first program is
//
//	model, err := table.FitCSV(ctx, "flats.csv", &table.Options{Target: "rent"})
//	p, err := model.PredictRow(map[string]any{"area": 60, "district": "harbour", "built": nil})
//
// # What becomes of a column
//
// Cells are told apart by the rules of all readers of this module: a gap is an empty cell or an entry of Format.Missing, a number is
// decimal, a time is an ISO date with or without a time of day, and all else is words. A column is
//
//   - a [Number] if all its cells are numbers;
//   - a [Time], in seconds since 1970 in UTC, if all are times;
//   - a [Duration], in seconds, if the format declares it, as Arrow and Parquet files do;
//   - an [ID], left out, if nine of ten values at least differ, and they are words, fewer than three to a value, or whole numbers
//     under a name that ids have, such as id, user_id or key;
//   - a [Text], left out, if nine of ten values at least differ and have three words or more in the mean, or half of them do and have
//     five;
//   - a [Category] if it has other words. Its levels are in ascending order, as numbers if all are whole numbers.
//
// Of fewer than ten values none is an ID or a Text. A column that has no value, or no name, is left out. One that is nearly all
// numbers, or times, is an error that lists the other words, since each may be a gap, a number in another notation, or a level:
// [Options] say which. Options.Kinds overrules all of this.
//
// A gap is NaN. The estimators of package selection fill gaps, and [Model] fills them for others. Of categories only equality counts,
// and their codes are numbers without a meaning to most kernels: [Schema.Categories] tells a search which columns hold them. A level
// that the schema does not have gets the code after the last, which differs from those of all rows that were learnt from.
package table
