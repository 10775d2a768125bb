package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Predictions holds the predictions for the rows of a table.
type Predictions struct {
	Numbers   []float64 // for a regression; nil otherwise
	Low, High []float64 // of PredictInterval, else nil
	Classes   []string  // for a classification; nil otherwise
	// Proba holds a row of probabilities for each row, with a column for each of ClassNames. It is nil if the estimator does not
	// compute probabilities.
	Proba      *mat.Dense
	ClassNames []string
}

// Prediction holds the prediction for one row.
type Prediction struct {
	Number float64
	// Low and High are the bounds between which the number lies with the probability [RowLevel]. If the estimator does not compute
	// intervals, both equal Number.
	Low, High float64
	Class     string             // of a classification
	Proba     map[string]float64 // by class; nil if the estimator does not compute probabilities
}

// RowLevel is the probability of the intervals that [Model.PredictRow] returns. [Model.PredictInterval] accepts any level.
const RowLevel = 0.95

// Predict predicts the rows of a table. The table may have been read with any schema, since columns are matched by name. Predict
// may be called concurrently. It returns ErrNotFitted, ErrParam for a feature that is missing or a cell that does not match the
// model's schema, or the error of the estimator.
func (m *Model) Predict(t *Table) (_ *Predictions, err error) {
	defer fault.Recover(&err)
	return m.predict(t, 0)
}

// PredictInterval is like Predict, and also returns the bounds between which a new observation lies with the probability level, in
// (0, 1). It returns the errors of Predict. For a classification, and for an estimator without intervals, the error wraps
// errors.ErrUnsupported.
func (m *Model) PredictInterval(t *Table, level float64) (_ *Predictions, err error) {
	defer fault.Recover(&err)
	if !(level > 0 && level < 1) {
		return nil, fault.Param("table: Model", "level", level, "a probability between 0 and 1")
	}
	return m.predict(t, level)
}

// PredictRow predicts one row: a map from names to values, a struct, or a line of a CSV file, as in [Schema.Rows]. It returns the
// errors of Predict.
func (m *Model) PredictRow(row any) (_ Prediction, err error) {
	defer fault.Recover(&err)
	if m.fitted == nil {
		return Prediction{}, fault.NotFitted(modelKind)
	}
	t, err := m.fitted.schema.Rows(row)
	if err != nil {
		return Prediction{}, err
	}
	level := RowLevel
	if !estimators.Supports(m.fitted.estimator, estimators.Interval) {
		level = 0
	}
	p, err := m.predict(t, level)
	if err != nil {
		return Prediction{}, err
	}
	var out Prediction
	if p.Classes == nil {
		out.Number, out.Low, out.High = p.Numbers[0], p.Numbers[0], p.Numbers[0]
		if p.Low != nil {
			out.Low, out.High = p.Low[0], p.High[0]
		}
		return out, nil
	}
	if out.Class = p.Classes[0]; p.Proba != nil {
		out.Proba = make(map[string]float64, len(p.ClassNames))
		for k, name := range p.ClassNames {
			out.Proba[name] = p.Proba.At(0, k)
		}
	}
	return out, nil
}

// predict returns predictions, with intervals if the level is not 0.
func (m *Model) predict(t *Table, level float64) (*Predictions, error) {
	if m.fitted == nil {
		return nil, fault.NotFitted(modelKind)
	}
	if t == nil || t.X == nil {
		return nil, fault.Param("table: Model", "table", "nil", "one that was read")
	}
	s := m.fitted.schema
	t, err := t.readBy(s)
	if err != nil {
		return nil, err
	}
	out := &Predictions{}
	switch e := m.fitted.estimator.(type) {
	case estimators.Classifier:
		if level > 0 {
			return nil, estimators.Unsupported("table: Model", e, estimators.Interval)
		}
		err = out.classify(e, s.Classes(), t.X)
	case estimators.Regressor:
		if out.Numbers, err = e.Predict(t.X); err == nil && level > 0 {
			var i estimators.IntervalPredictor
			if i, err = estimators.Capable[estimators.IntervalPredictor]("table: Model", e, estimators.Interval); err == nil {
				out.Low, out.High, err = i.PredictInterval(t.X, level)
			}
		}
	}
	if err != nil {
		return nil, explained(s, m.fitted.estimator, err)
	}
	return out, nil
}

// classify sets the predicted classes. If the estimator computes probabilities, it also sets these.
func (p *Predictions) classify(e estimators.Classifier, classes []string, x *mat.Dense) error {
	p.ClassNames = classes
	labels := e.Classes() // after a fit to a subset of the rows, these may be a subset of the schema's classes
	var chosen []int
	if estimators.Supports(e, estimators.Proba) {
		proba, err := e.(estimators.ProbaPredictor).PredictProba(x)
		if err != nil {
			return err
		}
		rows, k := proba.Dims()
		if k != len(labels) {
			return fault.Shape("the probabilities have", k, "columns", "the estimator has %d classes", len(labels))
		}
		p.Proba = mat.NewDense(rows, len(classes), nil)
		for k, label := range labels {
			p.Proba.SetCol(label, mat.Col(nil, k, proba))
		}
	}
	chosen, err := e.Predict(x)
	if err != nil {
		return err
	}
	p.Classes = make([]string, len(chosen))
	for i, label := range chosen {
		if label < 0 || label >= len(classes) {
			return fault.Param("table: Model", fmt.Sprintf("prediction of row %d", i), label,
				fmt.Sprintf("one of %d classes", len(classes)))
		}
		p.Classes[i] = classes[label]
	}
	return nil
}

// PredictionColumn is a column of predictions in a file: numbers, or the texts of classes.
type PredictionColumn struct {
	Name    string
	Numbers []float64 // nil for Texts
	Texts   []string
}

// Columns returns the predictions as columns of a file. The column called name holds a number or a class, name_low and name_high
// hold intervals, and name_of_C holds the probability of class C.
func (p *Predictions) Columns(name string) (out []PredictionColumn) {
	if p.Classes != nil {
		out = append(out, PredictionColumn{Name: name, Texts: p.Classes})
	}
	for _, c := range []PredictionColumn{{Name: name, Numbers: p.Numbers}, {Name: name + "_low", Numbers: p.Low},
		{Name: name + "_high", Numbers: p.High}} {
		if c.Numbers != nil {
			out = append(out, c)
		}
	}
	if p.Proba != nil {
		for k, class := range p.ClassNames {
			out = append(out, PredictionColumn{Name: name + "_of_" + class, Numbers: mat.Col(nil, k, p.Proba)})
		}
	}
	return out
}

// text returns the text of a row's cell.
func (c *PredictionColumn) text(row int, format Format) string {
	if c.Numbers == nil {
		return c.Texts[row]
	}
	v := strconv.FormatFloat(c.Numbers[row], 'g', -1, 64)
	if format.Decimal != 0 {
		v = strings.Replace(v, ".", string(format.Decimal), 1)
	}
	return v
}

// rows returns the number of predictions.
func (p *Predictions) rows() int { return max(len(p.Numbers), len(p.Classes)) }

// WriteCSV writes the rows of a table, each cell with its original text, and the predictions as additional columns. The column
// prediction holds a number or a class, prediction_low and prediction_high hold intervals, and prediction_of_C holds the
// probability of each class C. The separator of cells and the decimal mark are those of the Format of the table's schema. If p is
// nil, no columns are added. WriteCSV returns ErrShape for predictions of other rows, ErrParam if a column of the table has one of
// these names, or the error of w.
func (t *Table) WriteCSV(w io.Writer, p *Predictions) error {
	if p == nil {
		p = &Predictions{}
	} else if p.rows() != t.Rows() {
		return fault.Shape("table: WriteCSV: there are predictions of", p.rows(), "rows", "the table has %d", t.Rows())
	}
	format := t.Schema.Format
	header, cell := t.written()
	columns := p.Columns("prediction")
	for _, c := range columns {
		header = append(header, c.Name)
	}
	if n, twice := celltext.Duplicate(header); twice {
		return fault.Param("table: WriteCSV", "column", strconv.Quote(n)+", which the table has", "another name in the table")
	}
	out := csv.NewWriter(w)
	out.Comma = format.comma()
	if err := out.Write(header); err != nil {
		return err
	}
	line := make([]string, len(header))
	for i := range t.Rows() {
		for j := range header[:len(header)-len(columns)] {
			line[j] = cell(i, j)
		}
		for k, c := range columns {
			line[len(header)-len(columns)+k] = c.text(i, format)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
