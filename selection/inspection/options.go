package inspection

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/settings"
)

const (
	defaultRows   = 200
	defaultPoints = 20
	defaultLevel  = 0.95

	rowStream = 0x726f7773 // the random stream "rows"
)

// Options holds the settings of an inspection. A nil *Options stands for the defaults. An inspection of d columns takes
// d·Points·Rows predictions, and an effect Points·Rows.
type Options struct {
	// Names are the names of the columns; nil: those that the estimator holds ([estimators.ColumnNamer]), or "column 0" and so on.
	// Columns whose names are name=level, with the same name, are the levels of one category. The Features of the golearn
	// adapters are suitable, and so are the FeatureNames of the transformer (transformers.FeatureNamer) that produced the columns.
	Names []string
	// Rows is the number of rows to average over, sampled without replacement if there are more; 0: 200.
	Rows int `zero:"200"`
	// Points is the number of values of a column; 0: 20. If a column has at most this many distinct values, all of them are used.
	// Otherwise this many quantiles are used, starting at 1/(2·Points). For a category, the most frequent levels are used.
	Points int     `zero:"20"`
	Level  float64 `zero:"0.95" below:"1"` // probability of a band, in (0, 1); 0: 0.95
	NoBand bool    // effects without bands
	// Spread selects SpreadBand, which shows how the predictions of the rows differ, for any estimator.
	Spread bool
	Seed   uint64 // for sampling rows
	// If Observe is not nil, it is called after each column of a table of relevances, and after each point of an effect.
	Observe func(estimators.Step)
}

// inspected holds the rows, the sample to average over, and the features.
type inspected struct {
	Options
	typ      string
	x        *mat.Dense // all rows
	drawn    *mat.Dense
	features []feature
}

func newTable(typ string, e any, x mat.Matrix, opt *Options) (*inspected, error) {
	t := &inspected{typ: "inspection: " + typ}
	if check.IsNil(e) {
		return nil, fault.Param(t.typ, "estimator", e, "one that is fitted")
	}
	if opt != nil {
		t.Options = *opt
	}
	if err := settings.Check(t.typ, t.Options); err != nil {
		return nil, err
	}
	t.Rows, t.Points, t.Level = cmp.Or(t.Rows, defaultRows), cmp.Or(t.Points, defaultPoints), cmp.Or(t.Level, defaultLevel)
	var err error
	if t.x, err = check.DenseGaps("x", x, check.Anywhere); err != nil {
		return nil, err
	}
	n, d := t.x.Dims()
	if t.Names == nil {
		t.Names = estimators.ColumnNames(e)
	}
	if t.Names == nil {
		for j := range d {
			t.Names = append(t.Names, fmt.Sprintf("column %d", j))
		}
	}
	if len(t.Names) != d {
		return nil, fault.Param(t.typ, "Names", len(t.Names), fmt.Sprintf("a name for each of %d columns, or nil", d))
	}
	t.drawn = t.x
	if n > t.Rows {
		rng := rand.New(rand.NewPCG(t.Seed, rowStream))
		t.drawn = linalg.Rows(t.x, slices.Sorted(slices.Values(rng.Perm(n)[:t.Rows])))
	}
	t.features = featuresOf(t.x, t.Names)
	return t, nil
}

// feature returns the feature that contains a column.
func (t *inspected) feature(column int) (feature, error) {
	for _, f := range t.features {
		if slices.Contains(f.columns, column) {
			return f, nil
		}
	}
	_, d := t.x.Dims()
	return feature{}, fault.Param(t.typ, "column", column, fmt.Sprintf("0 to %d", d-1))
}

// observe reports a step.
func (t *inspected) observe(done, of int, message string) {
	if t.Observe != nil {
		t.Observe(estimators.Step{Iteration: done, Total: of, Message: message, Done: float64(done) / float64(of)})
	}
}
