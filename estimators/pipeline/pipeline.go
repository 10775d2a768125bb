// Package pipeline combines transformers and an estimator into one estimator, or several transformers into one.
//
// Fit fits a clone of each step to the output of the step before it, and a clone of the final estimator to the output of the last
// step. Predict and similar methods transform their rows with the same steps. A step therefore computes, for example, a mean or a
// set of landmarks only from the training rows, also within each fold of a cross-validation.
//
// Sparse rows (package sparse) stay sparse through steps that implement transformers.SparseTransformer. Any other step receives
// them unchanged, and returns dense rows.
//
// A [ColumnTransformer] applies different transformers to different columns.
//
// FitBlocks fits a pipeline to a stream of rows that are not all in memory, step after step, if all parts have FitBlocks.
//
// NewStages fits a pipeline from sums over rows in several places, such as several computers. There is a stage for each part. Its
// statistics receive the original rows and transform them with the fitted steps. A worker needs only the bytes of the stages and a
// pipeline with the same configuration. PartialFit fits the steps to the first rows, and Final to all rows.
//
// A pipeline has the methods of every capability. If its parts lack a capability, the method returns an error that wraps
// errors.ErrUnsupported. Supports reports the capabilities beforehand. Errors name a step by its index in Steps and its type:
//
//	pipeline: Regressor: step 2 (StandardScaler): x[17,3] is NaN (counted from 0): fill gaps with columnwise.Imputer
package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/targets"
)

// learner lists the methods of all estimators with targets T and predictions P.
type learner[T, P any] interface {
	Fit(ctx context.Context, x mat.Matrix, y T) error
	Predict(x mat.Matrix) (P, error)
}

// weightedLearner is a learner that accepts weights.
type weightedLearner[T any] interface {
	FitWeighted(ctx context.Context, x mat.Matrix, y T, weights []float64) error
}

// chain holds a pipeline's steps and final estimator, configured or fitted. E is estimators.Regressor, Classifier or
// MultiRegressor. The field Name of steps is the name of the pipeline.
type chain[T, P any, E learner[T, P]] struct {
	steps *Transformer
	final E
	few   []string // warnings about steps for which the first chunk of PartialFit has too few rows
	fold  bool     // the rows are a fold of a larger set
}

// clone returns an unfitted copy of the final estimator.
func (c *chain[T, P, E]) clone() (E, error) {
	var none E
	if check.IsNil(c.final) {
		return none, fault.Param(c.steps.Name, "Final", nil, "an estimator")
	}
	out := estimators.Clone(c.final)
	if c.fold {
		classes.FitsFold(out)
	}
	return out, nil
}

// unfitted returns a chain with a clone of the final estimator, whose steps are not fitted yet.
func (c *chain[T, P, E]) unfitted() (*chain[T, P, E], error) {
	final, err := c.clone()
	if err != nil {
		return nil, err
	}
	steps := &Transformer{Steps: c.steps.Steps, Name: c.steps.Name, Names: c.steps.Names, precedes: true}
	return &chain[T, P, E]{steps: steps, final: final}, nil
}

// finalName returns the prefix for the errors of the final estimator. It includes the package, because most types are called
// Regressor or Classifier.
func (c *chain[T, P, E]) finalName() string {
	return fmt.Sprintf("%s: final (%s)", c.steps.Name, strings.TrimPrefix(fmt.Sprintf("%T", c.final), "*"))
}

// finalSteps is the assumed time for the fit of the final estimator, as a number of steps, for the estimate of progress.
const finalSteps = 4

// fit returns a fitted copy of c. If weights is not nil, they are passed to the final estimator.
func (c *chain[T, P, E]) fit(ctx context.Context, x mat.Matrix, y T, weights []float64) (*chain[T, P, E], error) {
	out, err := c.unfitted()
	if err != nil {
		return nil, err
	}
	first, rest := progress.Two(ctx, float64(len(c.steps.Steps)), finalSteps)
	z, err := out.steps.fit(first, x, targets.Matrix(y), true)
	if err != nil {
		return nil, err
	}
	out.nameFinal()
	if weights == nil {
		return out, out.ofFinal(out.final.Fit(rest, z, y))
	}
	weighted, err := capable[weightedLearner[T]](out, estimators.Weighted)
	if err != nil {
		return nil, err
	}
	return out, out.ofFinal(weighted.FitWeighted(rest, z, y, weights))
}

// checkRows returns the result of the final estimator's CheckRowCount.
func (c *chain[T, P, E]) checkRows(rows int) error {
	if f, ok := any(c.final).(interface{ CheckRowCount(rows int) error }); ok && !check.IsNil(c.final) {
		return c.ofFinal(f.CheckRowCount(rows))
	}
	return nil
}

// checkSmoother returns the result of the final estimator's CheckSmoother.
func (c *chain[T, P, E]) checkSmoother(fitted, rows int) error {
	if f, ok := any(c.final).(interface{ CheckSmoother(fitted, rows int) error }); ok && !check.IsNil(c.final) {
		return c.ofFinal(f.CheckSmoother(fitted, rows))
	}
	return nil
}

// takesWeights returns an error unless the final estimator accepts weights.
func (c *chain[T, P, E]) takesWeights() error {
	if check.IsNil(c.final) {
		return fault.Param(c.steps.Name, "Final", nil, "an estimator")
	}
	_, err := capable[weightedLearner[T]](c, estimators.Weighted)
	return err
}

// fitWeighted is like fit with the weights of FitWeighted.
func fitWeighted[Y float64 | int, E learner[[]Y, []Y]](
	ctx context.Context, c *chain[[]Y, []Y, E], x mat.Matrix, y []Y, weights []float64,
) (*chain[[]Y, []Y, E], error) {
	if err := c.takesWeights(); err != nil {
		return nil, err
	}
	if err := check.Weights(c.steps.Name, weights, len(y)); err != nil {
		return nil, err
	}
	return c.fit(ctx, x, y, weights)
}

// rows transforms x with the steps.
func (c *chain[T, P, E]) rows(x mat.Matrix) (mat.Matrix, error) {
	return c.steps.transformSteps(c.steps.fitted.Steps, x)
}

// predictTo writes the predictions to dst. It does not allocate memory for a small block of rows.
func predictTo[Y float64 | int, E learner[[]Y, []Y]](name string, c *chain[[]Y, []Y, E], dst []Y, x mat.Matrix) error {
	if c == nil {
		return fault.NotFitted(name)
	}
	return c.steps.Pass(x, func(z mat.Matrix) error { return c.ofFinal(rowwise.Predict[Y](c.final, dst, z)) })
}

// ofFinal adds the name of the final estimator to an error, and the names of columns to their numbers in the error.
func (c *chain[T, P, E]) ofFinal(err error) error {
	if err == nil {
		return nil
	}
	err = fault.AddPlace(c.finalName(), err)
	if f := c.steps.fitted; f != nil {
		err = fault.NameColumns(err, f.NamesAt(len(f.Steps)))
	}
	return err
}

// nameFinal sets the column names of the final estimator to those of the output of the fitted steps.
func (c *chain[T, P, E]) nameFinal() {
	estimators.SetColumnNames(c.final, c.steps.fitted.NamesAt(len(c.steps.fitted.Steps)))
}

// capable returns the final estimator as the capability's interface, or an error that wraps errors.ErrUnsupported.
func capable[C, T, P any, E learner[T, P]](c *chain[T, P, E], capability estimators.Capability) (C, error) {
	return estimators.Capable[C](c.steps.Name, c.final, capability)
}

// callFinal transforms x with the fitted steps and calls f with the final estimator, as the interface C of the capability, and the
// transformed rows. It first checks that Final has the capability, and then that the pipeline is fitted. It does not allocate
// memory for a small block of rows.
func callFinal[C, T, P any, E learner[T, P]](
	configured func() *chain[T, P, E], fitted *chain[T, P, E], capability estimators.Capability, x mat.Matrix, f func(C, mat.Matrix) error,
) error {
	final, err := able[C](configured, fitted, capability)
	if err != nil {
		return err
	}
	return fitted.steps.Pass(x, func(z mat.Matrix) error { return fitted.ofFinal(f(final, z)) })
}

// able returns the fitted final estimator as the capability's interface. It returns an error if the estimator lacks the capability,
// or if the pipeline is not fitted.
func able[C, T, P any, E learner[T, P]](
	configured func() *chain[T, P, E], fitted *chain[T, P, E], capability estimators.Capability,
) (C, error) {
	if fitted != nil {
		return capable[C](fitted, capability)
	}
	c := configured()
	if !check.IsNil(c.final) {
		if v, err := capable[C](c, capability); err != nil {
			return v, err
		}
	}
	var none C
	return none, fault.NotFitted(c.steps.Name)
}

// supports implements Supports for the pipeline p.
func (c *chain[T, P, E]) supports(p any, capability estimators.Capability) bool {
	switch {
	case capability == estimators.Naming:
		return true
	case capability == estimators.Categorizing && len(c.steps.Steps) > 0: // the steps may move the columns of x
		return c.steps.Supports(capability)
	}
	return estimators.Wrapped{Estimators: []any{c.final}, Steps: c.steps.Steps}.Supports(p, capability)
}

// setCategories sets the categories of the part that receives the columns of x.
func (c *chain[T, P, E]) setCategories(columns []int) {
	if len(c.steps.Steps) == 0 {
		estimators.SetCategories(c.final, columns)
	} else {
		c.steps.SetCategories(columns)
	}
}

// report returns the Report of the final estimator, or the zero Report if it has none.
func (c *chain[T, P, E]) report() estimators.Report {
	if c == nil || !estimators.Supports(c.final, estimators.Reporting) {
		return estimators.Report{}
	}
	if r, ok := any(c.final).(estimators.Reporter); ok {
		out := r.Report()
		out.Warnings = append(slices.Clone(c.few), out.Warnings...)
		return out
	}
	return estimators.Report{}
}

// payload is the form of a pipeline of any kind in a file.
type payload struct {
	Steps storedSteps
	Final estimators.NestedModel
}

const payloadVersion = 1

func (c *chain[T, P, E]) marshal(kind string) ([]byte, error) {
	steps, err := c.steps.store()
	if err != nil {
		return nil, err
	}
	final, err := estimators.NestModel(c.finalName(), c.final)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(kind, payloadVersion, payload{Steps: steps, Final: final})
}

// unmarshal decodes data into clones of the configured parts, and returns the fitted chain.
func (c *chain[T, P, E]) unmarshal(kind string, data []byte) (*chain[T, P, E], error) {
	var p payload
	if _, err := codec.Unmarshal(data, kind, payloadVersion, &p); err != nil {
		return nil, err
	}
	out, err := c.unfitted()
	if err != nil {
		return nil, err
	}
	if err := out.steps.load(kind, p.Steps); err != nil {
		return nil, err
	}
	return out, p.Final.UnmarshalInto(kind, "final", out.final)
}

// marshalStatistics calls MarshalStatistics of the final estimator.
func (c *chain[T, P, E]) marshalStatistics(configured func() *chain[T, P, E]) ([]byte, error) {
	final, err := able[estimators.Continuer](configured, c, estimators.Continuing)
	if err != nil {
		return nil, err
	}
	data, err := final.MarshalStatistics()
	return data, c.ofFinal(err)
}

// unmarshalStatistics calls UnmarshalStatistics of the final estimator.
func (c *chain[T, P, E]) unmarshalStatistics(configured func() *chain[T, P, E], data []byte) error {
	final, err := able[estimators.Continuer](configured, c, estimators.Continuing)
	if err != nil {
		return err
	}
	return c.ofFinal(final.UnmarshalStatistics(data))
}

// ridgeMachine returns the final estimator as the interface V, which has the prior variances of a ridge machine. ok is false if it
// is not a ridge machine.
func ridgeMachine[V, T, P any, E learner[T, P]](c *chain[T, P, E]) (prior V, ok bool) {
	if c == nil {
		return prior, false
	}
	prior, ok = embedding.As[V](c.final)
	return prior, ok && estimators.Supports(c.final, estimators.Variance)
}
