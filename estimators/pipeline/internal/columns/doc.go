// Package columns applies a transformer to each of several selections of columns and joins the results side by side. It implements
// pipeline.ColumnTransformer.
//
// A [Choice] is the configuration of a ColumnTransformer. A fit to rows or to a stream of blocks returns a [Fitted], which is
// immutable. So does reading a model file.
package columns
