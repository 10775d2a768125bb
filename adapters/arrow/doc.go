// Package arrow reads Parquet and Arrow files and record batches as rows for package adapters/table, a block at a time, and writes
// the predictions of a table.Model as further columns of a Parquet file.
//
// # From files to a model
//
// A [Shard] is a file, or a source of record batches. [Source] returns a table.Source of shards. Schemas, tables, blocks and models
// are those of package table. A Parquet file can therefore be read with the schema of a CSV file that has the same columns, and
// vice versa:
//
//	rows := arrow.Source(arrow.Files("2023.parquet", "2024.parquet", "2025.csv")...)
//	schema, err := rows.Learn(ctx, &table.Options{Target: "price"})
//	if err != nil {
//		return err
//	}
//	model := &table.Model{Regressor: &falkon.Regressor{}}
//	err = model.FitBlocks(ctx, rows, schema)
//
// rows.Table reads all rows into memory, and table.Blocks passes them to FitBlocks and PartialFit of an estimator. [Predictor]
// predicts the rows of other files, and writes them with the predictions. Package grid, in a subfolder, writes Parquet files of
// golearn grids.
//
// # The kinds of columns
//
//   - Integers, floats and decimals are numbers, like those of a text file. An integer that float64 cannot represent is an error,
//     unless Format.RoundIntegers is set, which rounds it. A decimal becomes the nearest float64, and a float32 keeps its value.
//   - Dates and timestamps are times, as seconds since 1970 in UTC. A timestamp without a zone is read as UTC. A float64 represents
//     today's times to .24 µs.
//   - Durations, and times of a day since midnight, are of the kind table.Duration, in seconds.
//   - Texts are words, including those that look like numbers: categories, texts or ids. Booleans are the levels false and true.
//     The values of dictionaries are categories, whose levels are the values that occur in rows.
//   - Binary columns, lists, structs, maps, unions, intervals and run-end encodings are left out, with a note in the schema. A
//     Predictor copies them to its output.
//
// A null is a gap, and so are NaN and a text of Format.Missing. The rules of package table apply to levels that the schema does not
// list, to gaps in targets, and to everything else that the kinds do not decide.
//
// # Errors
//
// Errors name the file, the column and the row, counted from 1 in its file. A file that is damaged, truncated or encrypted, or uses
// a feature that package arrow-go does not support, is [ErrUnreadable], even if arrow-go panics. If a file requests memory beyond
// Shard.MaxBytes, the error is estimators.ErrTooLarge. Damage that only changes values is detected only if the format has a
// checksum.
package arrow
