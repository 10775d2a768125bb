package golearn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The types of this package accept grids. Shims convert the matrices of the conformance suite to grids, and grids to matrices.

// gridModel has the methods that Classifier, Regressor and Pipeline share.
type gridModel interface {
	base.Classifier
	FitContext(ctx context.Context, grid base.FixedDataGrid) error
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
}

// features returns x as a dense matrix. A grid is read completely before Fit, so errors of the matrix must be returned here.
func features(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	return xd, ctx.Err()
}

type regressorShim struct{ gridModel }

func (s regressorShim) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	xd, err := features(ctx, x)
	if err != nil {
		return err
	}
	n, _ := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return err
	}
	if err := check.Vector("y", y); err != nil {
		return err
	}
	grid, err := grids.TargetGrid(xd, nil, "y", y)
	if err != nil {
		return err
	}
	return s.FitContext(ctx, grid)
}

func (s regressorShim) Predict(x mat.Matrix) ([]float64, error) {
	pred, err := s.predict(x)
	if err != nil {
		return nil, err
	}
	return grids.Targets(pred)
}

func (s regressorShim) predict(x mat.Matrix) (base.FixedDataGrid, error) {
	if _, err := check.DenseGaps("x", x, check.Anywhere); errors.Is(err, estimators.ErrShape) {
		return nil, err
	}
	grid, err := grids.FeatureGrid(x, nil)
	if err != nil {
		return nil, err
	}
	return s.gridModel.Predict(grid)
}

func (s regressorShim) Clone() estimators.Regressor {
	return regressorShim{estimators.Clone(s.gridModel)}
}

type classifierShim struct{ gridModel }

func (s classifierShim) Clone() estimators.Classifier {
	return classifierShim{estimators.Clone(s.gridModel)}
}

func (s classifierShim) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	xd, err := features(ctx, x)
	if err != nil {
		return err
	}
	n, _ := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return err
	}
	labels := make([]string, len(y))
	for i, v := range y {
		labels[i] = strconv.Itoa(v)
	}
	grid, err := grids.LabelledGrid(xd, nil, "class", labels)
	if err != nil {
		return err
	}
	return s.FitContext(ctx, grid)
}

func (s classifierShim) Predict(x mat.Matrix) ([]int, error) {
	pred, err := regressorShim(s).predict(x)
	if err != nil {
		return nil, err
	}
	positions, names, err := grids.Labels(pred)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(positions))
	for i, p := range positions {
		if out[i], err = strconv.Atoi(names[p]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s classifierShim) Classes() []int {
	var out []int
	for _, l := range s.gridModel.(interface{ Labels() []string }).Labels() {
		v, err := strconv.Atoi(l)
		if err != nil {
			panic(fmt.Sprintf("label %q is none that the shim made", l))
		}
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

func TestConformance(t *testing.T) {
	table := &estimatortest.Table{}
	// Other skipped tests need methods that the shims do not have.
	grid := &estimatortest.Options{Table: table, Skip: map[string]string{
		"width-at-predict": "ignores the columns of a grid that Fit did not see; a missing one is refused in this package's tests",
		"not-finite-x":     "names the attribute and the row, where a matrix has a row and a column",
	}}
	scaledGrid := &estimatortest.Options{Table: table, Skip: map[string]string{"width-at-predict": grid.Skip["width-at-predict"]}}
	estimatortest.Regressor(t, "golearn.Regressor", func() estimators.Regressor {
		return regressorShim{&golearn.Regressor{Estimator: &lssvm.Regressor{}}}
	}, grid)
	estimatortest.Classifier(t, "golearn.Classifier", func() estimators.Classifier {
		return classifierShim{&golearn.Classifier{Estimator: &lssvm.Classifier{}}}
	}, grid)
	scaled := []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}
	estimatortest.Regressor(t, "golearn.Pipeline (regression)", func() estimators.Regressor {
		return regressorShim{&golearn.Pipeline{Steps: scaled, Final: &golearn.Regressor{Estimator: &lssvm.Regressor{}}}}
	}, scaledGrid)
	estimatortest.Classifier(t, "golearn.Pipeline (classification)", func() estimators.Classifier {
		return classifierShim{&golearn.Pipeline{Steps: scaled, Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}}}
	}, scaledGrid)
	t.Log("\n" + table.String())
}
