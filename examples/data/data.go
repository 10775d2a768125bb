// Package data holds the data sets that the repository ships for its examples and tests. README.md in its folder names their
// sources.
package data

import "embed"

// FS holds the CSV files. They have a header, use commas as separators, and have the target in the last column.
//
//go:embed *.csv
var FS embed.FS
