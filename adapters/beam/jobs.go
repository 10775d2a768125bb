package kernelbeam

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// job describes how a pass computes one of its summaries.
type job struct {
	Kind   string // one of the kinds below
	Model  string
	State  string // file of the fitted stages, or of the model; "" for none
	Fold   int    // the job uses the rows of this fold, or all other rows if Others is set
	Folds  int    // number of folds; 0: all rows
	Others bool
	Seed   uint64
	Limit  int
	To     string // prefix of the paths of predictions
	Extra  *extra // additional columns of predictions
}

// The kinds of jobs.
const (
	kindFit     = "fit"     // statistics for a stage of a Model
	kindScore   = "score"   // errors of a fitted model
	kindSample  = "sample"  // a sample of the rows
	kindPredict = "predict" // predictions, written to files
	kindCensus  = "census"
)

// maker returns a function that creates the job's empty summary.
func (j job) maker(ctx context.Context) (func() (rowblocks.Summary, error), error) {
	var state []byte
	if j.State != "" {
		var err error
		if state, err = beamfiles.Read(ctx, j.State); err != nil {
			return nil, err
		}
	}
	switch j.Kind {
	case kindCensus:
		return func() (rowblocks.Summary, error) { return &rowblocks.Census{}, nil }, nil
	case kindSample:
		return func() (rowblocks.Summary, error) { return newSample(j.Seed, j.Limit), nil }, nil
	}
	e, err := registered(j.Model)
	if err != nil {
		return nil, err
	}
	switch j.Kind {
	case kindFit:
		return e.statistics(state)
	case kindPredict:
		p, err := e.fitted(state)
		if err != nil {
			return nil, err
		}
		return func() (rowblocks.Summary, error) { return &predictions{of: p, to: j.To, extra: *j.Extra}, nil }, nil
	case kindScore:
		p, err := e.fitted(state)
		if err != nil {
			return nil, err
		}
		return func() (rowblocks.Summary, error) { return &score{of: p, labelled: e.labelled()}, nil }, nil
	}
	return nil, fault.Param("kernelbeam", "job", j.Kind, "one that is known")
}

// takes reports whether the job uses the rows of the given fold.
func (j job) takes(fold int) bool { return j.Folds == 0 || (fold == j.Fold) != j.Others }

// fold returns the fold of a row with the given hash.
func fold(hash, seed uint64, folds int) int {
	h := hash ^ seed*0x9e3779b97f4a7c15
	for range 2 {
		h = (h ^ h>>32) * 0xd6e8feb86659fd93
	}
	return int((h >> 33) % uint64(folds))
}

// summariser computes the summaries of all jobs of a pass. DoFns embed it, and its exported fields are sent to the workers.
type summariser struct {
	Layout rowblocks.Layout
	Jobs   []job
	MaxBad int

	makers  []func() (rowblocks.Summary, error)
	sums    []rowblocks.Summary
	collect rowblocks.Collector
}

// Setup reads the fitted stages of earlier passes. Each copy of the DoFn on a worker calls it once.
func (s *summariser) Setup(ctx context.Context) error {
	s.makers = make([]func() (rowblocks.Summary, error), len(s.Jobs))
	for i, j := range s.Jobs {
		var err error
		if s.makers[i], err = j.maker(ctx); err != nil {
			return fmt.Errorf("kernelbeam: job %d: %w", i, err)
		}
	}
	s.collect = rowblocks.Collector{Layout: &s.Layout, MaxBad: s.MaxBad, Receive: s.block}
	return nil
}

// StartBundle replaces the summaries by empty ones.
func (s *summariser) StartBundle(context.Context, func(int, partial)) error {
	s.abandon()
	s.collect.Begin()
	s.sums = make([]rowblocks.Summary, len(s.Jobs))
	for i, f := range s.makers {
		var err error
		if s.sums[i], err = f(); err != nil {
			return err
		}
	}
	return nil
}

// abandon closes the files of a failed bundle, whose contents are not used.
func (s *summariser) abandon() {
	for _, sum := range s.sums {
		if p, ok := sum.(*predictions); ok {
			_, _ = p.close()
		}
	}
	s.sums = nil
}

// block adds a block to the summary of each job that uses its rows. If it returns an error, it also returns the index of the row
// that caused it.
func (s *summariser) block(ctx context.Context, b *rowblocks.Block) (int, error) {
	parts := map[[2]uint64][]*rowblocks.Block{}
	for i, j := range s.Jobs {
		if j.Folds == 0 {
			if at, err := addTo(ctx, s.sums[i], b); err != nil {
				return at, err
			}
			continue
		}
		key := [2]uint64{uint64(j.Folds), j.Seed}
		if parts[key] == nil {
			parts[key] = deal(b, j.Folds, j.Seed)
		}
		for f, part := range parts[key] {
			if part.Rows() == 0 || !j.takes(f) {
				continue
			}
			if at, err := addTo(ctx, s.sums[i], part); err != nil {
				return slices.Index(b.Places, part.Places[at]), err
			}
		}
	}
	return 0, nil
}

// deal returns the rows of each fold as a block.
func deal(b *rowblocks.Block, folds int, seed uint64) []*rowblocks.Block {
	out := make([]*rowblocks.Block, folds)
	for f := range out {
		out[f] = &rowblocks.Block{Width: b.Width}
	}
	for i, h := range b.Hashes {
		out[fold(h, seed, folds)].Append(b, i)
	}
	return out
}

// addTo adds a block to a summary. If that fails, it finds the first row that causes an error by bisection, and returns its index
// in the block. The summary cannot be used after an error.
func addTo(ctx context.Context, s rowblocks.Summary, b *rowblocks.Block) (int, error) {
	err := s.Add(ctx, b)
	if err == nil || ctx.Err() != nil || b.Rows() == 1 {
		return 0, err
	}
	half := b.Rows() / 2
	if at, err := addTo(ctx, s, b.Part(0, half)); err != nil {
		return at, err
	}
	if at, err := addTo(ctx, s, b.Part(half, b.Rows())); err != nil {
		return half + at, err
	}
	return 0, err // no single row causes the error
}

// FinishBundle emits each summary of a bundle with the number of its job. The census is last.
func (s *summariser) FinishBundle(ctx context.Context, emit func(int, partial)) error {
	if s.sums == nil {
		return nil
	}
	if err := s.collect.Flush(ctx); err != nil {
		return err
	}
	s.collect.Count(ctx)
	for i, sum := range s.sums {
		emit(i, partial{job: i, sum: sum})
	}
	known := s.collect.Known
	for _, sum := range s.sums {
		if p, ok := sum.(*predictions); ok {
			shards, err := p.close()
			if err != nil {
				return err
			}
			known.Shards = append(known.Shards, shards...)
		}
	}
	emit(len(s.Jobs), partial{job: len(s.Jobs), sum: &known})
	s.sums = nil
	return nil
}
