// Package table converts tables with words, dates and gaps to matrices. It stores the conversion with a model, so that the model
// can predict rows in their original form. It uses only the standard library.
//
//   - [ReadCSV], [ReadARFF], [ReadSVMLight], [FromRows] and [FromStructs] read a file, the rows of an SQL query or a slice of
//     structs into a [Table]: the matrix X, the targets or labels, the groups and the weights. [Options] name the columns that are
//     not features, and [Format] sets how cells are written.
//   - [Schema] records the decision for each [Column]: its [Role], its [Kind], its levels, and a note with the reason. It is
//     determined from the rows of a fit, is used to read all other rows, and is stored as JSON.
//   - [Model] is an estimator with the schema, in one file. It predicts a table, and [Table.WriteCSV] writes the [Predictions] next
//     to the columns of the input. It also predicts a single row, a map, a struct or a line of text, and returns a [Prediction].
//   - [Source] reads rows that do not fit in memory. They come from a CSV file, from another format through a [Reader] (Parquet:
//     package adapters/arrow), or from several files ([Join]). The schema is determined in two passes. [Blocks] are for FitBlocks
//     of an estimator, and Tables for predictions.
//   - [Encoder] reads single cells according to a schema, as package adapters/beam does.
//
// A first program is
//
//	model, err := table.FitCSV(ctx, "flats.csv", &table.Options{Target: "rent"})
//	p, err := model.PredictRow(map[string]any{"area": 60, "district": "harbour", "built": nil})
//
// # Kinds of columns
//
// All readers of this module classify cells by the same rules. A gap is an empty cell or an entry of Format.Missing, a number is
// decimal, a time is an ISO date with or without a time of day, and all other cells are words. A column is
//
//   - a [Number] if all its cells are numbers;
//   - a [Time], in seconds since 1970 in UTC, if all are times;
//   - a [Duration], in seconds, if the format declares it, as Arrow and Parquet files do;
//   - an [ID], left out, if at least nine of ten values differ. The values are words (fewer than three per value on average), or
//     whole numbers under a usual name for ids, such as id, user_id or key;
//   - a [Text], left out, if at least nine of ten values differ and have three words or more on average, or if half of them differ
//     and have five words or more;
//   - a [Category] if it has other words. Its levels are in ascending order, as numbers if all are whole numbers.
//
// With fewer than ten values, no column is an ID or a Text. A column without a value or a name is left out. If a column consists
// almost entirely of numbers, or of times, the remaining words are an error that lists them, since each may be a gap, a number in
// another notation, or a level. [Options] resolve such cases, and Options.Kinds overrides the classification.
//
// A gap is NaN. The estimators of package selection fill gaps, and [Model] fills them for other estimators. The codes of categories
// matter only in being equal or different, but most kernels treat them as numbers. [Schema.Categories] returns these columns, so
// that a search can treat them as categories. A level that is missing from the schema gets the code after the last one, which
// differs from the codes of all training rows.
package table
