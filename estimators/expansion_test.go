package estimators_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
)

// waves returns n rows of two columns, with targets, and with labels of the given number of classes.
func waves(n, classes int) (x *mat.Dense, y []float64, labels []int) {
	x, y, labels = mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	for i := range y {
		x.SetRow(i, []float64{math.Sin(float64(3 * i)), math.Cos(float64(5 * i))})
		y[i] = math.Sin(3*x.At(i, 0)) + x.At(i, 1) + 0.1*math.Sin(float64(17*i))
		labels[i] = int(min(float64(classes-1), math.Floor((y[i]+2)/4*float64(classes))))
	}
	return x, y, labels
}

// sumOfKernels evaluates an expansion from its definition.
func sumOfKernels(e estimators.Expansion, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(e.Intercepts), nil)
	for r := range n {
		copy(out.RawRowView(r), e.Intercepts)
		for _, p := range e.Parts {
			for i := range p.Rows.RawMatrix().Rows {
				for c := range e.Intercepts {
					out.Set(r, c, out.At(r, c)+p.Coefficients.At(i, c)*p.Kernel.Eval(x.RawRowView(r), p.Rows.RawRowView(i)))
				}
			}
		}
	}
	return out
}

func TestExpansionIsWhatIsPredicted(t *testing.T) {
	ctx := context.Background()
	x, y, _ := waves(60, 2)
	held, _, _ := waves(90, 2)
	k := kernels.RBF{Gamma: 1}
	for name, r := range map[string]estimators.Regressor{
		"lssvm": &lssvm.Regressor{}, "falkon": &falkon.Regressor{Kernel: k, Components: 20}, "svm": &svm.Regressor{Kernel: k},
		"rvm": &rvm.Regressor{Kernel: k}, "rvm, kernels": &rvm.Regressor{Kernels: []kernels.Kernel{k, kernels.Linear{}, kernels.RBF{Gamma: 5}}},
		"ridge": &ridge.Regressor{},
	} {
		e := r.(estimators.Expander)
		_, err := e.Expansion()
		assert.ErrorIs(t, err, estimators.ErrNotFitted, name)
		require.NoError(t, r.Fit(ctx, x, y), name)
		sum, err := e.Expansion()
		require.NoError(t, err, name)
		want, err := r.Predict(held)
		require.NoError(t, err, name)
		assert.InDeltaSlice(t, want, mat.Col(nil, 0, sumOfKernels(sum, held)), 1e-9, name)
	}
	for _, classes := range []int{2, 3} {
		_, _, labels := waves(60, classes)
		for name, c := range map[string]estimators.Classifier{
			"lssvm": &lssvm.Classifier{}, "falkon": &falkon.Classifier{Kernel: k, Components: 20},
			"falkon, logistic": &falkon.Classifier{Kernel: k, Components: 20, Loss: falkon.LogisticLoss}, "svm": &svm.Classifier{Kernel: k},
		} {
			e := c.(estimators.Expander)
			_, err := e.Expansion()
			assert.ErrorIs(t, err, estimators.ErrNotFitted, name)
			require.NoError(t, c.Fit(ctx, x, labels), name)
			sum, err := e.Expansion()
			if name == "svm" && classes > 2 {
				assert.ErrorIs(t, err, errors.ErrUnsupported, "votes")
				continue
			}
			require.NoError(t, err, name)
			want, err := c.(estimators.DecisionPredictor).Decision(held)
			require.NoError(t, err, name)
			assert.True(t, mat.EqualApprox(want, sumOfKernels(sum, held), 1e-9), "%s of %d classes", name, classes)
		}
	}
}

func TestNoExpansionOfAMatrix(t *testing.T) {
	ctx := context.Background()
	x, y, labels := waves(30, 2)
	k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: 1}, x, nil)
	require.NoError(t, err)
	l, s, c, v := &lssvm.Regressor{}, &svm.Regressor{}, &svm.Classifier{}, &rvm.Regressor{}
	require.NoError(t, l.FitMatrix(ctx, k, y))
	require.NoError(t, s.FitMatrix(ctx, k, y))
	require.NoError(t, c.FitMatrix(ctx, k, labels))
	require.NoError(t, v.FitDesign(ctx, k, y))
	for _, e := range []estimators.Expander{l, s, c, v} {
		_, err := e.Expansion()
		assert.ErrorIs(t, err, estimators.ErrNotFitted)
	}
}

// The example computes the prediction of a support vector machine from its coefficients and rows.
func ExampleExpander() {
	x, y, _ := waves(40, 2)
	var model estimators.Expander = &svm.Regressor{Kernel: kernels.RBF{Gamma: 1}}
	if err := model.(estimators.Regressor).Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	var e estimators.Expansion
	e, err := model.Expansion()
	if err != nil {
		fmt.Println(err)
		return
	}
	var part estimators.ExpansionPart = e.Parts[0]
	sum := e.Intercepts[0]
	for i := range part.Rows.RawMatrix().Rows {
		sum += part.Coefficients.At(i, 0) * part.Kernel.Eval(x.RawRowView(0), part.Rows.RawRowView(i))
	}
	prediction, err := model.(estimators.Regressor).Predict(x.Slice(0, 1, 0, 2))
	fmt.Println(math.Abs(sum-prediction[0]) < 1e-12, err)
	// Output: true <nil>
}
