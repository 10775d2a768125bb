package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection"
)

const defaultMethod = "selection"

// method describes a kind of model that a flag selects by name.
type method struct {
	name       string
	regressor  func(budget time.Duration) estimators.Regressor  // nil: none
	classifier func(budget time.Duration) estimators.Classifier // nil: none
}

func methods() []method {
	return []method{
		{defaultMethod,
			func(budget time.Duration) estimators.Regressor { return &selection.Regressor{Budget: budget} },
			func(budget time.Duration) estimators.Classifier { return &selection.Classifier{Budget: budget} }},
		{"lssvm", func(time.Duration) estimators.Regressor { return &lssvm.Regressor{} },
			func(time.Duration) estimators.Classifier { return &lssvm.Classifier{} }},
		{"falkon", func(time.Duration) estimators.Regressor { return &falkon.Regressor{} },
			func(time.Duration) estimators.Classifier { return &falkon.Classifier{} }},
		{"rvm", func(time.Duration) estimators.Regressor { return &rvm.Regressor{} },
			func(time.Duration) estimators.Classifier { return &rvm.Classifier{} }},
		{"gabasr", func(time.Duration) estimators.Regressor { return &gabasr.Regressor{} },
			func(time.Duration) estimators.Classifier { return &gabasr.Classifier{} }},
		{"svm", func(time.Duration) estimators.Regressor { return &svm.Regressor{} },
			func(time.Duration) estimators.Classifier { return &svm.Classifier{Probabilities: true} }},
		{"eem", nil, func(time.Duration) estimators.Classifier { return &eem.Classifier{} }},
		{"eekm", nil, func(time.Duration) estimators.Classifier { return &eem.KernelClassifier{} }},
		{"ridge", func(time.Duration) estimators.Regressor { return &ridge.Regressor{} }, nil},
	}
}

func methodNames() string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

// model returns an unfitted model for a task.
func (m method) model(task table.Task, budget time.Duration) (*table.Model, error) {
	switch {
	case task == table.Classification && m.classifier == nil:
		return nil, usagef("%s has no classifier", m.name)
	case task == table.Regression && m.regressor == nil:
		return nil, usagef("%s has no regressor", m.name)
	case task == table.Classification:
		return &table.Model{Classifier: m.classifier(budget)}, nil
	}
	return &table.Model{Regressor: m.regressor(budget)}, nil
}

func findMethod(name string) (method, error) {
	all := methods()
	i := slices.IndexFunc(all, func(m method) bool { return m.name == name })
	if i < 0 {
		return method{}, usagef("no method %q: want one of %s", name, methodNames())
	}
	return all[i], nil
}

// fitFlags returns the flags of commands that fit a model.
func fitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "method", Aliases: []string{"m"}, Value: defaultMethod,
			Usage: "the `METHOD`: " + methodNames() + "; selection learns its kernel (default)"},
		budgetFlag(), quietFlag(),
	}
}

func budgetFlag() cli.Flag {
	return &cli.DurationFlag{Name: "budget", Usage: "`TIME` after which selection starts no further models, such as 2m (default: no limit)"}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show no progress"}
}

// fit fits a model, with a progress bar on the terminal.
func fit(ctx context.Context, s *streams, c *cli.Command, m *table.Model, t *table.Table, what string) error {
	if c.Bool("quiet") {
		return m.Fit(ctx, t)
	}
	bar := progressbar.New(s.progress, what, 0)
	err := m.Fit(estimators.Observed(ctx, func(step estimators.Step) { bar.Set(step.Done, step.Message) }), t)
	if err != nil {
		bar.Abandon()
		return err
	}
	bar.Finish()
	return nil
}
