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

// second is the content of sets.csv: a header, and a row for each set of the second collection.
//
//go:embed sets.csv
var second string

// Second returns the sets of the second collection (docs/measured/second-collection.md), in the order of the list. They have neither
// words nor gaps.
func Second() (sets []Set) {
	records, err := csv.NewReader(strings.NewReader(second)).ReadAll()
	if err != nil {
		panic(err) // cannot happen, as the list is compiled in
	}
	for _, r := range records[1:] {
		sets = append(sets, Set{Name: r[0], Archive: r[1], Member: r[2], SHA256: r[3], Rows: number(r[4]), Features: number(r[5]),
			Classes: number(r[6])})
	}
	return sets
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

// Set describes a set of a collection.
type Set struct {
	Name           string
	Rows, Features int
	Classes        int // 0 for numeric targets
	Words          int // columns of words
	Gaps           bool
	// Archive and Member locate a set of the second collection, and SHA256 is the checksum of its file (measurements/second).
	Archive, Member, SHA256 string
}

// Third returns the sets of the third collection. Sets with fewer rows come first.
func Third() (sets []Set) {
	for _, line := range ThirdLines() {
		fields := strings.Split(line, ",")
		sets = append(sets, Set{Name: fields[0], Rows: number(fields[2]), Features: number(fields[3]), Classes: number(fields[4]),
			Words: number(fields[5]), Gaps: fields[6] == "true"})
	}
	slices.SortStableFunc(sets, func(a, b Set) int { return cmp.Compare(a.Rows, b.Rows) })
	return sets
}

func number(field string) int {
	v, err := strconv.Atoi(field)
	if err != nil {
		panic(err) // cannot happen, as the lists are compiled in
	}
	return v
}

// Names returns the names of sets.
func Names(sets []Set) (names []string) {
	for _, s := range sets {
		names = append(names, s.Name)
	}
	return names
}
