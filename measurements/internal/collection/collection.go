// Package collection lists the second collection of data sets, on which settings were judged that the first one chose.
package collection

import (
	_ "embed"
	"encoding/csv"
	"strings"
)

// List is sets.csv: a header, and a row for each set with what measurements/second fetches it by.
//
//go:embed sets.csv
var List string

// Names returns the names of the sets (docs/measured/second-collection.md), in the order of the list.
func Names() []string {
	records, err := csv.NewReader(strings.NewReader(List)).ReadAll()
	if err != nil {
		panic(err) // the list is compiled in
	}
	var out []string
	for _, r := range records[1:] {
		out = append(out, r[0])
	}
	return out
}
