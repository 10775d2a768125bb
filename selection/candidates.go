package selection

import "github.com/kernelearn/kernelearn/selection/grid"

// Candidate is an estimator to choose among, with a name.
type Candidate[E any] struct {
	Name      string
	Estimator E // of which clones are fitted
}

// NamedCandidates is [Candidates] with names, which must differ. The names appear in the trace, its table and the [search.Result].
func NamedCandidates[E any](candidates ...Candidate[E]) Space[E] {
	s := Space[E]{listed: true, labels: []string{}}
	for _, c := range candidates {
		s.candidates, s.labels = append(s.candidates, cloner(c.Estimator)), append(s.labels, c.Name)
	}
	return s
}

// CandidateGrid is [NamedCandidates] of what build returns at each of some values of settings, which [grid.Points] or
// [grid.QuasiRandom] make. Their text is the name. A setting can belong to any step of a pipeline.
//
// A [grid.Search] or [grid.Halving] tries points of grid.Points in an order of which every beginning has values of all axes, so that a
// search whose Budget is spent has looked everywhere, if coarsely. It tries points of grid.QuasiRandom, which have such an order,
// one after the other. The trace has the points in the order given, and of equal scores the first in that order is best.
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
