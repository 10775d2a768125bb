package standings

import (
	"fmt"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

const (
	FewestOfKind = 3   // smallest number of sets of a kind
	manyFeatures = 30  // lower limit
	smallShare   = 0.2 // largest share of the smallest class
	linearMargin = 1.1 // largest ratio of the error of ridge to the smallest error
)

// kind holds the mean ranks of the methods on a group of sets with a common property. The best method comes first.
type kind struct {
	Name    string     `json:"name"`
	Sets    []string   `json:"sets"`
	Methods []Standing `json:"methods"`
}

// kinds groups the sets and returns the mean ranks of each group. ranks contains one slice per set.
func (r Results) kinds(ranks [][]float64) (out []kind) {
	linear := func(d protocol.Description) bool {
		least, _ := r.front(d).leastError()
		return r.Error(d.Set, "ridge") <= linearMargin*least
	}
	for _, k := range []struct {
		name string
		has  func(protocol.Description) bool
	}{
		{"fewer than 300 training rows", func(d protocol.Description) bool { return d.TrainRows < 300 }},
		{"300 to 999 training rows", func(d protocol.Description) bool { return d.TrainRows >= 300 && d.TrainRows < 1000 }},
		{"1000 training rows or more", func(d protocol.Description) bool { return d.TrainRows >= 1000 }},
		{"10 000 training rows or more", func(d protocol.Description) bool { return d.TrainRows >= 10_000 }},
		{"columns of words", func(d protocol.Description) bool { return len(d.Categories) > 0 }},
		{"gaps", func(d protocol.Description) bool { return d.Gaps }},
		{fmt.Sprintf("%d features or more", manyFeatures), func(d protocol.Description) bool { return d.Features >= manyFeatures }},
		{fmt.Sprintf("fewer than %d features", manyFeatures), func(d protocol.Description) bool { return d.Features < manyFeatures }},
		{fmt.Sprintf("smallest class at most %.0f%%", 100*smallShare),
			func(d protocol.Description) bool { return d.Smallest > 0 && d.Smallest <= smallShare }},
		{fmt.Sprintf("smallest class over %.0f%%", 100*smallShare), func(d protocol.Description) bool { return d.Smallest > smallShare }},
		{fmt.Sprintf("nearly linear: ridge within %.0f%% of the least error", 100*(linearMargin-1)), linear},
		{"not nearly linear", func(d protocol.Description) bool { return !linear(d) }},
	} {
		one := kind{Name: k.name}
		if one.Sets, one.Methods = r.standings(ranks, k.has); len(one.Sets) < FewestOfKind {
			continue
		}
		out = append(out, one)
	}
	return out
}
