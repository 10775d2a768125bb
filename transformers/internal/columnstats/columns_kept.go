package columnstats

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/exact"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// The following types are summaries of a column. They ignore gaps, and N is the number of values.

// Sums holds exact moments. The results are bit-identical for any parts in any order.
type Sums struct{ exact.Moments }

func (c *Sums) add(values []float64) error {
	c.Add(slices.DeleteFunc(values, math.IsNaN))
	return nil
}

func (c *Sums) fits(*Sums) error { return nil }
func (c *Sums) merge(o *Sums)    { c.Merge(o.Moments) }
func (c *Sums) clone() *Sums     { return &Sums{c.Clone()} }

func (c *Sums) unmerge(o *Sums) error {
	c.Unmerge(o.Moments)
	return c.Valid()
}

func (c *Sums) restore(rows int, _ *Sums) error {
	if c.N > rows {
		return fmt.Errorf("%d values in %d rows", c.N, rows)
	}
	return c.Valid()
}

// Nothing is a summary that stores nothing. It is for transformers that need only the width of the rows.
type Nothing struct{}

func (c *Nothing) add([]float64) error         { return nil }
func (c *Nothing) fits(*Nothing) error         { return nil }
func (c *Nothing) merge(*Nothing)              {}
func (c *Nothing) unmerge(*Nothing) error      { return nil }
func (c *Nothing) clone() *Nothing             { return &Nothing{} }
func (c *Nothing) restore(int, *Nothing) error { return nil }

// Extremes holds the smallest and the largest value.
type Extremes struct {
	N              int
	Least, Largest float64
}

func (c *Extremes) add(values []float64) error {
	least, largest := slices.Min(values), slices.Max(values)
	c.merge(&Extremes{len(values), least, largest})
	return nil
}

func (c *Extremes) fits(*Extremes) error { return nil }

func (c *Extremes) merge(o *Extremes) {
	switch {
	case o.N == 0:
	case c.N == 0:
		*c = *o
	default:
		*c = Extremes{c.N + o.N, min(c.Least, o.Least), max(c.Largest, o.Largest)}
	}
}

func (c *Extremes) clone() *Extremes {
	out := *c
	return &out
}

func (c *Extremes) restore(rows int, _ *Extremes) error {
	if c.N != rows || !(c.Least <= c.Largest) || !(codec.Floats{c.Least, c.Largest}).Finite() {
		return fmt.Errorf("%d values from %v to %v in %d rows", c.N, c.Least, c.Largest, rows)
	}
	return nil
}

// Categories holds the distinct values of a column in ascending order, up to a limit.
type Categories struct {
	Values codec.Floats
	Gaps   bool
	limit  int
	unread bool // the column is not encoded, so its values are ignored
}

// NewCategories returns empty categories for a column. The argument encoded states whether the column is encoded.
func NewCategories(limit int, encoded bool) *Categories {
	return &Categories{limit: limit, unread: !encoded}
}

func (c *Categories) add(values []float64) error {
	if c.unread {
		return nil
	}
	if slices.ContainsFunc(values, math.IsNaN) {
		c.Gaps = true
		values = slices.DeleteFunc(values, math.IsNaN)
	}
	for i, v := range values {
		values[i] = v + 0 // makes -0 equal to 0
	}
	slices.Sort(values)
	all := merged(c.Values, slices.Compact(values))
	if len(all) > c.limit {
		return c.tooMany()
	}
	c.Values = all
	return nil
}

// merged returns the union of two ascending slices.
func merged(a, b []float64) codec.Floats {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

func (c *Categories) tooMany() error {
	return fmt.Errorf("more than %d categories: leave it out of Columns if it is a number, or raise MaxLevels: %w", c.limit,
		fault.ErrTooLarge)
}

func (c *Categories) fits(o *Categories) error {
	if !c.unread && len(merged(c.Values, o.Values)) > c.limit {
		return c.tooMany()
	}
	return nil
}

func (c *Categories) merge(o *Categories) {
	c.Values, c.Gaps = merged(c.Values, o.Values), c.Gaps || o.Gaps
}

func (c *Categories) clone() *Categories {
	out := *c
	out.Values = slices.Clone(c.Values)
	return &out
}

// List returns the categories in ascending order, with NaN last.
func (c *Categories) List() codec.Floats {
	out := slices.Clone(c.Values)
	if c.Gaps {
		out = append(out, math.NaN())
	}
	return out
}

func (c *Categories) restore(_ int, fresh *Categories) error {
	c.limit, c.unread = fresh.limit, fresh.unread
	if len(c.Values) > c.limit || c.unread && (len(c.Values) > 0 || c.Gaps) {
		return fmt.Errorf("%d categories, want at most %d", len(c.Values), c.limit)
	}
	return ascending(c.Values)
}

// ascending returns an error if the values are not strictly ascending.
func ascending(values codec.Floats) error {
	for i, v := range values {
		if v-v != 0 || i > 0 && v <= values[i-1] {
			return fmt.Errorf("values that are not finite or not ascending")
		}
	}
	return nil
}

// Counts holds the counts of up to MostCounted distinct values, in ascending order of the values.
type Counts struct {
	N      int
	Values codec.Floats
	Counts []int
}

func (c *Counts) add(values []float64) error {
	values = slices.DeleteFunc(values, math.IsNaN)
	for i, v := range values {
		values[i] = v + 0 // makes -0 equal to 0
	}
	slices.Sort(values)
	piece := &Counts{N: len(values)}
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			piece.Values, piece.Counts = append(piece.Values, v), append(piece.Counts, 0)
		}
		piece.Counts[len(piece.Counts)-1]++
	}
	if err := c.fits(piece); err != nil {
		return err
	}
	c.merge(piece)
	return nil
}

func (c *Counts) fits(o *Counts) error {
	if len(c.Values)+len(o.Values) > MostCounted && len(merged(c.Values, o.Values)) > MostCounted {
		return fmt.Errorf("more than %d different values: take Mean or Median: %w", MostCounted, fault.ErrTooLarge)
	}
	return nil
}

func (c *Counts) merge(o *Counts) {
	all := Counts{N: c.N + o.N}
	for i, j := 0, 0; i < len(c.Values) || j < len(o.Values); {
		switch {
		case j == len(o.Values) || i < len(c.Values) && c.Values[i] < o.Values[j]:
			all.Values, all.Counts = append(all.Values, c.Values[i]), append(all.Counts, c.Counts[i])
			i++
		case i == len(c.Values) || o.Values[j] < c.Values[i]:
			all.Values, all.Counts = append(all.Values, o.Values[j]), append(all.Counts, o.Counts[j])
			j++
		default:
			all.Values, all.Counts = append(all.Values, c.Values[i]), append(all.Counts, c.Counts[i]+o.Counts[j])
			i, j = i+1, j+1
		}
	}
	*c = all
}

func (c *Counts) unmerge(o *Counts) error {
	left := Counts{N: c.N - o.N}
	j := 0
	for i, v := range c.Values {
		k := c.Counts[i]
		if j < len(o.Values) && o.Values[j] == v {
			k -= o.Counts[j]
			j++
		}
		switch {
		case k < 0:
			return fmt.Errorf("%v %d times fewer than the removed rows", v, -k)
		case k > 0:
			left.Values, left.Counts = append(left.Values, v), append(left.Counts, k)
		}
	}
	if j < len(o.Values) {
		return fmt.Errorf("no %v, which the removed rows contain", o.Values[j])
	}
	*c = left
	return nil
}

func (c *Counts) clone() *Counts { return &Counts{c.N, slices.Clone(c.Values), slices.Clone(c.Counts)} }

// MostFrequent returns the most frequent value, or the smallest of them in a tie. Without values it returns 0.
func (c *Counts) MostFrequent() float64 {
	value, count := 0.0, 0
	for i, v := range c.Values {
		if c.Counts[i] > count {
			value, count = v, c.Counts[i]
		}
	}
	return value
}

func (c *Counts) restore(rows int, _ *Counts) error {
	total := 0
	for _, k := range c.Counts {
		if k < 1 || k > rows {
			return fmt.Errorf("a value that occurs %d times in %d rows", k, rows)
		}
		total += k
	}
	if len(c.Values) != len(c.Counts) || len(c.Values) > MostCounted || total != c.N || c.N > rows {
		return fmt.Errorf("%d counts of %d values, %d in %d rows", len(c.Counts), len(c.Values), c.N, rows)
	}
	return ascending(c.Values)
}

func NewSums(int) *Sums { return &Sums{} }

// Ranks is a sketch of the order of the values.
type Ranks struct{ Sketch }

// NewRanks returns empty ranks.
func NewRanks() *Ranks { return &Ranks{} }

// NewRankStatistics returns empty statistics for a transformer that is based on ranks.
func NewRankStatistics(typeName string, gaps bool) *Statistics[*Ranks] {
	return &Statistics[*Ranks]{
		Type: typeName, Settings: fmt.Sprintf("(Gaps %v)", gaps),
		Gap:   func(int) bool { return gaps },
		Fresh: func(int) *Ranks { return NewRanks() },
	}
}

func (c *Ranks) add(values []float64) error {
	c.Sketch.add(slices.DeleteFunc(values, math.IsNaN))
	return nil
}

func (c *Ranks) fits(*Ranks) error { return nil }
func (c *Ranks) merge(o *Ranks)    { c.Sketch.merge(&o.Sketch) }
func (c *Ranks) clone() *Ranks     { return &Ranks{*c.Sketch.clone()} }

type storedRanks struct {
	N              int
	Least, Largest float64
	Levels         []storedLevel
}

type storedLevel struct {
	Values          codec.Floats
	Firsts, Seconds int
}

// MarshalBinary encodes the sketch.
func (c *Ranks) MarshalBinary() ([]byte, error) {
	out := storedRanks{N: c.N, Least: c.Least, Largest: c.Largest}
	for _, l := range c.levels {
		out.Levels = append(out.Levels, storedLevel{l.values, l.firsts, l.seconds})
	}
	return codec.Marshal(ranksKind, rowmap.Version, out)
}

const ranksKind = "transformers.ranks"

// UnmarshalBinary decodes the output of MarshalBinary.
func (c *Ranks) UnmarshalBinary(data []byte) error {
	var in storedRanks
	if _, err := codec.Unmarshal(data, ranksKind, rowmap.Version, &in); err != nil {
		return err
	}
	c.Sketch = Sketch{N: in.N, Least: in.Least, Largest: in.Largest}
	for _, l := range in.Levels {
		c.levels = append(c.levels, level{l.Values, l.Firsts, l.Seconds})
	}
	return nil
}

func (c *Ranks) restore(rows int, _ *Ranks) error {
	if len(c.levels) > 48 {
		return fmt.Errorf("%d levels of a sketch", len(c.levels))
	}
	total := 0
	for h, l := range c.levels {
		total += len(l.values) << h
		if len(l.values) >= SketchBuffer || l.firsts < 0 || l.seconds < 0 || l.firsts+l.seconds > c.N>>h/SketchBuffer {
			return fmt.Errorf("%d values in level %d of a sketch, emptied %d and %d times", len(l.values), h, l.firsts, l.seconds)
		}
		for _, v := range l.values {
			if !(v >= c.Least && v <= c.Largest) {
				return fmt.Errorf("a value %v that is not from %v to %v", v, c.Least, c.Largest)
			}
		}
	}
	if total != c.N || c.N > rows || !(codec.Floats{c.Least, c.Largest}).Finite() {
		return fmt.Errorf("a sketch of weight %d, of %d values in %d rows", total, c.N, rows)
	}
	return nil
}
