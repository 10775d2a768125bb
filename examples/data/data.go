// Package data holds the data sets that the repository ships, for its examples
// and tests. README.md in its folder says where each comes from.
package data

import "embed"

// FS holds the CSV files: a header, comma separated, the target last.
//
//go:embed *.csv
var FS embed.FS
