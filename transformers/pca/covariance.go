package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/moments"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// covariance holds the means of the columns and the products of the differences from these means, in units of 2^exponent. The
// exponent is 0, except for rows whose largest number has a square that overflows or underflows.
type covariance struct {
	exponent int
	gram     moments.Gram
}

// farExponent is the exponent if a number is above 2^squareExponent. If all numbers are below 2^-squareExponent, the exponent is
// -farExponent.
const farExponent, squareExponent = 700, 400

func exponentFor(x *mat.Dense) int {
	n, _ := x.Dims()
	largest := 0.0
	for i := range n {
		largest = max(largest, columnstats.LargestMagnitude(x.RawRowView(i)))
	}
	switch {
	case largest > 0x1p400:
		return farExponent
	case largest > 0 && largest < 0x1p-400:
		return -farExponent
	}
	return 0
}

// inUnits returns x·2^-e, or x itself if e is 0.
func inUnits(x *mat.Dense, e int) *mat.Dense {
	if e == 0 {
		return x
	}
	out := &mat.Dense{}
	out.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, -e) }, x)
	return out
}

// covariancePiece is the number of rows that are summed at a time. It is constant, so that the results for blocks of any sizes are
// bit-identical.
const covariancePiece = 1024

// add adds rows.
func (c *covariance) add(ctx context.Context, x *mat.Dense) error {
	n, d := x.Dims()
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for from := 0; from < n; from += covariancePiece {
		loop.Report(float64(from) / float64(n))
		piece := x.Slice(from, min(from+covariancePiece, n), 0, d).(*mat.Dense)
		e := exponentFor(piece)
		g, err := moments.NewGram(ctx, inUnits(piece, e), nil)
		if err != nil {
			return err
		}
		c.merge(&covariance{e, *g})
	}
	return ctx.Err()
}

// merge adds the rows of o, which have the same width. It does not change o.
func (c *covariance) merge(o *covariance) {
	switch {
	case o.gram.N == 0:
		return
	case c.gram.N == 0:
		c.exponent, c.gram = o.exponent, *o.gram.Clone()
		return
	}
	e := max(c.exponent, o.exponent)
	c.setUnit(e)
	if o.exponent != e {
		o = &covariance{o.exponent, *o.gram.Clone()}
		o.setUnit(e)
	}
	c.gram.Merge(&o.gram)
}

// setUnit changes the units.
func (c *covariance) setUnit(e int) {
	by := c.exponent - e
	if by == 0 {
		return
	}
	c.exponent = e
	for j := range c.gram.Mean {
		c.gram.Mean[j], c.gram.Low[j] = math.Ldexp(c.gram.Mean[j], by), math.Ldexp(c.gram.Low[j], by)
	}
	d := len(c.gram.Mean)
	for i := range d {
		for j := i; j < d; j++ {
			c.gram.S.SetSym(i, j, math.Ldexp(c.gram.S.At(i, j), 2*by))
		}
	}
}

// covarianceStatistics holds the statistics of PCA.
type covarianceStatistics struct {
	typ string
	covariance
}

// String returns the name.
func (s *covarianceStatistics) String() string { return s.typ }

// Rows implements Statistics.
func (s *covarianceStatistics) Rows() int { return s.gram.N }

// Clone implements Statistics.
func (s *covarianceStatistics) Clone() streaming.Statistics[streaming.None] {
	return &covarianceStatistics{s.typ, covariance{s.exponent, *s.gram.Clone()}}
}

// AddBlock implements Statistics. It costs O(nd²).
func (s *covarianceStatistics) AddBlock(ctx context.Context, b streaming.Block[streaming.None]) (err error) {
	defer fault.RecoverAs(pcaName, &err)
	ctx = check.Context(ctx)
	rows, err := rowmap.BlockRows(s.typ, b, nil)
	if err != nil {
		return err
	}
	_, d := rows.Dims()
	if s.gram.N > 0 && d != len(s.gram.Mean) {
		return fault.Shape("x has", d, "columns", "the statistics have %d", len(s.gram.Mean))
	}
	if err := wideCovariance(s.typ, d); err != nil {
		return err
	}
	var block covariance
	if err := block.add(ctx, rows); err != nil {
		return err
	}
	s.merge(&block)
	return nil
}

// wideCovariance returns an error if the covariances of d columns do not fit into memory.
func wideCovariance(typ string, d int) error {
	return check.Numbers(fmt.Sprintf("%s: the covariances of %d columns", typ, d), 3*float64(d)*float64(d),
		"take fewer columns, or Fit on fewer rows")
}

// like returns other if it holds statistics of the same type. Otherwise it returns an error.
func (s *covarianceStatistics) like(other streaming.Statistics[streaming.None]) (*covarianceStatistics, error) {
	o, ok := other.(*covarianceStatistics)
	if !ok || o == nil || o.typ != s.typ {
		return nil, rowmap.OtherStatistics(s.typ, other, s)
	}
	return o, nil
}

// Merge implements Statistics.
func (s *covarianceStatistics) Merge(other streaming.Statistics[streaming.None]) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	if s.gram.N > 0 && o.gram.N > 0 && len(o.gram.Mean) != len(s.gram.Mean) {
		return fault.Shape("the other statistics have", len(o.gram.Mean), "columns", "these have %d", len(s.gram.Mean))
	}
	if o == s {
		o = o.Clone().(*covarianceStatistics)
	}
	s.merge(&o.covariance)
	return nil
}

type storedCovariance struct {
	Exponent int
	Gram     moments.Stored
}

func (s *covarianceStatistics) kind() string {
	return rowmap.FileKind(s.typ) + " statistics"
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *covarianceStatistics) MarshalBinary() ([]byte, error) {
	stored := storedCovariance{Exponent: s.exponent}
	if s.gram.N > 0 {
		stored.Gram = s.gram.Store()
	}
	return codec.Marshal(s.kind(), rowmap.Version, stored)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *covarianceStatistics) UnmarshalBinary(data []byte) error {
	kind := s.kind()
	var in storedCovariance
	if _, err := codec.Unmarshal(data, kind, rowmap.Version, &in); err != nil {
		return err
	}
	g, err := in.Gram.Gram()
	switch {
	case err != nil:
		return fault.BadModel(kind, "%v", err)
	case in.Exponent != 0 && in.Exponent != farExponent && in.Exponent != -farExponent || g.N == 0 && in.Exponent != 0:
		return fault.BadModel(kind, "%d rows in units of 2^%d", g.N, in.Exponent)
	case float64(g.N) != g.Weight:
		return fault.BadModel(kind, "%d rows of weight %v", g.N, g.Weight)
	}
	s.covariance = covariance{in.Exponent, *g}
	return nil
}

// MarshalText implements encoding.TextMarshaler, so that JSON holds the bytes as a base64 string.
func (s *covarianceStatistics) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *covarianceStatistics) UnmarshalText(text []byte) error {
	return codec.FromText(s.kind(), s, text)
}

func (s *covarianceStatistics) ColumnCount() int { return len(s.gram.Mean) }
