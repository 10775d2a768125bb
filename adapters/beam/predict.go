package kernelbeam

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// PredictFiles predicts all rows of d, without reading their targets. It writes the predictions to files to-00000-of-00007.csv and
// so on, or to Parquet files if the name to ends in .parquet.
//
// The columns are file, at, id (Data.ID), prediction (the text of a class, if the schema has classes), and the columns that Options
// request. The column at holds the offset of the row in a CSV file, or its number, from 0, in a Parquet file. Each file of
// predictions contains its rows in the order in which they were read. No file is visible until all are complete.
//
// It returns the errors of Fit. It also returns an error if the estimator cannot be stored, or does not support the columns that
// Options request.
func (m *Model[Y, E]) PredictFiles(ctx context.Context, fitted E, d *Data, o *Options, to string) (_ *Report, err error) {
	data, err := m.bytes(fitted)
	if err != nil {
		return nil, err
	}
	if d != nil && d.Rows != nil {
		return nil, fault.Param(rowblocks.TypeData, "Rows", "a PCollection", "Files: PredictRows is for a PCollection")
	}
	s, err := newSession(ctx, d, o, m.labelled(), false)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx, &err)
	classes := s.layout.Schema.Classes()
	path, err := s.keep(ctx, "model", data)
	if err != nil {
		return nil, err
	}
	j := job{Kind: kindPredict, Model: m.name, State: path, To: to + "." + beamfiles.Unique() + ".part-",
		Extra: &extra{Variance: s.options.Variance, Proba: s.options.Proba, Classes: classes, Parquet: strings.HasSuffix(to, ".parquet")}}
	if err := j.Extra.possible(m.name, fitted); err != nil {
		return nil, err
	}
	s.steps = 1
	defer func() { err = errors.Join(err, beamfiles.RemoveAll(context.WithoutCancel(ctx), j.To+"*")) }()
	if _, err := s.pass(ctx, []job{j}); err != nil {
		return &s.report, err
	}
	return &s.report, publish(ctx, s.first.Shards, to)
}

// publish renames the files to their final names, in the order of their first rows.
func publish(ctx context.Context, shards []rowblocks.Written, to string) error {
	slices.SortFunc(shards, func(a, b rowblocks.Written) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.At, b.At), cmp.Compare(a.Path, b.Path))
	})
	end := filepath.Ext(to)
	if end != ".csv" && end != ".parquet" {
		end = ""
	}
	base := strings.TrimSuffix(to, end)
	if end == "" {
		end = ".csv"
	}
	for i, f := range shards {
		if err := beamfiles.Rename(ctx, f.Path, fmt.Sprintf("%s-%05d-of-%05d%s", base, i, len(shards), end)); err != nil {
			whole := fmt.Sprintf("%s-*-of-%05d%s", base, len(shards), end)
			return fmt.Errorf("kernelbeam: %w", errors.Join(err, beamfiles.RemoveAll(context.WithoutCancel(ctx), whole)))
		}
	}
	return nil
}

// extra sets the additional columns of predictions, and their format.
type extra struct {
	Variance, Proba, Parquet bool
	Classes                  []string
}

// possible returns an error if the estimator does not support the requested columns.
func (x extra) possible(name string, e any) error {
	if x.Variance && !estimators.Supports(e, estimators.Variance) {
		return estimators.Unsupported("kernelbeam: "+name, e, estimators.Variance)
	}
	if x.Proba && !estimators.Supports(e, estimators.Proba) {
		return estimators.Unsupported("kernelbeam: "+name, e, estimators.Proba)
	}
	return nil
}

// predictionTable holds the predictions for some rows: their numbers, their texts if they are classes with names, and further
// columns of numbers.
type predictionTable struct {
	texts   []string // texts of the predicted classes
	numbers []float64
	names   []string
	columns [][]float64
}

// table predicts the rows of a block.
func (x extra) table(p predictor, b *rowblocks.Block) (*predictionTable, error) {
	y, labels, err := p.predict(b.Dense())
	if err != nil {
		return nil, err
	}
	out := &predictionTable{numbers: y}
	for _, label := range labels {
		if len(x.Classes) > 0 {
			if label < 0 || label >= len(x.Classes) {
				return nil, fmt.Errorf("the model knows a class %d, and the schema has %d: %w", label, len(x.Classes), fault.ErrShape)
			}
			out.texts = append(out.texts, x.Classes[label])
		}
		out.numbers = append(out.numbers, float64(label))
	}
	if x.Variance {
		_, variance, err := p.estimator().(estimators.VariancePredictor).PredictVariance(b.Dense())
		if err != nil {
			return nil, err
		}
		out.names, out.columns = append(out.names, "variance"), append(out.columns, variance)
	}
	if x.Proba {
		if err := x.proba(out, p.estimator(), b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// proba adds a column of probabilities for each class.
func (x extra) proba(t *predictionTable, e any, b *rowblocks.Block) error {
	proba, err := e.(estimators.ProbaPredictor).PredictProba(b.Dense())
	if err != nil {
		return err
	}
	for j, class := range e.(estimators.Classifier).Classes() {
		name := strconv.Itoa(class)
		if class >= 0 && class < len(x.Classes) {
			name = x.Classes[class]
		}
		t.names, t.columns = append(t.names, "p("+name+")"), append(t.columns, mat.Col(nil, j, proba))
	}
	return nil
}

// predictions writes the predictions of a bundle to a file.
type predictions struct {
	of    predictor
	to    string
	extra extra

	fs    filesystem.Interface
	file  io.WriteCloser
	out   tableWriter
	first rowblocks.Written
}

// tableWriter writes rows with their predictions.
type tableWriter interface {
	write(places []rowblocks.Place, t *predictionTable) error
	close() error
}

// Add implements rowblocks.Summary.
func (p *predictions) Add(ctx context.Context, b *rowblocks.Block) error {
	t, err := p.extra.table(p.of, b)
	if err != nil {
		return err
	}
	if p.out == nil {
		p.first = rowblocks.Written{Path: p.to + beamfiles.Unique(), File: b.Places[0].File, At: b.Places[0].At}
		if p.fs, err = filesystem.New(ctx, p.first.Path); err != nil {
			return err
		}
		if p.file, err = p.fs.OpenWrite(ctx, p.first.Path); err != nil {
			return err
		}
		if p.extra.Parquet {
			p.out, err = newParquetTable(p.file, t)
		} else {
			p.out, err = newCSVTable(p.file, t)
		}
		if err != nil {
			return err
		}
	}
	return p.out.write(b.Places, t)
}

// close closes the file, if there were rows.
func (p *predictions) close() ([]rowblocks.Written, error) {
	if p.out == nil {
		return nil, nil
	}
	if err := errors.Join(p.out.close(), p.file.Close(), p.fs.Close()); err != nil {
		return nil, err
	}
	return []rowblocks.Written{p.first}, nil
}

// Absorb implements rowblocks.Summary. It does nothing, because the predictions are in files.
func (p *predictions) Absorb(rowblocks.Summary) error { return nil }

// MarshalBinary implements rowblocks.Summary.
func (p *predictions) MarshalBinary() ([]byte, error) { return []byte{0}, nil }

// UnmarshalBinary implements rowblocks.Summary.
func (p *predictions) UnmarshalBinary([]byte) error { return nil }

// csvTable implements tableWriter for CSV.
type csvTable struct{ out *csv.Writer }

func newCSVTable(w io.Writer, t *predictionTable) (*csvTable, error) {
	c := &csvTable{csv.NewWriter(w)}
	return c, c.out.Write(append([]string{"file", "at", "id", "prediction"}, t.names...))
}

func (c *csvTable) write(places []rowblocks.Place, t *predictionTable) error {
	for i, p := range places {
		prediction := strconv.FormatFloat(t.numbers[i], 'g', -1, 64)
		if t.texts != nil {
			prediction = t.texts[i]
		}
		record := []string{p.File, strconv.FormatInt(p.At, 10), p.ID, prediction}
		for _, column := range t.columns {
			record = append(record, strconv.FormatFloat(column[i], 'g', -1, 64))
		}
		if err := c.out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvTable) close() error {
	c.out.Flush()
	return c.out.Error()
}
