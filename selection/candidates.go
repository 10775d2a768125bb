package selection

import "github.com/kernelearn/kernelearn/selection/grid"

// Candidate is an estimator with a name, among which a search chooses.
type Candidate[E any] struct {
	Name      string
	Estimator E // clones of it are fitted
}

// NamedCandidates is like [Candidates], for candidates with names, which must differ. The names appear in the trace, its table and
// the [search.Result].
func NamedCandidates[E any](candidates ...Candidate[E]) Space[E] {
	s := Space[E]{listed: true, labels: []string{}}
	for _, c := range candidates {
		s.candidates, s.labels = append(s.candidates, cloner(c.Estimator)), append(s.labels, c.Name)
	}
	return s
}

// CandidateGrid returns [NamedCandidates] that build constructs from the given values of settings, which [grid.Points] or
// [grid.QuasiRandom] return. The name of a candidate is the text of its values. A setting can belong to any step of a pipeline.
//
// A [grid.Search] or [grid.Halving] tries points of grid.Points in an order whose prefixes cover all axes. A search that exhausts
// its Budget has therefore covered the full range coarsely. Points of grid.QuasiRandom already have such an order and are tried one
// after the other. The trace lists the points in their original order, and the first of equal scores in that order is best.
func CandidateGrid[E any](build func(v grid.Values) E, points []grid.Values) Space[E] {
	s := Space[E]{listed: true, labels: []string{}}
	for _, v := range points {
		var at func() E
		if build != nil {
			at = func() E { return build(v) }
		}
		s.candidates, s.labels, s.turns = append(s.candidates, at), append(s.labels, v.String()), append(s.turns, v.Turn())
	}
	return s
}
