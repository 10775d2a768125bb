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

// Init parses the program's flags, unless they are already parsed, and starts Beam, which adds its own flags, such as -runner and
// -endpoint. A program calls Init first in main. On a worker, which runs the same program, Init does the worker's tasks and does
// not return.
func Init() {
	if !flag.Parsed() {
		flag.Parse()
	}
	beam.Init()
}

// Options sets how the rows are read. If Options is nil, the zero value is used.
type Options struct {
	// Temp is a directory in one of Beam's file systems. Workers write their statistics to it for the driver, and read the fitted
	// stages from it. Workers on other machines must have access to it. If Temp is "", a new directory in the system's temporary
	// directory is used, and is removed at the end.
	Temp string
	// MaxBad is the largest number of bad rows that are left out. A row is bad if its number of fields is wrong, its target is
	// missing, its class is not listed by the schema, or a cell is not the number that it should be. If there are more bad rows,
	// the error names the first. If MaxBad is 0, any bad row is an error.
	MaxBad int
	// DeadLetters is a CSV file to which bad rows are written, with their file, line, reason and text. If it is "", they are only
	// counted.
	DeadLetters string
	RangeBytes  int64  // size of the ranges of files; 0: 32 MiB
	Seed        uint64 // determines the folds and the rows of a sample
	// Variance adds a column of variances to predictions, and Proba adds columns of probabilities.
	Variance, Proba bool
	// NoEngine reads the files in this process, without Beam, on all processors.
	NoEngine bool
	// If Observe is not nil, it is called after each pass.
	Observe func(estimators.Step)
}

// defaultRange is the default of RangeBytes.
const defaultRange = 32 << 20

// mostBad is the largest value of MaxBad. Workers send up to this number of bad rows with the statistics.
const mostBad = 100_000

// check returns the options with their default values, or the error of an invalid setting.
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

// Report describes the rows that were read.
type Report struct {
	Rows    int // rows in the fit
	Bad     int // rows left out
	Passes  int
	Schema  *table.Schema    // the schema of the files; nil for a PCollection
	Metrics map[string]int64 // Beam's counters, summed over the passes
}

// session holds the state of several passes over the same rows.
type session struct {
	data    *Data
	layout  *rowblocks.Layout
	options Options
	scratch *beamfiles.Scratch
	steps   int // total number of passes
	first   *rowblocks.Census
	report  Report
}

// newSession checks the data and the options, and returns a session for them.
func newSession(ctx context.Context, d *Data, o *Options, labelled, targets bool) (*session, error) {
	options, err := o.check()
	if err != nil {
		return nil, err
	}
	switch {
	case options.NoEngine && d != nil && d.Rows != nil:
		return nil, fault.Param("kernelbeam: Options", "NoEngine", true, "false: Beam creates the PCollection")
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

// keep writes data for the workers to a file, and returns its path. The data are not part of the job's description, because some
// runners limit its size (4 MB with gRPC).
func (s *session) keep(ctx context.Context, name string, data []byte) (string, error) {
	path := s.scratch.Path(fmt.Sprintf("pass-%d-%s", s.report.Passes, name))
	return path, beamfiles.Write(ctx, path, data)
}

// pass runs one pass over all rows, and returns the encoded summary of each job, or nil for a summary without rows.
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

// beam runs a pass as a Beam pipeline.
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

// shards returns the files.
func (s *session) shards(root beam.Scope) beam.PCollection {
	files := beam.ParDo(root, &expandFn{}, beam.CreateList(root, s.data.Files))
	return beam.Reshuffle(root, files)
}

// defaultRunner is Beam's embedded runner.
const defaultRunner = "prism"

// run runs a pipeline, and adds its counters to the report.
func (s *session) run(ctx context.Context, p *beam.Pipeline) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	runner := cmp.Or(*runners.Runner, defaultRunner)
	findRunner.Do(func() { standInForRunner(runner) })
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

var findRunner sync.Once

// standInForRunner registers a runner that returns an error under the name of a runner that the program has not imported. Otherwise
// Beam would end the process.
func standInForRunner(name string) {
	defer func() { _ = recover() }() // a panic means that the name is already registered
	beam.RegisterRunner(name, func(context.Context, *beam.Pipeline) (beam.PipelineResult, error) {
		return nil, fault.Param("kernelbeam", "-runner", name, "one that the program imports, such as "+
			`_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/`+name+`"`)
	})
}

// collect reads the encoded summaries that workers wrote, and checks the census.
func (s *session) collect(ctx context.Context, prefix string, jobs int) ([][]byte, error) {
	written, err := beamfiles.List(ctx, prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("kernelbeam: %w", err)
	}
	out := make([][]byte, jobs+1)
	for _, name := range written {
		j, err := strconv.Atoi(strings.TrimPrefix(filepath.ToSlash(name), prefix))
		if err != nil || j > jobs { // a file that a killed worker did not complete
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

// judge returns the error that the census implies, if there is one. After the first pass it keeps the census for comparison, and
// writes the bad rows.
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
