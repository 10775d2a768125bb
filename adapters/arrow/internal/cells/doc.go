// Package cells reads the cells of Arrow's arrays as numbers, seconds or texts, and converts columns to types that Parquet
// supports.
//
//	Numbers               reads the cells of numbers, decimals, times and durations
//	Texts                 reads the cells of categories; Countable reports which types may hold categories
//	ParquetSchema         returns the types in which columns are written
//	Convert               converts the arrays of a batch to other types, such as integers from Parquet to durations
package cells
