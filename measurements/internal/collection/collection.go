// Package collection lists the second collection of data sets. It assesses settings that were chosen on the first one.
package collection

import (
	_ "embed"
	"encoding/csv"
	"strings"
)

// List is the content of sets.csv: a header, and a row for each set with the data that measurements/second needs to fetch it.
//
//go:embed sets.csv
var List string

// Names returns the names of the sets (docs/measured/second-collection.md), in the order of the list.
func Names() []string {
	records, err := csv.NewReader(strings.NewReader(List)).ReadAll()
	if err != nil {
		panic(err) // cannot happen, as the list is compiled in
	}
	var out []string
	for _, r := range records[1:] {
		out = append(out, r[0])
	}
	return out
}
