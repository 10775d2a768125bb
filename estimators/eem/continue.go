package eem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const classStatisticsVersion = 1

// storedClasses is the form of the moments of the classes in a file.
type storedClasses struct {
	Classes []int
	Of      [][]byte
	Few     string `cbor:",omitempty"`
}

func (c fitSettings) statisticsKind() string { return c.typ + " class statistics" }

// MarshalStatistics implements estimators.Continuer. It encodes the moments of each class: about d²/2 numbers for d features.
func (c *machine[N]) MarshalStatistics() ([]byte, error) {
	switch {
	case c.m == nil:
		return nil, fault.NotFitted(c.typ())
	case c.m.stats == nil:
		return nil, noStatistics(c.typ())
	}
	out := storedClasses{Classes: c.m.classes, Few: c.m.few}
	for _, s := range c.m.stats {
		data, err := s.MarshalBinary()
		if err != nil {
			return nil, err
		}
		out.Of = append(out.Of, data)
	}
	return codec.Marshal(fitSettings{typ: c.typ()}.statisticsKind(), classStatisticsVersion, out)
}

func noStatistics(typ string) error {
	return fmt.Errorf("%s: a model from a file has no statistics to continue from: %w", typ, fault.ErrNotFitted)
}

// UnmarshalStatistics implements [estimators.Continuer].
func (c *Classifier) UnmarshalStatistics(data []byte) (err error) {
	defer fault.Recover(&err)
	return c.keep(c.settings().continued(c.m, data))
}

// UnmarshalStatistics implements [estimators.Continuer]. It factorises the kernel matrix of the landmarks again, O(h³), because a
// model file does not hold the factor.
func (c *KernelClassifier) UnmarshalStatistics(data []byte) (err error) {
	defer fault.Recover(&err)
	return c.keep(c.settings().continued(c.m, data))
}

// continued returns a copy of old with the statistics that data encodes.
func (c fitSettings) continued(old *model, data []byte) (*model, error) {
	if old == nil {
		return nil, fault.NotFitted(c.typ)
	}
	kind := c.statisticsKind()
	var in storedClasses
	if _, err := codec.Unmarshal(data, kind, classStatisticsVersion, &in); err != nil {
		return nil, err
	}
	if !classes.Valid(in.Classes) || !slices.Equal(in.Classes, old.classes) || len(in.Of) != len(in.Classes) {
		return nil, fault.BadModel(kind, "%d statistics of the classes %v, the model has %v", len(in.Of), in.Classes, old.classes)
	}
	m := &model{fitSettings: c, layer: old.layer, width: old.width, classes: old.classes, few: in.Few}
	if l, ok := m.layer.(*features.Landmarks); ok {
		var err error
		if m.layer, err = l.Factorised(context.Background(), c.workers); err != nil {
			return nil, fault.BadModel(kind, "%v", err)
		}
	}
	width := m.layer.Width(math.MaxInt)
	rows := 0.0
	for k, one := range in.Of {
		s := &moments.Moments{}
		if err := s.UnmarshalBinary(one); err != nil {
			return nil, fault.BadModel(kind, "class %d: %v", in.Classes[k], err)
		}
		if s.Weight > 0 && len(s.Means) != width {
			return nil, fault.BadModel(kind, "class %d: %d features, the model has %d", in.Classes[k], len(s.Means), width)
		}
		rows += s.Weight
		m.stats = append(m.stats, s)
	}
	if rows == 0 {
		return nil, fault.BadModel(kind, "no rows")
	}
	m.now.Store(old.now.Load())
	return m, nil
}
