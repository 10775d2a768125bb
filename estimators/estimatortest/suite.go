package estimatortest

import (
	"cmp"
	"testing"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/transformers"
)

// defaultTolerance is what a zero Options.Tolerance stands for.
const defaultTolerance = 1e-6

// Options adapts the suite to a type. Nil stands for the zero Options.
type Options struct {
	// Skip maps the name of a check to the reason for leaving it out, which
	// completes "skipped, because the type ...": "draws rows at random".
	Skip map[string]string
	// Workers builds a value with the given number of workers, of the same kind as
	// the suite's build function does. Nil skips the check workers.
	Workers func(workers int) any
	// Tolerance, times max(1, |v|), is how far two computations of the same value v
	// may lie apart where the order of sums may differ: for rows in another order,
	// one by one, or counted twice. 0 is 1e-6.
	Tolerance float64
	// Steps is how many steps, at least, a Fit on 120 rows tells its observer of, for the check progress: of a type whose fits take
	// long, so that the first of them has to come in the first half. 0: one, at the end.
	Steps int
	// Gaps says that NaN in x is a gap, which the type fills, and no error.
	// Infinities still are one.
	Gaps bool
	// Table gets the outcomes. With nil the table of this type alone is logged.
	Table *Table
}

// Regressor runs the suite on a regressor. The name is the type's, with its
// package; several configurations of a type take more after a space:
// "ridge.Regressor (penalty 0)".
func Regressor(t *testing.T, name string, build func() estimators.Regressor, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Regressors, Build: func() any { return build() }}, opt)
}

// Classifier runs the suite on a classifier; see Regressor.
func Classifier(t *testing.T, name string, build func() estimators.Classifier, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Classifiers, Build: func() any { return build() }}, opt)
}

// MultiRegressor runs the suite on a regressor of several targets; see Regressor. It is given two.
func MultiRegressor(t *testing.T, name string, build func() estimators.MultiRegressor, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Multis, Build: func() any { return build() }}, opt)
}

// Transformer runs the suite on a transformer; see Regressor.
func Transformer(t *testing.T, name string, build func() transformers.Transformer, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Transforms, Build: func() any { return build() }}, opt)
}

// Detector runs the suite on a detector of novelty; see Regressor.
func Detector(t *testing.T, name string, build func() estimators.Detector, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Detectors, Build: func() any { return build() }}, opt)
}

func run(t *testing.T, name string, s subject.Subject, opt *Options) {
	t.Helper()
	if opt == nil {
		opt = &Options{}
	}
	s.Options = subject.Settings{Skip: opt.Skip, Workers: opt.Workers, Tolerance: cmp.Or(opt.Tolerance, defaultTolerance),
		Steps: opt.Steps, Gaps: opt.Gaps}
	conformance.Run(t, name, opt.Table.conformance(), s.Options.Skip, checkNames(),
		func(yield func(string, func() conformance.Verdict) bool) {
			for _, c := range checks {
				if c.kinds&s.Kind != 0 && !yield(c.name, func() conformance.Verdict { return judge(c, &s) }) {
					return
				}
			}
		})
}
