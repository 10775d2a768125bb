package ranking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// The default band of entropies, which contains most good models.
const (
	defaultMinEntropy = 0.1
	defaultMaxEntropy = 0.5
)

// Criterion is the value by which a ranking orders the candidates.
type Criterion int

// The criteria. FSM and CSM require labels.
const (
	// CrossValidation is the learner's mean score over the folds.
	CrossValidation Criterion = iota
	KTA                       // larger is better
	CentredKTA                // larger is better
	FSM                       // smaller is better
	CSM                       // smaller is better
)

// String returns the criterion's name.
func (c Criterion) String() string {
	return enum.Name("Criterion", int(c), "CrossValidation", "KTA", "CentredKTA", "FSM", "CSM")
}

// Options holds the settings of a ranking. A nil *Options stands for the zero value.
type Options struct {
	By Criterion // criterion of the order; zero value: CrossValidation, which requires build
	// MinEntropy and MaxEntropy, in (0, 1], are the ends of the band in which a measure is trusted; 0: 0.1 and 0.5. CrossValidation
	// ignores the band.
	MinEntropy, MaxEntropy float64 `zero:"0.1 and 0.5" most:"1"`
	// NoEntropy ranks by a measure without computing entropies.
	NoEntropy bool
	// CV holds the options of the cross-validation of build's learners. The first of its Metrics decides. If CV is nil, the
	// defaults of validation.CrossValidateRegressor and CrossValidateClassifier are used.
	CV             *validation.Options
	Workers        int   // goroutines for a kernel's measures; 0: GOMAXPROCS
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"` // limit on the matrix for an entropy; 0: kernels.MaxKernelBytes
	// If Observe is not nil, it is called after each candidate, in order.
	Observe func(Entry)
}

func (o *Options) withDefaults() (Options, error) {
	const typ = "ranking: Options"
	var out Options
	if o != nil {
		out = *o
	}
	if err := settings.Check(typ, out); err != nil {
		return out, err
	}
	out.MinEntropy, out.MaxEntropy = cmp.Or(out.MinEntropy, defaultMinEntropy), cmp.Or(out.MaxEntropy, defaultMaxEntropy)
	if out.MaxEntropy < out.MinEntropy {
		return out, fault.Param(typ, "MaxEntropy", out.MaxEntropy, fmt.Sprintf("at least MinEntropy, %v", out.MinEntropy))
	}
	return out, nil
}

// Entry holds the results of one candidate. Values that were not computed are NaN.
type Entry struct {
	Kernel kernels.Kernel
	// Separability holds the measures. For real targets only Alignment is set.
	measures.Separability
	Entropy float64
	Outside bool    // Entropy is outside the band
	Score   float64 // mean over the folds
	ScoreSD float64 // standard deviation over the folds
	// Err reports a failure of the candidate's matrix, of a fit, or of both. An entry whose criterion could not be computed is
	// last.
	Err error
}

// ForClassification ranks the candidates on the rows x (n×d), scaled as the kernels expect, and their labels y (n). Each entry
// holds the measures, and the entropy if opt.By is a measure. If build is not nil, the entry also holds the score of the learner
// that build returns, which must be a new classifier for each call. All learners are scored on the same folds.
//
// Each candidate costs a kernel matrix in blocks, O(n²d), 4n³/3 for an entropy, and the fits of a cross-validation. A candidate
// that fails is listed with its error, and the values that failed are NaN. It returns ErrParam for no candidates or options out of
// range, the error of the first candidate if all fail, or ctx's error.
func ForClassification(
	ctx context.Context, candidates []kernels.Kernel, build func(kernels.Kernel) estimators.Classifier, x mat.Matrix, y []int, opt *Options,
) (_ *Ranking, err error) {
	defer check.Begin(&ctx)(&err)
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	t := task{Options: o, metric: metrics.ForClassification(), x: x, labels: true}
	t.ofKernel = func(ctx context.Context, k kernels.Kernel) (measures.Separability, error) {
		return measures.SeparabilityOfKernel(ctx, k, x, y, &measures.Options{Workers: o.Workers})
	}
	t.ofMatrix = func(k mat.Symmetric) (measures.Separability, error) {
		return measures.SeparabilityOfMatrix(ctx, k, y, &measures.Options{Workers: o.Workers})
	}
	if build != nil {
		t.score = func(ctx context.Context, k kernels.Kernel) (validation.Scores, error) {
			return validation.CrossValidateClassifier(ctx, build(k), x, y, o.CV)
		}
	}
	return t.rank(ctx, candidates)
}

// ForRegression is like ForClassification, for real targets y (n). Entries hold the alignments, but neither FSM nor CSM.
func ForRegression(
	ctx context.Context, candidates []kernels.Kernel, build func(kernels.Kernel) estimators.Regressor, x mat.Matrix, y []float64,
	opt *Options,
) (_ *Ranking, err error) {
	defer check.Begin(&ctx)(&err)
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	t := task{Options: o, metric: metrics.ForRegression(), x: x}
	t.ofKernel = func(ctx context.Context, k kernels.Kernel) (measures.Separability, error) {
		return aligned(measures.AlignmentOfKernel(ctx, k, x, y, &measures.Options{Workers: o.Workers}))
	}
	t.ofMatrix = func(k mat.Symmetric) (measures.Separability, error) {
		return aligned(measures.AlignmentOfMatrix(ctx, k, y, &measures.Options{Workers: o.Workers}))
	}
	if build != nil {
		t.score = func(ctx context.Context, k kernels.Kernel) (validation.Scores, error) {
			return validation.CrossValidateRegressor(ctx, build(k), x, y, o.CV)
		}
	}
	return t.rank(ctx, candidates)
}

// aligned returns a Separability with only the alignments.
func aligned(a measures.Alignment, err error) (measures.Separability, error) {
	out := unknown()
	out.Alignment = a
	return out, err
}

// unknown returns a Separability whose values are NaN.
func unknown() measures.Separability {
	nan := math.NaN()
	return measures.Separability{Alignment: measures.Alignment{KTA: nan, CentredKTA: nan}, FSM: nan, FSMErr: nan, CSM: nan, CSMNorm: nan,
		Distance2: nan}
}

// task is a ranking of classification or regression kernels.
type task struct {
	Options
	labels   bool
	metric   metrics.Metric
	x        mat.Matrix
	ofKernel func(context.Context, kernels.Kernel) (measures.Separability, error)
	ofMatrix func(mat.Symmetric) (measures.Separability, error)
	score    func(context.Context, kernels.Kernel) (validation.Scores, error) // nil without a learner
}

func (t *task) rank(ctx context.Context, candidates []kernels.Kernel) (_ *Ranking, err error) {
	ctx, end := progress.Begin(ctx, nil)
	defer end(&err)
	if len(candidates) == 0 {
		return nil, fault.Param("ranking", "candidates", "none", "at least 1 kernel")
	}
	if t.CV != nil && len(t.CV.Metrics) > 0 {
		t.metric = t.CV.Metrics[0]
	}
	out := &Ranking{
		labels: t.labels, minEntropy: t.MinEntropy, maxEntropy: t.MaxEntropy,
		entropies: t.By != CrossValidation && !t.NoEntropy,
	}
	if t.score != nil {
		out.Metric = t.metric
	}
	if err := out.can(t.By); err != nil {
		return nil, err
	}
	parts := progress.Open(ctx)
	for i, k := range candidates {
		e := t.judge(parts.Step(i, len(candidates)), k, out.entropies)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, e)
		if t.Observe != nil {
			t.Observe(e)
		}
	}
	out, err = out.SortedBy(t.By)
	if err != nil {
		return nil, err
	}
	if first := out.Entries[0]; first.Err != nil && math.IsNaN(out.cost(t.By, first)) {
		return nil, fmt.Errorf("ranking: no candidate could be ranked: %v: %w", first.Kernel, first.Err)
	}
	return out, nil
}

// judge computes the results for k.
func (t *task) judge(ctx context.Context, k kernels.Kernel, entropy bool) Entry {
	e := Entry{Kernel: k, Separability: unknown(), Entropy: math.NaN(), Score: math.NaN(), ScoreSD: math.NaN()}
	if e.Err = kernels.Validate(k); e.Err != nil {
		return e // does not depend on the kernel, so build is not called
	}
	weight := 0.
	if t.score != nil {
		weight = 4
	}
	first, rest := progress.Two(ctx, 1, weight)
	if entropy {
		e.Err = t.withEntropy(first, &e)
	} else {
		e.Separability, e.Err = t.ofKernel(first, k)
	}
	if e.Err != nil {
		e.Separability = unknown()
	}
	if t.score != nil {
		s, err := t.score(rest, k)
		if err == nil {
			e.Score, e.ScoreSD = s.Mean(t.metric.Name), s.SD(t.metric.Name)
		}
		e.Err = errors.Join(e.Err, err)
	}
	return e
}

// withEntropy computes the measures and the entropy from one matrix.
func (t *task) withEntropy(ctx context.Context, e *Entry) error {
	first, rest := progress.Two(ctx, 1, 5)
	k, err := kernels.Matrix(first, e.Kernel, t.x, &kernels.Options{Workers: t.Workers, MaxBytes: t.MaxKernelBytes})
	if err != nil {
		return err
	}
	if e.Separability, err = t.ofMatrix(k); err != nil {
		return err
	}
	w, err := linalg.Eigenvalues(rest, k)
	if err != nil {
		return err
	}
	e.Entropy = measures.EntropyOfEigenvalues(w).Entropy
	e.Outside = !(e.Entropy >= t.MinEntropy && e.Entropy <= t.MaxEntropy)
	return nil
}
