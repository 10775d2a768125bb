package kernelbeam

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// Fit fits the estimator to all rows of d. It makes one pass for each stage, in which the workers add up the statistics of their
// rows and one Combine merges them. The result is the same as with streaming.FitStages on one machine, except for the last digits,
// which depend on the order of the sums.
//
// It returns a *DataError for invalid rows. It returns ErrParam for invalid settings, and if a later pass reads different rows. It
// also returns the errors of the estimator, of the file system and of the engine, and ctx's error. With an error, it returns no
// model.
func (m *Model[Y, E]) Fit(ctx context.Context, d *Data, o *Options) (E, *Report, error) {
	fitted, report, err := FitAll(ctx, d, o, m)
	if err != nil {
		var none E
		return none, report, err
	}
	return fitted[0], report, nil
}

// FitAll fits several models at once, such as candidates whose kernels have different lengths. Each pass reads the rows once for
// all models. The number of passes is the number of stages of the model with the most stages.
func FitAll[Y float64 | int, E Estimator[Y]](ctx context.Context, d *Data, o *Options,
	models ...*Model[Y, E]) (fitted []E, _ *Report, err error) {
	fits, err := newFits(models)
	if err != nil {
		return nil, nil, err
	}
	s, err := newSession(ctx, d, o, models[0].labelled(), true)
	if err != nil {
		return nil, nil, err
	}
	defer s.close(ctx, &err)
	s.steps = mostStages(fits)
	if err := s.fit(ctx, erase(fits)); err != nil {
		return nil, &s.report, err
	}
	for _, f := range fits {
		e, err := f.estimator(ctx)
		if err != nil {
			return nil, &s.report, err
		}
		fitted = append(fitted, e)
	}
	return fitted, &s.report, nil
}

// fit holds a model and its fitted stages. The fit uses all rows, or those outside a fold.
type fit[Y float64 | int, E Estimator[Y]] struct {
	model  *Model[Y, E]
	stages streaming.Stages[Y]
	// With folds > 0 the fit uses all rows except those of the fold with number out. With folds = 0 it uses all rows.
	folds, out int
	seed       uint64
}

// erased is a fit as an interface that does not depend on the type of the targets.
type erased interface {
	stage() (at, of int)
	// job returns the job of the next stage. The index i names its file within a pass.
	job(ctx context.Context, s *session, i int) (job, error)
	// learn fits the next stage to the merged statistics, which parts holds in encoded form.
	learn(ctx context.Context, parts [][]byte) error
}

func newFits[Y float64 | int, E Estimator[Y]](models []*Model[Y, E]) ([]*fit[Y, E], error) {
	if len(models) == 0 {
		return nil, fault.Param("kernelbeam", "models", "none", "at least one")
	}
	var out []*fit[Y, E]
	for _, m := range models {
		stages, err := m.stages()
		if err != nil {
			return nil, err
		}
		out = append(out, &fit[Y, E]{model: m, stages: stages})
	}
	return out, nil
}

func erase[Y float64 | int, E Estimator[Y]](fits []*fit[Y, E]) (out []erased) {
	for _, f := range fits {
		out = append(out, f)
	}
	return out
}

func mostStages[Y float64 | int, E Estimator[Y]](fits []*fit[Y, E]) (most int) {
	for _, f := range fits {
		_, of := f.stages.Stage()
		most = max(most, of)
	}
	return most
}

func (f *fit[Y, E]) stage() (at, of int) { return f.stages.Stage() }

// job returns the job of the workers for the next stage.
func (f *fit[Y, E]) job(ctx context.Context, s *session, i int) (job, error) {
	j := job{Kind: kindFit, Model: f.model.name, Folds: f.folds, Fold: f.out, Others: f.folds > 0, Seed: f.seed}
	if at, _ := f.stages.Stage(); at == 0 {
		return j, nil
	}
	state, err := f.stages.MarshalBinary()
	if err != nil {
		return j, err
	}
	j.State, err = s.keep(ctx, fmt.Sprintf("stages-%d", i), state)
	return j, err
}

// learn merges the statistics of the parts, and fits the next stage to them.
func (f *fit[Y, E]) learn(ctx context.Context, parts [][]byte) error {
	all, err := f.stages.NewStatistics()
	if err != nil {
		return err
	}
	for _, data := range parts {
		if data == nil {
			continue // an empty part has no rows
		}
		st, err := f.stages.NewStatistics()
		if err != nil {
			return err
		}
		if err := st.UnmarshalBinary(data); err != nil {
			return err
		}
		if err := all.Merge(st); err != nil {
			return err
		}
	}
	return f.stages.FitStatistics(ctx, all)
}

// estimator returns the fitted estimator.
func (f *fit[Y, E]) estimator(ctx context.Context) (E, error) {
	e := f.model.make()
	if err := streaming.FitStages(ctx, any(e), f.stages); err != nil {
		return e, fmt.Errorf("kernelbeam: %q: %w", f.model.name, err)
	}
	return e, nil
}

// fit runs one pass for each stage, for all fits that have stages left.
func (s *session) fit(ctx context.Context, fits []erased) error {
	for {
		var open []erased
		var jobs []job
		for i, f := range fits {
			if at, of := f.stage(); at == of {
				continue
			}
			j, err := f.job(ctx, s, i)
			if err != nil {
				return err
			}
			open, jobs = append(open, f), append(jobs, j)
		}
		if len(open) == 0 {
			return nil
		}
		jobs, places := shared(jobs)
		sums, err := s.pass(ctx, jobs)
		if err != nil {
			return err
		}
		for i, f := range open {
			var parts [][]byte
			for _, j := range places[i] {
				parts = append(parts, sums[j])
			}
			if err := f.learn(ctx, parts); err != nil {
				return err
			}
		}
	}
}

// shared avoids jobs that sum the same rows in the same form. A job for the first stage of a model uses all folds but one. shared
// replaces it with one job for each of these folds. For each input job, places holds the indices in out of the jobs whose sums it
// needs.
func shared(jobs []job) (out []job, places [][]int) {
	at := map[job]int{}
	place := func(j job) int {
		if i, ok := at[j]; ok {
			return i
		}
		at[j] = len(out)
		out = append(out, j)
		return at[j]
	}
	for _, j := range jobs {
		if j.State != "" || j.Folds == 0 {
			places = append(places, []int{place(j)})
			continue
		}
		var parts []int
		for f := range j.Folds {
			if f != j.Fold {
				one := j
				one.Fold, one.Others = f, false
				parts = append(parts, place(one))
			}
		}
		places = append(places, parts)
	}
	return out, places
}
