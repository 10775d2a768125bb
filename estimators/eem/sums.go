package eem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowsample"
	"github.com/kernelearn/kernelearn/streaming"
)

// sums holds the statistics of a stage. They are either a sample of the rows, on which units are centred, or the moments of the
// classes in the features of given units.
type sums struct {
	c      fitSettings
	sample *rowsample.Sample // in the first of two stages; nil otherwise
	of     map[int]*moments.Moments
	units  string         // identifies the units, in addition to the settings
	layer  features.Layer // nil if the units depend only on the width, which is not yet known
	n, d   int
}

// newSums returns statistics without rows. They are for the sample if it is not nil, and for the classes otherwise.
func (c fitSettings) newSums(sample *rowsample.Sample, l features.Layer, units string) *sums {
	s := &sums{c: c, sample: sample, layer: l, units: units}
	if sample == nil {
		s.of = map[int]*moments.Moments{}
	}
	return s
}

// String returns the name of the statistics, with the settings on which they depend.
func (s *sums) String() string {
	what := "classes"
	if s.sample != nil {
		what = fmt.Sprintf("a sample of %d rows", s.sample.Limit)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s: %s %s", s.c.typ, s.c.signature, what, s.units))
}

// Rows implements streaming.Statistics.
func (s *sums) Rows() int { return s.n }

// Clone implements streaming.Statistics.
func (s *sums) Clone() streaming.Statistics[int] { return s.copied() }

func (s *sums) copied() *sums {
	out := *s
	if s.sample != nil {
		sample := s.sample.Clone()
		out.sample = &sample
	}
	out.of = map[int]*moments.Moments{}
	for label, of := range s.of {
		out.of[label] = of.Clone()
	}
	return &out
}

// AddBlock implements streaming.Statistics. For classes it costs O(nhd + nh²) for h features.
func (s *sums) AddBlock(ctx context.Context, b streaming.Block[int]) (err error) {
	defer fault.RecoverAs(s.c.typ, &err)
	ctx = check.Context(ctx)
	x, err := check.Labelled(b.X, len(b.Y))
	if err != nil {
		return err
	}
	n, d := x.Dims()
	if s.d > 0 && d != s.d {
		return fault.Shape("x has", d, "columns", "the statistics have %d", s.d)
	}
	for i, label := range b.Y {
		if _, ok := slices.BinarySearch(s.c.labels, label); !ok && s.c.labels != nil {
			return fault.Param(s.c.typ, fmt.Sprintf("y[%d]", i), label, fmt.Sprintf("one of the classes %v", s.c.labels))
		}
	}
	if b.Weights != nil {
		if err := check.Weights(s.c.typ, b.Weights, n); err != nil {
			return err
		}
	}
	if s.sample != nil {
		part := s.sample.Pick(x)
		if err := ctx.Err(); err != nil {
			return err
		}
		s.sample.Merge(part)
		s.n, s.d = s.n+n, d
		return nil
	}
	l, err := s.features(ctx, d)
	if err != nil {
		return err
	}
	m := &model{fitSettings: s.c, layer: l, width: d, classes: classes.Distinct(b.Y)}
	parts, err := m.take(ctx, rows{x: x, y: b.Y, weights: b.Weights}, []int{l.Width(math.MaxInt)}, nil)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	s.layer, s.n, s.d = l, s.n+n, d
	for k, label := range m.classes {
		if err := s.absorb(label, parts[0][k]); err != nil {
			return err
		}
	}
	return nil
}

// features returns the layer for rows with d columns, which it draws if necessary.
func (s *sums) features(ctx context.Context, d int) (features.Layer, error) {
	if s.layer != nil {
		return s.layer, nil
	}
	if err := check.Numbers(fmt.Sprintf("%s: a row of %d columns", s.c.typ, d), float64(d), "take fewer columns"); err != nil {
		return nil, err
	}
	l, err := s.c.draw(ctx, mat.NewDense(1, d, nil))
	if err != nil {
		return nil, err
	}
	if have, want := s.dim(), l.Width(math.MaxInt); have > 0 && have != want { // read from a file
		return nil, fault.Shape("the statistics have", have, "features", "there are %d", want)
	}
	return l, nil
}

// dim returns the number of features, or 0 if it is not known yet.
func (s *sums) dim() int {
	if s.layer != nil {
		return s.layer.Width(math.MaxInt)
	}
	for _, of := range s.of {
		return len(of.Means)
	}
	return 0
}

func (s *sums) absorb(label int, of *moments.Moments) error {
	if s.of[label] == nil {
		s.of[label] = &moments.Moments{}
	}
	return s.of[label].Absorb(of)
}

// like returns other as *sums, or an error if its name differs.
func (s *sums) like(other streaming.Statistics[int]) (*sums, error) {
	o, ok := other.(*sums)
	if ok && o != nil && o.String() == s.String() {
		return o, nil
	}
	name := "nil"
	if !check.IsNil(other) {
		name = fmt.Sprintf("those of a %T", other)
		if o, ok := other.(fmt.Stringer); ok {
			name = "those of " + o.String()
		}
	}
	return nil, fault.Param(s.c.typ, "statistics", name, "those of "+s.String())
}

// Merge implements streaming.Statistics.
func (s *sums) Merge(other streaming.Statistics[int]) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	if s.d > 0 && o.n > 0 && o.d != s.d {
		return fault.Shape("the other statistics have", o.d, "columns", "these have %d", s.d)
	}
	if o.n == 0 {
		return nil
	}
	if have, got := s.dim(), o.dim(); have > 0 && got > 0 && have != got {
		return fault.Shape("the other statistics have", got, "features", "these have %d", have)
	}
	o = o.copied()
	if s.sample != nil {
		s.sample.Merge(o.sample)
	}
	for label, of := range o.of {
		if err := s.absorb(label, of); err != nil {
			return err
		}
	}
	s.n, s.d = s.n+o.n, o.d
	if o.layer != nil {
		s.layer = o.layer
	}
	return nil
}

type storedSums struct {
	Of          string
	Rows, Width int
	Sample      codec.Matrix
	Classes     []int
	Statistics  [][]byte
}

func (s *sums) kind() string { return strings.Replace(s.c.typ, ": ", ".", 1) + " statistics" }

// MarshalBinary implements streaming.Statistics.
func (s *sums) MarshalBinary() ([]byte, error) {
	out := storedSums{Of: s.String(), Rows: s.n, Classes: slices.Sorted(maps.Keys(s.of))}
	if s.n > 0 {
		out.Width = s.d
	}
	if s.sample != nil {
		out.Sample = s.sample.Store()
	}
	for _, label := range out.Classes {
		data, err := s.of[label].MarshalBinary()
		if err != nil {
			return nil, err
		}
		out.Statistics = append(out.Statistics, data)
	}
	return codec.Marshal(s.kind(), version, out)
}

// UnmarshalBinary implements streaming.Statistics.
func (s *sums) UnmarshalBinary(data []byte) error {
	kind := s.kind()
	var in storedSums
	if _, err := codec.Unmarshal(data, kind, version, &in); err != nil {
		return err
	}
	switch {
	case in.Of != s.String():
		return fault.BadModel(kind, "those of %s, these are of %s", in.Of, s)
	case in.Rows < 0 || (in.Rows == 0) != (in.Width == 0) || in.Width < 0 || len(in.Classes) != len(in.Statistics):
		return fault.BadModel(kind, "%d rows of %d columns, %d classes and %d statistics", in.Rows, in.Width, len(in.Classes),
			len(in.Statistics))
	case in.Rows > 0 && s.units != "" && in.Width != s.d:
		return fault.BadModel(kind, "rows of %d columns, the units have %d", in.Width, s.d)
	case len(in.Classes) > 0 && (s.sample != nil || in.Rows == 0) || !slices.IsSorted(in.Classes):
		return fault.BadModel(kind, "classes %v of %d rows", in.Classes, in.Rows)
	}
	out := s.c.newSums(nil, nil, s.units)
	if out.n, out.d = in.Rows, in.Width; s.units != "" {
		out.layer, out.d = s.layer, s.d
	}
	if s.sample != nil {
		sample, err := s.sample.Restore(in.Sample, in.Rows, in.Width)
		if err != nil {
			return fault.BadModel(kind, "%v", err)
		}
		out.sample, out.of = &sample, nil
	}
	if err := out.restoreClasses(kind, in); err != nil {
		return err
	}
	*s = *out
	return nil
}

func (s *sums) restoreClasses(kind string, in storedSums) error {
	// Units that depend only on the settings and the width are not drawn here, but when they are needed. If the width in a file is
	// wrong, its units could need far more memory than the file.
	features := s.dim()
	for k, label := range in.Classes {
		of := &moments.Moments{}
		if err := of.UnmarshalBinary(in.Statistics[k]); err != nil {
			return fmt.Errorf("%s: class %d: %w", kind, label, err)
		}
		if k == 0 && features == 0 {
			features = len(of.Means)
		}
		_, known := slices.BinarySearch(s.c.labels, label)
		if len(of.Means) != features || features == 0 || s.of[label] != nil || s.c.labels != nil && !known {
			return fault.BadModel(kind, "class %d in %d features, there are %d", label, len(of.Means), features)
		}
		s.of[label] = of
	}
	return nil
}

// model returns the model with the moments of the classes, whose system is not yet solved.
func (s *sums) model(ctx context.Context) (*model, error) {
	if s.n == 0 {
		return nil, fmt.Errorf("%s: %w", s.c.typ, fault.Shape("the statistics have", 0, "rows", "want at least 1"))
	}
	l, err := s.features(ctx, s.d)
	if err != nil {
		return nil, err
	}
	m := &model{fitSettings: s.c, layer: l, width: s.d, classes: slices.Clone(s.c.labels)}
	if m.classes == nil {
		m.classes = slices.Sorted(maps.Keys(s.of))
	}
	if err := s.c.fits(m.classes); err != nil {
		return nil, err
	}
	for _, label := range m.classes {
		of := &moments.Moments{}
		if s.of[label] != nil {
			of = s.of[label].Clone()
		}
		m.stats = append(m.stats, of)
	}
	if err := m.complete(); err != nil {
		return nil, err
	}
	return m, ctx.Err()
}

// digest returns a digest of data that identifies units.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// MarshalText implements encoding.TextMarshaler. In JSON the bytes are a base64 string.
func (s *sums) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *sums) UnmarshalText(text []byte) error { return codec.FromText(s.kind(), s, text) }
