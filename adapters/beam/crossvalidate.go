package kernelbeam

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// CrossValidated holds the scores of a model. Each fold has a score, from the predictions by the model of the other folds, and so
// have the rows of all folds together.
type CrossValidated struct {
	Name  string
	Folds []Score
	All   Score
}

// CrossValidate scores models with cross-validation, on rows that they were not fitted to. The hash of a row determines its fold,
// so equal rows are in the same fold. All models use the same folds.
//
// The first pass sums the statistics of each fold, and the driver merges the statistics of all folds but one. In later stages the
// model of each fold has its own statistics. A last pass computes the scores. An estimator with one stage costs as much as in
// FitAll. With K folds, each later stage costs K-1 times as much. CrossValidate returns the errors of FitAll.
func CrossValidate[Y float64 | int, E Estimator[Y]](ctx context.Context, d *Data, o *Options, folds int,
	models ...*Model[Y, E]) (out []CrossValidated, _ *Report, err error) {
	if folds < 2 {
		return nil, nil, fault.Param("kernelbeam: CrossValidate", "folds", folds, ">= 2")
	}
	var fits []*fit[Y, E]
	for f := range folds {
		some, err := newFits(models)
		if err != nil {
			return nil, nil, err
		}
		for _, one := range some {
			one.folds, one.out = folds, f
		}
		fits = append(fits, some...)
	}
	s, err := newSession(ctx, d, o, models[0].labelled(), true)
	if err != nil {
		return nil, nil, err
	}
	defer s.close(ctx, &err)
	for _, f := range fits {
		f.seed = s.options.Seed
	}
	s.steps = mostStages(fits) + 1
	if err := s.fit(ctx, erase(fits)); err != nil {
		return nil, &s.report, err
	}
	scores, err := scoreAll(ctx, s, fits)
	if err != nil {
		return nil, &s.report, err
	}
	for i, m := range models {
		cv := CrossValidated{Name: m.name}
		var all scoreSums
		for f := range folds {
			sums := scores[f*len(models)+i]
			cv.Folds = append(cv.Folds, sums.score())
			all.merge(sums)
		}
		cv.All = all.score()
		out = append(out, cv)
	}
	return out, &s.report, nil
}

// scoreAll returns the sums of the scores of each fit on the rows of its fold.
func scoreAll[Y float64 | int, E Estimator[Y]](ctx context.Context, s *session, fits []*fit[Y, E]) ([]scoreSums, error) {
	var jobs []job
	for i, f := range fits {
		e, err := f.estimator(ctx)
		if err != nil {
			return nil, err
		}
		data, err := f.model.bytes(e)
		if err != nil {
			return nil, err
		}
		path, err := s.keep(ctx, fmt.Sprintf("model-%d", i), data)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job{Kind: kindScore, Model: f.model.name, State: path, Fold: f.out, Folds: f.folds, Seed: f.seed})
	}
	sums, err := s.pass(ctx, jobs)
	if err != nil {
		return nil, err
	}
	out := make([]scoreSums, len(sums))
	for i, data := range sums {
		one := &score{}
		if data == nil {
			continue
		}
		if err := one.UnmarshalBinary(data); err != nil {
			return nil, err
		}
		out[i] = one.sums
	}
	return out, nil
}

// Sample returns up to limit different rows (n×d) with their targets or labels (n), drawn uniformly according to the hash of row,
// target and seed. The sample does not depend on the division of the rows. Sample makes one pass, and each worker needs memory for
// limit rows. To compute the entropy of a kernel on the sample, apply measures.Entropy to its kernels.Matrix. It returns ErrParam
// for a limit below 1, the errors of Fit for rows, and ErrNotFinite for gaps.
func Sample(ctx context.Context, d *Data, o *Options, limit int, labelled bool) (x *mat.Dense, y []float64, _ *Report, err error) {
	if limit < 1 {
		return nil, nil, nil, fault.Param("kernelbeam: Sample", "limit", limit, ">= 1")
	}
	s, err := newSession(ctx, d, o, labelled, true)
	if err != nil {
		return nil, nil, nil, err
	}
	defer s.close(ctx, &err)
	s.steps = 1
	sums, err := s.pass(ctx, []job{{Kind: kindSample, Seed: s.options.Seed, Limit: limit}})
	if err != nil {
		return nil, nil, &s.report, err
	}
	one := newSample(s.options.Seed, limit)
	if sums[0] != nil {
		if err := one.UnmarshalBinary(sums[0]); err != nil {
			return nil, nil, &s.report, err
		}
	}
	joint := one.of.Rows()
	if joint == nil {
		return nil, nil, &s.report, fault.Shape("the data have", 0, "rows", "want at least 1")
	}
	n, w := joint.Dims()
	return mat.DenseCopyOf(joint.Slice(0, n, 0, w-1)), mat.Col(nil, w-1, joint), &s.report, nil
}
