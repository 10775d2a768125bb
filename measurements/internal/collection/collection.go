// Package collection lists the second and the third collection of data sets. They assess settings that were chosen on the first one.
package collection

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"slices"
	"strconv"
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

// third is the content of third.csv: a header, and a line for each set of the third collection, as measurements/third prints it.
//
//go:embed third.csv
var third string

// ThirdLines returns the lines of the list of the third collection (docs/measured/third-collection.md).
func ThirdLines() []string {
	lines := strings.Split(strings.TrimSpace(third), "\n")
	return lines[1:]
}

// ThirdNames returns the names of the sets of the third collection. Sets with fewer rows come first.
func ThirdNames() []string {
	type set struct {
		name string
		rows int
	}
	var sets []set
	for _, line := range ThirdLines() {
		fields := strings.Split(line, ",")
		rows, err := strconv.Atoi(fields[2])
		if err != nil {
			panic(err) // cannot happen, as the list is compiled in
		}
		sets = append(sets, set{fields[0], rows})
	}
	slices.SortStableFunc(sets, func(a, b set) int { return cmp.Compare(a.rows, b.rows) })
	out := make([]string, len(sets))
	for i, s := range sets {
		out[i] = s.name
	}
	return out
}
