package pipeline

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// learnt holds the fitted chain of a pipeline, or nil before Fit. Its methods receive the pipeline's name as an argument, for
// errors.
type learnt[T, P any, E learner[T, P]] struct{ fitted *chain[T, P, E] }

// keep stores a fitted chain unless there was an error.
func (l *learnt[T, P, E]) keep(fitted *chain[T, P, E], err error) error {
	if err == nil {
		l.fitted = fitted
	}
	return err
}

func (l *learnt[T, P, E]) chain(name string) (*chain[T, P, E], error) {
	if l.fitted == nil {
		return nil, fault.NotFitted(name)
	}
	return l.fitted, nil
}

func (l *learnt[T, P, E]) predict(name string, x mat.Matrix) (none P, err error) {
	c, err := l.chain(name)
	if err != nil {
		return none, err
	}
	z, err := c.rows(x)
	if err != nil {
		return none, err
	}
	y, err := c.final.Predict(z)
	return y, c.ofFinal(err)
}

func (l *learnt[T, P, E]) forward(name string, x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	c, err := l.chain(name)
	if err != nil {
		return err
	}
	if f == nil {
		return fault.Param(name, "f", nil, "a function")
	}
	return c.steps.Pass(x, func(z mat.Matrix) error { return c.ofFinal(f(c.final, z)) })
}

func (l *learnt[T, P, E]) featureNames(name string, in []string) ([]string, error) {
	c, err := l.chain(name)
	if err != nil {
		return nil, err
	}
	return c.steps.FeatureNames(in)
}

func (l *learnt[T, P, E]) fittedSteps() []transformers.Transformer {
	if l.fitted == nil {
		return nil
	}
	return l.fitted.steps.FittedSteps()
}

func (l *learnt[T, P, E]) fittedFinal() (none E) {
	if l.fitted == nil {
		return none
	}
	return l.fitted.final
}

func (l *learnt[T, P, E]) marshal(name, kind string) ([]byte, error) {
	c, err := l.chain(name)
	if err != nil {
		return nil, err
	}
	return c.marshal(kind)
}

// graph returns the graph of the final estimator for x. The variance includes the part of a kernel that the steps leave out. The
// function prior multiplies this part by the prior variances of a ridge machine. If Final is not a ridge machine, prior is nil.
func (l *learnt[T, P, E]) graph(name string, x graph.Value, prior func(unseen graph.Value) graph.Value) (graph.Outputs, error) {
	c, err := l.chain(name)
	if err != nil {
		return graph.Outputs{}, err
	}
	rows, err := c.steps.Graph(x)
	if err != nil {
		return graph.Outputs{}, err
	}
	z := rows.Rows
	out, err := graph.Build(c.final, z)
	if err != nil || out.Variance == nil || prior == nil {
		return out, c.ofFinal(err)
	}
	final := out.Variance
	out.Variance = func() (graph.Value, error) {
		v, err := final()
		if err != nil {
			return v, err
		}
		unseen, err := c.steps.leftOutGraph(x, z)
		if err != nil || unseen.IsZero() {
			return v, err
		}
		return v.Add(prior(unseen)), nil
	}
	return out, nil
}

// parts returns the parts of the chain in a model file.
func (l *learnt[T, P, E]) parts() []registry.Part {
	if l.fitted == nil {
		return nil
	}
	return append(stepParts(l.fitted.steps.FittedSteps()), registry.Part{Name: "Final", Value: l.fitted.final})
}
