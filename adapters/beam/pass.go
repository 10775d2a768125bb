package kernelbeam

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Init parses the program's flags, if it has not, and starts Beam, which adds its own: -runner, -endpoint and others. A program
// calls it first in main. On a worker, which runs the same program, it does the work and does not return.
func Init() {
	if !flag.Parsed() {
		flag.Parse()
	}
	beam.Init()
}

// Options say how the rows are read. Nil means the zero value.
type Options struct {
	// Temp is a directory of Beam's file systems through which statistics come back, and what earlier passes have learnt
	// goes out. Workers on other machines have to reach it. "": one of the system's temporary directory, which is removed.
	Temp string
	// MaxBad is how many bad rows are left out: such as have another number of fields, no number where one
	// should be, no target, or a class that the schema does not have. One more is an error that names
	// the first. 0: any is an error.
	MaxBad int
	// DeadLetters is a file, of CSV, that bad rows are written to: file, line, reason and the text itself. "": they are only counted.
	DeadLetters string
	RangeBytes  int64  // of the ranges that files are read in; 0: 32 MiB
	Seed        uint64 // by which rows are dealt to folds, or drawn for a sample
	// Variance and Proba add a column of variances, and columns of probabilities, to predictions.
	Variance, Proba bool
	// NoEngine reads the files in this process, without Beam, on all processors.
	NoEngine bool
	// Observe, if not nil, is told of each pass when it is done.
	Observe func(estimators.Step)
}

// defaultRange is RangeBytes if it is 0.
const defaultRange = 32 << 20

// mostBad bounds MaxBad: so many rows travel with the statistics.
const mostBad = 100_000

// check returns the options, or what is wrong with them.
func (o *Options) check() (Options, error) {
	if o == nil {
		o = &Options{}
	}
	out := *o
	switch {
	case o.MaxBad < 0 || o.MaxBad > mostBad:
		return out, fault.Param("kernelbeam: Options", "MaxBad", o.MaxBad, fmt.Sprintf("0 to %d", mostBad))
	case o.RangeBytes < 0:
		return out, fault.Param("kernelbeam: Options", "RangeBytes", o.RangeBytes, ">= 0")
	}
	if out.RangeBytes == 0 {
		out.RangeBytes = defaultRange
	}
	return out, nil
}

// Report says what was read.
type Report struct {
	Rows    int // that were learnt from
	Bad     int // that were left out
	Passes  int
	Schema  *table.Schema    // by which files were read; nil for a PCollection
	Metrics map[string]int64 // Beam's counters, summed over the passes
}

// session is some passes over the same rows.
type session struct {
	data    *Data
	layout  *rowblocks.Layout
	options Options
	scratch *beamfiles.Scratch
	steps   int // how many passes there will be
	first   *rowblocks.Census
	report  Report
}

// newSession checks what is asked for.
func newSession(ctx context.Context, d *Data, o *Options, labelled, targets bool) (*session, error) {
	options, err := o.check()
	if err != nil {
		return nil, err
	}
	switch {
	case options.NoEngine && d != nil && d.Rows != nil:
		return nil, fault.Param("kernelbeam: Options", "NoEngine", true, "false: a PCollection is made by Beam")
	case !options.NoEngine && !beam.Initialized():
		return nil, fault.Param("kernelbeam", "Beam", "not initialised", "Init, at the beginning of main")
	}
	read, err := d.layout(ctx, labelled, targets, options.RangeBytes)
	if err != nil {
		return nil, err
	}
	s := &session{data: d, layout: read, options: options, report: Report{Schema: read.Schema, Metrics: map[string]int64{}}}
	s.scratch, err = beamfiles.NewScratch(options.Temp)
	return s, err
}

// close removes the temporary files.
func (s *session) close(ctx context.Context, err *error) {
	if e := s.scratch.Remove(context.WithoutCancel(ctx)); e != nil && *err == nil {
		*err = fmt.Errorf("kernelbeam: temporary files: %w", e)
	}
}

// keep writes what workers are to read, and returns the file. It is no part of the job's description, which is
// bounded on some runners (4 MB by gRPC).
func (s *session) keep(ctx context.Context, name string, data []byte) (string, error) {
	path := s.scratch.Path(fmt.Sprintf("pass-%d-%s", s.report.Passes, name))
	return path, beamfiles.Write(ctx, path, data)
}

// pass runs a pipeline over all rows, and returns the bytes of each job's summary; nil where no row was seen.
func (s *session) pass(ctx context.Context, jobs []job) ([][]byte, error) {
	work := summariser{Layout: *s.layout, Jobs: jobs, MaxBad: s.options.MaxBad}
	way := s.beam
	if s.options.NoEngine {
		way = s.local
	}
	out, err := way(ctx, work)
	if err != nil {
		return nil, err
	}
	s.report.Passes++
	if s.options.Observe != nil {
		s.options.Observe(estimators.Step{Iteration: s.report.Passes, Total: s.steps,
			Message: fmt.Sprintf("pass %d of %d: %d rows, %d left out", s.report.Passes, s.steps, s.report.Rows, s.report.Bad)})
	}
	return out, ctx.Err()
}

// beam is a pass by Beam.
func (s *session) beam(ctx context.Context, work summariser) ([][]byte, error) {
	p, root := beam.NewPipelineWithRoot()
	var partials beam.PCollection
	if s.data.Rows != nil {
		partials = beam.ParDo(root, &rowsFn{work}, s.data.Rows(root))
	} else {
		partials = beam.ParDo(root, &readFn{work}, s.shards(root))
	}
	merged := beam.CombinePerKey(root, &mergeFn{Jobs: work.Jobs}, partials)
	prefix := s.scratch.Path(fmt.Sprintf("pass-%d-sums-", s.report.Passes))
	beam.ParDo0(root, &writeFn{Prefix: prefix}, merged)
	if err := s.run(ctx, p); err != nil {
		return nil, err
	}
	return s.collect(ctx, prefix, len(work.Jobs))
}

// shards is the files.
func (s *session) shards(root beam.Scope) beam.PCollection {
	files := beam.ParDo(root, &expandFn{}, beam.CreateList(root, s.data.Files))
	return beam.Reshuffle(root, files)
}

// defaultRunner is Beam's embedded runner.
const defaultRunner = "prism"

// run runs a pipeline, and adds up its counters.
func (s *session) run(ctx context.Context, p *beam.Pipeline) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	runner := cmp.Or(*runners.Runner, defaultRunner)
	lookedForRunner.Do(func() { standInForRunner(runner) })
	result, err := beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("kernelbeam: pass %d: %w", s.report.Passes+1, err)
	}
	if result == nil {
		return nil
	}
	ours := result.Metrics().Query(func(r metrics.SingleResult) bool { return r.Namespace() == rowblocks.Metrics })
	for _, c := range ours.Counters() {
		s.report.Metrics[c.Name()] += c.Result()
	}
	return nil
}

var lookedForRunner sync.Once

// standInForRunner registers a runner that returns an error in the place of one that the program has not imported. Beam would
// end the process.
func standInForRunner(name string) {
	defer func() { _ = recover() }() // it is registered
	beam.RegisterRunner(name, func(context.Context, *beam.Pipeline) (beam.PipelineResult, error) {
		return nil, fault.Param("kernelbeam", "-runner", name, "one that the program imports, such as "+
			`_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/`+name+`"`)
	})
}

// collect reads the summaries' bytes, and looks at the census.
func (s *session) collect(ctx context.Context, prefix string, jobs int) ([][]byte, error) {
	written, err := beamfiles.List(ctx, prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("kernelbeam: %w", err)
	}
	out := make([][]byte, jobs+1)
	for _, name := range written {
		j, err := strconv.Atoi(strings.TrimPrefix(filepath.ToSlash(name), prefix))
		if err != nil || j > jobs { // a worker that was killed left a part
			continue
		}
		if out[j], err = beamfiles.Read(ctx, name); err != nil {
			return nil, fmt.Errorf("kernelbeam: %w", err)
		}
	}
	var seen rowblocks.Census
	if out[jobs] != nil {
		if err := seen.UnmarshalBinary(out[jobs]); err != nil {
			return nil, err
		}
	}
	if err := s.judge(ctx, &seen); err != nil {
		return nil, err
	}
	return out[:jobs], nil
}

// judge returns what the census makes an error. The first one stays, and bad rows are written then.
func (s *session) judge(ctx context.Context, seen *rowblocks.Census) error {
	switch {
	case seen.Fault != nil:
		return newDataError(ctx, seen.Fault)
	case seen.Bad > int64(s.options.MaxBad) && len(seen.Left) > 0:
		e := newDataError(ctx, &seen.Left[0])
		e.Reason = fmt.Sprintf("%s (the first of %d bad rows; MaxBad is %d)", e.Reason, seen.Bad, s.options.MaxBad)
		return e
	case s.first == nil:
		s.first = seen
		s.report.Rows, s.report.Bad = int(seen.Rows), int(seen.Bad)
		if s.options.DeadLetters != "" {
			return deadLetters(ctx, s.options.DeadLetters, seen.Left)
		}
		return nil
	case s.first.Rows != seen.Rows || s.first.Hash != seen.Hash:
		return fault.Param("kernelbeam", "rows", fmt.Sprintf("%d in pass %d", seen.Rows, s.report.Passes+1),
			fmt.Sprintf("the same %d as in the first pass", s.first.Rows))
	}
	return nil
}

// deadLetters writes the rows that were left out.
func deadLetters(ctx context.Context, path string, left []rowblocks.Finding) error {
	var out strings.Builder
	out.WriteString("file,line,id,reason,text\n")
	for _, f := range left {
		e := newDataError(ctx, &f)
		for i, field := range []string{f.File, strconv.FormatInt(e.Line, 10), f.ID, f.Reason, f.Text} {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
		}
		out.WriteByte('\n')
	}
	if err := beamfiles.Write(ctx, path, []byte(out.String())); err != nil {
		return fmt.Errorf("kernelbeam: dead letters: %w", err)
	}
	return nil
}
