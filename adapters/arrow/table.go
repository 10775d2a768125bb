package arrow

import (
	"context"
	"iter"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
)

// Table is the rows of shards, one shard after the other, read by a schema. Its streams are what FitBlocks takes, and the
// blocks of one what PartialFit does. Each run of a stream opens the shards anew, and the blocks of a run share memory: one is
// overwritten once the next is asked for. Of a file only the columns of the schema are read, and of Parquet some pages at a
// time, so that memory is a block, a batch of the file and the pages that it is in.
//
// An error ends a stream. Those of a file's rows name it, the column and the row.
type Table struct {
	Schema    *Schema
	Shards    []Shard
	BlockRows int   `zero:"4096"`  // rows of a block, of which the last may have fewer; 0: 4096
	MaxBytes  int64 `zero:"1 GiB"` // limit on what a block, and what a batch of a file, takes; 0: 1 GiB

	mem memory.Allocator // nil: Go's
}

// Targets is the stream of the features and the target, with weights if the schema has them. Gaps are NaN in features, and errors
// elsewhere.
func (t *Table) Targets(ctx context.Context) iter.Seq2[streaming.Block[float64], error] {
	return streamOf(ctx, t, targets, func(v float64) float64 { return v })
}

// Labels is the stream of the features and the labels, which are positions in the schema's Classes, with weights if the schema
// has them.
func (t *Table) Labels(ctx context.Context) iter.Seq2[streaming.Block[int], error] {
	return streamOf(ctx, t, labels, func(v float64) int { return int(v) })
}

// Rows is the stream of the features alone, of files that need not have more.
func (t *Table) Rows(ctx context.Context) iter.Seq2[streaming.Block[streaming.None], error] {
	return streamOf[streaming.None](ctx, t, features, nil)
}

func streamOf[Y streaming.Target](ctx context.Context, t *Table, r role, of func(float64) Y) iter.Seq2[streaming.Block[Y], error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		var y []Y
		err := t.read(ctx, r, func(b *buffer) bool {
			out := streaming.Block[Y]{X: b.matrix()}
			if of == nil {
				return yield(out, nil)
			}
			y = y[:0]
			for _, v := range b.y[:b.rows] {
				y = append(y, of(v))
			}
			out.Y = y
			if b.w != nil {
				out.Weights = b.w[:b.rows]
			}
			return yield(out, nil)
		})
		if err != nil {
			yield(streaming.Block[Y]{}, err)
		}
	}
}

// check looks at the settings.
func (t *Table) check(r role) error {
	if err := checkReading("arrow: Table", t, t.Schema, t.Shards); err != nil {
		return err
	}
	switch {
	case r == targets && t.Schema.Target == "":
		return fault.Param("arrow: Table", "Schema.Target", `""`, "a column, for a stream of targets")
	case r == labels && t.Schema.Label == "":
		return fault.Param("arrow: Table", "Schema.Label", `""`, "a column, for a stream of labels")
	}
	return nil
}

// checkReading looks at a configuration that reads shards.
func checkReading(typ string, config any, s *Schema, shards []Shard) error {
	if len(shards) == 0 {
		return fault.Param(typ, "Shards", "none", "at least one")
	}
	if err := settings.Check(typ, config); err != nil {
		return err
	}
	return s.check()
}

// read calls visit with each block until it is false.
func (t *Table) read(ctx context.Context, r role, visit func(*buffer) bool) error {
	if err := t.check(r); err != nil {
		return err
	}
	want := newRequest(t.mem, t.BlockRows, t.MaxBytes)
	want.types, want.round = t.Schema.types(), t.Schema.RoundIntegers
	buf, err := t.newBuffer(r, want)
	if err != nil {
		return err
	}
	for _, s := range t.Shards {
		if more, err := t.readShard(ctx, s, r, want, buf, visit); err != nil || !more {
			return err
		}
	}
	if buf.rows > 0 {
		visit(buf)
	}
	return nil
}

// readShard adds the rows of a shard to the buffer, and visits it whenever it is full. More is false after a visit that was.
func (t *Table) readShard(ctx context.Context, s Shard, r role, want *request, buf *buffer,
	visit func(*buffer) bool) (more bool, err error) {
	in, err := s.open(ctx, want)
	if err != nil {
		return false, err
	}
	defer in.close()
	p, err := t.Schema.plan(in.name, in.schema(), r, false)
	if err != nil {
		return false, err
	}
	if err := in.start(ctx, p.columns); err != nil {
		return false, err
	}
	for {
		some, err := in.next(ctx)
		if err != nil || !some {
			return true, err
		}
		rows := int(in.batch.NumRows())
		for from := 0; from < rows; {
			to := min(rows, from+buf.most-buf.rows)
			if err := buf.add(in, p, from, to); err != nil {
				return false, err
			}
			if from = to; buf.rows < buf.most {
				continue
			}
			if !visit(buf) {
				return false, nil
			}
			buf.rows = 0
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
	}
}

// buffer is the memory of a block.
type buffer struct {
	x, y, w    []float64
	d          int
	rows, most int
}

func (t *Table) newBuffer(r role, want *request) (*buffer, error) {
	b := &buffer{d: len(t.Schema.Features), most: want.rows}
	if bytes := 8 * float64(b.d+2) * float64(b.most); bytes > float64(want.mem.limit) {
		return nil, &fault.TooLargeError{What: "a block of rows", Bytes: int64(bytes), Limit: want.mem.limit, Hint: "fewer BlockRows"}
	}
	b.x = make([]float64, b.most*b.d)
	if r == features {
		return b, nil
	}
	b.y = make([]float64, b.most)
	if t.Schema.Weight != "" {
		b.w = make([]float64, b.most)
	}
	return b, nil
}

// add decodes rows of the current batch, for which there has to be room.
func (b *buffer) add(in *reading, p *plan, from, to int) error {
	return guarded(in.name, in.rowPlace(), func() error {
		for j := range p.features {
			if err := p.features[j].read(in.batch, in.first, from, to, b.x[b.rows*b.d+j:], b.d); err != nil {
				return err
			}
		}
		if p.y != nil {
			if err := p.y.read(in.batch, in.first, from, to, b.y[b.rows:], 1); err != nil {
				return err
			}
		}
		if p.w != nil {
			w := b.w[b.rows:]
			if err := p.w.read(in.batch, in.first, from, to, w, 1); err != nil {
				return err
			}
			for i, v := range w[:to-from] {
				if v <= 0 {
					return p.w.wrong(in.first+from+i, &cellError{in.batch.Column(p.w.at).ValueStr(from + i), "a weight above 0"})
				}
			}
		}
		b.rows += to - from
		return nil
	})
}

func (b *buffer) matrix() *mat.Dense { return mat.NewDense(b.rows, b.d, b.x[:b.rows*b.d]) }
