package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

const shippedSets = "breast-cancer-wdbc,diabetes-progression"

// The collections of sets. Each has its own tables.
const (
	ShippedCollection = "the shipped sets"
	FirstCollection   = "the first collection"
	SecondCollection  = "the second collection"
	ThirdCollection   = "the third collection"
)

// NamedSet is a chosen set.
type NamedSet struct{ Name, Folder, Collection string }

// Choose checks that the named sets exist before anything runs. A name may be that of a set in dir that has no protocol.
func Choose(dir, second, third, names string) ([]NamedSet, error) {
	var known []NamedSet
	add := func(folder, collection string, all []string) {
		for _, name := range all {
			if dataset.Exists(folder, name) {
				known = append(known, NamedSet{name, folder, collection})
			}
		}
	}
	first := FirstCollection
	switch {
	case dir != "":
		var all []string
		for _, p := range dataset.Protocols() {
			all = append(all, p.Name)
		}
		add(dir, first, all)
	case second == "" && third == "":
		first = ShippedCollection
		add(dir, first, strings.Split(shippedSets, ","))
	}
	if dir != "" && len(known) == 0 && names == "" {
		return nil, fmt.Errorf("-data %s holds none of the sets that have a protocol", dir)
	}
	if second != "" {
		before := len(known)
		add(second, SecondCollection, collection.Names(collection.Second()))
		if len(known) == before {
			return nil, fmt.Errorf("-second %s holds none of the sets of the second collection", second)
		}
	}
	if third != "" {
		before := len(known)
		add(third, ThirdCollection, collection.Names(collection.Third()))
		if len(known) == before {
			return nil, fmt.Errorf("-third %s holds none of the sets of the third collection", third)
		}
	}
	chosen := known
	if names != "" {
		chosen = nil
		for _, name := range strings.Split(names, ",") {
			i := slices.IndexFunc(known, func(k NamedSet) bool { return k.Name == name })
			switch {
			case i >= 0:
				chosen = append(chosen, known[i])
			case (dir != "" || second == "" && third == "") && dataset.Exists(dir, name):
				chosen = append(chosen, NamedSet{name, dir, first})
			default:
				var there []string
				for _, k := range known {
					there = append(there, k.Name)
				}
				return nil, fmt.Errorf("-sets %s: no such set; there are %s", name, strings.Join(there, ", "))
			}
		}
	}
	for i, one := range chosen {
		j := slices.IndexFunc(chosen, func(k NamedSet) bool { return k.Name == one.Name })
		switch {
		case j == i:
		case names != "":
			return nil, fmt.Errorf("-sets names %s twice", one.Name)
		default:
			return nil, fmt.Errorf("-data and -second both hold a set %s", one.Name)
		}
	}
	return chosen, nil
}
