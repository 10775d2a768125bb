package kerneltest

import (
	"context"
	"testing"

	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

// defaultTolerance is used if Options.Tolerance is zero.
const defaultTolerance = 1e-12

// Options adapts the suite to a kernel or a family. Nil means the zero Options.
type Options struct {
	// Formula evaluates the kernel with its plain formula, independently of Eval, for the check formula. If it is nil, the check is
	// skipped. It is not used for a family.
	Formula func(x, z []float64) float64
	// Columns is the number of columns, for a kernel that accepts no other number. If it is 0, each check uses its own number of
	// columns, from 1 to 20.
	Columns int
	// Indefinite is set for a kernel that is not positive semi-definite.
	Indefinite bool
	// Tolerance, multiplied by max(1, |k|), is the largest allowed difference between two computations of the same value k. If it
	// is 0, 1e-12 is used.
	Tolerance float64
	// Skip maps the name of a check to the reason for skipping it, which completes "skipped, because the type ...".
	Skip map[string]string
	// Table receives the outcomes. If it is nil, the table of this kernel alone is logged.
	Table *Table
}

// Kernel runs the suite on a kernel. Its String is the name of the subtest.
func Kernel(t *testing.T, k kernels.Kernel, opt *Options) {
	t.Helper()
	name := "nil"
	if k != nil {
		name = k.String()
	}
	run(t, name, subject{kind: kernel, kernel: k}, opt)
}

// Family runs the suite on a family. Its String is the name of the subtest.
func Family(t *testing.T, f families.Family, opt *Options) {
	t.Helper()
	name := "nil"
	if f != nil {
		name = f.String()
	}
	run(t, name+" family", subject{kind: family, family: f}, opt)
}

// Family2 runs the suite on the two families that result from fixing one of the parameters of f at its initial value in a search.
func Family2(t *testing.T, f families.Family2, opt *Options) {
	t.Helper()
	if f == nil {
		t.Fatal("the family is nil")
	}
	first, second, err := f.Start(context.Background(), rows(30, 3, 1))
	if err != nil {
		t.Fatalf("%v: Start on 30 rows: %v", f, err)
	}
	Family(t, families.Fixed{Family: f, Second: true, Value: second}, opt)
	Family(t, families.Fixed{Family: f, Value: first}, opt)
}

// kind is the set of types to which a check applies.
type kind int

const (
	kernel kind = 1 << iota
	family
)

func (k kind) String() string {
	if k == family {
		return "families"
	}
	return "kernels"
}

// subject is the type under test.
type subject struct {
	Options
	kind   kind
	kernel kernels.Kernel
	family families.Family
}

func run(t *testing.T, name string, s subject, opt *Options) {
	t.Helper()
	if opt != nil {
		s.Options = *opt
	}
	if s.Tolerance == 0 {
		s.Tolerance = defaultTolerance
	}
	conformance.Run(t, name, s.Table.conformance(), s.Skip, checkNames(), func(yield func(string, func() conformance.Verdict) bool) {
		for _, c := range checks {
			if c.kind == s.kind && !yield(c.name, func() conformance.Verdict { return s.judge(c) }) {
				return
			}
		}
	})
}

func (s *subject) judge(c check) conformance.Verdict {
	return conformance.Judge(s.Skip, c.name, func(p *conformance.Probe) { c.run(p, s) })
}

// Table collects the outcome of every check for all tested types. The zero value is ready to use, also from parallel tests.
type Table struct{ outcomes conformance.Table }

// conformance returns the table for outcomes, or nil if t is nil.
func (t *Table) conformance() *conformance.Table {
	if t == nil {
		return nil
	}
	return &t.outcomes
}

// Types returns the names of the kernels and families that have a row, in the order in which they were added.
func (t *Table) Types() []string { return t.outcomes.Types() }

// String renders the table, with a row for each kernel and family and a column for each check. The columns are numbered. A legend
// below the table explains the numbers, and the letters that stand for the reasons of skipped checks. A dot marks a check that does
// not apply to the type, or one that go test -run excluded.
func (t *Table) String() string { return t.outcomes.Render(checkNames()) }

// Check describes one check of the suite.
type Check struct {
	Name string // name of the subtest, also used in Options.Skip
	Doc  string // what holds if it passes
	On   string // "kernels" or "families"
}

// Checks returns the checks in the order in which they run.
func Checks() []Check {
	out := make([]Check, len(checks))
	for i, c := range checks {
		out[i] = Check{Name: c.name, Doc: c.doc, On: c.kind.String()}
	}
	return out
}

func checkNames() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}

type check struct {
	name string
	kind kind
	doc  string
	run  func(p *conformance.Probe, s *subject)
}

var checks = []check{
	{"valid", kernel, "Validate, if present, rejects only a NaN or an infinity in a field. String always returns the same.", checkValid},
	{"formula", kernel, "Eval equals Options.Formula.", checkFormula},
	{"symmetric", kernel, "Eval(x, z) equals Eval(z, x).", checkSymmetric},
	{"finite", kernel, "Eval, kernels.Diag and kernels.Block are finite on rows of zeros, of equal values, and of values up to 30.",
		checkFinite},
	{"positive-semi-definite", kernel,
		"No kernel matrix has an eigenvalue below rounding, also with repeated rows, nearly repeated rows and zeros.", checkPositive},
	{"diagonal", kernel, "kernels.Diag equals Eval of each row with itself.", checkDiagonal},
	{"block-equals-eval", kernel,
		"kernels.Block and kernels.Row equal Eval of each pair, for blocks of any shape and for views of larger matrices.", checkBlock},
	{"matrix-equals-eval", kernel, "kernels.Matrix and kernels.Cross equal Eval of each pair.", checkMatrix},
	{"workers", kernel, "kernels.Matrix and kernels.Cross return the same bits on 1, 2 and 5 workers.", checkWorkers},
	{"shared", kernel, "kernels.Shared and SharedCross return the bits of Matrix and Cross in each call, also for a second kernel.",
		checkShared},
	{"graph", kernel, "The operators of kernels.Graph and GraphDiag compute the values of Eval.", checkGraph},
	{"spectral-density", kernel, "The mean cosine of the frequencies of SpectralDensity equals the kernel within five standard errors.",
		checkSpectral},
	{"parameters", kernel,
		"WithParams returns the same kernel for the values of Params, and a kernel with other values for those. Validate rejects a " +
			"value that is not positive.", checkParameters},
	{"derivatives", kernel,
		"EvalGradient is the limit of differences of Eval. kernels.Derivatives returns the sum of EvalGradient over a matrix, on any " +
			"number of workers.", checkDerivatives},
	{"units", kernel, "A column in another unit gives the same values if its lengths and periods are in that unit too.", checkUnits},
	{"inputs-unmodified", kernel, "Eval, kernels.Diag and kernels.Block do not write to rows.", checkInputs},
	{"concurrent", kernel, "Concurrent calls return the same as single calls; with -race, without a race.", checkConcurrent},
	{"lengths", kernel, "Eval panics on rows of different lengths.", checkLengths},

	{"bounds", family, "Bounds are ordered and positive. Start lies between them for spread rows, equal rows and a single row.",
		checkBounds},
	{"start-not-finite", family, "Start on a NaN returns an error, or a finite value if the family does not use the rows.",
		checkStartNotFinite},
	{"members", family, "At returns valid and positive semi-definite kernels from bound to bound.", checkMembers},
	{"distinct", family, "At returns the same kernel for the same parameter, and different kernels for different parameters.",
		checkDistinct},
	{"integer", family, "A family of integers rounds its parameter, and a family of real numbers does not.", checkInteger},
}
