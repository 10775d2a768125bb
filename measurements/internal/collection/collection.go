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

// ThirdSet describes a set of the third collection.
type ThirdSet struct {
	Name           string
	Rows, Features int
	Classes        int // 0 for numeric targets
	Words          int // columns of words
	Gaps           bool
}

// Third returns the sets of the third collection. Sets with fewer rows come first.
func Third() []ThirdSet {
	var sets []ThirdSet
	for _, line := range ThirdLines() {
		fields := strings.Split(line, ",")
		number := func(i int) int {
			v, err := strconv.Atoi(fields[i])
			if err != nil {
				panic(err) // cannot happen, as the list is compiled in
			}
			return v
		}
		sets = append(sets, ThirdSet{Name: fields[0], Rows: number(2), Features: number(3), Classes: number(4), Words: number(5),
			Gaps: fields[6] == "true"})
	}
	slices.SortStableFunc(sets, func(a, b ThirdSet) int { return cmp.Compare(a.Rows, b.Rows) })
	return sets
}

// ThirdNames returns the names of the sets of the third collection, in the order of Third.
func ThirdNames() []string {
	var out []string
	for _, s := range Third() {
		out = append(out, s.Name)
	}
	return out
}
