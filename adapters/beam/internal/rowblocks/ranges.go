package rowblocks

import (
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
)

// Shard names a file and its size.
type Shard struct {
	Path string
	Size int64
}

// Range returns the range of all bytes of the file.
func (s Shard) Range() offsetrange.Restriction { return offsetrange.Restriction{End: s.Size} }

// Split divides the range rest of a file into ranges of equal size.
func (r *Layout) Split(f Shard, rest offsetrange.Restriction) []offsetrange.Restriction {
	if r.readsWholeFile(f.Path) || rest.Size() <= float64(r.RangeBytes) {
		return []offsetrange.Restriction{rest}
	}
	return rest.EvenSplits(int64(math.Ceil(rest.Size() / float64(r.RangeBytes))))
}

func (r *Layout) readsWholeFile(path string) bool { return r.WholeFiles && !r.parquet(path) }

// Tracker returns a tracker of a range. With WholeFiles the tracker never divides the range.
func (r *Layout) Tracker(rest offsetrange.Restriction) *sdf.LockRTracker {
	t := offsetrange.NewTracker(rest)
	if r.WholeFiles {
		return sdf.NewLockRTracker(&undivided{t})
	}
	return sdf.NewLockRTracker(t)
}

// undivided is the tracker of a file that is read from its beginning to its end.
type undivided struct{ *offsetrange.Tracker }

// TrySplit implements sdf.RTracker.
func (u *undivided) TrySplit(float64) (primary, residual any, err error) {
	return u.GetRestriction(), nil, nil
}

// span is the range of a file that is being read.
type span interface {
	Start() int64
	// Claim reports whether the row, or row group, that begins at an offset belongs to the range.
	Claim(at int64) bool
	// Finish marks the range as read.
	Finish()
}

// tracked is a range that the engine may shorten at any time.
type tracked struct{ tracker *sdf.LockRTracker }

// TrackedSpan returns the span of a tracker.
func TrackedSpan(t *sdf.LockRTracker) span { return tracked{t} }

func (s tracked) restriction() offsetrange.Restriction {
	return s.tracker.GetRestriction().(offsetrange.Restriction)
}

func (s tracked) Start() int64        { return s.restriction().Start }
func (s tracked) Claim(at int64) bool { return s.tracker.TryClaim(at) }

func (s tracked) Finish() {
	if !s.tracker.IsDone() {
		s.tracker.TryClaim(s.restriction().End)
	}
}

// FileRange is a range of a file that one goroutine reads.
type FileRange struct {
	offsetrange.Restriction
	Shard Shard
}

func (p *FileRange) Start() int64        { return p.Restriction.Start }
func (p *FileRange) Claim(at int64) bool { return at < p.End }
func (p *FileRange) Finish()             {}
