// Package data holds the data sets that the repository ships, for its examples and tests. README.md in its folder names their
// sources.
package data

import "embed"

// FS holds the CSV files: with a header, comma separated, and with the target last.
//
//go:embed *.csv
var FS embed.FS
