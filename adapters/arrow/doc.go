// Package arrow reads Parquet, Arrow and CSV files, and record batches, as the rows that estimators learn from, a block at a
// time, and writes their predictions as further columns of a Parquet file.
//
// # From files to a model
//
// A [Shard] is a file, or what gives record batches. [Columns] says what its columns are for; Learn makes a [Schema] of it,
// which has the features in their order, the categories of each, and the classes. A [Table] is shards that are read by a
// schema, as streams for FitBlocks and PartialFit:
//
//	shards := arrow.Files("2023.parquet", "2024.parquet")
//	schema, err := arrow.Columns{Target: "price", Ignore: []string{"id"}}.Learn(ctx, shards...)
//	if err != nil {
//		return err
//	}
//	table := arrow.Table{Schema: schema, Shards: shards}
//	err = model.FitBlocks(ctx, table.Targets(ctx))
//
// A schema is JSON, to be kept beside the model: files that are read by it later have the same columns with the same codes.
//
// [Predictor] predicts the rows of other files, and writes them with the predictions. [Collect] puts a stream into memory.
// Package grid, in a folder of this one, makes golearn grids of a table, and Parquet files of golearn grids.
//
// # What becomes of a column
//
// The types of Arrow are of four kinds ([Kind]); shards may have different types of one kind.
//
//   - [Number]: booleans, 0 and 1; integers, floats and decimals. An integer beyond ±2⁵³, which float64 may not hold, is an
//     error, or rounded with RoundIntegers; so is one in a CSV file whose digits float64 does not give back. A decimal
//     becomes the nearest float64.
//   - [Time]: dates and timestamps, as seconds since 1970 in UTC; a timestamp without a zone is read as if in UTC. A
//     float64 holds today's times to .24 µs.
//   - [Duration]: durations, and times of a day since midnight, in seconds.
//   - [Category]: texts and dictionaries of texts, integers or booleans, as codes from 0. The categories are those of the
//     dictionaries and rows of all shards, in ascending order (as numbers if all are integers), or in that of a dictionary
//     that is ordered. Columns.Categorical makes categories of integers and booleans.
//
// A null is a gap, NaN, which an Imputer fills; in a target, a label or a weight it is an error. So is a category that was not
// learnt, unless UnseenAsGap makes a gap of it. Codes are numbers without a meaning to most kernels: [Schema.Categorical] tells a
// search which columns hold them, and before other estimators belongs a columnwise.OneHot.
//
// Binary columns, lists, structs, maps, unions, intervals and run-end encodings do not fit: where such a column is a feature it is
// estimators.ErrParam, which names it and its type. Those that are not features, a Predictor passes on.
//
// # Errors
//
// Errors name the file, the column and the row, counted from 0 in its file. A file that cannot be read as what it should be,
// because it is damaged, cut short, encrypted or of a feature that package arrow-go lacks, is [ErrUnreadable]: also where
// arrow-go panics. Memory that a file asks for beyond MaxBytes is estimators.ErrTooLarge. Damage that changes values and
// nothing else is only found where the format has a checksum.
package arrow
