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
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterType(reflect.TypeFor[shard]())
	beam.RegisterType(reflect.TypeFor[Row]())
	beam.RegisterCoder(reflect.TypeFor[partial](), encodePartial, decodePartial)
	register.DoFn3x1[context.Context, string, func(shard), error](&expandFn{})
	register.DoFn4x1[context.Context, *sdf.LockRTracker, shard, func(int, partial), error](&readFn{})
	register.DoFn3x1[context.Context, Row, func(int, partial), error](&rowsFn{})
	register.DoFn3x1[context.Context, int, partial, error](&writeFn{})
	register.Combiner1[partial](&mergeFn{})
	register.Emitter1[shard]()
	register.Emitter2[int, partial]()
}

// shard is a file.
type shard struct {
	Path string
	Size int64
}

// partial is a summary of some rows for one of the jobs: the bytes of one that has travelled.
type partial struct {
	job  int
	sum  summary
	data []byte
}

// bytes returns those of the summary.
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

// ProcessElement emits each with its size.
func (*expandFn) ProcessElement(ctx context.Context, glob string, emit func(shard)) error {
	names, err := list(ctx, glob)
	if err != nil {
		return err
	}
	for _, name := range names {
		n, err := size(ctx, name)
		if err != nil {
			return err
		}
		emit(shard{name, n})
	}
	return nil
}

// ranged has the methods by which an engine divides files into ranges of bytes.
type ranged struct{ of *reading }

// initial is the whole file.
func (ranged) initial(f shard) offsetrange.Restriction { return offsetrange.Restriction{End: f.Size} }

// split divides a file into ranges of one size.
func (r ranged) split(f shard, rest offsetrange.Restriction) []offsetrange.Restriction {
	if r.whole(f.Path) || rest.Size() <= float64(r.of.RangeBytes) {
		return []offsetrange.Restriction{rest}
	}
	return rest.EvenSplits(int64(math.Ceil(rest.Size() / float64(r.of.RangeBytes))))
}

func (r ranged) whole(path string) bool { return r.of.WholeFiles && !r.of.parquet(path) }

// tracker refuses to divide what has to be read as a whole.
func (r ranged) tracker(rest offsetrange.Restriction) *sdf.LockRTracker {
	t := offsetrange.NewTracker(rest)
	if r.of.WholeFiles {
		return sdf.NewLockRTracker(&undivided{t})
	}
	return sdf.NewLockRTracker(t)
}

// undivided is a tracker of what is read from its beginning to its end.
type undivided struct{ *offsetrange.Tracker }

// TrySplit implements sdf.RTracker.
func (u *undivided) TrySplit(float64) (primary, residual any, err error) {
	return u.GetRestriction(), nil, nil
}

// readFn is a splittable DoFn over ranges of bytes of files, which emits summaries and no rows.
type readFn struct{ summariser }

// CreateInitialRestriction returns the file.
func (f *readFn) CreateInitialRestriction(s shard) offsetrange.Restriction {
	return ranged{&f.Read}.initial(s)
}

// SplitRestriction returns ranges of RangeBytes.
func (f *readFn) SplitRestriction(s shard, rest offsetrange.Restriction) []offsetrange.Restriction {
	return ranged{&f.Read}.split(s, rest)
}

// RestrictionSize returns the range's bytes.
func (*readFn) RestrictionSize(_ shard, rest offsetrange.Restriction) float64 { return rest.Size() }

// CreateTracker returns one that the engine divides as it likes.
func (f *readFn) CreateTracker(rest offsetrange.Restriction) *sdf.LockRTracker {
	return ranged{&f.Read}.tracker(rest)
}

// Setup reads what was learnt in earlier passes.
func (f *readFn) Setup(ctx context.Context) error { return f.setup(ctx) }

// StartBundle begins with sums of no rows.
func (f *readFn) StartBundle(context.Context, func(int, partial)) error { return f.begin() }

// ProcessElement sums up the rows that begin in the range.
func (f *readFn) ProcessElement(ctx context.Context, rt *sdf.LockRTracker, s shard, _ func(int, partial)) error {
	return f.collect.readRange(ctx, s, tracked{rt})
}

// FinishBundle emits the sums.
func (f *readFn) FinishBundle(ctx context.Context, emit func(int, partial)) error {
	return f.finish(ctx, emit)
}

// readRange reads a range of a file.
func (c *collector) readRange(ctx context.Context, s shard, part span) error {
	ranges.Inc(ctx, 1)
	if c.done() {
		part.finish()
		return nil
	}
	c.file, c.parquet = s.Path, c.read.parquet(s.Path)
	var err error
	if c.parquet {
		err = c.read.parquetRange(ctx, s.Path, part, c)
	} else {
		err = c.read.csvRange(ctx, s.Path, part, c)
	}
	if err == nil { // rows of another file do not stand in the same block
		err = c.flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("kernelbeam: %s: %w", s.Path, err)
	}
	return nil
}

// rowsFn sums up the rows of a PCollection.
type rowsFn struct{ summariser }

// Setup reads what was learnt in earlier passes.
func (f *rowsFn) Setup(ctx context.Context) error { return f.setup(ctx) }

// StartBundle begins with sums of no rows.
func (f *rowsFn) StartBundle(context.Context, func(int, partial)) error { return f.begin() }

// ProcessElement takes in a row.
func (f *rowsFn) ProcessElement(ctx context.Context, r Row, _ func(int, partial)) error {
	return f.collect.row(ctx, r)
}

// FinishBundle emits the sums.
func (f *rowsFn) FinishBundle(ctx context.Context, emit func(int, partial)) error {
	return f.finish(ctx, emit)
}

// row takes in an element of a PCollection.
func (c *collector) row(ctx context.Context, r Row) error {
	if c.done() {
		return nil
	}
	b := &c.rows
	if b.rows() > 0 && len(r.X) != b.width { // statistics know the width that they have
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	wrong := error(nil)
	for j, v := range r.X {
		if err := c.read.feature(v); err != nil && wrong == nil {
			wrong = fmt.Errorf("column %d: %w", j, err)
		}
	}
	one := block{width: len(r.X), x: r.X}
	switch {
	case wrong != nil:
	case len(r.X) == 0:
		wrong = errors.New("no columns")
	case !c.read.Labelled:
		wrong = one.real(r.Y)
	case r.Y != math.Trunc(r.Y) || math.Abs(r.Y) > 1<<53:
		wrong = fmt.Errorf("the label %v is no whole number", r.Y)
	case len(c.read.Classes) > 0 && (r.Y < 0 || r.Y >= float64(len(c.read.Classes))):
		wrong = fmt.Errorf("the label %v is none of %d classes", r.Y, len(c.read.Classes))
	default:
		one.labels = []int{int(r.Y)}
	}
	if r.Weight == 0 {
		r.Weight = 1
	}
	if wrong == nil {
		wrong = one.weight(r.Weight)
	}
	if wrong == nil && !utf8.ValidString(r.ID) {
		wrong = fmt.Errorf("the ID %q is not UTF-8", r.ID)
	}
	if wrong != nil {
		c.badRow(0, r.ID, wrong.Error(), strconv.Quote(r.ID))
		return nil
	}
	one.places, one.hashes = []place{{}}, []uint64{0}
	b.append(&one, 0)
	b.places, b.hashes = b.places[:b.rows()-1], b.hashes[:len(b.hashes)-1]
	return c.took(ctx, 0, r.ID)
}

// mergeFn merges summaries.
type mergeFn struct {
	Jobs []job

	once   sync.Once
	makers []func() (summary, error)
	err    error
}

// live returns the summary, read from its bytes if need be.
func (f *mergeFn) live(p partial) (summary, error) {
	if p.sum != nil {
		return p.sum, nil
	}
	f.once.Do(func() {
		ctx := context.Background()
		for _, j := range append(append([]job(nil), f.Jobs...), job{Kind: kindCensus}) {
			var m func() (summary, error)
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

// MergeAccumulators merges two, of which the first is changed.
func (f *mergeFn) MergeAccumulators(a, b partial) (partial, error) {
	s, err := f.live(a)
	if err != nil {
		return partial{}, err
	}
	o, err := f.live(b)
	if err == nil {
		err = s.absorb(o)
	}
	return partial{job: a.job, sum: s}, err
}

// writeFn writes the summary of each job to a file, since a pipeline has no other way back to who started it.
type writeFn struct{ Prefix string }

// ProcessElement writes one.
func (f *writeFn) ProcessElement(ctx context.Context, j int, p partial) error {
	data, err := p.bytes()
	if err != nil {
		return err
	}
	return write(ctx, f.Prefix+strconv.Itoa(j), data)
}
