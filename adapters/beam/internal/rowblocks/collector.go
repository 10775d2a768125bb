package rowblocks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Metrics is the namespace of the counters.
const Metrics = "kernelearn"

// These are the counters of a pass.
var (
	RowsRead = beam.NewCounter(Metrics, "rows")
	RowsBad  = beam.NewCounter(Metrics, "bad_rows")
	ranges   = beam.NewCounter(Metrics, "ranges")
)

// Collector collects the rows of a bundle, and passes them to Receive in blocks.
type Collector struct {
	Layout  *Layout
	file    string
	parquet bool
	MaxBad  int
	rows    Block
	Known   Census
	counted struct{ rows, bad int64 } // rows that the counters already include
	Receive func(ctx context.Context, b *Block) (at int, err error)
}

// Begin empties the collector for another bundle.
func (c *Collector) Begin() {
	c.rows.reset()
	c.Known = Census{Limit: c.MaxBad + 1}
	c.counted.rows, c.counted.bad = 0, 0
}

// done reports whether the pass is certain to fail, so that no more rows need to be read.
func (c *Collector) done() bool { return c.Known.Fault != nil || c.Known.Bad > int64(c.MaxBad) }

// closeRow completes the row whose numbers were appended last.
func (c *Collector) closeRow(ctx context.Context, at int64, id string) error {
	c.rows.Places = append(c.rows.Places, Place{c.file, at, id})
	h := c.rows.Hash(c.rows.Rows() - 1)
	c.rows.Hashes = append(c.rows.Hashes, h)
	if c.rows.Rows() >= c.rows.limit() {
		return c.Flush(ctx)
	}
	return nil
}

// Flush passes the collected rows to Receive.
func (c *Collector) Flush(ctx context.Context) error {
	n := c.rows.Rows()
	if n == 0 {
		return ctx.Err()
	}
	defer c.rows.reset()
	if c.Known.Fault != nil {
		return nil
	}
	if at, err := c.Receive(ctx, &c.rows); err != nil {
		if ctx.Err() != nil || errors.Is(err, context.Canceled) {
			return err
		}
		p := c.rows.Places[at]
		c.Known.Fault = &Finding{File: p.File, At: p.At, ID: p.ID, Parquet: c.parquet, Reason: err.Error(), Kind: kindOf(err)}
		return nil
	}
	c.Known.Rows += int64(n)
	for _, h := range c.rows.Hashes {
		c.Known.Hash += h | 1 // odd, so every row changes the sum
	}
	c.Count(ctx)
	return nil
}

// Count updates the metrics.
func (c *Collector) Count(ctx context.Context) {
	RowsRead.Inc(ctx, c.Known.Rows-c.counted.rows)
	RowsBad.Inc(ctx, c.Known.Bad-c.counted.bad)
	c.counted.rows, c.counted.bad = c.Known.Rows, c.Known.Bad
}

// leaveOut counts a row that is left out, and records it if it is one of the first.
func (c *Collector) leaveOut(at int64, id, reason, text string) {
	c.Known.Bad++
	c.Known.keepFirst(Finding{File: c.file, At: at, ID: strings.ToValidUTF8(id, "\ufffd"), Parquet: c.parquet,
		Reason: strings.ToValidUTF8(reason, "\ufffd"),
		Text:   strings.ToValidUTF8(text[:min(len(text), maxText)], "\ufffd")})
}

// fault ends the pass because of an error at an offset of the file. If at is -1, the error concerns the entire file.
func (c *Collector) fault(at int64, err error) {
	f := newFinding(c.file, at, strings.TrimPrefix(err.Error(), c.file+": "), err)
	f.Parquet = c.parquet
	if c.Known.Fault == nil || f.compare(*c.Known.Fault) < 0 {
		c.Known.Fault = f
	}
}

// stop ends the pass if err is an error of the data, at an offset of the file. It returns all other errors.
func (c *Collector) stop(at int64, err error, s span) error {
	if err != errOpenQuote && err != errLongLine {
		return err
	}
	c.fault(at, err)
	s.Finish()
	return nil
}

// openFault ends the pass if opening a file returned a Finding as its error. It returns any other error.
func (c *Collector) openFault(err error) error {
	var f *Finding
	if !errors.As(err, &f) {
		return err
	}
	c.Known.Fault = f
	return nil
}

// ReadRange collects the rows in a range of a file.
func (c *Collector) ReadRange(ctx context.Context, s Shard, part span) error {
	ranges.Inc(ctx, 1)
	if c.done() {
		part.Finish()
		return nil
	}
	c.file, c.parquet = s.Path, c.Layout.parquet(s.Path)
	var err error
	if c.parquet {
		err = c.Layout.parquetRange(ctx, s.Path, part, c)
	} else {
		err = c.Layout.csvRange(ctx, s.Path, part, c)
	}
	if err == nil { // flush, because a block has rows of only one file
		err = c.Flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("kernelbeam: %s: %w", s.Path, err)
	}
	return nil
}

// Row adds an element of a PCollection.
func (c *Collector) Row(ctx context.Context, x []float64, y, weight float64, id string) error {
	if c.done() {
		return nil
	}
	b := &c.rows
	if b.Rows() > 0 && len(x) != b.Width { // statistics check the width of their rows
		if err := c.Flush(ctx); err != nil {
			return err
		}
	}
	wrong := error(nil)
	for j, v := range x {
		if math.IsInf(v, 0) && wrong == nil {
			wrong = fmt.Errorf("column %d: %v is not finite", j, v)
		}
	}
	one := Block{Width: len(x), X: x}
	switch {
	case wrong != nil:
	case len(x) == 0:
		wrong = errors.New("no columns")
	case !c.Layout.Labelled:
		wrong = one.appendTarget(y)
	case y != math.Trunc(y) || math.Abs(y) > 1<<53:
		wrong = fmt.Errorf("the label %v is no whole number", y)
	default:
		one.Labels = []int{int(y)}
	}
	if weight == 0 {
		weight = 1
	}
	if wrong == nil {
		wrong = one.appendWeight(weight)
	}
	if wrong == nil && !utf8.ValidString(id) {
		wrong = fmt.Errorf("the ID %q is not UTF-8", id)
	}
	if wrong != nil {
		c.leaveOut(0, id, wrong.Error(), strconv.Quote(id))
		return nil
	}
	b.appendNumbers(&one, 0)
	return c.closeRow(ctx, 0, id)
}
