package measures

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/moments"
	"github.com/kernelearn/kernelearn/streaming"
)

// ClassSums is like TargetSums, for rows with labels. It holds sums for each class. The zero value holds no rows. Rows with weights
// are an ErrParam error.
type ClassSums struct {
	of map[int]*moments.Gram
}

var _ streaming.Statistics[int] = (*ClassSums)(nil)

// Rows returns the number of rows.
func (s *ClassSums) Rows() (n int) {
	for _, g := range s.of {
		n += g.N
	}
	return n
}

// columns returns the number of features. It is 0 before the first row.
func (s *ClassSums) columns() int {
	for _, g := range s.of {
		return len(g.Mean)
	}
	return 0
}

// Clone returns a copy that shares no memory.
func (s *ClassSums) Clone() streaming.Statistics[int] {
	out := &ClassSums{of: map[int]*moments.Gram{}}
	for label, g := range s.of {
		out.of[label] = g.Clone()
	}
	return out
}

// AddBlock adds rows of features with their labels. It costs O(nr²).
func (s *ClassSums) AddBlock(ctx context.Context, b streaming.Block[int]) (err error) {
	defer check.Begin(&ctx)(&err)
	phi, err := check.Labelled(b.X, len(b.Y))
	if err != nil {
		return err
	}
	if b.Weights != nil {
		return unweighted(classSumsType)
	}
	if _, r := phi.Dims(); len(s.of) > 0 && r != s.columns() {
		return fault.Shape("x has", r, "columns", "the statistics have %d", s.columns())
	}
	block := &ClassSums{of: map[int]*moments.Gram{}}
	for _, label := range classes.Distinct(b.Y) {
		var some []int
		for i, l := range b.Y {
			if l == label {
				some = append(some, i)
			}
		}
		if block.of[label], err = moments.NewGram(ctx, linalg.Rows(phi, some), nil); err != nil {
			return err
		}
	}
	return s.take(block)
}

func (s *ClassSums) take(o *ClassSums) error {
	for _, g := range o.of {
		if err := take(classSumsType, &moments.Gram{}, g); err != nil {
			return err
		}
	}
	if s.of == nil {
		s.of = map[int]*moments.Gram{}
	}
	for label, g := range o.of {
		if s.of[label] == nil {
			s.of[label] = &moments.Gram{}
		}
		s.of[label].Merge(g)
	}
	return nil
}

// Merge adds the rows of other ClassSums.
func (s *ClassSums) Merge(other streaming.Statistics[int]) error {
	o, ok := other.(*ClassSums)
	switch {
	case !ok || o == nil:
		return fault.Param(classSumsType, "statistics", fmt.Sprintf("%T", other), "*measures.ClassSums")
	case len(s.of) > 0 && len(o.of) > 0 && o.columns() != s.columns():
		return fault.Shape("the other statistics have", o.columns(), "columns", "these have %d", s.columns())
	}
	return s.take(o.Clone().(*ClassSums))
}

type storedClassSums struct {
	Classes []int
	Sums    []moments.Stored
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *ClassSums) MarshalBinary() ([]byte, error) {
	out := storedClassSums{Classes: s.labels()}
	for _, label := range out.Classes {
		out.Sums = append(out.Sums, s.of[label].Store())
	}
	return codec.Marshal(classSumsKind, sumsVersion, out)
}

// labels returns the classes in ascending order.
func (s *ClassSums) labels() []int { return slices.Sorted(maps.Keys(s.of)) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are ErrBadModel and leave s unchanged.
func (s *ClassSums) UnmarshalBinary(data []byte) error {
	var in storedClassSums
	if _, err := codec.Unmarshal(data, classSumsKind, sumsVersion, &in); err != nil {
		return err
	}
	if len(in.Classes) != len(in.Sums) {
		return fault.BadModel(classSumsKind, "%d classes and sums of %d", len(in.Classes), len(in.Sums))
	}
	out := map[int]*moments.Gram{}
	for k, stored := range in.Sums {
		g, err := stored.Gram()
		switch {
		case err != nil:
			return fault.BadModel(classSumsKind, "class %d: %v", in.Classes[k], err)
		case g.N == 0 || out[in.Classes[k]] != nil || len(g.Mean) != len(in.Sums[0].Mean):
			return fault.BadModel(classSumsKind, "class %d of %d rows in %d features", in.Classes[k], g.N, len(g.Mean))
		}
		out[in.Classes[k]] = g
	}
	s.of = out
	return nil
}

// total returns the sums over all classes.
func (s *ClassSums) total() *moments.Gram {
	out := &moments.Gram{}
	for _, label := range s.labels() { // add in a fixed order, so that runs are bit-identical
		out.Merge(s.of[label])
	}
	return out
}

// Entropy returns the entropy of all rows, as TargetSums does.
func (s *ClassSums) Entropy(ctx context.Context) (_ VonNeumann, err error) {
	defer check.Begin(&ctx)(&err)
	return entropyOf(ctx, classSumsType, s.total(), s.columns())
}

// Divergence returns the result of DivergenceOfProjection for all rows. The single feature is the projection. It returns ErrShape
// unless there are two classes and one feature.
func (s *ClassSums) Divergence() (Divergence, error) {
	labels := s.labels()
	if len(labels) != 2 || s.columns() != 1 {
		return Divergence{}, fault.Shape(classSumsType+": there are", len(labels), "classes", "of %d features, want 2 classes of 1",
			s.columns())
	}
	var mean, variance [2]float64
	for c, label := range labels {
		g := s.of[label]
		mean[c], variance[c] = g.Mean[0], g.S.At(0, 0)/float64(g.N)
	}
	// Far from 0 the rounded means are not accurate enough for their difference.
	a, b := s.of[labels[0]], s.of[labels[1]]
	gap := (b.Mean[0] - a.Mean[0]) + (b.Low[0] - a.Low[0])
	return divergence([2]float64{0, gap}, variance), nil
}

// Separability returns the result of SeparabilityOfFeatures for all rows. It costs O(Cr²) for C classes. It returns ErrShape for
// fewer than two classes, or ctx's error.
func (s *ClassSums) Separability(ctx context.Context) (_ Separability, err error) {
	defer check.Begin(&ctx)(&err)
	labels := s.labels()
	if len(labels) < 2 {
		return Separability{}, fault.Shape(classSumsType+": there is", len(labels), "class", "want at least 2")
	}
	all := s.total()
	k := newFeatureSums(all, s.columns())
	count := len(labels)
	if count == 2 {
		count = 1
	}
	var out Separability
	for c := range count {
		if err := ctx.Err(); err != nil {
			return Separability{}, err
		}
		m := s.contrast(k, labels[c]).measures()
		plus := float64(s.of[labels[c]].N)
		values := [2]float64{2 * (k.n - plus) / k.n, -2 * plus / k.n}
		// If z has one value in the class and another outside it, Φ'z follows from the class means relative to the overall mean.
		along := s.meanDifference(all, s.of[labels[c]], k.scale)
		floats.Scale(plus*(values[0]-values[1]), along)
		zz := plus*values[0]*values[0] + (k.n-plus)*values[1]*values[1]
		m.Alignment = alignOf(k.n, zz, (2*plus-k.n)/k.n, k.forms(along), k.size)
		out.add(m, float64(count))
	}
	return out, ctx.Err()
}

// meanDifference returns the difference of two means, that of g minus that of from, times a scale.
func (s *ClassSums) meanDifference(from, g *moments.Gram, scale float64) []float64 {
	out := make([]float64, len(g.Mean))
	for j := range out {
		out[j] = scale * ((g.Mean[j] - from.Mean[j]) + (g.Low[j] - from.Low[j]))
	}
	return out
}

// contrast returns the contrast of a class with all other classes.
func (s *ClassSums) contrast(k featureSums, label int) contrast {
	rest := &moments.Gram{}
	for _, other := range s.labels() {
		if other != label {
			rest.Merge(s.of[other])
		}
	}
	own := s.of[label]
	w := s.meanDifference(rest, own, k.scale)
	var out contrast
	for side, g := range []*moments.Gram{own, rest} {
		free := max(float64(g.N-1), 1)
		v := mat.NewVecDense(len(w), w)
		out.trace[side] = mat.Trace(g.S) * k.scale * k.scale / free // 0 for a single row
		out.sd[side] = math.Sqrt(max(mat.Inner(v, g.S, v), 0) * k.scale * k.scale / free)
	}
	out.distance2 = floats.Dot(w, w)
	out.original = out.distance2 / k.scale / k.scale
	out.floor = noise * noise * k.square
	return out
}

// MarshalText implements encoding.TextMarshaler, so that JSON holds the bytes as a base64 string.
func (s *ClassSums) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *ClassSums) UnmarshalText(text []byte) error { return codec.FromText(classSumsKind, s, text) }
