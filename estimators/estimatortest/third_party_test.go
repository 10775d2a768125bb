package estimatortest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
)

// meanRegressor stands for a type of somebody else's: it uses nothing but
// exported names, has no capability beyond the interface, and predicts the mean
// of y.
type meanRegressor struct {
	width int // 0 before Fit
	mean  float64
}

func (m *meanRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	rows, err := finiteRows(x)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if len(y) != n {
		return &estimators.ShapeError{What: "y has", Got: len(y), Unit: "entries", Want: fmt.Sprintf("x has %d rows", n)}
	}
	mean := 0.0
	for i, v := range y {
		if v-v != 0 {
			return &estimators.NotFiniteError{Name: "y", Row: i, Col: -1, Value: v}
		}
		mean += v / float64(n)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.width, m.mean = d, mean
	return nil
}

func (m *meanRegressor) Predict(x mat.Matrix) ([]float64, error) {
	if m.width == 0 {
		return nil, &estimators.NotFittedError{Type: "meanRegressor"}
	}
	rows, err := finiteRows(x)
	if err != nil {
		return nil, err
	}
	n, d := rows.Dims()
	if d != m.width {
		return nil, &estimators.ShapeError{What: "x has", Got: d, Unit: "columns", Want: fmt.Sprintf("fitted on %d", m.width)}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = m.mean
	}
	return out, nil
}

// finiteRows copies x, which has to have rows, columns and finite values.
func finiteRows(x mat.Matrix) (*mat.Dense, error) {
	empty := &estimators.ShapeError{What: "x has", Unit: "rows or columns", Want: "want at least 1"}
	if d, ok := x.(*mat.Dense); x == nil || ok && d == nil {
		return nil, empty
	}
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return nil, empty
	}
	rows := mat.DenseCopyOf(x)
	for i := range n {
		for j, v := range rows.RawRowView(i) {
			if v-v != 0 {
				return nil, &estimators.NotFiniteError{Name: "x", Row: i, Col: j, Value: v}
			}
		}
	}
	return rows, nil
}

// TestThirdParty is what the test of a type outside of this module looks like.
func TestThirdParty(t *testing.T) {
	estimatortest.Regressor(t, "thirdparty.Mean", func() estimators.Regressor { return &meanRegressor{} }, &estimatortest.Options{
		Skip: map[string]string{"learns": "predicts the mean, which is what others are compared with"},
	})
}

func ExampleCheck() {
	for _, c := range estimatortest.Checks()[:3] {
		fmt.Printf("%s (%s)\n\t%s\n", c.Name, c.On, c.Doc)
	}
	// Output:
	// shapes (regressors, classifiers, transformers)
	// 	Each method gives a finite row for each row of x, be they fewer or more than Fit's.
	// one-row (regressors, classifiers, transformers)
	// 	A single row is fitted, or refused with an error of the contract.
	// one-column (regressors, classifiers, transformers)
	// 	A single column is fitted.
}

// The typed errors of package estimators unwrap to its sentinels, so a type of
// somebody else's keeps the contract by returning them.
func ExampleRegressor() {
	_, err := (&meanRegressor{}).Predict(mat.NewDense(1, 1, nil))
	fmt.Println(err, errors.Is(err, estimators.ErrNotFitted))
	// Output: meanRegressor: not fitted: call Fit first true
}
