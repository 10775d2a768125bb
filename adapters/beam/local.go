package kernelbeam

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
)

// parts returns the ranges of all files, in order.
func (s *session) parts(ctx context.Context) ([]rowblocks.FileRange, error) {
	var out []rowblocks.FileRange
	for _, glob := range s.data.Files {
		names, err := beamfiles.List(ctx, glob)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			n, err := beamfiles.Size(ctx, name)
			if err != nil {
				return nil, err
			}
			f := rowblocks.Shard{Path: name, Size: n}
			for _, r := range s.layout.Split(f, f.Range()) {
				out = append(out, rowblocks.FileRange{Restriction: r, Shard: f})
			}
		}
	}
	return out, nil
}

// local runs a pass without an engine. The number of ranges that it reads at a time is the number of processors. The summaries are
// merged in the order of the ranges, so the result does not depend on the number of processors.
func (s *session) local(ctx context.Context, work summariser) ([][]byte, error) {
	parts, err := s.parts(ctx)
	if err != nil {
		return nil, fmt.Errorf("kernelbeam: %w", err)
	}
	workers := make([]summariser, max(1, min(runtime.GOMAXPROCS(0), len(parts))))
	for i := range workers {
		workers[i] = work
		if err := workers[i].Setup(ctx); err != nil {
			return nil, err
		}
	}
	merge := &mergeFn{Jobs: work.Jobs}
	all := make([]partial, len(work.Jobs)+1)
	for from := 0; from < len(parts); from += len(workers) {
		some := parts[from:min(from+len(workers), len(parts))]
		sums, errs := make([][]partial, len(some)), make([]error, len(some))
		var wait sync.WaitGroup
		for i := range some {
			wait.Go(func() { sums[i], errs[i] = workers[i].part(ctx, &some[i]) })
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		for _, of := range sums {
			for _, p := range of {
				if all[p.job].sum == nil {
					all[p.job] = p
				} else if all[p.job], err = merge.MergeAccumulators(all[p.job], p); err != nil {
					return nil, err
				}
			}
		}
		if known, ok := all[len(work.Jobs)].sum.(*rowblocks.Census); ok && (known.Fault != nil || known.Bad > int64(work.MaxBad)) {
			break
		}
	}
	out := make([][]byte, len(work.Jobs))
	for j := range out {
		if all[j].sum == nil {
			continue
		}
		if out[j], err = all[j].bytes(); err != nil {
			return nil, err
		}
	}
	seen := &rowblocks.Census{}
	if sum := all[len(work.Jobs)].sum; sum != nil {
		seen = sum.(*rowblocks.Census)
	}
	return out, s.judge(ctx, seen)
}

// part computes the summaries of a range.
func (s *summariser) part(ctx context.Context, p *rowblocks.FileRange) (out []partial, err error) {
	if err := s.StartBundle(ctx, nil); err != nil {
		return nil, err
	}
	defer s.abandon()
	if err := s.collect.ReadRange(ctx, p.Shard, p); err != nil {
		return nil, err
	}
	err = s.FinishBundle(ctx, func(_ int, one partial) { out = append(out, one) })
	return out, err
}
