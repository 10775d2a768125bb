package dataset

import (
	"encoding/csv"
	"strings"

	"github.com/kernelearn/kernelearn/examples/data"
)

// Second returns the names of the second collection (docs/measured/second-collection.md), in
// its order.
func Second() []string {
	records, err := csv.NewReader(strings.NewReader(data.SecondSets)).ReadAll()
	if err != nil {
		panic(err) // the list is compiled in
	}
	var out []string
	for _, r := range records[1:] {
		out = append(out, r[0])
	}
	return out
}
