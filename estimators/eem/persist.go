package eem

import (
	"encoding"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

const (
	classifierKind       = "eem.Classifier"
	kernelClassifierKind = "eem.KernelClassifier"
	version              = 1
)

var (
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
	_ encoding.BinaryMarshaler   = (*KernelClassifier)(nil)
	_ encoding.BinaryUnmarshaler = (*KernelClassifier)(nil)
	_ encoding.BinaryMarshaler   = (*Statistics)(nil)
	_ encoding.BinaryUnmarshaler = (*Statistics)(nil)
)

type storedPair struct {
	Direction  codec.Floats
	MPos, MNeg float64
	SPos, SNeg float64
	Distance   float64
	RhoPos     float64
	RhoNeg     float64
	Constant   bool
	LogW       float64
}

// storedModel is what both machines write; the layer is each one's own.
type storedModel struct {
	Width   int
	Classes []int
	Pairs   []storedPair
	Plane   *storedPlane // in place of Pairs
	Report  estimators.Report
}

// solved returns the solution of all rows, which a file needs.
func (c *machine[N]) solved() (*solution, error) {
	if c.m != nil && c.m.now.Load() == nil {
		return nil, fmt.Errorf("%s: rows have been taken in since the last solution, call Solve first: %w", c.typ(), fault.ErrNotFitted)
	}
	if c.m == nil {
		return nil, fault.NotFitted(c.typ())
	}
	return c.m.now.Load(), nil
}

// store returns what both machines write. directions are those of a plane.
func (s *solution) store(width int, directions *mat.Dense) storedModel {
	out := storedModel{Width: width, Classes: s.classes, Report: s.report, Plane: s.storePlane(directions)}
	for k, p := range s.pairs {
		out.Pairs = append(out.Pairs, storedPair{
			Direction: p.beta, MPos: p.mPos, MNeg: p.mNeg, SPos: p.sPos, SNeg: p.sNeg, Distance: p.distance,
			RhoPos: p.rhoPos, RhoNeg: p.rhoNeg, Constant: p.constant, LogW: s.logW[k],
		})
	}
	return out
}

// solution rebuilds and validates, for a layer of h units; it returns the directions too.
func (s storedModel) solution(kind string, h int) (of *solution, directions *mat.Dense, err error) {
	if s.Width < 1 || !classes.Valid(s.Classes) {
		return nil, nil, fault.BadModel(kind, "classes %v", s.Classes)
	}
	if s.Plane != nil {
		of, directions, err = s.Plane.solution(kind, s.Classes, h)
	} else {
		of, directions, err = s.pairs(kind, h)
	}
	if err != nil {
		return nil, nil, err
	}
	if v := of.report.Objective; v-v != 0 {
		return nil, nil, fault.BadModel(kind, "objective %v", v)
	}
	return of, directions, nil
}

func (s storedModel) pairs(kind string, h int) (*solution, *mat.Dense, error) {
	if k := float64(len(s.Classes)); float64(len(s.Pairs)) != k*(k-1)/2 {
		return nil, nil, fault.BadModel(kind, "%d pairs for classes %v", len(s.Pairs), s.Classes)
	}
	of := &solution{classes: s.Classes, report: s.Report}
	if h < 1 {
		return nil, nil, fault.BadModel(kind, "pairs of no units")
	}
	for i, p := range s.Pairs { // before memory for all of them is asked for
		if len(p.Direction) != h {
			return nil, nil, fault.BadModel(kind, "pair %d: %d coefficients for %d units", i, len(p.Direction), h)
		}
	}
	directions := mat.NewDense(h, len(s.Pairs), nil)
	for i, p := range s.Pairs {
		numbers := codec.Floats{p.MPos, p.MNeg, p.SPos, p.SNeg, p.Distance, p.RhoPos, p.RhoNeg, p.LogW}
		if len(p.Direction) != h || !p.Direction.Finite() || !numbers.Finite() || !(p.SPos > 0) || !(p.SNeg > 0) {
			return nil, nil, fault.BadModel(kind, "pair %d: %d coefficients for %d units, variances %v and %v", i, len(p.Direction), h, p.SPos, p.SNeg)
		}
		directions.SetCol(i, p.Direction)
		of.pairs = append(of.pairs, &projection{
			beta: p.Direction, mPos: p.MPos, mNeg: p.MNeg, sPos: p.SPos, sNeg: p.SNeg, distance: p.Distance, rhoPos: p.RhoPos, rhoNeg: p.RhoNeg, constant: p.Constant,
		})
		of.logW = append(of.logW, p.LogW)
	}
	return of, directions, nil
}

// restore takes over what was read.
func (c *machine[N]) restore(of *solution, l layer, s scorer, width int) {
	of.scorer = s
	c.m = &model{layer: l, width: width, classes: of.classes}
	c.m.now.Store(of)
}

type storedClassifier struct {
	Model storedModel
	Units estimators.NestedModel
}

// MarshalBinary writes the fitted machine: its units and the direction of each pair of classes. The statistics, O(h²)
// numbers for each class, are not written; MarshalStatistics gives them. It returns [estimators.ErrNotFitted] before
// Fit, and after PartialFit until Solve or a prediction.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	of, err := c.solved()
	if err != nil {
		return nil, err
	}
	h := of.scorer.(*hiddenScorer)
	s := storedClassifier{Model: of.store(c.m.width, h.directions)}
	if s.Units, err = estimators.NestModel(classifierType+": hidden units", h.hidden); err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors wrap [estimators.ErrBadModel] and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	hidden := &featuremap.RandomHidden{Workers: c.Workers}
	if err := s.Units.UnmarshalInto(classifierKind, "the hidden units", hidden); err != nil {
		return err
	}
	w, _ := hidden.UnitWeights()
	h, d := w.Dims()
	if d != s.Model.Width {
		return fault.BadModel(classifierKind, "units of %d columns, %d announced", d, s.Model.Width)
	}
	of, directions, err := s.Model.solution(classifierKind, h)
	if err != nil {
		return err
	}
	c.restore(of, newHiddenLayer(hidden), &hiddenScorer{hidden: hidden, directions: directions}, d)
	return nil
}

type storedKernelClassifier struct {
	Model        storedModel
	Kernel       kernels.Reference
	Landmarks    codec.Matrix
	Coefficients codec.Matrix // b̂
}

// MarshalBinary writes the fitted machine: the landmarks, their coefficients in the direction of each pair of
// classes, and the kernel's name. The statistics are not written. Errors are those of [Classifier.MarshalBinary].
func (c *KernelClassifier) MarshalBinary() ([]byte, error) {
	of, err := c.solved()
	if err != nil {
		return nil, err
	}
	l := of.scorer.(*landmarkScorer)
	return codec.Marshal(kernelClassifierKind, version, storedKernelClassifier{
		Model: of.store(c.m.width, l.coefficients), Kernel: kernels.MakeReference(c.Kernel, l.kernel),
		Landmarks: codec.FromDense(l.rows), Coefficients: codec.FromDense(l.coefficients),
	})
}

// UnmarshalBinary reads what MarshalBinary wrote into a KernelClassifier that has the same Kernel. Errors wrap
// [estimators.ErrBadModel] and leave c unchanged.
func (c *KernelClassifier) UnmarshalBinary(data []byte) error {
	var in storedKernelClassifier
	if _, err := codec.Unmarshal(data, kernelClassifierKind, version, &in); err != nil {
		return err
	}
	rows, err := in.Landmarks.Dense()
	if err != nil || rows == nil {
		return fault.BadModel(kernelClassifierKind, "no landmarks, or not finite")
	}
	coefficients, err := in.Coefficients.Dense()
	if err != nil || coefficients == nil {
		return fault.BadModel(kernelClassifierKind, "no coefficients, or not finite")
	}
	h, d := rows.Dims()
	of, directions := coefficients.Dims()
	if of != h || d != in.Model.Width {
		return fault.BadModel(kernelClassifierKind, "%d landmarks of %d columns for %d coefficients, width %d", h, d, of, in.Model.Width)
	}
	units := h // the pairs' directions are of the features, of which there are at most as many
	if len(in.Model.Pairs) > 0 {
		units = len(in.Model.Pairs[0].Direction)
	}
	s, _, err := in.Model.solution(kernelClassifierKind, units)
	if err != nil {
		return err
	}
	if want := s.directions(); want != directions || units > h {
		return fault.BadModel(kernelClassifierKind, "coefficients of %d directions, want %d", directions, want)
	}
	kernel, err := in.Kernel.Resolve(kernelClassifierKind, c.Kernel)
	if err != nil {
		return err
	}
	c.restore(s, &landmarkLayer{kernel: kernel, rows: rows}, &landmarkScorer{kernel: kernel, rows: rows, coefficients: coefficients, workers: c.Workers}, d)
	return nil
}
