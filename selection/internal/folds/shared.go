package folds

import (
	"context"
	"reflect"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// gramLearner is a Learner that can also learn from a kernel matrix and predict from kernel values, with the same result as from
// rows and a kernel.
type gramLearner[Y float64 | int] interface {
	FitMatrix(ctx context.Context, k mat.Symmetric, y []Y) error
	PredictMatrix(k mat.Matrix) ([]Y, error)
}

type gramClassifier interface {
	gramLearner[int]
	Classes() []int
	DecisionMatrix(k mat.Matrix) (*mat.Dense, error)
	PredictProbaMatrix(k mat.Matrix) (*mat.Dense, error)
}

// maxSharedBytes limits the memory for the shared distances of all folds, in a cross-validation of several kernels.
const maxSharedBytes = 1 << 30

// sharedRows holds the rows of a fold with their shared distances.
type sharedRows struct {
	train, test *mat.Dense
	once        sync.Once
	gram        *kernels.Shared
	cross       *kernels.SharedCross
	err         error
}

func (s *sharedRows) prepare(ctx context.Context) error {
	s.once.Do(func() {
		opt := &kernels.Options{Workers: 1} // several kernels are already processed in parallel
		if s.gram, s.err = kernels.Share(ctx, s.train, opt); s.err == nil {
			s.cross, s.err = kernels.ShareCross(ctx, s.test, s.train, opt)
		}
	})
	return s.err
}

// onSharedRows is a Learner that fits to the training rows of a fold and predicts the test rows of the fold. It ignores the rows
// that are passed to its methods.
type onSharedRows[Y float64 | int] struct {
	Learner gramLearner[Y]
	kernel  kernels.Kernel
	rows    *sharedRows
}

func (o onSharedRows[Y]) Fit(ctx context.Context, _ mat.Matrix, y []Y) (err error) {
	defer check.Begin(&ctx)(&err)
	if err := o.rows.prepare(ctx); err != nil {
		return err
	}
	k, err := o.rows.gram.Matrix(ctx, o.kernel)
	if err != nil {
		return err
	}
	return o.Learner.FitMatrix(ctx, k, y)
}

func (o onSharedRows[Y]) values() (*mat.Dense, error) {
	return o.rows.cross.Cross(context.Background(), o.kernel)
}

func (o onSharedRows[Y]) Predict(mat.Matrix) (_ []Y, err error) {
	defer fault.Recover(&err)
	k, err := o.values()
	if err != nil {
		return nil, err
	}
	return o.Learner.PredictMatrix(k)
}

// classifierOnSharedRows adds the methods that classification scores need to onSharedRows.
type classifierOnSharedRows struct {
	onSharedRows[int]
	classifier gramClassifier
}

var (
	_ estimators.DecisionPredictor = classifierOnSharedRows{}
	_ estimators.ProbaPredictor    = classifierOnSharedRows{}
)

func (c classifierOnSharedRows) Classes() []int { return c.classifier.Classes() }

func (c classifierOnSharedRows) Decision(mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	k, err := c.values()
	if err != nil {
		return nil, err
	}
	return c.classifier.DecisionMatrix(k)
}

func (c classifierOnSharedRows) PredictProba(mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	k, err := c.values()
	if err != nil {
		return nil, err
	}
	return c.classifier.PredictProbaMatrix(k)
}

// shareable reports whether the distances of the folds fit into maxSharedBytes.
func shareable(folds []Fold) bool {
	bytes := 0.0
	for _, f := range folds {
		n, m := float64(len(f.Train)), float64(len(f.Test))
		bytes += 8 * (n*n/2 + n*m)
	}
	return bytes <= maxSharedBytes
}

// sharing returns a Learner that is equivalent to e and computes its kernel matrix from the shared distances in rows. If that is
// not possible, it returns e itself.
func sharing[Y float64 | int, E Learner[Y]](e E, kernel kernels.Kernel, rows *sharedRows) E {
	if kernel == nil || rows == nil || !hasKernel(e, kernel) {
		return e
	}
	g, ok := embedding.As[gramLearner[Y]](e)
	if !ok {
		return e
	}
	var out any = onSharedRows[Y]{g, kernel, rows}
	if s, ok := out.(onSharedRows[int]); ok {
		c, ok := embedding.As[gramClassifier](e)
		if !ok {
			return e
		}
		out = classifierOnSharedRows{s, c}
	}
	if shared, ok := out.(E); ok {
		return shared
	}
	return e
}

// hasKernel reports whether e's field Kernel equals kernel. The function that built e may have set another one.
func hasKernel(e any, kernel kernels.Kernel) bool {
	v := reflect.Indirect(reflect.ValueOf(e))
	if v.Kind() != reflect.Struct {
		return false
	}
	field := v.FieldByName("Kernel")
	if !field.IsValid() || !field.CanInterface() {
		return false
	}
	has, ok := field.Interface().(kernels.Kernel)
	return ok && reflect.DeepEqual(has, kernel)
}
