package eem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/discriminant"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
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

// storedModel is the part of a file that both machines have in common. The layer is separate.
type storedModel struct {
	Width   int
	Classes []int
	Pairs   []storedPair
	Plane   *storedPlane // in place of Pairs
	Report  estimators.Report
}

// solved returns the solution for all rows, which a file needs.
func (c *machine[N]) solved() (*solution, error) {
	if c.m != nil && c.m.now.Load() == nil {
		return nil, fmt.Errorf("%s: rows have been taken in since the last solution, call Solve first: %w", c.typ(), fault.ErrNotFitted)
	}
	if c.m == nil {
		return nil, fault.NotFitted(c.typ())
	}
	return c.m.now.Load(), nil
}

// store returns the part of a file that both machines have in common. The argument directions holds the directions of a plane.
func (s *solution) store(width int, directions *mat.Dense) storedModel {
	out := storedModel{Width: width, Classes: s.classes, Report: s.report, Plane: s.storePlane(directions)}
	for k, p := range s.pairs {
		out.Pairs = append(out.Pairs, storedPair{
			Direction: p.Beta, MPos: p.MPos, MNeg: p.MNeg, SPos: p.SPos, SNeg: p.SNeg, Distance: p.Distance,
			RhoPos: p.RhoPos, RhoNeg: p.RhoNeg, Constant: p.Constant, LogW: s.logW[k],
		})
	}
	return out
}

// solution checks s for a layer of h units, and returns the solution and the directions.
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
	for i, p := range s.Pairs { // checked before memory for all pairs is allocated
		if len(p.Direction) != h {
			return nil, nil, fault.BadModel(kind, "pair %d: %d coefficients for %d units", i, len(p.Direction), h)
		}
	}
	directions := mat.NewDense(h, len(s.Pairs), nil)
	for i, p := range s.Pairs {
		numbers := codec.Floats{p.MPos, p.MNeg, p.SPos, p.SNeg, p.Distance, p.RhoPos, p.RhoNeg, p.LogW}
		if len(p.Direction) != h || !p.Direction.Finite() || !numbers.Finite() || !(p.SPos > 0) || !(p.SNeg > 0) {
			return nil, nil, fault.BadModel(kind, "pair %d: %d coefficients for %d units, variances %v and %v", i, len(p.Direction), h,
				p.SPos,
				p.SNeg)
		}
		directions.SetCol(i, p.Direction)
		of.pairs = append(of.pairs, &discriminant.Projection{
			Beta: p.Direction, MPos: p.MPos, MNeg: p.MNeg, SPos: p.SPos, SNeg: p.SNeg, Distance: p.Distance,
			RhoPos: p.RhoPos, RhoNeg: p.RhoNeg, Constant: p.Constant,
		})
		of.logW = append(of.logW, p.LogW)
	}
	return of, directions, nil
}

// restore sets the machine to a model that was read from a file.
func (c *machine[N]) restore(of *solution, l features.Layer, s features.Scorer, width int) {
	of.scorer = s
	c.m = &model{layer: l, width: width, classes: of.classes}
	c.m.now.Store(of)
}

type storedClassifier struct {
	Model storedModel
	Units estimators.NestedModel
}

// MarshalBinary encodes the fitted machine: its units and the direction of each pair of classes. The statistics, O(h²) numbers for
// each class, are not included, but MarshalStatistics encodes them. MarshalBinary returns [estimators.ErrNotFitted] before Fit, and
// between PartialFit and the next Solve or prediction.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	of, err := c.solved()
	if err != nil {
		return nil, err
	}
	h := of.scorer.(*features.HiddenScorer)
	s := storedClassifier{Model: of.store(c.m.width, h.Directions)}
	if s.Units, err = estimators.NestModel(classifierType+": hidden units", h.Hidden); err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary. If it returns an error, which wraps [estimators.ErrBadModel], c is
// unchanged.
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
	c.restore(of, features.NewHidden(hidden), &features.HiddenScorer{Hidden: hidden, Directions: directions}, d)
	return nil
}

type storedKernelClassifier struct {
	Model        storedModel
	Kernel       kernels.Reference
	Landmarks    codec.Matrix
	Coefficients codec.Matrix // b̂
}

// MarshalBinary encodes the fitted machine: the landmarks, their coefficients in the direction of each pair of classes, and the
// kernel's name. The statistics are not included. It returns the errors of [Classifier.MarshalBinary].
func (c *KernelClassifier) MarshalBinary() ([]byte, error) {
	of, err := c.solved()
	if err != nil {
		return nil, err
	}
	l := of.scorer.(*features.LandmarkScorer)
	return codec.Marshal(kernelClassifierKind, version, storedKernelClassifier{
		Model: of.store(c.m.width, l.Coefficients), Kernel: kernels.MakeReference(c.Kernel, l.Kernel),
		Landmarks: codec.FromDense(l.Rows), Coefficients: codec.FromDense(l.Coefficients),
	})
}

// UnmarshalBinary decodes the output of MarshalBinary into a KernelClassifier with the same Kernel. If it returns an error, which
// wraps [estimators.ErrBadModel], c is unchanged.
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
	units := h // directions of pairs are in the space of the features, of which there is at most one for each landmark
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
	scorer := &features.LandmarkScorer{Kernel: kernel, Rows: rows, Coefficients: coefficients, Workers: c.Workers}
	c.restore(s, &features.Landmarks{Kernel: kernel, Rows: rows}, scorer, d)
	return nil
}

type storedPlane struct {
	Directions codec.Matrix
	Means      codec.Matrix
	Covs       []codec.Floats // upper triangles, row by row
	LogW       codec.Floats
	Report     estimators.Report
}

func (s *solution) storePlane(directions *mat.Dense) *storedPlane {
	if s.plane == nil {
		return nil
	}
	out := &storedPlane{Directions: codec.FromDense(directions), Means: codec.FromDense(s.plane.Means), LogW: s.logW, Report: s.report}
	for _, cov := range s.plane.Covariances {
		out.Covs = append(out.Covs, codec.FromSym(cov))
	}
	return out
}

// solution checks s for the given classes and h features, and returns the solution and the directions.
func (s *storedPlane) solution(kind string, classes []int, h int) (*solution, *mat.Dense, error) {
	bad := func(err error) (*solution, *mat.Dense, error) {
		return nil, nil, fault.BadModel(kind, "the discriminant plane: %v", err)
	}
	directions, err := s.Directions.Dense()
	if err != nil || directions == nil {
		return bad(err)
	}
	means, err := s.Means.Dense()
	if err != nil || means == nil {
		return bad(err)
	}
	from, r := directions.Dims()
	k, to := means.Dims()
	if from != h || to != r || k != len(classes) || len(s.Covs) != k || len(s.LogW) != k || !s.LogW.Finite() {
		return nil, nil, fault.BadModel(kind, "%d directions of %d features for %d classes", r, from, k)
	}
	p := &discriminant.Plane{Means: means}
	for _, flat := range s.Covs {
		cov, ok := flat.Sym(r)
		if !ok {
			return nil, nil, fault.BadModel(kind, "a covariance of %d numbers for %d directions, or not finite", len(flat), r)
		}
		p.Covariances = append(p.Covariances, cov)
	}
	if err := p.Factorise(context.Background()); err != nil {
		return bad(err)
	}
	return &solution{classes: classes, logW: s.LogW, plane: p, report: s.Report}, directions, nil
}
