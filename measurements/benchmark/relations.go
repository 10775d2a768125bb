package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const zeroMethod = "selection"

// rivals are the peers that single methods of ours are compared with.
var rivals = []string{
	"sklearn-boosting", "sklearn-boosting-tuned", "lightgbm", "lightgbm-tuned", "xgboost-tuned", "catboost-tuned", "sklearn-forest",
	"sklearn-gp-columns", "xrfm",
}

const zeroLegend = `Whether the zero value of selection, with nothing set, has the first mean rank, or is within Nemenyi's critical difference of the
first: among all methods, and among the peers alone, where fewer methods make the difference smaller. A comparison has the
methods that give what its criterion measures.
`

const relationLegend = `On how many sets selection with nothing set is better than a peer - ties with it - is worse, by the corrected resampled t-test
(Nadeau and Bengio 2003), level 0.05. "+n" counts further sets on which the peer is over budget or failed, "−n" those on which
selection is. Which sets selection is better and worse on, and the same of ours of the best mean rank, is in relations.csv.
`

// zero is the place of the zero value of selection in a comparison.
type zero struct {
	Among              string   `json:"among"` // all methods, or the peers
	Methods            int      `json:"methods"`
	MeanRank           float64  `json:"mean_rank"`
	First              string   `json:"first"`
	FirstRank          float64  `json:"first_mean_rank"`
	CriticalDifference *float64 `json:"critical_difference,omitempty"`
	Reading            string   `json:"reading"`
}

// Readings of a place.
const (
	readingFirst  = "first"
	readingWithin = "within the critical difference"
	readingBehind = "behind"
	readingNoTest = "not first, no test"
)

// zeros are the places of selection among all and among the peers, nil without it.
func (r results) zeros() (out []zero) {
	if !slices.Contains(r.methods, zeroMethod) {
		return nil
	}
	for _, among := range []struct {
		name string
		has  func(source string) bool
	}{
		{"all methods", func(string) bool { return true }},
		{"the peers", func(source string) bool { return source != oursSource }},
	} {
		methods := slices.DeleteFunc(slices.Clone(r.methods), func(m string) bool { return m != zeroMethod && !among.has(sourceOf(m)) })
		if len(methods) > 1 {
			out = append(out, r.zeroAmong(among.name, methods))
		}
	}
	return out
}

func (r results) zeroAmong(name string, methods []string) zero {
	sums := make([]float64, len(methods))
	for _, d := range r.sets {
		values := make([]float64, len(methods))
		for j, m := range methods {
			values[j] = r.error(d.Set, m)
		}
		for j, v := range averageRanks(values) {
			sums[j] += v / float64(len(r.sets))
		}
	}
	first := slices.Index(sums, slices.Min(sums))
	z := zero{Among: name, Methods: len(methods), MeanRank: sums[slices.Index(methods, zeroMethod)], First: methods[first],
		FirstRank: sums[first], Reading: readingBehind}
	if len(r.sets) > 1 {
		cd := criticalDifference(len(methods), len(r.sets))
		z.CriticalDifference = &cd
	}
	switch {
	case z.MeanRank == z.FirstRank:
		z.First, z.Reading = zeroMethod, readingFirst
	case z.CriticalDifference == nil:
		z.Reading = readingNoTest
	case z.MeanRank-z.FirstRank < *z.CriticalDifference:
		z.Reading = readingWithin
	}
	return z
}

// relation is how a method of ours does against a peer over the sets.
type relation struct {
	Ours       string   `json:"ours"`
	Peer       string   `json:"peer"`
	Better     []string `json:"better,omitempty"` // names of sets
	Ties       []string `json:"ties,omitempty"`
	Worse      []string `json:"worse,omitempty"`
	OnlyOurs   []string `json:"only_ours_complete,omitempty"`
	OnlyTheirs []string `json:"only_theirs_complete,omitempty"`
}

// relations are those of selection and of the best of ours, by mean rank, to all rivals that
// take part.
func (r results) relations(ranked []standing) (out []relation) {
	var ours []string
	if slices.Contains(r.methods, zeroMethod) {
		ours = append(ours, zeroMethod)
	}
	if i := slices.IndexFunc(ranked, func(s standing) bool { return s.Source == oursSource }); i >= 0 && ranked[i].Method != zeroMethod {
		ours = append(ours, ranked[i].Method)
	}
	for _, peer := range rivals {
		for _, m := range ours {
			if slices.Contains(r.methods, peer) {
				out = append(out, r.relation(m, peer))
			}
		}
	}
	return out
}

func (r results) relation(ours, peer string) relation {
	out := relation{Ours: ours, Peer: peer}
	for _, d := range r.sets {
		own, theirs := !math.IsNaN(r.error(d.Set, ours)), !math.IsNaN(r.error(d.Set, peer))
		c, ok := r.compare(d, ours, peer)
		to := &out.Ties
		switch {
		case own && !theirs:
			to = &out.OnlyOurs
		case theirs && !own:
			to = &out.OnlyTheirs
		case !ok:
			continue
		case c.P >= significance:
		case c.Mean < 0:
			to = &out.Better
		default:
			to = &out.Worse
		}
		*to = append(*to, d.Set)
	}
	return out
}

// answers writes the places of selection, and how ours do against single peers.
func (r *report) answers(b *strings.Builder) {
	lines := [][]string{{"criterion", "sets", "among", "methods", "mean rank", "first", "its mean rank", "critical difference",
		"selection is"}}
	for _, a := range r.Analyses {
		for _, z := range a.Zeros {
			cd := "-"
			if z.CriticalDifference != nil {
				cd = fmt.Sprintf("%.2f", *z.CriticalDifference)
			}
			lines = append(lines, []string{a.title(), strconv.Itoa(len(a.Sets)), z.Among, strconv.Itoa(z.Methods),
				fmt.Sprintf("%.2f", z.MeanRank),
				z.First, fmt.Sprintf("%.2f", z.FirstRank), cd, z.Reading})
		}
	}
	if len(lines) > 1 {
		b.WriteString("\n## Selection with nothing set\n\n" + zeroLegend + "\n")
		align(b, lines)
	}
	b.WriteString(r.against())
}

// against is a table for each collection: a line for each peer, a column for each criterion.
func (r *report) against() string {
	var b strings.Builder
	for _, collection := range r.collections() {
		lines := [][]string{{"selection against"}}
		for _, a := range r.Analyses {
			if a.Collection != collection || len(a.ofZero()) == 0 {
				continue
			}
			lines[0] = append(lines[0], a.Name)
			for _, one := range a.ofZero() {
				i := slices.IndexFunc(lines, func(line []string) bool { return line[0] == one.Peer })
				if i < 0 {
					i = len(lines)
					lines = append(lines, []string{one.Peer})
				}
				for len(lines[i]) < len(lines[0])-1 {
					lines[i] = append(lines[i], "-")
				}
				lines[i] = append(lines[i], one.String())
			}
		}
		if len(lines) == 1 {
			continue
		}
		for i := range lines {
			for len(lines[i]) < len(lines[0]) {
				lines[i] = append(lines[i], "-")
			}
		}
		if b.Len() == 0 {
			b.WriteString("\n## Selection against single peers\n\n" + relationLegend)
		}
		b.WriteString("\n")
		if collection != "" {
			fmt.Fprintf(&b, "%s:\n\n", capital(collection))
		}
		align(&b, lines)
	}
	if slices.ContainsFunc(r.Analyses, analysis.drawn) {
		fmt.Fprintf(&b, "\n![On how many sets selection is better than a peer, ties with it and is worse.](%s)\n", relationsPicture)
	}
	return b.String()
}

// ofZero are the relations of selection with nothing set.
func (a analysis) ofZero() (out []relation) {
	for _, one := range a.Relations {
		if one.Ours == zeroMethod {
			out = append(out, one)
		}
	}
	return out
}

// String is a relation in a cell of a table.
func (o relation) String() string {
	text := fmt.Sprintf("%d-%d-%d", len(o.Better), len(o.Ties), len(o.Worse))
	if n := len(o.OnlyOurs); n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	if n := len(o.OnlyTheirs); n > 0 {
		text += fmt.Sprintf(" −%d", n)
	}
	return text
}

func (r *report) relationTable() [][]string {
	out := [][]string{{"collection", "criterion", "task", "ours", "peer", "better", "ties", "worse", "only_ours_complete",
		"only_theirs_complete", "better_on", "worse_on"}}
	for _, a := range r.Analyses {
		for _, one := range a.Relations {
			row := []string{a.Collection, a.Name, a.Task, one.Ours, one.Peer}
			for _, sets := range [][]string{one.Better, one.Ties, one.Worse, one.OnlyOurs, one.OnlyTheirs} {
				row = append(row, strconv.Itoa(len(sets)))
			}
			out = append(out, append(row, strings.Join(one.Better, " "), strings.Join(one.Worse, " ")))
		}
	}
	return out
}
