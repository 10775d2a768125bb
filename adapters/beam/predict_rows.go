package kernelbeam

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/internal/fault"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Prediction]())
	beam.RegisterType(reflect.TypeFor[BadRow]())
	beam.RegisterType(reflect.TypeFor[modelFile]())
	register.DoFn3x1[context.Context, string, func(modelFile), error](&modelFn{})
	register.DoFn5x1[context.Context, Row, modelFile, func(Prediction), func(BadRow), error](&predictFn{})
	register.Emitter1[modelFile]()
	register.Emitter1[Prediction]()
	register.Emitter1[BadRow]()
}

// Prediction is an element of the PCollection of predictions from PredictRows.
type Prediction struct {
	ID string  // the ID of the Row
	Y  float64 // the target, or the label
}

// BadRow describes a Row that cannot be predicted.
type BadRow struct {
	ID     string
	Reason string
}

// Save writes a fitted estimator to a file in one of Beam's file systems, for PredictRows.
func (m *Model[Y, E]) Save(ctx context.Context, fitted E, path string) error {
	data, err := m.bytes(fitted)
	if err != nil {
		return err
	}
	return beamfiles.Write(ctx, path, data)
}

// Load reads a fitted estimator from a file written by Save.
func (m *Model[Y, E]) Load(ctx context.Context, path string) (E, error) {
	var none E
	if m.err != nil {
		return none, m.err
	}
	data, err := beamfiles.Read(ctx, path)
	if err != nil {
		return none, fmt.Errorf("kernelbeam: %w", err)
	}
	p, err := m.fitted(data)
	if err != nil {
		return none, err
	}
	return p.estimator().(E), nil
}

// PredictRows adds the predictions of a PCollection of Row to a pipeline. Each prediction is in the window of its row. The model,
// read from a file written by Save, is a side input, so its bytes are not part of the job's description. The second PCollection
// holds a BadRow for each row that cannot be predicted.
func (m *Model[Y, E]) PredictRows(s beam.Scope, path string, rows beam.PCollection) (predictions, bad beam.PCollection) {
	s = s.Scope("kernelbeam.PredictRows")
	model := beam.ParDo(s, &modelFn{}, beam.Create(s, path))
	return beam.ParDo2(s, &predictFn{Model: m.name}, rows, beam.SideInput{Input: model})
}

// modelFile holds the bytes of a model.
type modelFile struct{ Data []byte }

// modelFn reads a model file.
type modelFn struct{}

// ProcessElement emits the bytes of the file.
func (*modelFn) ProcessElement(ctx context.Context, path string, emit func(modelFile)) error {
	data, err := beamfiles.Read(ctx, path)
	if err == nil {
		emit(modelFile{data})
	}
	return err
}

// predictFn predicts row by row.
type predictFn struct {
	Model string
	of    predictor
}

// ProcessElement emits the prediction for a row, or a BadRow with the reason if the row cannot be predicted.
func (f *predictFn) ProcessElement(ctx context.Context, r Row, model modelFile, emit func(Prediction), bad func(BadRow)) error {
	if f.of == nil { // a pipeline has only one model
		e, err := registered(f.Model)
		if err != nil {
			return err
		}
		if f.of, err = e.fitted(model.Data); err != nil {
			return err
		}
	}
	y, err := f.predict(r)
	if err != nil {
		rowblocks.RowsBad.Inc(ctx, 1)
		bad(BadRow{r.ID, err.Error()})
		return nil
	}
	rowblocks.RowsRead.Inc(ctx, 1)
	emit(Prediction{r.ID, y})
	return nil
}

func (f *predictFn) predict(r Row) (float64, error) {
	if len(r.X) == 0 {
		return 0, fault.Shape("the row has", 0, "columns", "want at least 1")
	}
	one := rowblocks.Block{Width: len(r.X), X: r.X, Places: []rowblocks.Place{{}}}
	y, labels, err := f.of.predict(one.Dense())
	if err != nil {
		return 0, err
	}
	if labels != nil {
		return float64(labels[0]), nil
	}
	return y[0], nil
}
