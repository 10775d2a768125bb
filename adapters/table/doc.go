// Package table makes matrices of tables, of CSV, ARFF and svmlight files, the rows of an SQL query and slices of structs, and keeps what it
// made of them beside the model, which so predicts rows as they were written. It uses the standard library alone.
package table
