package estimatortest

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// continued is a regressor whose fit can stop and continue. It is correct if broken is 0.
type continued struct {
	broken brokenContinuer
	r      *ridge.Regressor
}

type brokenContinuer int

const (
	forgetsRows brokenContinuer = iota + 1
	takesAnything
	storesOfFit
	hasThemBefore
	movesTheModel
)

func newContinued(b brokenContinuer) func() any {
	return func() any { return &continued{b, &ridge.Regressor{Ridge: .1}} }
}

func (c *continued) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	return c.r.Fit(ctx, x, y)
}

func (c *continued) Predict(x mat.Matrix) ([]float64, error) { return c.r.Predict(x) }

func (c *continued) MarshalBinary() ([]byte, error) { return c.r.MarshalBinary() }

func (c *continued) UnmarshalBinary(data []byte) error { return c.r.UnmarshalBinary(data) }

func (c *continued) PartialFit(ctx context.Context, x mat.Matrix, y []float64) error {
	return c.r.PartialFit(ctx, x, y)
}

func (c *continued) MarshalStatistics() ([]byte, error) {
	data, err := c.r.MarshalStatistics()
	if err != nil && (c.broken == hasThemBefore || c.broken == storesOfFit && c.r.Report().Converged) {
		return nil, nil
	}
	return data, err
}

func (c *continued) UnmarshalStatistics(data []byte) error {
	switch {
	case c.broken == takesAnything && c.r.Report().Converged:
		_ = c.r.UnmarshalStatistics(data)
		return nil
	case c.broken == movesTheModel && c.r.Report().Converged:
		return c.r.PartialFit(context.Background(), mat.NewDense(1, 3, nil), []float64{9})
	case c.broken == forgetsRows && len(data) > 0:
		other := &ridge.Regressor{Ridge: .1}
		d := (&subject.Subject{Kind: subject.Regressors}).Train()
		if err := other.PartialFit(context.Background(), d.X.Slice(0, 9, 0, 3), slices.Clone(d.Y[:9])); err != nil {
			return err
		}
		few, err := other.MarshalStatistics()
		if err != nil {
			return err
		}
		if err := c.r.UnmarshalStatistics(data); err != nil {
			return err
		}
		return c.r.UnmarshalStatistics(few)
	}
	return c.r.UnmarshalStatistics(data)
}

func TestStopAndGoOfASoundType(t *testing.T) {
	for _, c := range checks {
		if c.name == "stop-and-go" {
			v := judge(c, &subject.Subject{Kind: subject.Regressors, Build: newContinued(0), Options: subject.Settings{Tolerance: defaultTolerance}})
			assert.Empty(t, v.Failures)
			assert.Empty(t, v.Skipped)
		}
	}
	assert.True(t, estimators.Supports(newContinued(0)(), estimators.Continuing))
}
