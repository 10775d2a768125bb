package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// defaultPrediction is the name of a Predictor without one.
const defaultPrediction = "prediction"

// Predictor predicts the rows of files, and writes them to a Parquet file with the predictions as further columns. Y is float64
// for regressors and int for classifiers. The columns are, with the name "prediction":
//
//   - prediction: a number; or a class, by the schema's Classes, as a text or an integer;
//   - prediction_variance, with Variance; prediction_low and prediction_high, with Interval;
//   - prediction_of_C for each class C, its probability, with Proba.
type Predictor[Y float64 | int] struct {
	Schema *Schema
	Model  interface {
		Predict(x mat.Matrix) ([]Y, error)
	}
	Name      string  // of the column; "": prediction
	Variance  bool    // asks for estimators.VariancePredictor, whose mean is then the prediction
	Interval  float64 // level of the interval, for estimators.IntervalPredictor; 0: none
	Proba     bool    // asks for estimators.ProbaPredictor
	BlockRows int     `zero:"4096"`  // rows that are predicted at a time; 0: 4096
	MaxBytes  int64   `zero:"1 GiB"` // limit on what a batch of a file takes; 0: 1 GiB

	// Observe, if not nil, is called after each block. A Step has the number of the block, the rows so far as its Objective, and the
	// shard in its Message.
	Observe func(estimators.Step)

	mem memory.Allocator // nil: Go's
}

// Write predicts the rows of shards, which have the same columns, and writes them to the Parquet file to. It returns the number
// of rows. Files need not have the schema's target, label or weight. The file is there as a whole or not at all: after an
// error, and when ctx ends, what stood at the path is as it was.
//
// Errors: those of a Table; ErrParam for a name that the file has already, or for shards whose columns are not the first one's;
// errors.ErrUnsupported for a Model that cannot do what is asked for; the Model's.
func (p *Predictor[Y]) Write(ctx context.Context, to string, shards ...Shard) (rows int, err error) {
	w := &writing[Y]{p: p, to: to, many: len(shards) > 1, want: newRequest(p.mem, p.BlockRows, p.MaxBytes)}
	if err := p.check(shards, w); err != nil {
		return 0, err
	}
	// Other columns pass through as what their cells are.
	w.want.infer, w.want.types = true, (&Schema{Features: p.Schema.Features}).types()
	w.want.pass, w.want.round = true, p.Schema.RoundIntegers
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

const predictorName = "arrow: Predictor"

// check looks at the settings, and takes the capabilities of the model.
func (p *Predictor[Y]) check(shards []Shard, w *writing[Y]) (err error) {
	if err := checkReading(predictorName, p, p.Schema, shards); err != nil {
		return err
	}
	if check.IsNil(p.Model) {
		return fault.Param(predictorName, "Model", nil, "a fitted model")
	}
	if err := check.Text(predictorName, "Name", p.Name); err != nil {
		return err
	}
	if p.Interval < 0 || !(p.Interval < 1) {
		return fault.Param(predictorName, "Interval", p.Interval, "0 for none, or above 0 and below 1")
	}
	var y Y
	if _, classes := any(y).(int); classes && p.Variance {
		return estimators.Unsupported(predictorName, p.Model, estimators.Variance)
	} else if classes && p.Interval > 0 {
		return estimators.Unsupported(predictorName, p.Model, estimators.Interval)
	}
	if p.Variance {
		if w.variance, err = estimators.Capable[estimators.VariancePredictor](predictorName, p.Model, estimators.Variance); err != nil {
			return err
		}
	}
	if p.Interval > 0 {
		if w.interval, err = estimators.Capable[estimators.IntervalPredictor](predictorName, p.Model, estimators.Interval); err != nil {
			return err
		}
	}
	if !p.Proba {
		return nil
	}
	model, err := estimators.Capable[interface {
		estimators.ProbaPredictor
		Classes() []int
	}](predictorName, p.Model, estimators.Proba)
	if err != nil {
		return err
	}
	if w.proba, w.classes = model, model.Classes(); len(w.classes) == 0 {
		return &fault.NotFittedError{Type: fmt.Sprintf("%T", p.Model)}
	}
	return nil
}

// writing is a Write under way.
type writing[Y float64 | int] struct {
	p        *Predictor[Y]
	want     *request
	to       string
	file     io.Writer
	many     bool // shards
	variance estimators.VariancePredictor
	interval estimators.IntervalPredictor
	proba    estimators.ProbaPredictor
	classes  []int

	out          *output // nil before the first shard
	own          []arrow.Field
	rows, blocks int
	x            []float64
}

// shard predicts and writes the rows of one.
func (w *writing[Y]) shard(ctx context.Context, s Shard) error {
	in, err := s.open(ctx, w.want)
	if err != nil {
		return err
	}
	defer in.close()
	plan, err := w.p.Schema.plan(in.name, in.schema(), features, true)
	if err != nil {
		return err
	}
	if w.out == nil {
		err = w.begin(in)
	} else {
		err = w.out.accepts(in, len(w.own))
	}
	if err != nil {
		return err
	}
	if err := in.start(ctx, plan.columns); err != nil {
		return err
	}
	for {
		some, err := in.next(ctx)
		if err != nil || !some {
			return err
		}
		for from, n := 0, int(in.batch.NumRows()); from < n; from += w.want.rows {
			if err := w.block(ctx, in, plan, from, min(from+w.want.rows, n)); err != nil {
				return err
			}
		}
	}
}

// begin makes the columns of the output.
func (w *writing[Y]) begin(in *reading) (err error) {
	name := w.p.Name
	if name == "" {
		name = defaultPrediction
	}
	add := func(suffix string, t arrow.DataType) {
		w.own = append(w.own, arrow.Field{Name: name + suffix, Type: t, Nullable: true})
	}
	var y Y
	switch any(y).(type) {
	case float64:
		add("", arrow.PrimitiveTypes.Float64)
	default:
		if w.p.Schema.Classes == nil || w.p.Schema.IntegerClasses {
			add("", arrow.PrimitiveTypes.Int64)
		} else {
			add("", arrow.BinaryTypes.String)
		}
	}
	if w.variance != nil {
		add("_variance", arrow.PrimitiveTypes.Float64)
	}
	if w.interval != nil {
		add("_low", arrow.PrimitiveTypes.Float64)
		add("_high", arrow.PrimitiveTypes.Float64)
	}
	for _, c := range w.classes {
		text, err := w.class(c)
		if err != nil {
			return err
		}
		add("_of_"+text, arrow.PrimitiveTypes.Float64)
	}
	w.out, err = newOutput(w.to, w.file, in, w.own, w.many, w.want.mem.Allocator)
	return err
}

// class returns the text of a label.
func (w *writing[Y]) class(label int) (string, error) {
	all := w.p.Schema.Classes
	switch {
	case all == nil:
		return strconv.Itoa(label), nil
	case label < 0 || label >= len(all):
		return "", fault.Param(predictorName, "Model", fmt.Sprintf("one of the class %d", label),
			fmt.Sprintf("labels of the schema's %d classes, from 0", len(all)))
	}
	return all[label], nil
}

// block predicts and writes rows of a batch.
func (w *writing[Y]) block(ctx context.Context, in *reading, plan *plan, from, to int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d := len(plan.features)
	if w.x == nil {
		w.x = make([]float64, w.want.rows*d)
	}
	b := &buffer{x: w.x, d: d}
	if err := b.add(in, plan, from, to); err != nil {
		return err
	}
	columns, err := w.predict(b.matrix())
	if err != nil && !estimators.Supports(w.p.Model, estimators.Naming) {
		err = fault.NameColumns(err, w.p.Schema.Names())
	}
	if err != nil {
		return fmt.Errorf("%s: rows from %d to %d: %w", in.name, in.first+from, in.first+to-1, err)
	}
	if err := w.out.write(in.batch, from, to, columns); err != nil {
		return err
	}
	w.rows += to - from
	if w.blocks++; w.p.Observe != nil {
		w.p.Observe(estimators.Step{Iteration: w.blocks, Objective: float64(w.rows), Message: in.name})
	}
	return nil
}

// predict returns the columns that are appended: []float64, []int64 or []string.
func (w *writing[Y]) predict(x *mat.Dense) (columns []any, err error) {
	var y []Y
	var variance []float64
	if w.variance != nil {
		var mean []float64
		if mean, variance, err = w.variance.PredictVariance(x); err == nil {
			columns = append(columns, mean, variance)
		}
	} else if y, err = w.p.Model.Predict(x); err == nil {
		var column any
		column, err = w.prediction(y)
		columns = append(columns, column)
	}
	if err != nil {
		return nil, err
	}
	if w.interval != nil {
		low, high, err := w.interval.PredictInterval(x, w.p.Interval)
		if err != nil {
			return nil, err
		}
		columns = append(columns, low, high)
	}
	if w.proba != nil {
		q, err := w.proba.PredictProba(x)
		if err != nil {
			return nil, err
		}
		if _, k := q.Dims(); k != len(w.classes) {
			return nil, fault.Shape("the probabilities have", k, "columns", "the model has %d classes", len(w.classes))
		}
		for k := range w.classes {
			columns = append(columns, mat.Col(nil, k, q))
		}
	}
	return columns, nil
}

// prediction makes a column of predictions.
func (w *writing[Y]) prediction(y []Y) (any, error) {
	switch y := any(y).(type) {
	case []float64:
		return y, nil
	case []int:
		texts := make([]string, len(y))
		numbers := make([]int64, len(y))
		for i, label := range y {
			text, err := w.class(label)
			if err != nil {
				return nil, err
			}
			texts[i] = text
			if w.p.Schema.IntegerClasses || w.p.Schema.Classes == nil {
				if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil {
					return nil, fault.Param(predictorName, "Schema.Classes", strconv.Quote(text), "integers, which IntegerClasses promises")
				}
			}
		}
		if w.own[0].Type.ID() == arrow.INT64 {
			return numbers, nil
		}
		return texts, nil
	}
	return nil, errors.ErrUnsupported
}

// columnOf makes an array of a column, which has to be released.
func columnOf(mem memory.Allocator, column any) arrow.Array {
	switch c := column.(type) {
	case []int64:
		return arrayOf(array.NewInt64Builder(mem), c)
	case []string:
		return arrayOf(array.NewStringBuilder(mem), c)
	default:
		return arrayOf(array.NewFloat64Builder(mem), column.([]float64))
	}
}

func arrayOf[T any, B interface {
	array.Builder
	AppendValues(values []T, valid []bool)
}](b B, values []T) arrow.Array {
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}
