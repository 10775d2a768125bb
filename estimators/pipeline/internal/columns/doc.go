// Package columns sends chosen columns of rows through a transformer each and puts the results side by side. It is what a
// pipeline.ColumnTransformer does.
//
// A [Choice] is its configuration. Fitting one to rows, or to a stream of blocks, or reading a model file gives a [Fitted],
// which does not change any more.
package columns
