package eem

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
)

const kernelClassifierType = "eem: KernelClassifier"

// defaultComponents is the number of landmarks of a KernelClassifier if Components is 0.
const defaultComponents = 250

// KernelClassifier is the extreme entropy kernel machine (EEKM). It is the machine of [Classifier], but its features are computed
// from the kernel values with a few training rows, the landmarks:
//
//	φ(x) = Λ^-½ U' k(landmarks, x),    UΛU' the kernel matrix of the landmarks
//
// This is the Nyström map (Williams and Seeger 2001). The matrix is rarely invertible numerically, even if the kernel is positive
// definite. Landmarks that depend linearly on earlier ones in the feature space of the kernel, up to h·2⁻⁵² of the largest k(x, x),
// therefore add no feature. The features are computed from a Cholesky factor instead of the eigenvectors. They differ only by a
// rotation, which does not affect the machine. Columns of x should be of comparable scale. A fit costs O(nhd + nh² + h³). A
// prediction is computed from coefficients on the landmarks, and costs O(hd) for each row.
//
// See also [Classifier], and Classifier in package lssvm.
type KernelClassifier struct {
	// Kernel is the kernel. If it is nil, [kernels.MedianRBF] of the training rows is used.
	Kernel kernels.Kernel

	// Components is h, the number of landmarks that are drawn from the training rows. If it is 0, there are 250 landmarks, but at
	// most n.
	Components int `zero:"250"`

	// Landmarks sets the landmarks (h×d). If it is nil, they are drawn.
	Landmarks *mat.Dense

	// Seed determines the landmarks that are drawn.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// Labels and the following fields are as in [Classifier].
	Labels          []int
	Priors, Costs   []float64
	EmpiricalPriors bool
	Balanced        bool
	ClassWeights    map[int]float64
	Multiclass      Multiclass
	Observe         func(estimators.Step)

	folding
	machine[kernelClassifierName]
}

type kernelClassifierName struct{}

func (kernelClassifierName) typ() string { return kernelClassifierType }

func (c *KernelClassifier) settings() fitSettings {
	wanted := 0
	if c.Landmarks == nil {
		wanted = c.onRows()
	}
	return fitSettings{
		typ: kernelClassifierType, config: c, labels: c.Labels, priors: c.Priors, costs: c.Costs, empirical: c.EmpiricalPriors,
		class: classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}, multiclass: c.Multiclass, workers: c.Workers,
		observe: c.Observe,
		draw:    c.draw, seed: c.Seed, onRows: c.onRows(), wanted: wanted, signature: c.signature(),
	}
}

// onRows returns the number of landmarks to draw from the rows. If Kernel is nil, it is positive even if Landmarks is set, because
// the kernel depends on the rows.
func (c *KernelClassifier) onRows() int {
	if c.Kernel != nil && c.Landmarks != nil {
		return 0
	}
	return cmp.Or(max(c.Components, 0), defaultComponents)
}

// signature returns a string of the settings on which statistics depend.
func (c *KernelClassifier) signature() string {
	landmarks := "drawn"
	if !check.IsNil(c.Landmarks) && !c.Landmarks.IsEmpty() {
		data, err := c.Landmarks.MarshalBinary()
		if err != nil {
			data = nil // gonum returns an error only if there are too many rows
		}
		landmarks = digest(data)
	}
	return fmt.Sprintf("(Kernel %v, %d components, Landmarks %s, Seed %d, Labels %v)", c.Kernel, c.Components, landmarks, c.Seed, c.Labels)
}

// NewStages is like [Classifier.NewStages]. The sample has four rows for each landmark, but at least 4096.
func (c *KernelClassifier) NewStages() (streaming.Stages[int], error) { return c.settings().stages() }

// FitStages is like [Classifier.FitStages].
func (c *KernelClassifier) FitStages(ctx context.Context, s streaming.Stages[int]) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().take(ctx, s))
}

// draw chooses the landmarks and returns their layer.
func (c *KernelClassifier) draw(ctx context.Context, x *mat.Dense) (features.Layer, error) {
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
		return features.NewLandmarks(ctx, kernel, mat.DenseCopyOf(l), c.Workers)
	}
	h := min(n, cmp.Or(c.Components, defaultComponents))
	order := rand.New(rand.NewPCG(c.Seed, 0x6c616e646d61726b)).Perm(n)[:h] // the stream "landmark"
	return features.NewLandmarks(ctx, kernel, linalg.Rows(x, order), c.Workers)
}

// Fit fits the model to x (n×d) and n labels y. It returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite],
// [estimators.ErrNotPSD] if the kernel has no positive eigenvalue, or the error of ctx. ErrShape is also returned for a single
// class, and if one of Labels has no row.
func (c *KernelClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().fit(ctx, x, y, nil))
}

// FitWeighted is like Fit, but with a weight > 0 for each row, as in [Classifier.FitWeighted]. The weights do not affect which
// landmarks are drawn, and they do not affect the median distance if Kernel is nil.
func (c *KernelClassifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().fitWeighted(ctx, x, y, weights))
}

// FitPath is like [Classifier.FitPath], with a machine for each number of landmarks.
func (c *KernelClassifier) FitPath(ctx context.Context, x mat.Matrix, y []int, components []int) (_ []*KernelClassifier, err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	if err := checkPath(kernelClassifierType, components); err != nil {
		return nil, err
	}
	largest := *c
	largest.Components = components[len(components)-1]
	models, err := largest.settings().path(ctx, x, y, nil, components)
	if err != nil {
		return nil, err
	}
	out := make([]*KernelClassifier, len(models))
	for i, m := range models {
		out[i] = estimators.Clone(c)
		out[i].Components, out[i].m = components[i], m
	}
	return out, nil
}

// HeldOut is like [Classifier.HeldOut]. The landmarks are drawn from all rows.
func (c *KernelClassifier) HeldOut(ctx context.Context, x mat.Matrix, y, block []int) (_ *mat.Dense, err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.settings().heldOut(ctx, x, y, block)
}

// PartialFit adds more rows to the fit, like [Classifier.PartialFit]. The landmarks are drawn from the first chunk.
func (c *KernelClassifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().partialFit(ctx, c.m, x, y))
}

// ChosenKernel returns the kernel in use. It returns nil before Fit.
func (c *KernelClassifier) ChosenKernel() kernels.Kernel {
	if c.m == nil {
		return nil
	}
	return c.m.layer.(*features.Landmarks).Kernel
}

// ChosenLandmarks returns the landmarks (h×d). It returns nil before Fit.
func (c *KernelClassifier) ChosenLandmarks() *mat.Dense {
	if c.m == nil {
		return nil
	}
	return mat.DenseCopyOf(c.m.layer.(*features.Landmarks).Rows)
}

// LandmarkCoefficients returns the coefficients b̂ = UΛ^-½β of a direction with the smallest norm. The position of a row x along
// the direction is Σ b̂[i] k(landmark i, x). Directions are numbered in the order of Pairs, or are the axes of the discriminant
// plane. LandmarkCoefficients returns nil before there is a solution (see Pairs), and for a direction that does not exist.
func (c *KernelClassifier) LandmarkCoefficients(direction int) []float64 {
	s := c.m.lastSolution()
	if s == nil || direction < 0 || direction >= s.directions() {
		return nil
	}
	return mat.Col(nil, direction, s.scorer.(*features.LandmarkScorer).Coefficients)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. Their scores agree with those of
// Decision up to rounding.
func (c *KernelClassifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return c.predictTo(dst, x)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. Like PredictTo, it
// does not allocate memory.
func (c *KernelClassifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return c.decisionTo(dst, x)
}
