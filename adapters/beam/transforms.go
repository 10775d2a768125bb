package kernelbeam

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
)

func init() {
	beam.RegisterType(reflect.TypeFor[rowblocks.Shard]())
	beam.RegisterType(reflect.TypeFor[Row]())
	beam.RegisterCoder(reflect.TypeFor[partial](), encodePartial, decodePartial)
	register.DoFn3x1[context.Context, string, func(rowblocks.Shard), error](&expandFn{})
	register.DoFn4x1[context.Context, *sdf.LockRTracker, rowblocks.Shard, func(int, partial), error](&readFn{})
	register.DoFn3x1[context.Context, Row, func(int, partial), error](&rowsFn{})
	register.DoFn3x1[context.Context, int, partial, error](&writeFn{})
	register.Combiner1[partial](&mergeFn{})
	register.Emitter1[rowblocks.Shard]()
	register.Emitter2[int, partial]()
}

// partial is a summary of some rows for one of the jobs. After it was sent to another process, it holds the summary in encoded
// form.
type partial struct {
	job  int
	sum  rowblocks.Summary
	data []byte
}

// bytes returns the encoded summary.
func (p partial) bytes() ([]byte, error) {
	if p.sum == nil {
		return p.data, nil
	}
	return p.sum.MarshalBinary()
}

func encodePartial(p partial) ([]byte, error) {
	data, err := p.bytes()
	if err != nil {
		return nil, err
	}
	return append(binary.AppendUvarint(nil, uint64(p.job)), data...), nil
}

func decodePartial(data []byte) (partial, error) {
	j, n := binary.Uvarint(data)
	if n <= 0 || j > math.MaxInt32 {
		return partial{}, errors.New("kernelbeam: a partial summary without the number of its job")
	}
	return partial{job: int(j), data: append([]byte(nil), data[n:]...)}, nil
}

// expandFn finds the files of a pattern.
type expandFn struct{}

// ProcessElement emits each file with its size.
func (*expandFn) ProcessElement(ctx context.Context, glob string, emit func(rowblocks.Shard)) error {
	names, err := beamfiles.List(ctx, glob)
	if err != nil {
		return err
	}
	for _, name := range names {
		n, err := beamfiles.Size(ctx, name)
		if err != nil {
			return err
		}
		emit(rowblocks.Shard{Path: name, Size: n})
	}
	return nil
}

// readFn is a splittable DoFn over ranges of bytes of files. It emits summaries and no rows.
type readFn struct{ summariser }

// CreateInitialRestriction returns the range of all bytes of the file.
func (f *readFn) CreateInitialRestriction(s rowblocks.Shard) offsetrange.Restriction {
	return s.Range()
}

// SplitRestriction divides the range into ranges of about RangeBytes bytes.
func (f *readFn) SplitRestriction(s rowblocks.Shard, rest offsetrange.Restriction) []offsetrange.Restriction {
	return f.Layout.Split(s, rest)
}

// RestrictionSize returns the number of bytes of the range.
func (*readFn) RestrictionSize(_ rowblocks.Shard, rest offsetrange.Restriction) float64 {
	return rest.Size()
}

// CreateTracker returns a tracker of the range. The engine may divide the range at any time, unless each file is read as one unit.
func (f *readFn) CreateTracker(rest offsetrange.Restriction) *sdf.LockRTracker {
	return f.Layout.Tracker(rest)
}

// ProcessElement adds the rows that begin in the range to the summaries.
func (f *readFn) ProcessElement(ctx context.Context, rt *sdf.LockRTracker, s rowblocks.Shard, _ func(int, partial)) error {
	return f.collect.ReadRange(ctx, s, rowblocks.TrackedSpan(rt))
}

// rowsFn adds the rows of a PCollection to the summaries.
type rowsFn struct{ summariser }

// ProcessElement adds a row.
func (f *rowsFn) ProcessElement(ctx context.Context, r Row, _ func(int, partial)) error {
	return f.collect.Row(ctx, r.X, r.Y, r.Weight, r.ID)
}

// mergeFn merges summaries.
type mergeFn struct {
	Jobs []job

	once   sync.Once
	makers []func() (rowblocks.Summary, error)
	err    error
}

// live returns the summary of p, and decodes it if necessary.
func (f *mergeFn) live(p partial) (rowblocks.Summary, error) {
	if p.sum != nil {
		return p.sum, nil
	}
	f.once.Do(func() {
		ctx := context.Background()
		for _, j := range append(append([]job(nil), f.Jobs...), job{Kind: kindCensus}) {
			var m func() (rowblocks.Summary, error)
			if m, f.err = j.maker(ctx); f.err != nil {
				return
			}
			f.makers = append(f.makers, m)
		}
	})
	if f.err != nil {
		return nil, f.err
	}
	if p.job >= len(f.makers) {
		return nil, fmt.Errorf("kernelbeam: a summary of job %d of %d", p.job, len(f.Jobs))
	}
	s, err := f.makers[p.job]()
	if err == nil {
		err = s.UnmarshalBinary(p.data)
	}
	return s, err
}

// MergeAccumulators merges b into a, which it changes, and returns a.
func (f *mergeFn) MergeAccumulators(a, b partial) (partial, error) {
	s, err := f.live(a)
	if err != nil {
		return partial{}, err
	}
	o, err := f.live(b)
	if err == nil {
		err = s.Absorb(o)
	}
	return partial{job: a.job, sum: s}, err
}

// writeFn writes the summary of each job to a file, which the driver reads. A pipeline has no other connection to the process that
// started it.
type writeFn struct{ Prefix string }

// ProcessElement writes the summary of a job.
func (f *writeFn) ProcessElement(ctx context.Context, j int, p partial) error {
	data, err := p.bytes()
	if err != nil {
		return err
	}
	return beamfiles.Write(ctx, f.Prefix+strconv.Itoa(j), data)
}
