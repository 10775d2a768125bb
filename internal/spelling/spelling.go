// Package spelling suggests known names that resemble an unknown one, for error messages.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// mostNear is the number of near names in an error.
const mostNear = 3

// Want returns the Want text of an error about an unknown name: the known names that resemble it, or all names if none does.
func Want(name string, known []string) string {
	if near := Near(name, known); len(near) > 0 {
		return "a column, perhaps " + quoted(near, " or ")
	}
	return "one of the columns " + quoted(known, ", ")
}

func quoted(names []string, between string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, between)
}

// Near returns up to three known names whose edit distance from a name, ignoring case, is at most a third of its letters, or 1. The
// nearest come first, and ties keep their order.
func Near(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	letters := []rune(strings.ToLower(name))
	most := max(1, len(letters)/3)
	for _, k := range known {
		other := []rune(strings.ToLower(k))
		if len(other)-len(letters) > most || len(letters)-len(other) > most {
			continue
		}
		if d := distance(letters, other); d <= most {
			found = append(found, candidate{k, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var out []string
	for _, c := range found[:min(mostNear, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// distance returns the Levenshtein distance: the number of insertions, deletions and replacements.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, letter := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, other := range b {
			replaced := diagonal
			if letter != other {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
