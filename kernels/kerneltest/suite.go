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
	// Formula evaluates the kernel by its plain formula, independently of Eval, for the check formula. If it is nil, the check is
	// skipped. It is not used for a family.
	Formula func(x, z []float64) float64
	// Columns is the number of columns, for a kernel that accepts no other. If it is 0, each check uses its own, 1 to 20.
	Columns int
	// Indefinite is set for a kernel that is not positive semi-definite.
	Indefinite bool
	// Tolerance, multiplied by max(1, |k|), is the largest difference between two computations of the same value k. If it is 0, it
	// is 1e-12.
	Tolerance float64
	// Skip maps the name of a check to the reason for skipping it, which completes "skipped, because the type ...".
	Skip map[string]string
	// Table receives the outcomes. If it is nil, the table of this kernel alone is logged.
	Table *Table
}

// Kernel runs the suite on a kernel, under the name of its String.
func Kernel(t *testing.T, k kernels.Kernel, opt *Options) {
	t.Helper()
	name := "nil"
	if k != nil {
		name = k.String()
	}
	run(t, name, subject{kind: kernel, kernel: k}, opt)
}

// Family runs the suite on a family, under the name of its String.
func Family(t *testing.T, f families.Family, opt *Options) {
	t.Helper()
	name := "nil"
	if f != nil {
		name = f.String()
	}
	run(t, name+" family", subject{kind: family, family: f}, opt)
}

// Family2 runs the suite on both families that remain of f when one of its parameters is fixed at the start of a search.
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

// String renders the table, with a row for each kernel and family and a column for each check. The columns are numbered, and the
// numbers are explained below, as are the letters for the reasons of skipped checks. A dot marks a check of the other kind, or one
// that go test -run excluded.
func (t *Table) String() string { return t.outcomes.Render(checkNames()) }

// Check describes one check of the suite.
type Check struct {
	Name string // name of the subtest, and in Options.Skip
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
	{"valid", kernel, "Validate, where there is one, finds nothing wrong but with a NaN or an infinity in a field, and String says the " +
		"same each time.", checkValid},
	{"formula", kernel, "Eval is Options.Formula.", checkFormula},
	{"symmetric", kernel, "Eval(x, z) is Eval(z, x).", checkSymmetric},
	{"finite", kernel, "Eval, kernels.Diag and kernels.Block are finite on rows of zeros, of equal values, and of values up to 30.",
		checkFinite},
	{"positive-semi-definite", kernel,
		"No matrix of rows, repeated and nearly repeated ones and zeros among them, has an eigenvalue below rounding.", checkPositive},
	{"diagonal", kernel, "kernels.Diag is Eval of a row with itself.", checkDiagonal},
	{"block-equals-eval", kernel,
		"kernels.Block and kernels.Row are Eval of each pair, for blocks of any shape and for views of larger matrices.", checkBlock},
	{"matrix-equals-eval", kernel, "kernels.Matrix and kernels.Cross are Eval of each pair.", checkMatrix},
	{"workers", kernel, "kernels.Matrix and kernels.Cross give the same bits on 1, 2 and 5 workers.", checkWorkers},
	{"shared", kernel, "kernels.Shared and SharedCross give the bits of Matrix and Cross, again and again, and other kernels theirs.",
		checkShared},
	{"graph", kernel, "What kernels.Graph and GraphDiag write gives, operator by operator, what Eval gives.", checkGraph},
	{"spectral-density", kernel, "The mean cosine of the frequencies of SpectralDensity is the kernel, to five standard errors.",
		checkSpectral},
	{"parameters", kernel,
		"WithParams of the values of Params is the same kernel, of others one that has those, and of one that is not positive a kernel " +
			"that " +
			"Validate refuses.", checkParameters},
	{"derivatives", kernel,
		"EvalGradient is the limit of differences of Eval, and kernels.Derivatives the sum of EvalGradient over a matrix, on any number " +
			"of " +
			"workers.", checkDerivatives},
	{"units", kernel, "A column in another unit, with its lengths and periods in it, has the same values.", checkUnits},
	{"inputs-unmodified", kernel, "Eval, kernels.Diag and kernels.Block write to no row.", checkInputs},
	{"concurrent", kernel, "Concurrent calls give what single calls give; with -race, without a race.", checkConcurrent},
	{"lengths", kernel, "Eval panics on rows of different length.", checkLengths},

	{"bounds", family, "Bounds are ordered and positive, and Start lies between them, be the rows spread, all equal, or a single one.",
		checkBounds},
	{"start-not-finite", family, "Start on a NaN is no NaN: an error, or the value of a family that does not look at the rows.",
		checkStartNotFinite},
	{"members", family, "At gives kernels that are valid and positive semi-definite, from bound to bound.", checkMembers},
	{"distinct", family, "At gives the same kernel for the same parameter, and others for others.", checkDistinct},
	{"integer", family, "A family of integers rounds its parameter; one of reals does not.", checkInteger},
}
