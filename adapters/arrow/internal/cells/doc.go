// Package cells reads the cells of Arrow's arrays as numbers, seconds or texts, and converts columns to types that Parquet
// supports.
//
//	Numbers               reads the cells of numbers, decimals, times and durations
//	Texts                 reads the cells of categories; Countable reports which types may hold categories
//	ParquetSchema         the types in which columns are written
//	Convert               the arrays of a batch in other types, such as durations for the integers that Parquet has
package cells
