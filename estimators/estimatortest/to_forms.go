package estimatortest

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

// toForms are the methods that a type has into memory of the caller's, each with memory of
// its own.
func (m model) toForms() []method {
	var out []method
	if m.kind == multis {
		if to, ok := m.value.(estimators.MultiPredictorTo); ok && m.can(estimators.PredictTo) {
			out = append(out, method{"PredictTo", func(x mat.Matrix) (*mat.Dense, error) {
				dst := m.targets(rowsOf(x))
				return dst, to.PredictTo(dst, x)
			}})
		}
		return out
	}
	if m.can(estimators.PredictTo) {
		out = append(out, method{"PredictTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := make([]float64, rowsOf(x))
			return filled(dst, m.predictTo(dst, x))
		}})
	}
	if m.can(estimators.DecisionTo) {
		out = append(out, method{"DecisionTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := m.scores(rowsOf(x))
			return dst, m.value.(estimators.DecisionPredictorTo).DecisionTo(dst, x)
		}})
	}
	if m.can(estimators.ProbaTo) {
		out = append(out, method{"PredictProbaTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := m.scores(rowsOf(x))
			return dst, m.value.(estimators.ProbaPredictorTo).PredictProbaTo(dst, x)
		}})
	}
	if to, ok := m.value.(transformers.TransformerTo); ok {
		out = append(out, method{"TransformTo", func(x mat.Matrix) (*mat.Dense, error) {
			dst := &mat.Dense{}
			return dst, to.TransformTo(dst, x)
		}})
	}
	return out
}

// scores is memory for those of n rows.
func (m model) scores(n int) *mat.Dense {
	if k := len(m.classifier().Classes()); n > 0 && k > 0 {
		return mat.NewDense(n, k, nil)
	}
	return &mat.Dense{}
}

// targets is memory for those of n rows.
func (m model) targets(n int) *mat.Dense {
	if k := m.multi().Targets(); n > 0 && k > 0 {
		return mat.NewDense(n, k, nil)
	}
	return &mat.Dense{}
}

func filled(dst []float64, err error) (*mat.Dense, error) { return columns(err, dst) }

// predictTo is the model's PredictTo, of labels as numbers.
func (m model) predictTo(dst []float64, x mat.Matrix) error {
	if m.kind == regressors {
		return m.value.(estimators.PredictorTo[float64]).PredictTo(dst, x)
	}
	labels := make([]int, len(dst))
	err := m.value.(estimators.PredictorTo[int]).PredictTo(labels, x)
	for i, l := range labels {
		dst[i] = float64(l)
	}
	return err
}

// rowsOf is the number of rows of x, 0 for none at all.
func rowsOf(x mat.Matrix) int {
	if d, ok := x.(*mat.Dense); x == nil || ok && d == nil {
		return 0
	}
	n, _ := x.Dims()
	return n
}

// whole is the method that the To form stands in for.
func (m model) whole(to string) func(x mat.Matrix) (*mat.Dense, error) {
	switch to {
	case "DecisionTo":
		return m.value.(estimators.DecisionPredictor).Decision
	case "PredictProbaTo":
		return m.value.(estimators.ProbaPredictor).PredictProba
	}
	return m.predict().call // Predict, or Transform
}

func checkToForms(p *probe, s *subject) {
	m := s.fitted(p, s.train())
	forms := m.toForms()
	if len(forms) == 0 {
		p.Skip("has no methods into memory of the caller's")
	}
	for _, f := range forms {
		for _, n := range []int{1, 16, 17, 2 * trainRows} {
			x := problem(s.kind, 12, n, 3, 2).x
			want, err := m.whole(f.name)(x)
			p.Must("on good rows", err)
			got, err := f.call(x)
			p.Must(f.name, err)
			p.sameMatrix(fmt.Sprintf("%s of %d rows", f.name, n), want, got, s.options.Tolerance)
		}
		for _, n := range []int{3, 20} { // few and many
			p.wants(fmt.Sprintf("%s of %d rows into memory for one more", f.name, n), m.intoOther(f.name, problem(s.kind, 12, n, 3, 2).x),
				estimators.ErrShape)
		}
	}
}

// intoOther calls a To form with memory for a row more than x has.
func (m model) intoOther(name string, x *mat.Dense) error {
	rows := rowsOf(x) + 1
	switch name {
	case "PredictTo":
		if m.kind == multis {
			return m.value.(estimators.MultiPredictorTo).PredictTo(m.targets(rows), x)
		}
		return m.predictTo(make([]float64, rows), x)
	case "DecisionTo":
		return m.value.(estimators.DecisionPredictorTo).DecisionTo(m.scores(rows), x)
	case "PredictProbaTo":
		return m.value.(estimators.ProbaPredictorTo).PredictProbaTo(m.scores(rows), x)
	}
	z, err := m.predict().call(x)
	if err != nil {
		return err
	}
	_, width := z.Dims()
	return m.value.(transformers.TransformerTo).TransformTo(mat.NewDense(rows, width, nil), x)
}
