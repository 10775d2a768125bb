// Package data holds the data sets that the repository ships for its examples and tests. README.md in its folder names their
// sources.
package data

import "embed"

// FS holds the CSV files. They have a header, are comma separated, and have the target last.
//
//go:embed *.csv
var FS embed.FS
