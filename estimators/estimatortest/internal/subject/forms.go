package subject

import (
	"context"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
	"gonum.org/v1/gonum/mat"
)

// ToForms returns the methods of a type that write to memory of the caller. The memory of each method is separate.
func (m Model) ToForms() []Method {
	var out []Method
	if m.Kind == Multis {
		if to, ok := m.Value.(estimators.MultiPredictorTo); ok && m.Can(estimators.PredictTo) {
			out = append(out, Method{"PredictTo", func(x mat.Matrix) (*mat.Dense, error) {
				dst := m.Targets(RowsOf(x))
				return dst, to.PredictTo(dst, x)
			}})
		}
		return out
	}
	if m.Can(estimators.PredictTo) {
		out = append(out, Method{"PredictTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := make([]float64, RowsOf(x))
			return filled(dst, m.predictTo(dst, x))
		}})
	}
	if m.Can(estimators.DecisionTo) {
		out = append(out, Method{"DecisionTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := m.Scores(RowsOf(x))
			return dst, m.Value.(estimators.DecisionPredictorTo).DecisionTo(dst, x)
		}})
	}
	if m.Can(estimators.ProbaTo) {
		out = append(out, Method{"PredictProbaTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := m.Scores(RowsOf(x))
			return dst, m.Value.(estimators.ProbaPredictorTo).PredictProbaTo(dst, x)
		}})
	}
	if to, ok := m.Value.(transformers.TransformerTo); ok {
		out = append(out, Method{"TransformTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := &mat.Dense{}
			return dst, to.TransformTo(dst, x)
		}})
	}
	return out
}

// Scores returns memory for the scores of n rows.
func (m Model) Scores(n int) *mat.Dense {
	if k := len(m.Classifier().Classes()); n > 0 && k > 0 {
		return mat.NewDense(n, k, nil)
	}
	return &mat.Dense{}
}

// Targets returns memory for the targets of n rows.
func (m Model) Targets(n int) *mat.Dense {
	if k := m.Multi().Targets(); n > 0 && k > 0 {
		return mat.NewDense(n, k, nil)
	}
	return &mat.Dense{}
}

func filled(dst []float64, err error) (*mat.Dense, error) { return Columns(err, dst) }

// predictTo calls the model's PredictTo, with labels as numbers.
func (m Model) predictTo(dst []float64, x mat.Matrix) error {
	if m.Kind == Regressors {
		return m.Value.(estimators.PredictorTo[float64]).PredictTo(dst, x)
	}
	labels := make([]int, len(dst))
	err := m.Value.(estimators.PredictorTo[int]).PredictTo(labels, x)
	for i, l := range labels {
		dst[i] = float64(l)
	}
	return err
}

// RowsOf returns the number of rows of x, or 0 for nil.
func RowsOf(x mat.Matrix) int {
	if d, ok := x.(*mat.Dense); x == nil || ok && d == nil {
		return 0
	}
	n, _ := x.Dims()
	return n
}

// Whole returns the method that corresponds to the given To form, and returns a new matrix.
func (m Model) Whole(to string) func(x mat.Matrix) (*mat.Dense, error) {
	switch to {
	case "DecisionTo":
		return m.Value.(estimators.DecisionPredictor).Decision
	case "PredictProbaTo":
		return m.Value.(estimators.ProbaPredictor).PredictProba
	}
	return m.Predict().Call // Predict, or Transform
}

// IntoOther calls a To form with memory for one more row than x has.
func (m Model) IntoOther(name string, x *mat.Dense) error {
	rows := RowsOf(x) + 1
	switch name {
	case "PredictTo":
		if m.Kind == Multis {
			return m.Value.(estimators.MultiPredictorTo).PredictTo(m.Targets(rows), x)
		}
		return m.predictTo(make([]float64, rows), x)
	case "DecisionTo":
		return m.Value.(estimators.DecisionPredictorTo).DecisionTo(m.Scores(rows), x)
	case "PredictProbaTo":
		return m.Value.(estimators.ProbaPredictorTo).PredictProbaTo(m.Scores(rows), x)
	}
	z, err := m.Predict().Call(x)
	if err != nil {
		return err
	}
	_, width := z.Dims()
	return m.Value.(transformers.TransformerTo).TransformTo(mat.NewDense(rows, width, nil), x)
}

// multiMethods returns the methods of the capabilities of a type with several targets. If a method returns two matrices, the result
// contains them side by side.
func (m Model) multiMethods() (out []Method) {
	side := func(a, b *mat.Dense, err error) (*mat.Dense, error) {
		if err != nil {
			return nil, err
		}
		both := &mat.Dense{}
		both.Augment(a, b)
		return both, nil
	}
	if v, ok := m.Value.(estimators.MultiVariancePredictor); ok && m.Can(estimators.Variance) {
		out = append(out, Method{"PredictVariance", func(x mat.Matrix) (*mat.Dense, error) { return side(v.PredictVariance(x)) }})
	}
	if v, ok := m.Value.(estimators.MultiIntervalPredictor); ok && m.Can(estimators.Interval) {
		out = append(out, Method{"PredictInterval", func(x mat.Matrix) (*mat.Dense, error) { return side(v.PredictInterval(x, .9)) }})
	}
	return out
}

// overwriteMatrices calls the methods whose results consist of two matrices, and overwrites both. The methods from multiMethods
// return copies.
func (m Model) overwriteMatrices(x mat.Matrix) error {
	if v, ok := m.Value.(estimators.MultiVariancePredictor); ok && m.Can(estimators.Variance) {
		mean, variance, err := v.PredictVariance(x)
		if err != nil {
			return err
		}
		mean.Zero()
		variance.Zero()
	}
	if v, ok := m.Value.(estimators.MultiIntervalPredictor); ok && m.Can(estimators.Interval) {
		low, high, err := v.PredictInterval(x, .9)
		if err != nil {
			return err
		}
		low.Zero()
		high.Zero()
	}
	if v, ok := m.Value.(estimators.MultiLeaveOneOutPredictor); ok && m.Can(estimators.LeaveOneOut) {
		left, err := v.LeaveOneOutResiduals(context.Background())
		if err != nil {
			return err
		}
		left.Zero()
	}
	return nil
}
