package drift

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	typ = "drift: Test"

	defaultPermutations = 999
	defaultRows         = 1000

	rowStream         = 0x64726f7773 // random stream "drows"
	permutationStream = 0x647065726d // random stream "dperm"
)

// Options holds the settings of [Test]. A nil *Options stands for the defaults.
type Options struct {
	// Names lists the names of the columns; nil: "column 0" and so on.
	Names []string
	// Categories holds the indices of categorical columns, whose values are only compared for equality.
	Categories []int
	// Permutations is the number of random divisions of the rows in permutation tests; 0: 999.
	Permutations int `zero:"999" most:"1000000"`
	// Rows is the largest number of rows per sample in the joint test; 0: 1000. From a larger sample, this many rows are drawn
	// without replacement. The test stores a kernel matrix of the rows of both samples.
	Rows int `zero:"1000" least:"2"`
	// Kernel is a function of the distance between two rows, in units of the median distance; nil: kernels.RBF{Gamma: 0.5}. An
	// alternative is kernels.Matern{Nu: 1.5, Length: 1}.
	Kernel kernels.Radial
	// MaxKernelBytes is the limit on the size of the kernel matrix; 0: [kernels.MaxKernelBytes].
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	Seed    uint64 // for drawing rows and for permutations
	Workers int    // number of goroutines, for columns or batches of permutations; 0: GOMAXPROCS
	// If Observe is not nil, it is called after each column and each batch of permutations, by one goroutine at a time.
	Observe func(estimators.Step)
}

// samples holds two validated samples with the same columns.
type samples struct {
	Options
	train, new *mat.Dense
	categories []bool // whether each column is categorical
}

// Test compares the rows of train (m×d), such as the training rows of a model, with new rows (n×d), column by column and jointly.
// NaN is a gap. The cost has three terms: sorting the columns, an exact null distribution with up to 10⁷ steps per column, and
// Permutations products of a vector with a kernel matrix of up to 2·Rows rows. It returns ErrParam for an option, ErrShape for
// samples of fewer than two rows or with different columns, ErrNotFinite for an infinity, ErrTooLarge for a kernel matrix above the
// limit, or ctx's error.
func Test(ctx context.Context, train, new mat.Matrix, opt *Options) (_ Report, err error) {
	defer check.Begin(&ctx)(&err)
	s, err := newSamples(train, new, opt)
	if err != nil {
		return Report{}, err
	}
	defer estimators.BeginFit(&ctx, s.Observe)(&err)
	m, d := s.train.Dims()
	n, _ := s.new.Dims()
	out := Report{TrainRows: m, NewRows: n, Permutations: s.Permutations, Columns: make([]Column, d)}
	steps := progress.NewSteps(ctx, d+batches(s.Permutations))
	if err := s.testColumns(ctx, out.Columns, steps); err != nil {
		return Report{}, err
	}
	if out.Joint, err = s.testJointly(ctx, steps); err != nil {
		return Report{}, err
	}
	adjust(out.Columns)
	slices.SortStableFunc(out.Columns, func(a, b Column) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.Statistic, a.Statistic))
	})
	return out, nil
}

// newSamples checks the samples and fills in the defaults.
func newSamples(train, new mat.Matrix, opt *Options) (*samples, error) {
	s := &samples{}
	if opt != nil {
		s.Options = *opt
	}
	if err := settings.Check(typ, s.Options); err != nil {
		return nil, err
	}
	s.Permutations, s.Rows = cmp.Or(s.Permutations, defaultPermutations), cmp.Or(s.Rows, defaultRows)
	s.MaxKernelBytes = cmp.Or(s.MaxKernelBytes, kernels.MaxKernelBytes)
	if s.Kernel == nil {
		s.Kernel = kernels.RBF{Gamma: 0.5}
	}
	var err error
	if s.train, err = check.DenseGaps("train", train, check.Anywhere); err != nil {
		return nil, fault.AddName(typ, err)
	}
	if s.new, err = check.DenseGaps("new", new, check.Anywhere); err != nil {
		return nil, fault.AddName(typ, err)
	}
	m, d := s.train.Dims()
	n, other := s.new.Dims()
	switch {
	case d != other:
		return nil, fault.AddName(typ, fault.Shape("new has", other, "columns", "train has %d", d))
	case min(m, n) < 2:
		return nil, fault.AddName(typ, fault.Shape("the smaller sample has", min(m, n), "rows", "want at least 2"))
	case s.Names != nil && len(s.Names) != d:
		return nil, fault.Param(typ, "Names", len(s.Names), fmt.Sprintf("a name for each of %d columns, or nil", d))
	}
	s.categories = make([]bool, d)
	for i, j := range s.Categories {
		if j < 0 || j >= d || s.categories[j] {
			return nil, fault.Param(typ, fmt.Sprintf("Categories[%d]", i), j, fmt.Sprintf("the index of one of %d columns, each once", d))
		}
		s.categories[j] = true
	}
	return s, nil
}

// name returns the name of a column.
func (s *samples) name(column int) string {
	if s.Names != nil {
		return s.Names[column]
	}
	return fmt.Sprintf("column %d", column)
}

// draw returns up to n random rows of a sample.
func (s *samples) draw(x *mat.Dense, stream uint64) *mat.Dense {
	n, _ := x.Dims()
	if n <= s.Rows {
		return x
	}
	chosen := rand.New(rand.NewPCG(s.Seed, rowStream+stream)).Perm(n)[:s.Rows]
	slices.Sort(chosen)
	return linalg.Rows(x, chosen)
}
