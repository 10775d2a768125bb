package estimatortest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
)

// meanRegressor is an example of a third-party type. It uses only exported names, has no capability beyond the interface, and
// predicts the mean of y.
type meanRegressor struct {
	width int // 0 before Fit
	mean  float64
}

func (m *meanRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	rows, err := estimators.CheckRows(x, 0)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	if err := estimators.CheckTargets(y, n); err != nil {
		return err
	}
	mean := floats.Sum(y) / float64(n)
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
	rows, err := estimators.CheckRows(x, m.width)
	if err != nil {
		return nil, err
	}
	n, _ := rows.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = m.mean
	}
	return out, nil
}

// TestThirdParty is an example of a test for a type outside this module.
func TestThirdParty(t *testing.T) {
	estimatortest.Regressor(t, "thirdparty.Mean", func() estimators.Regressor { return &meanRegressor{} }, &estimatortest.Options{
		Skip: map[string]string{"learns": "predicts the mean, the baseline of the others"},
	})
}

func ExampleCheck() {
	for _, c := range estimatortest.Checks()[:3] {
		fmt.Printf("%s (%s)\n\t%s\n", c.Name, c.On, c.Doc)
	}
	// Output:
	// shapes (regressors, classifiers, transformers, several targets, detectors)
	// 	Each method returns a finite row for each row of x, with fewer or more rows than in Fit.
	// one-row (regressors, classifiers, transformers, several targets, detectors)
	// 	A single row is fitted, or rejected with an error of the contract.
	// one-column (regressors, classifiers, transformers, several targets, detectors)
	// 	A single column is fitted.
}

// This example uses the typed errors of package estimators, which unwrap to its sentinel errors. The checks of that package return
// these errors, so that a third-party type fulfils the contract.
func ExampleRegressor() {
	_, err := (&meanRegressor{}).Predict(mat.NewDense(1, 1, nil))
	fmt.Println(err, errors.Is(err, estimators.ErrNotFitted))
	// Output: meanRegressor: not fitted: call Fit first true
}
