package estimatortest

import (
	"cmp"
	"testing"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/transformers"
)

// defaultTolerance is used if Options.Tolerance is 0.
const defaultTolerance = 1e-6

// Options adapts the suite to a type. If Options is nil, the zero value is used.
type Options struct {
	// Skip maps the name of a check to the reason why it is left out. The reason completes "skipped, because the type ...", for
	// example with "draws rows at random".
	Skip map[string]string
	// Workers returns a value like those of the build function, with the given number of workers. If it is nil, the check workers
	// is skipped.
	Workers func(workers int) any
	// Tolerance limits the difference between two computations of the same value v with sums in different orders to
	// Tolerance·max(1, |v|). Examples are rows in another order, rows one by one, and repeated rows. If it is 0, 1e-6 is used.
	Tolerance float64
	// Steps is the smallest number of steps that a Fit on 120 rows reports to its observer, for the check progress. Set it for
	// types whose fits take long. The first step must then be reported in the first half of the fit. If it is 0, a single step at
	// the end is sufficient.
	Steps int
	// Gaps reports that NaN in x is a gap, which the type fills, and not an error. Infinities are still errors.
	Gaps bool
	// Table collects the outcomes. If it is nil, a table with only this type is logged.
	Table *Table
}

// Regressor runs the suite on a regressor. The argument name is the name of the type with its package. If a type is tested in
// several configurations, a description follows after a space: "ridge.Regressor (penalty 0)".
func Regressor(t *testing.T, name string, build func() estimators.Regressor, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Regressors, Build: func() any { return build() }}, opt)
}

// Classifier runs the suite on a classifier, like Regressor.
func Classifier(t *testing.T, name string, build func() estimators.Classifier, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Classifiers, Build: func() any { return build() }}, opt)
}

// MultiRegressor runs the suite on a regressor for several targets, like Regressor. It is fitted to two targets.
func MultiRegressor(t *testing.T, name string, build func() estimators.MultiRegressor, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Multis, Build: func() any { return build() }}, opt)
}

// Transformer runs the suite on a transformer, like Regressor.
func Transformer(t *testing.T, name string, build func() transformers.Transformer, opt *Options) {
	t.Helper()
	run(t, name, subject.Subject{Kind: subject.Transforms, Build: func() any { return build() }}, opt)
}

// Detector runs the suite on a novelty detector, like Regressor.
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
