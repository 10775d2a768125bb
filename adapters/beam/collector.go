package kernelbeam

import (
	"context"
	"errors"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
)

// The metrics of a pass.
const metricsName = "kernelearn"

var (
	rowsRead = beam.NewCounter(metricsName, "rows")
	rowsBad  = beam.NewCounter(metricsName, "bad_rows")
	ranges   = beam.NewCounter(metricsName, "ranges")
)

// span is a range of a file that is being read.
type span interface {
	start() int64
	// claim reports whether what begins at an offset belongs to the range.
	claim(at int64) bool
	// finish says that there is no more to be read of the range.
	finish()
}

// tracked is a range that the engine may shorten at any time.
type tracked struct{ of *sdf.LockRTracker }

func (s tracked) restriction() offsetrange.Restriction {
	return s.of.GetRestriction().(offsetrange.Restriction)
}

func (s tracked) start() int64        { return s.restriction().Start }
func (s tracked) claim(at int64) bool { return s.of.TryClaim(at) }

func (s tracked) finish() {
	if !s.of.IsDone() {
		s.of.TryClaim(s.restriction().End)
	}
}

// collector takes the rows of a bundle one by one, and hands them on in blocks.
type collector struct {
	read    *reading
	file    string
	parquet bool
	maxBad  int
	rows    block
	known   census
	counted struct{ rows, bad int64 } // what the metrics have
	full    func(ctx context.Context, b *block) (at int, err error)
}

// begin empties it for another bundle.
func (c *collector) begin() {
	c.rows.reset()
	c.known = census{Limit: c.maxBad + 1}
	c.counted.rows, c.counted.bad = 0, 0
}

// done reports whether there is no use in reading on.
func (c *collector) done() bool { return c.known.Fault != nil || c.known.Bad > int64(c.maxBad) }

// took closes the row whose numbers were appended last.
func (c *collector) took(ctx context.Context, at int64, id string) error {
	c.rows.places = append(c.rows.places, place{c.file, at, id})
	h := c.rows.hash(c.rows.rows() - 1)
	c.rows.hashes = append(c.rows.hashes, h)
	if c.rows.rows() >= c.rows.limit() {
		return c.flush(ctx)
	}
	return nil
}

// flush hands on what there is.
func (c *collector) flush(ctx context.Context) error {
	n := c.rows.rows()
	if n == 0 {
		return ctx.Err()
	}
	defer c.rows.reset()
	if c.known.Fault != nil {
		return nil
	}
	if at, err := c.full(ctx, &c.rows); err != nil {
		if ctx.Err() != nil || errors.Is(err, context.Canceled) {
			return err
		}
		p := c.rows.places[at]
		c.known.Fault = &finding{File: p.file, At: p.at, ID: p.id, Parquet: c.parquet, Reason: err.Error(), Kind: kindOf(err)}
		return nil
	}
	c.known.Rows += int64(n)
	for _, h := range c.rows.hashes {
		c.known.Hash += h | 1 // no row is nothing
	}
	c.count(ctx)
	return nil
}

// count brings the metrics up to date.
func (c *collector) count(ctx context.Context) {
	rowsRead.Inc(ctx, c.known.Rows-c.counted.rows)
	rowsBad.Inc(ctx, c.known.Bad-c.counted.bad)
	c.counted.rows, c.counted.bad = c.known.Rows, c.known.Bad
}

// badRow leaves a row out.
func (c *collector) badRow(at int64, id, reason, text string) {
	c.known.Bad++
	c.known.leave(finding{File: c.file, At: at, ID: strings.ToValidUTF8(id, "\ufffd"), Parquet: c.parquet,
		Reason: strings.ToValidUTF8(reason, "\ufffd"),
		Text:   strings.ToValidUTF8(text[:min(len(text), maxText)], "\ufffd")})
}

// fault ends the pass for what the file, from an offset on, says; -1 for all of it.
func (c *collector) fault(at int64, err error) {
	f := &finding{File: c.file, At: at, Parquet: c.parquet, Reason: err.Error(), Kind: kindOf(err)}
	if c.known.Fault == nil || f.compare(*c.known.Fault) < 0 {
		c.known.Fault = f
	}
}

// stop ends the pass for what a reader says of the data at an offset; other errors of reading it returns.
func (c *collector) stop(at int64, err error, s span) error {
	if err != errOpenQuote && err != errLongLine {
		return err
	}
	c.fault(at, err)
	s.finish()
	return nil
}

// faulty is fault for what a file says that was opened, and returns what is no DataError.
func (c *collector) faulty(err error) error {
	var data *DataError
	if !errors.As(err, &data) {
		return err
	}
	at := int64(-1)
	if data.Line > 0 {
		at = 0
	}
	c.known.Fault = &finding{File: data.File, At: at, Parquet: c.parquet, Reason: data.Reason, Kind: kindOf(data.Err)}
	return nil
}
