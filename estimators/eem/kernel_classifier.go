package eem

import (
	"context"
	"encoding"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	kernelClassifierType = "eem: KernelClassifier"
	kernelClassifierKind = "eem.KernelClassifier"
)

// DefaultComponents is the number of landmarks of a KernelClassifier whose Components
// is 0.
const DefaultComponents = 250

// KernelClassifier is the extreme entropy kernel machine (EEKM): the same machine on
// the features that a kernel has on a few training rows,
//
//	φ(x) = Λ^-½ U' k(landmarks, x),    UΛU' the kernel matrix of the landmarks
//
// the Nyström map (Williams and Seeger 2001). The matrix is rarely invertible in numbers,
// whatever the kernel promises: landmarks that depend on those before them, to h·2⁻⁵² of
// the largest k(x, x), add no feature. The features are computed from a Cholesky factor in place of the
// eigenvectors, which is the same but for a rotation that the machine does not see.
// Columns of x should be of comparable scale. A fit costs O(nhd + nh² + h³); a prediction,
// from weights on the landmarks, O(hd) a row.
type KernelClassifier struct {
	Kernel     kernels.Kernel // nil: kernels.MedianRBF of the training rows
	Components int            // landmarks h, drawn from the training rows; 0: DefaultComponents, at most n
	Landmarks  *mat.Dense     // given landmarks (h×d); nil: drawn
	Seed       uint64         // of the landmarks
	Workers    int            // goroutines; 0: GOMAXPROCS
	// Labels, Priors, Costs, Frequencies and Multiclass are as Classifier's.
	Labels          []int
	Priors, Costs   []float64
	EmpiricalPriors bool
	Multiclass      Multiclass

	m *model
}

var (
	_ estimators.Classifier                    = (*KernelClassifier)(nil)
	_ estimators.ProbaPredictor                = (*KernelClassifier)(nil)
	_ estimators.DecisionPredictor             = (*KernelClassifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*KernelClassifier)(nil)
	_ estimators.Reporter                      = (*KernelClassifier)(nil)
	_ encoding.BinaryMarshaler                 = (*KernelClassifier)(nil)
	_ encoding.BinaryUnmarshaler               = (*KernelClassifier)(nil)
)

// landmarkLayer maps rows by their kernel with landmarks. With K = FF' the kernel
// matrix of the landmarks, of which some may depend on others, and L the rows of F that
// do not, the features are L⁻¹k: those of the eigenvectors but for a rotation, and the
// first of them are those of the first landmarks.
type landmarkLayer struct {
	kernel  kernels.Kernel
	rows    *mat.Dense // h×d
	factor  *mat.Dense // F, h×r
	kept    []int      // the rows of L
	workers int
}

func newLandmarkLayer(ctx context.Context, k kernels.Kernel, rows *mat.Dense, workers int) (*landmarkLayer, error) {
	gram, err := kernels.Matrix(ctx, k, rows, &kernels.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	l := &landmarkLayer{kernel: k, rows: rows, workers: workers}
	if l.factor, l.kept = linalg.Independent(gram); l.factor == nil {
		return nil, &fault.NotPSDError{What: "kernel matrix of the landmarks"}
	}
	return l, nil
}

// transposed is L' as BLAS wants it.
func (l *landmarkLayer) transposed() blas64.Triangular {
	r := len(l.kept)
	out := blas64.Triangular{N: r, Stride: r, Uplo: blas.Upper, Diag: blas.NonUnit, Data: make([]float64, r*r)}
	for j, row := range l.kept {
		for i, v := range l.factor.RawRowView(row)[:j+1] {
			out.Data[i*r+j] = v
		}
	}
	return out
}

func (l *landmarkLayer) independentRows() *mat.Dense {
	_, d := l.rows.Dims()
	out := mat.NewDense(len(l.kept), d, nil)
	for i, row := range l.kept {
		out.SetRow(i, l.rows.RawRowView(row))
	}
	return out
}

func (l *landmarkLayer) features(dst, x *mat.Dense) error {
	k, err := kernels.Cross(context.Background(), l.kernel, l.independentRows(), x, &kernels.Options{Workers: l.workers})
	if err != nil {
		return err
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, l.transposed(), k.RawMatrix())
	dst.Copy(k)
	return nil
}

func (l *landmarkLayer) width(units int) int {
	n, _ := slices.BinarySearch(l.kept, units)
	return n
}

func (l *landmarkLayer) first(units int) (layer, error) {
	h, d := l.rows.Dims()
	r := l.width(units)
	if units >= h {
		return l, nil
	}
	return &landmarkLayer{
		kernel: l.kernel, rows: mat.DenseCopyOf(l.rows.Slice(0, units, 0, d)), factor: mat.DenseCopyOf(l.factor.Slice(0, units, 0, r)),
		kept: l.kept[:r:r], workers: l.workers,
	}, nil
}

// landmarkScorer finds the place of rows by weights on the landmarks.
type landmarkScorer struct {
	kernel  kernels.Kernel
	rows    *mat.Dense // h×d
	weights *mat.Dense // b̂, h×r
	workers int
}

// along sums up: directions β are weights b̂ on the landmarks with F'b̂ = β, of which the
// least are taken where landmarks depend on others.
func (l *landmarkLayer) along(directions *mat.Dense) (scorer, error) {
	s := &landmarkScorer{kernel: l.kernel, rows: l.rows, workers: l.workers}
	h, r := l.factor.Dims()
	_, columns := directions.Dims()
	if r == h {
		s.weights = mat.DenseCopyOf(directions)
		blas64.Trsm(blas.Left, blas.NoTrans, 1, l.transposed(), s.weights.RawMatrix())
	} else {
		q := mat.DenseCopyOf(l.factor)
		tri := linalg.ThinQR(q)
		inner := mat.DenseCopyOf(directions)
		blas64.Trsm(blas.Left, blas.Trans, 1, blas64.Triangular{N: r, Stride: r, Uplo: blas.Upper, Diag: blas.NonUnit, Data: tri.RawMatrix().Data}, inner.RawMatrix())
		s.weights = mat.NewDense(h, columns, nil)
		s.weights.Mul(q, inner)
	}
	if v := mat.Sum(s.weights); v-v != 0 {
		return nil, &fault.NotFiniteError{Name: kernelClassifierType + ": weight of the landmarks", Row: -1, Col: -1, Value: v}
	}
	return s, nil
}

func (s *landmarkScorer) scores(x *mat.Dense) (*mat.Dense, error) {
	_, r := s.weights.Dims()
	if n, _ := x.Dims(); n == 1 {
		return placed(s, x, r)
	}
	prepared, err := kernels.Prepare(context.Background(), s.kernel, s.rows, &kernels.Options{Workers: s.workers})
	if err != nil {
		return nil, err
	}
	k := &mat.Dense{}
	return inChunks(x, r, func(dst, x *mat.Dense) error {
		if n, _ := x.Dims(); n < predictChunk {
			k.Reset() // the last block
		}
		err := prepared.CrossTo(context.Background(), k, x)
		if err == nil {
			dst.Mul(k, s.weights)
		}
		return err
	})
}

func (c *KernelClassifier) settings() settings {
	return settings{
		typ: kernelClassifierType, labels: c.Labels, priors: c.Priors, costs: c.Costs, frequencies: c.EmpiricalPriors, multiclass: c.Multiclass,
		workers: c.Workers, draw: c.draw,
	}
}

// draw chooses the landmarks.
func (c *KernelClassifier) draw(ctx context.Context, x *mat.Dense) (layer, error) {
	if c.Components < 0 {
		return nil, fault.Param(kernelClassifierType, "Components", c.Components, ">= 1, or 0 for the default")
	}
	kernel, err := kernels.OrMedianRBF(ctx, c.Kernel, x, c.Seed)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	if c.Landmarks != nil {
		l, err := check.Dense("Landmarks", c.Landmarks)
		if err != nil {
			return nil, err
		}
		if _, w := l.Dims(); w != d {
			return nil, fault.Shape("Landmarks has", w, "columns", "x has %d", d)
		}
		return newLandmarkLayer(ctx, kernel, mat.DenseCopyOf(l), c.Workers)
	}
	h := c.Components
	if h == 0 {
		h = DefaultComponents
	}
	order := rand.New(rand.NewPCG(c.Seed, 0x6c616e646d61726b)).Perm(n)[:min(h, n)] // the stream "landmark"
	return newLandmarkLayer(ctx, kernel, linalg.Rows(x, order), c.Workers)
}

// Fit learns from x (n×d) and n labels y. Errors: ErrParam, ErrShape (also for a single
// class, or one of Labels without a row), ErrNotFinite, ErrNotPSD for a kernel without
// a positive eigenvalue, or ctx's.
func (c *KernelClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	m, err := c.settings().fit(ctx, x, y)
	if err == nil {
		c.m = m
	}
	return err
}

// FitPath is Classifier's, for numbers of landmarks.
func (c *KernelClassifier) FitPath(ctx context.Context, x mat.Matrix, y []int, components []int) ([]*KernelClassifier, error) {
	if err := checkUnits(kernelClassifierType, components); err != nil {
		return nil, err
	}
	largest := *c
	largest.Components = components[len(components)-1]
	models, err := largest.settings().path(ctx, x, y, components)
	if err != nil {
		return nil, err
	}
	out := make([]*KernelClassifier, len(models))
	for i, m := range models {
		out[i] = c.Clone().(*KernelClassifier)
		out[i].Components, out[i].m = components[i], m
	}
	return out, nil
}

// HeldOut is Classifier's; the landmarks are drawn from all rows.
func (c *KernelClassifier) HeldOut(ctx context.Context, x mat.Matrix, y, block []int) (*mat.Dense, error) {
	return c.settings().heldOut(ctx, x, y, block)
}

// PartialFit takes in more rows, as Classifier's; the landmarks are of the first chunk.
func (c *KernelClassifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) error {
	m, err := c.settings().partialFit(ctx, c.m, x, y)
	if err == nil {
		c.m = m
	}
	return err
}

// Decision is as Classifier's.
func (c *KernelClassifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	return c.m.decision(kernelClassifierType, x)
}

// Predict returns the class of the largest Decision for each row of x (r×d). Cost
// O(rh(d + h)).
func (c *KernelClassifier) Predict(x mat.Matrix) ([]int, error) {
	return c.m.predict(kernelClassifierType, x)
}

// PredictProba is as Classifier's.
func (c *KernelClassifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	return c.m.proba(kernelClassifierType, x)
}

// Project is Classifier's.
func (c *KernelClassifier) Project(x mat.Matrix) (*mat.Dense, error) {
	_, z, err := c.m.project(kernelClassifierType, x)
	return z, err
}

// Classes returns the labels, ascending; nil before Fit.
func (c *KernelClassifier) Classes() []int { return c.m.labels() }

// Pairs returns what was learnt of each two classes; nil before Fit. Their Direction is
// of the features, whose axes the eigenvectors leave free: see LandmarkWeights.
func (c *KernelClassifier) Pairs() []Pair { return c.m.describe() }

// Statistics returns copies of the classes' statistics, in the order of Classes; nil
// before Fit and for a model from a file.
func (c *KernelClassifier) Statistics() []*Statistics { return c.m.copiedStatistics() }

// Report is as Classifier's.
func (c *KernelClassifier) Report() estimators.Report { return c.m.copiedReport() }

// landmarks returns what sums the machine up; nil before Fit.
func (c *KernelClassifier) landmarks() *landmarkScorer {
	if c.m == nil {
		return nil
	}
	if l, ok := c.m.layer.(*landmarkLayer); ok && c.m.solved == nil {
		return &landmarkScorer{kernel: l.kernel, rows: l.rows}
	}
	s, err := c.m.solution(kernelClassifierType)
	if err != nil {
		return nil
	}
	return s.scorer.(*landmarkScorer)
}

// ChosenKernel returns the kernel in use; nil before Fit.
func (c *KernelClassifier) ChosenKernel() kernels.Kernel {
	if l := c.landmarks(); l != nil {
		return l.kernel
	}
	return nil
}

// ChosenLandmarks returns the landmarks (h×d), nil before Fit.
func (c *KernelClassifier) ChosenLandmarks() *mat.Dense {
	if l := c.landmarks(); l != nil {
		return mat.DenseCopyOf(l.rows)
	}
	return nil
}

// LandmarkWeights returns b̂ = UΛ^-½β of a direction, the least that give it: along it a
// row x lies at Σ b̂[i] k(landmark i, x). Directions are those of Pairs, in their order,
// or of the discriminant plane. Nil before Fit and for one that is not there.
func (c *KernelClassifier) LandmarkWeights(direction int) []float64 {
	l := c.landmarks()
	if l == nil || l.weights == nil || direction < 0 {
		return nil
	}
	if _, r := l.weights.Dims(); direction >= r {
		return nil
	}
	return mat.Col(nil, direction, l.weights)
}

// Clone returns an unfitted KernelClassifier of the same configuration.
func (c *KernelClassifier) Clone() estimators.Classifier {
	out := *c
	out.m = nil
	out.Labels, out.Priors, out.Costs = slices.Clone(c.Labels), slices.Clone(c.Priors), slices.Clone(c.Costs)
	if c.Landmarks != nil {
		out.Landmarks = mat.DenseCopyOf(c.Landmarks)
	}
	return &out
}

type storedKernelModel struct {
	Model   storedModel // without Hidden
	Kernel  kernels.Reference
	Rows    codec.Matrix // the landmarks
	Weights codec.Matrix // b̂
}

// MarshalBinary writes the fitted machine: the landmarks, their weights in the
// direction of each pair of classes, and the kernel's name. The statistics are not
// written.
func (c *KernelClassifier) MarshalBinary() ([]byte, error) {
	s, err := c.m.solution(kernelClassifierType)
	if err != nil {
		return nil, err
	}
	l := s.scorer.(*landmarkScorer)
	return codec.Marshal(kernelClassifierKind, classifierVersion, storedKernelModel{
		Model: c.m.store(s, l.weights), Kernel: kernels.MakeReference(c.Kernel, l.kernel), Rows: codec.FromDense(l.rows), Weights: codec.FromDense(l.weights),
	})
}

// UnmarshalBinary reads what MarshalBinary wrote into a KernelClassifier of the same
// Kernel. Errors are ErrBadModel and leave c as it was.
func (c *KernelClassifier) UnmarshalBinary(data []byte) error {
	var in storedKernelModel
	if _, err := codec.Unmarshal(data, kernelClassifierKind, classifierVersion, &in); err != nil {
		return err
	}
	rows, err := in.Rows.Dense()
	if err != nil || rows == nil {
		return fault.BadModel(kernelClassifierKind, "no landmarks, or not finite")
	}
	weights, err := in.Weights.Dense()
	if err != nil || weights == nil {
		return fault.BadModel(kernelClassifierKind, "no weights, or not finite")
	}
	h, d := rows.Dims()
	of, directions := weights.Dims()
	if of != h || d != in.Model.Width {
		return fault.BadModel(kernelClassifierKind, "%d landmarks of %d columns for %d weights, width %d", h, d, of, in.Model.Width)
	}
	units := h // the pairs' directions are of the features, of which there are at most as many
	if len(in.Model.Pairs) > 0 {
		units = len(in.Model.Pairs[0].Beta)
	}
	m, s, _, err := in.Model.model(kernelClassifierKind, units)
	if err != nil {
		return err
	}
	if want := s.directions(); want != directions || units > h {
		return fault.BadModel(kernelClassifierKind, "weights of %d directions, want %d", directions, want)
	}
	kernel, err := in.Kernel.Resolve(kernelClassifierKind, c.Kernel)
	if err != nil {
		return err
	}
	s.scorer = &landmarkScorer{kernel: kernel, rows: rows, weights: weights, workers: c.Workers}
	c.m = m
	return nil
}

func (s *landmarkScorer) place(z, x []float64) {
	landmarks, _ := s.rows.Dims()
	p := rowwise.Scratch(landmarks)
	defer rowwise.Release(p)
	kernels.Row(*p, s.kernel, x, s.rows)
	along(z, *p, s.weights)
}

func (c *KernelClassifier) rowWidth() int { return c.m.rowWidth() }

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows of a
// dense matrix are predicted one by one without allocating; their scores agree with
// Decision's to rounding.
func (c *KernelClassifier) PredictTo(dst []int, x mat.Matrix) error {
	return rowwise.Labels(kernelClassifierType, dst, x, c.rowWidth(), c.m.classLabels(), c.Predict, c.m.row)
}

// DecisionTo is Decision into dst, a row for each of x and a column for each of Classes,
// without allocating as PredictTo.
func (c *KernelClassifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	return rowwise.Scores(kernelClassifierType, dst, x, c.rowWidth(), len(c.m.classLabels()), c.Decision, c.m.row)
}
