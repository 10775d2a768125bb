package eem

import (
	"context"
	"encoding"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
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
// of which the eigenvalues above h·2⁻⁵²·λmax are kept: the matrix is rarely invertible
// in numbers, whatever the kernel promises. It is the Nyström map (Williams and Seeger
// 2001); features should be of comparable scale. A fit costs O(nhd + nh² + h³).
type KernelClassifier struct {
	Kernel     kernels.Kernel // nil: kernels.MedianRBF of the training rows
	Components int            // landmarks h, drawn from the training rows; 0: DefaultComponents, at most n
	Landmarks  *mat.Dense     // given landmarks (h×d); nil: drawn
	Seed       uint64         // of the landmarks
	Workers    int            // goroutines; 0: GOMAXPROCS
	// Labels, Priors, Costs and Frequencies are as Classifier's.
	Labels        []int
	Priors, Costs []float64
	Frequencies   bool

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

// landmarkLayer maps rows by their kernel with landmarks.
type landmarkLayer struct {
	kernel  kernels.Kernel
	rows    *mat.Dense // h×d
	root    *mat.Dense // UΛ^-½, h×r
	workers int
}

func newLandmarkLayer(ctx context.Context, k kernels.Kernel, rows *mat.Dense, workers int) (*landmarkLayer, error) {
	gram, err := kernels.Matrix(ctx, k, rows, &kernels.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	var e mat.EigenSym
	if !e.Factorize(gram, true) {
		return nil, &fault.NotPSDError{What: "kernel matrix of the landmarks"}
	}
	values := e.Values(nil)
	h := len(values)
	limit := float64(h) * 0x1p-52 * values[h-1]
	first, _ := slices.BinarySearchFunc(values, limit, func(v, l float64) int {
		if v > l {
			return 1
		}
		return -1
	})
	if first == h || !(values[h-1] > 0) {
		return nil, &fault.NotPSDError{What: "kernel matrix of the landmarks"}
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	root := mat.NewDense(h, h-first, nil)
	for j := first; j < h; j++ {
		s := 1 / math.Sqrt(values[j])
		for i := range h {
			root.Set(i, j-first, s*vectors.At(i, j))
		}
	}
	return &landmarkLayer{kernel: k, rows: rows, root: root, workers: workers}, nil
}

// Transform returns the features of the rows of x (m×d), m×r.
func (l *landmarkLayer) Transform(x mat.Matrix) (*mat.Dense, error) {
	k, err := kernels.Cross(context.Background(), l.kernel, x, l.rows, &kernels.Options{Workers: l.workers})
	if err != nil {
		return nil, err
	}
	var out mat.Dense
	out.Mul(k, l.root)
	return &out, nil
}

func (c *KernelClassifier) settings() settings {
	return settings{
		typ: kernelClassifierType, labels: c.Labels, priors: c.Priors, costs: c.Costs, frequencies: c.Frequencies, workers: c.Workers, draw: c.draw,
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
	rows := mat.NewDense(len(order), d, nil)
	for i, row := range order {
		rows.SetRow(i, x.RawRowView(row))
	}
	return newLandmarkLayer(ctx, kernel, rows, c.Workers)
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

// ChosenKernel returns the kernel in use; nil before Fit.
func (c *KernelClassifier) ChosenKernel() kernels.Kernel {
	if c.m == nil {
		return nil
	}
	return c.m.layer.(*landmarkLayer).kernel
}

// UsedLandmarks returns the landmarks (h×d), nil before Fit.
func (c *KernelClassifier) UsedLandmarks() *mat.Dense {
	if c.m == nil {
		return nil
	}
	return mat.DenseCopyOf(c.m.layer.(*landmarkLayer).rows)
}

// LandmarkWeights returns b̂ = UΛ^-½β of a pair of Pairs: along its direction a row
// lies at Σ b̂[i] k(landmark i, x). Nil before Fit and for a pair that is not there.
func (c *KernelClassifier) LandmarkWeights(pair int) []float64 {
	if c.m == nil || pair < 0 || pair >= len(c.m.pairs) {
		return nil
	}
	var out mat.VecDense
	beta := c.m.pairs[pair].beta
	out.MulVec(c.m.layer.(*landmarkLayer).root, mat.NewVecDense(len(beta), beta))
	return out.RawVector().Data
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
	Model  storedModel // without Hidden
	Kernel kernels.Reference
	Rows   codec.Matrix
	Root   codec.Matrix
}

// MarshalBinary writes the fitted machine: the landmarks, their map, the direction of
// each pair of classes and the kernel's name. The statistics are not written.
func (c *KernelClassifier) MarshalBinary() ([]byte, error) {
	if c.m == nil || c.m.pairs == nil {
		return nil, fault.NotFitted(kernelClassifierType)
	}
	l := c.m.layer.(*landmarkLayer)
	return codec.Marshal(kernelClassifierKind, classifierVersion, storedKernelModel{
		Model: c.m.store(), Kernel: kernels.MakeReference(c.Kernel, l.kernel), Rows: codec.FromDense(l.rows), Root: codec.FromDense(l.root),
	})
}

// UnmarshalBinary reads what MarshalBinary wrote into a KernelClassifier of the same
// Kernel. Errors are ErrBadModel and leave c as it was.
func (c *KernelClassifier) UnmarshalBinary(data []byte) error {
	var s storedKernelModel
	if _, err := codec.Unmarshal(data, kernelClassifierKind, classifierVersion, &s); err != nil {
		return err
	}
	rows, err := s.Rows.Dense()
	if err != nil || rows == nil {
		return fault.BadModel(kernelClassifierKind, "no landmarks, or not finite")
	}
	root, err := s.Root.Dense()
	if err != nil || root == nil {
		return fault.BadModel(kernelClassifierKind, "no map, or not finite")
	}
	h, d := rows.Dims()
	from, to := root.Dims()
	if from != h || d != s.Model.Width {
		return fault.BadModel(kernelClassifierKind, "%d landmarks of %d columns for a map of %d, width %d", h, d, from, s.Model.Width)
	}
	m, err := s.Model.model(kernelClassifierKind, to)
	if err != nil {
		return err
	}
	kernel, err := s.Kernel.Resolve(kernelClassifierKind, c.Kernel)
	if err != nil {
		return err
	}
	m.layer = &landmarkLayer{kernel: kernel, rows: rows, root: root, workers: c.Workers}
	c.m = m
	return nil
}
