package arrow

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// defaultPrediction is the default Name of a Predictor.
const defaultPrediction = "prediction"

// Predictor predicts the rows of files, and writes them to a Parquet file with the predictions as additional columns. If Name is
// "", the columns of [table.Predictions] are called:
//
//   - prediction: a number, or a class; a class is a text, or an integer if all classes are integers;
//   - prediction_low and prediction_high, with Interval;
//   - prediction_of_C for the probability of each class C, if the estimator has probabilities.
type Predictor struct {
	Model     *table.Model // fitted, or built from a schema and an estimator by [table.Bind]
	Name      string       // name of the column; "": prediction
	Interval  float64      // level of the interval; 0: none
	BlockRows int          // rows predicted at a time; 0: 4096

	// If Observe is not nil, it is called after each block. The Step holds the number of blocks as its Iteration, the number of
	// rows so far as its Objective, and the name of the shard as its Message.
	Observe func(estimators.Step)

	mem memory.Allocator // nil: Go's
}

const predictorName = "arrow: Predictor"

// Write predicts the rows of shards, which must have the same columns, and writes them to the Parquet file named to. It returns the
// number of rows. Columns that are not features are copied. The columns of a CSV file are copied as texts. Write creates the
// complete file or nothing: if it fails, or if ctx ends, a previous file is kept.
//
// It returns the errors of [table.Source.Tables] and [table.Model.Predict]. It returns ErrParam if a column already has the name of
// a prediction, or if the columns of a shard differ from those of the first. If Interval is set and the estimator has no intervals,
// the error wraps errors.ErrUnsupported.
func (p *Predictor) Write(ctx context.Context, to string, shards ...Shard) (rows int, err error) {
	defer check.Begin(&ctx)(&err)
	if err := p.check(shards); err != nil {
		return 0, err
	}
	w := &writing{p: p, to: to, many: len(shards) > 1}
	err = atomicfile.Write(to, func(f io.Writer) error {
		w.file = f
		for _, s := range shards {
			if err := w.shard(ctx, s); err != nil {
				w.out.discard()
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			w.out.discard()
			return err
		}
		return w.out.close()
	})
	if err != nil {
		return 0, err
	}
	return w.rows, nil
}

func (p *Predictor) check(shards []Shard) error {
	switch {
	case len(shards) == 0:
		return fault.Param(predictorName, "shards", "none", "at least one")
	case p.Model == nil:
		return fault.Param(predictorName, "Model", nil, "a fitted model")
	case p.Model.Schema() == nil:
		return fault.NotFitted("table.Model")
	case !(p.Interval >= 0 && p.Interval < 1):
		return fault.Param(predictorName, "Interval", p.Interval, "0 for none, or above 0 and below 1")
	case p.Interval > 0 && !estimators.Supports(p.Model.Fitted(), estimators.Interval):
		return estimators.Unsupported(predictorName, p.Model.Fitted(), estimators.Interval)
	case p.BlockRows < 0:
		return fault.Param(predictorName, "BlockRows", p.BlockRows, ">= 1, or 0 for 4096")
	}
	return check.Text(predictorName, "Name", p.Name)
}

// name returns the name of the first column of predictions.
func (p *Predictor) name() string {
	if p.Name == "" {
		return defaultPrediction
	}
	return p.Name
}

// fields returns the fields of the prediction columns. They do not depend on rows, because a file may have none.
func (p *Predictor) fields() (out []arrow.Field) {
	s := p.Model.Schema()
	none := &table.Predictions{}
	switch {
	case s.Task == table.Classification:
		none.Classes, none.ClassNames = []string{}, s.Classes()
		if estimators.Supports(p.Model.Fitted(), estimators.Proba) {
			none.Proba = mat.NewDense(1, len(none.ClassNames), nil)
		}
	case p.Interval > 0:
		none.Low, none.High = []float64{}, []float64{}
		fallthrough
	default:
		none.Numbers = []float64{}
	}
	integers := !slices.ContainsFunc(none.ClassNames, func(c string) bool {
		_, err := strconv.ParseInt(c, 10, 64)
		return err != nil
	})
	for _, c := range none.Columns(p.name()) {
		f := arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
		switch {
		case c.Texts != nil && integers:
			f.Type = arrow.PrimitiveTypes.Int64
		case c.Texts != nil:
			f.Type = arrow.BinaryTypes.String
		}
		out = append(out, f)
	}
	return out
}

// predict returns the columns of predictions for some rows.
func (p *Predictor) predict(t *table.Table) ([]table.PredictionColumn, error) {
	var out *table.Predictions
	var err error
	if p.Interval > 0 {
		out, err = p.Model.PredictInterval(t, p.Interval)
	} else {
		out, err = p.Model.Predict(t)
	}
	if err != nil {
		return nil, err
	}
	return out.Columns(p.name()), nil
}

// writing holds the state of a Write.
type writing struct {
	p    *Predictor
	to   string
	file io.Writer
	many bool // there are several shards

	out          *output // nil before the first shard
	own          []arrow.Field
	taken        []arrow.RecordBatch // rows that are not yet written
	rows, blocks int
}

// shard predicts and writes the rows of one shard.
func (w *writing) shard(ctx context.Context, s Shard) (err error) {
	schema := w.p.Model.Schema()
	if s.mem == nil {
		s.mem = w.p.mem
	}
	in, err := s.open(ctx, schema.Format)
	if err != nil {
		return err
	}
	defer in.close()
	if w.out == nil {
		w.own = w.p.fields()
		w.out, err = newOutput(w.to, w.file, in, w.own, w.many, s.allocator())
	} else {
		err = w.out.accepts(in, len(w.own))
	}
	if err != nil {
		return err
	}
	defer w.release()
	features := map[string]bool{}
	for _, name := range schema.Names() {
		features[name] = true
	}
	from := &reader{in: in, all: true, only: func(name string) bool { return features[name] },
		taken: func(b arrow.RecordBatch) {
			b.Retain()
			w.taken = append(w.taken, b)
		}}
	rows := table.Source{Name: in.name, Read: func(context.Context) (table.Reader, error) { return openReader{from}, nil }}
	first := 1
	for t, err := range rows.Tables(ctx, schema, w.p.BlockRows) {
		if err != nil {
			return err
		}
		columns, err := w.p.predict(t)
		if err != nil {
			return fmt.Errorf("%s: rows from %d to %d: %w", in.name, first, first+t.Rows()-1, err)
		}
		if err := w.block(columns, t.Rows(), in.name); err != nil {
			return err
		}
		first += t.Rows()
	}
	return nil
}

// openReader is a reader whose Close does nothing, since the owner of the reader closes it.
type openReader struct{ *reader }

// Close implements table.Reader.
func (openReader) Close() error { return nil }

// block writes the taken rows with their predictions, and reports them to Observe.
func (w *writing) block(columns []table.PredictionColumn, rows int, shard string) error {
	defer w.release()
	from := 0
	for _, b := range w.taken {
		if err := w.out.write(b, columns, from); err != nil {
			return err
		}
		from += int(b.NumRows())
	}
	w.rows += rows
	if w.blocks++; w.p.Observe != nil {
		w.p.Observe(estimators.Step{Iteration: w.blocks, Objective: float64(w.rows), Message: shard})
	}
	return nil
}

// release frees the taken rows.
func (w *writing) release() {
	for _, b := range w.taken {
		b.Release()
	}
	w.taken = w.taken[:0]
}
