package estimatortest

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/embedding"
)

// checkGraph checks that the evaluated graph equals the results of the methods.
func checkGraph(p *subject.Probe, s *subject.Subject) {
	fresh := s.New()
	if _, ok := embedding.As[graph.Grapher](fresh.Value); !ok {
		p.Skip("has no Graph")
	}
	d, x := s.Train(), s.Test().X
	_, width := d.X.Dims()
	_, rows := graph.New(width)
	if _, err := graph.Build(fresh.Value, rows); !errors.Is(err, errors.ErrUnsupported) {
		p.Wants("Graph before Fit", err, estimators.ErrNotFitted)
	}
	m := s.Fitted(p, d)
	g, rows := graph.New(width)
	out, err := graph.Build(m.Value, rows)
	if errors.Is(err, errors.ErrUnsupported) {
		p.Skip("has a part without a graph")
	}
	p.Must("Graph", err)
	_, wide := graph.New(width + 1)
	_, err = graph.Build(m.Value, wide)
	p.Wants("Graph with one column too many", err, estimators.ErrShape)
	run := func(what string, v graph.Value) *mat.Dense {
		if v.IsZero() {
			p.Fatalf("Graph has no %s", what)
		}
		got, err := g.Run(x, v)
		p.Must("Run of "+what, err)
		return got[0]
	}
	for _, f := range m.Methods() {
		want, err := f.Call(x)
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		p.Must(f.Name, err)
		var got *mat.Dense
		switch {
		case f.Name == "Predict" && m.Kind&(subject.Regressors|subject.Multis) != 0:
			got = run("Mean", out.Mean)
		case f.Name == "Score":
			got = run("Mean", out.Mean)
		case f.Name == "Predict" && m.Kind == subject.Detectors:
			continue
		case f.Name == "Predict":
			if !slices.Equal(out.Classes, m.Classifier().Classes()) {
				p.Fatalf("Graph has the classes %v, want %v", out.Classes, m.Classifier().Classes())
			}
			if out.Decision.IsZero() {
				p.Fatalf("Graph has no Decision")
			}
			got = run("Decision", out.Decision.ArgMax())
			got.Apply(func(_, _ int, at float64) float64 { return float64(out.Classes[int(at)]) }, got)
		case f.Name == "Transform":
			got = run("Rows", out.Rows)
		case f.Name == "PredictProba":
			got = run("Proba", out.Proba)
		case f.Name == "PredictVariance" && out.Variance != nil:
			v, err := out.Variance()
			p.Must("Variance of Graph", err)
			variance := run("Variance", v)
			got = &mat.Dense{}
			got.Augment(run("Mean", out.Mean), variance)
		default:
			continue
		}
		p.SameMatrix("what Graph writes of "+f.Name, want, got, s.Options.Tolerance)
	}
}
