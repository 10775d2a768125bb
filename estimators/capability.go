package estimators

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

// Capability names an ability that an estimator may have.
type Capability int

// These are the capabilities. Each comment names the interface.
const (
	Proba        Capability = iota + 1 // ProbaPredictor
	Variance                           // VariancePredictor or MultiVariancePredictor
	Interval                           // IntervalPredictor or MultiIntervalPredictor
	LeaveOneOut                        // LeaveOneOutPredictor or MultiLeaveOneOutPredictor
	Decision                           // DecisionPredictor
	PredictTo                          // PredictorTo[float64], PredictorTo[int] or MultiPredictorTo
	DecisionTo                         // DecisionPredictorTo
	ProbaTo                            // ProbaPredictorTo
	Weighted                           // WeightedFitter[float64], WeightedFitter[int] or MultiWeightedFitter
	Partial                            // PartialFitter[float64], PartialFitter[int] or transformers.PartialFitter
	Blocks                             // BlockFitter[float64], BlockFitter[int] or streaming.BlockFitter[streaming.None]
	KernelMatrix                       // MatrixFitter[float64] or MatrixFitter[int]
	Reporting                          // Reporter
	Marshalling                        // encoding.BinaryMarshaler and BinaryUnmarshaler
	Inverting                          // transformers.Inverter, unless the method is promoted from an embedded type
	Smoothing                          // LinearSmoother
	Sets                               // SetPredictor
	// StatisticsFitter or StagedFitter of float64 or int, or the same interfaces of package transformers, which NewStages and
	// FitStages accept
	Mergeable
	Continuing // Continuer
	PValues    // PPredictor
	Grouping   // Grouper
	// Categorizer
	Categorizing
	Expanding // Expander
	Naming    // ColumnNamer
)

// ability holds the properties of a capability.
type ability struct {
	method     string         // its name
	interfaces []reflect.Type // the type must implement one of these
	// needs is the capability that the wrapped estimator must have so that the wrapper's method works, or 0 for none. If parts is
	// true, each step before the estimator must have it too.
	needs Capability
	parts bool
	// own excludes methods that are promoted from an embedded type, because the outer type may have another Fit or Transform that
	// does not match them.
	own bool
}

var table = map[Capability]ability{
	Proba: {method: "PredictProba", interfaces: types(reflect.TypeFor[ProbaPredictor]()), needs: Proba},
	Variance: {method: "PredictVariance",
		interfaces: types(reflect.TypeFor[VariancePredictor](), reflect.TypeFor[MultiVariancePredictor]()),
		needs:      Variance},
	Interval: {method: "PredictInterval",
		interfaces: types(reflect.TypeFor[IntervalPredictor](), reflect.TypeFor[MultiIntervalPredictor]()),
		needs:      Interval},
	LeaveOneOut: {method: "LeaveOneOutResiduals", interfaces: types(
		reflect.TypeFor[LeaveOneOutPredictor](), reflect.TypeFor[MultiLeaveOneOutPredictor](),
	), needs: LeaveOneOut},
	Decision: {method: "Decision", interfaces: types(reflect.TypeFor[DecisionPredictor]()), needs: Decision},
	PredictTo: {method: "PredictTo", interfaces: types(
		reflect.TypeFor[PredictorTo[float64]](), reflect.TypeFor[PredictorTo[int]](), reflect.TypeFor[MultiPredictorTo](),
	)},
	DecisionTo: {method: "DecisionTo", interfaces: types(reflect.TypeFor[DecisionPredictorTo]()), needs: Decision},
	ProbaTo:    {method: "PredictProbaTo", interfaces: types(reflect.TypeFor[ProbaPredictorTo]()), needs: Proba},
	Weighted: {method: "FitWeighted", interfaces: types(
		reflect.TypeFor[WeightedFitter[float64]](), reflect.TypeFor[WeightedFitter[int]](), reflect.TypeFor[MultiWeightedFitter](),
	), needs: Weighted},
	Partial: {method: "PartialFit", interfaces: types(
		reflect.TypeFor[PartialFitter[float64]](), reflect.TypeFor[PartialFitter[int]](), reflect.TypeFor[transformers.PartialFitter](),
	), needs: Partial, own: true},
	Blocks: {method: "FitBlocks", interfaces: types(
		reflect.TypeFor[streaming.BlockFitter[float64]](), reflect.TypeFor[streaming.BlockFitter[int]](),
		reflect.TypeFor[streaming.BlockFitter[streaming.None]](),
	), needs: Blocks, parts: true, own: true},
	KernelMatrix: {method: "FitMatrix", interfaces: types(reflect.TypeFor[MatrixFitter[float64]](), reflect.TypeFor[MatrixFitter[int]]()),
		needs: KernelMatrix},
	Reporting: {method: "Report", interfaces: types(reflect.TypeFor[Reporter]()), needs: Reporting},
	Marshalling: {method: "MarshalBinary and UnmarshalBinary", interfaces: types(reflect.TypeFor[marshaller]()), needs: Marshalling,
		parts: true},
	Inverting: {method: "InverseTransform", interfaces: types(reflect.TypeFor[transformers.Inverter]()), needs: Inverting, parts: true,
		own: true},
	Sets: {method: "PredictSet", interfaces: types(reflect.TypeFor[SetPredictor]()), needs: Sets},
	Mergeable: {method: "NewStatistics or NewStages", interfaces: types(
		reflect.TypeFor[streaming.StatisticsFitter[float64]](), reflect.TypeFor[streaming.StatisticsFitter[int]](),
		reflect.TypeFor[streaming.StatisticsFitter[streaming.None]](),
		reflect.TypeFor[streaming.StagedFitter[float64]](), reflect.TypeFor[streaming.StagedFitter[int]](),
		reflect.TypeFor[streaming.StagedFitter[streaming.None]](),
	), needs: Mergeable, parts: true, own: true},
	Continuing:   {method: "MarshalStatistics", interfaces: types(reflect.TypeFor[Continuer]()), needs: Continuing, own: true},
	PValues:      {method: "PredictP", interfaces: types(reflect.TypeFor[PPredictor]()), needs: PValues},
	Grouping:     {method: "SetGroups", interfaces: types(reflect.TypeFor[Grouper]()), needs: Grouping},
	Categorizing: {method: "SetCategories", interfaces: types(reflect.TypeFor[Categorizer]()), needs: Categorizing},
	Naming:       {method: "SetColumnNames", interfaces: types(reflect.TypeFor[ColumnNamer]()), needs: Naming},
	// own, because a type that embeds an Expander may predict something else
	Expanding: {method: "Expansion", interfaces: types(reflect.TypeFor[Expander]()), needs: Expanding, own: true},
	Smoothing: {method: "Smoother", interfaces: types(reflect.TypeFor[LinearSmoother]()), needs: Smoothing},
}

type marshaller interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func types(t ...reflect.Type) []reflect.Type { return t }

// hasMethod reports whether a type has the method of the capability.
func (a ability) hasMethod(t reflect.Type) bool {
	if a.own {
		return slices.ContainsFunc(a.interfaces, func(methods reflect.Type) bool { return embedding.Implements(t, methods) })
	}
	return slices.ContainsFunc(a.interfaces, t.Implements)
}

// String returns the method's name.
func (c Capability) String() string {
	return cmp.Or(table[c].method, enum.Name("Capability", int(c)))
}

// Capabilities returns all capabilities.
func Capabilities() []Capability { return slices.Sorted(maps.Keys(table)) }

// Wrapper is the interface of composites (a pipeline, a search, an adapter). They have every method, whatever they wrap. Supports
// reports whether the method of a capability would work.
type Wrapper interface{ Supports(c Capability) bool }

// Supports reports whether e has the capability c. For a Wrapper it returns the result of its Supports method: a pipeline supports
// Variance if its final estimator does.
func Supports(e any, c Capability) bool {
	if e == nil {
		return false
	}
	if w, ok := e.(Wrapper); ok {
		return w.Supports(c)
	}
	a, ok := table[c]
	return ok && a.hasMethod(reflect.TypeOf(e))
}

// Wrapped describes the contents of a Wrapper. A wrapper w implements Supports(c) as Wrapped{...}.Supports(w, c). The rule is the
// same for all wrappers: w must have the method, and the contents of w must have the capability that the method needs.
type Wrapped struct {
	// Estimators holds the wrapped estimators, or all candidates from which a Fit may choose.
	Estimators []any
	// Steps holds the transformers that are applied before the estimators. They are stored with the estimators.
	Steps []transformers.Transformer
	// Own lists the capabilities whose methods work for any wrapped estimator.
	Own []Capability
	// Methods lists capabilities for which the wrapper has a method whose arguments differ from those in the interface, such as an
	// adapter's method for other data.
	Methods []Capability
}

// Supports reports whether the wrapper has the capability c. If Estimators is empty, the wrapper's method is sufficient.
func (w Wrapped) Supports(wrapper any, c Capability) bool {
	a, ok := table[c]
	switch {
	case !ok, !a.hasMethod(reflect.TypeOf(wrapper)) && !slices.Contains(w.Methods, c):
		return false
	case slices.Contains(w.Own, c):
		return true
	}
	can := func(e any, c Capability) bool { return !check.IsNil(e) && Supports(e, c) }
	if a.parts {
		for _, s := range w.Steps {
			if !can(s, c) {
				return false
			}
		}
	}
	if a.needs == 0 {
		return true
	}
	for _, e := range w.Estimators {
		if !can(e, a.needs) {
			return false
		}
	}
	return true
}

// Unsupported returns the error of a wrapper whose wrapped value e lacks the capability c. It wraps errors.ErrUnsupported.
func Unsupported(wrapper string, e any, c Capability) error {
	return fmt.Errorf("%s: %T has no %v: %w", wrapper, e, c, errors.ErrUnsupported)
}

// Capable returns e as a C, the interface of the capability c. If e does not support c, it returns the error of Unsupported.
func Capable[C any](wrapper string, e any, c Capability) (C, error) {
	out, ok := e.(C)
	if !ok || !Supports(e, c) {
		return out, Unsupported(wrapper, e, c)
	}
	return out, nil
}
