package standings

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

const ZeroMethod = "selection"

// Rivals are the peers that are compared with single methods of ours.
var Rivals = []string{
	"sklearn-boosting", "sklearn-boosting-tuned", "lightgbm", "lightgbm-tuned", "xgboost-tuned", "catboost-tuned", "sklearn-forest",
	"sklearn-extra-trees-tuned", "sklearn-gp-columns", "gpytorch", "xrfm", "pytabkit-realmlp",
}

// zero holds the rank of selection with default settings in a comparison.
type zero struct {
	Among              string   `json:"among"` // all methods, or the peers
	Methods            int      `json:"methods"`
	MeanRank           float64  `json:"mean_rank"`
	First              string   `json:"first"`
	FirstRank          float64  `json:"first_mean_rank"`
	CriticalDifference *float64 `json:"critical_difference,omitempty"`
	Reading            string   `json:"reading"`
}

// The possible values of Reading, which interprets a rank.
const (
	ReadingFirst  = "first"
	ReadingWithin = "within the critical difference"
	ReadingBehind = "behind"
	ReadingNoTest = "not first, no test"
)

// zeros returns the ranks of selection among all methods and among the peers. It returns nil if selection is not in the comparison.
func (r Results) zeros() (out []zero) {
	if !slices.Contains(r.methods, ZeroMethod) {
		return nil
	}
	for _, among := range []struct {
		name string
		has  func(source string) bool
	}{
		{"all methods", func(string) bool { return true }},
		{"the peers", func(source string) bool { return source != methods.OursSource }},
	} {
		methods := slices.DeleteFunc(slices.Clone(r.methods),
			func(m string) bool { return m != ZeroMethod && !among.has(methods.SourceOf(m)) })
		if len(methods) > 1 {
			out = append(out, r.zeroAmong(among.name, methods))
		}
	}
	return out
}

func (r Results) zeroAmong(name string, methods []string) zero {
	means := meanRanks(r.ranks(methods))
	first := slices.Index(means, slices.Min(means))
	z := zero{Among: name, Methods: len(methods), MeanRank: means[slices.Index(methods, ZeroMethod)], First: methods[first],
		FirstRank: means[first], Reading: ReadingBehind}
	if len(r.Sets) > 1 {
		cd := CriticalDifference(len(methods), len(r.Sets))
		z.CriticalDifference = &cd
	}
	switch {
	case z.MeanRank == z.FirstRank:
		z.First, z.Reading = ZeroMethod, ReadingFirst
	case z.CriticalDifference == nil:
		z.Reading = ReadingNoTest
	case z.MeanRank-z.FirstRank < *z.CriticalDifference:
		z.Reading = ReadingWithin
	}
	return z
}

// Relation compares a method of ours with a peer over the sets.
type Relation struct {
	Ours       string   `json:"ours"`
	Peer       string   `json:"peer"`
	Better     []string `json:"better,omitempty"` // names of sets
	Ties       []string `json:"ties,omitempty"`
	Worse      []string `json:"worse,omitempty"`
	OnlyOurs   []string `json:"only_ours_complete,omitempty"`
	OnlyTheirs []string `json:"only_theirs_complete,omitempty"`
}

// relations compares selection, and our best method by mean rank, with all rivals in the comparison. A rival is left out if no set
// shows a difference or a tie, as with a single split, which has no test.
func (r Results) relations(ranked []Standing) (out []Relation) {
	var ours []string
	if slices.Contains(r.methods, ZeroMethod) {
		ours = append(ours, ZeroMethod)
	}
	if i := slices.IndexFunc(ranked, func(s Standing) bool { return s.Source == methods.OursSource }); i >= 0 &&
		ranked[i].Method != ZeroMethod {
		ours = append(ours, ranked[i].Method)
	}
	for _, peer := range Rivals {
		for _, m := range ours {
			if !slices.Contains(r.methods, peer) {
				continue
			}
			if one := r.relation(m, peer); one.sets() > 0 {
				out = append(out, one)
			}
		}
	}
	return out
}

func (o Relation) sets() int {
	return len(o.Better) + len(o.Ties) + len(o.Worse) + len(o.OnlyOurs) + len(o.OnlyTheirs)
}

func (r Results) relation(ours, peer string) Relation {
	out := Relation{Ours: ours, Peer: peer}
	for _, d := range r.Sets {
		own, theirs := !math.IsNaN(r.Error(d.Set, ours)), !math.IsNaN(r.Error(d.Set, peer))
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
