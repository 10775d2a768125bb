package estimatortest

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/embedding"
)

// checkGraph runs what Graph writes, and holds it against what the methods give.
func checkGraph(p *probe, s *subject) {
	fresh := s.new()
	if _, ok := embedding.As[graph.Grapher](fresh.value); !ok {
		p.Skip("has no Graph")
	}
	d, x := s.train(), s.test().x
	_, width := d.x.Dims()
	_, rows := graph.New(width)
	if _, err := graph.Build(fresh.value, rows); !errors.Is(err, errors.ErrUnsupported) {
		p.wants("Graph before Fit", err, estimators.ErrNotFitted)
	}
	m := s.fitted(p, d)
	g, rows := graph.New(width)
	out, err := graph.Build(m.value, rows)
	if errors.Is(err, errors.ErrUnsupported) {
		p.Skip("has a part without a graph")
	}
	p.Must("Graph", err)
	_, wide := graph.New(width + 1)
	_, err = graph.Build(m.value, wide)
	p.wants("Graph of a column too many", err, estimators.ErrShape)
	run := func(what string, v graph.Value) *mat.Dense {
		if v.IsZero() {
			p.Fatalf("Graph has no %s", what)
		}
		got, err := g.Run(x, v)
		p.Must("Run of "+what, err)
		return got[0]
	}
	for _, f := range m.methods() {
		want, err := f.call(x)
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		p.Must(f.name, err)
		var got *mat.Dense
		switch {
		case f.name == "Predict" && m.kind&(regressors|multis) != 0:
			got = run("Mean", out.Mean)
		case f.name == "Score":
			got = run("Mean", out.Mean)
		case f.name == "Predict" && m.kind == detectors:
			continue
		case f.name == "Predict":
			if !slices.Equal(out.Classes, m.classifier().Classes()) {
				p.Fatalf("Graph has the classes %v, want %v", out.Classes, m.classifier().Classes())
			}
			if out.Decision.IsZero() {
				p.Fatalf("Graph has no Decision")
			}
			got = run("Decision", out.Decision.ArgMax())
			got.Apply(func(_, _ int, at float64) float64 { return float64(out.Classes[int(at)]) }, got)
		case f.name == "Transform":
			got = run("Rows", out.Rows)
		case f.name == "PredictProba":
			got = run("Proba", out.Proba)
		case f.name == "PredictVariance" && out.Variance != nil:
			v, err := out.Variance()
			p.Must("Variance of Graph", err)
			variance := run("Variance", v)
			got = &mat.Dense{}
			got.Augment(run("Mean", out.Mean), variance)
		default:
			continue
		}
		p.sameMatrix("what Graph writes of "+f.name, want, got, s.options.Tolerance)
	}
}
