package methods

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// These values of C and of the tube are used if no search chooses them. They are the defaults of scikit-learn.
const (
	plainC    = 1.0
	plainTube = 0.1
)

var (
	smoothKind = []families.Family{families.Matern{Nu: 2.5}}
	bothKinds  = []families.Family{families.Matern{Nu: 2.5}, families.Laplacian{}}
)

// Ours lists the estimators of this module: with defaults, with a kernel chosen by entropy, and with a kernel chosen from a grid.
var Ours = []Method{
	{
		Name: "selection", Source: OursSource,
		Configuration: "the zero value of selection: columns standardised and by Yeo-Johnson, Matérn 5/2 and Laplacian kernels with a length " +
			"for each column by the evidence, and one length by the leave-one-out error; for classes also logistic loss; the mean of " +
			"these models, with shares by leave-one-out",
		Regressor:  func(uint64) estimators.Regressor { return &selection.Regressor{} },
		classifier: func(uint64) estimators.Classifier { return &selection.Classifier{} },
	},
	{
		Name: "selection-lengths", Source: OursSource, Configuration: "selection without the model of one length",
		Regressor:  func(uint64) estimators.Regressor { return &selection.Regressor{Kinds: bothKinds} },
		classifier: func(uint64) estimators.Classifier { return &selection.Classifier{Kinds: bothKinds} },
	},
	{
		Name: "selection-matern", Source: OursSource,
		Configuration: "selection of one kind of kernels, Matérn 5/2, and of the targets as they are",
		Regressor: func(uint64) estimators.Regressor {
			return &selection.Regressor{Kinds: smoothKind, Target: selection.PlainTarget}
		},
		classifier: func(uint64) estimators.Classifier { return &selection.Classifier{Kinds: smoothKind} },
	},
	{
		Name: "selection-laplacian", Source: OursSource, Configuration: "selection of one kind of kernels, Laplacian",
		Regressor:  func(uint64) estimators.Regressor { return &selection.Regressor{Kinds: bothKinds[1:]} },
		classifier: func(uint64) estimators.Classifier { return &selection.Classifier{Kinds: bothKinds[1:]} },
	},
	{
		Name: "selection-plain", Source: OursSource, Configuration: "selection of the targets as they are",
		Regressor: func(uint64) estimators.Regressor { return &selection.Regressor{Target: selection.PlainTarget} },
	},
	{
		Name: "selection-single", Source: OursSource, Configuration: "selection that keeps the model of the largest share alone",
		Regressor:  func(uint64) estimators.Regressor { return &selection.Regressor{SingleModel: true} },
		classifier: func(uint64) estimators.Classifier { return &selection.Classifier{SingleModel: true} },
	},
	{
		Name: Budgeted, Source: OursSource,
		Configuration: "selection with a Budget of the seconds that " + BudgetOf + " took on the split",
		Regressor:     func(uint64) estimators.Regressor { return &selection.Regressor{} },
		classifier:    func(uint64) estimators.Classifier { return &selection.Classifier{} },
	},
	{
		Name: "stack", Source: OursSource,
		Configuration: "a stack of selection, lssvm and gabasr, with shares by 3 folds",
		Regressor: func(seed uint64) estimators.Regressor {
			return &stacking.Regressor{Splitter: validation.KFold{Folds: 3, Seed: seed}, Models: []estimators.Regressor{
				&selection.Regressor{}, regression(&lssvm.Regressor{}), &gabasr.Regressor{Sweeps: 25, Seed: seed},
			}}
		},
		classifier: func(seed uint64) estimators.Classifier {
			return &stacking.Classifier{Splitter: validation.StratifiedKFold{Folds: 3, Seed: seed}, Models: []estimators.Classifier{
				&selection.Classifier{}, classification(&lssvm.Classifier{}), &gabasr.Classifier{Sweeps: 25, Seed: seed},
			}}
		},
	},
	{
		Name: "ridge", Source: OursSource,
		Configuration: "z-score; linear ridge regression, ridge by leave-one-out; for classes on targets of ±1",
		Regressor:     func(uint64) estimators.Regressor { return regression(&ridge.Regressor{}) },
		classifier:    func(uint64) estimators.Classifier { return classification(onTargets(&ridge.Regressor{})) },
	},
	{
		Name: "lssvm", Source: OursSource,
		Configuration: "z-score; least-squares SVM, Matérn 5/2, length and ridge by leave-one-out",
		Regressor:     func(uint64) estimators.Regressor { return regression(&lssvm.Regressor{}) },
		classifier:    func(uint64) estimators.Classifier { return classification(&lssvm.Classifier{}) },
	},
	{
		Name: "lssvm-median", Source: OursSource,
		Configuration: "z-score; least-squares SVM, RBF of the median distance, ridge by leave-one-out",
		Regressor:     func(uint64) estimators.Regressor { return regression(medianMachine{&lssvm.Regressor{}}) },
		classifier:    func(uint64) estimators.Classifier { return classification(medianMachines{&lssvm.Classifier{}}) },
	},
	{
		Name: "lssvm-entropy", Source: OursSource,
		Configuration: "z-score; least-squares SVM, RBF by entropy, ridge by leave-one-out",
		Regressor:     func(seed uint64) estimators.Regressor { return byEntropy(nil, seed) },
		classifier:    func(seed uint64) estimators.Classifier { return classByEntropy(nil, seed) },
	},
	{
		Name: "lssvm-grid", Source: OursSource,
		Configuration: "z-score; least-squares SVM, RBF by " + theGrid + ", ridge by leave-one-out",
		Regressor:     func(seed uint64) estimators.Regressor { return byGrid(nil, seed) },
		classifier:    func(seed uint64) estimators.Classifier { return classByGrid(nil, seed) },
	},
	{
		Name: "svm", Source: OursSource,
		Configuration: fmt.Sprintf("z-score; support vector machine, RBF of the median distance, C = %v; of regression on targets "+
			"scaled to "+
			"unit variance, with a tube of %v", plainC, plainTube),
		Regressor: func(uint64) estimators.Regressor {
			return regression(&scaledTarget{final: &svm.Regressor{C: plainC, Epsilon: plainTube}})
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classification(&svm.Classifier{C: plainC, Probabilities: true, Seed: seed})
		},
	},
	{
		Name: "svm-least-squares", Source: OursSource,
		Configuration: "z-score; support vector machine, RBF of the median distance, C and the tube from the least-squares machine",
		Regressor: func(seed uint64) estimators.Regressor {
			return regression(&svm.Regressor{Seed: seed})
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classification(&svm.Classifier{Probabilities: true, Seed: seed})
		},
	},
	{
		Name: "svm-entropy", Source: OursSource,
		Configuration: "as svm-least-squares, RBF by entropy",
		Regressor: func(seed uint64) estimators.Regressor {
			return byEntropy(func(k kernels.Kernel) estimators.Regressor {
				return &svm.Regressor{Kernel: k, Seed: seed}
			}, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByEntropy(func(k kernels.Kernel) estimators.Classifier {
				return &svm.Classifier{Kernel: k, Probabilities: true, Seed: seed}
			}, seed)
		},
	},
	{
		Name: "svm-grid", Source: OursSource,
		Configuration: fmt.Sprintf("z-score; support vector machine, C of %v and γ of %v over the number of features, by a grid in 3 "+
			"folds, "+
			"then with probabilities", machineCosts, machineScales),
		Regressor:  func(seed uint64) estimators.Regressor { return &regressorGrid{seed: seed} },
		classifier: func(seed uint64) estimators.Classifier { return &classifierGrid{seed: seed} },
	},
	{
		Name: "svm-nu", Source: OursSource,
		Configuration: "z-score; ν support vector machine with ν = 0.5, or for classes half of the largest share that the classes " +
			"allow; RBF " +
			"of the median distance; for regression C from the least-squares machine",
		Regressor: func(seed uint64) estimators.Regressor { return regression(&svm.Regressor{Nu: 0.5, Seed: seed}) },
		classifier: func(seed uint64) estimators.Classifier {
			return classification(halfOfLargestNu{&svm.Classifier{Probabilities: true, Seed: seed}})
		},
	},
	{
		Name: "falkon", Source: OursSource,
		Configuration: "z-score; kernel ridge regression on up to 2000 landmarks, Matérn 5/2, length and ridge by leave-one-out",
		Regressor:     func(seed uint64) estimators.Regressor { return regression(&falkon.Regressor{Seed: seed}) },
		classifier:    func(seed uint64) estimators.Classifier { return classification(&falkon.Classifier{Seed: seed}) },
	},
	{
		Name: "conformal", Source: OursSource,
		Configuration: "z-score; conformal intervals of lssvm",
		Regressor:     func(seed uint64) estimators.Regressor { return regression(&conformal.Regressor{Seed: seed}) },
	},
	{
		Name: "rvm", Source: OursSource,
		Configuration: "z-score; relevance vector machine, Matérn 5/2 with a length for each column by the evidence of the Gaussian " +
			"process",
		Regressor:  func(uint64) estimators.Regressor { return regression(&rvm.Regressor{}) },
		classifier: func(uint64) estimators.Classifier { return classification(&rvm.Classifier{}) },
	},
	{
		Name: "rvm-median", Source: OursSource,
		Configuration: "z-score; relevance vector machine, RBF of the median distance",
		Regressor:     func(uint64) estimators.Regressor { return regression(medianRegressor{&rvm.Regressor{}}) },
		classifier:    func(uint64) estimators.Classifier { return classification(medianClassifier{&rvm.Classifier{}}) },
	},
	{
		Name: "rvm-entropy", Source: OursSource,
		Configuration: "z-score; relevance vector machine, RBF by entropy",
		Regressor: func(seed uint64) estimators.Regressor {
			return byEntropy(func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} }, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByEntropy(func(k kernels.Kernel) estimators.Classifier { return &rvm.Classifier{Kernel: k} }, seed)
		},
	},
	{
		Name: "rvm-grid", Source: OursSource,
		Configuration: "z-score; relevance vector machine, RBF by " + theGrid,
		Regressor: func(seed uint64) estimators.Regressor {
			return byGrid(func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} }, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByGrid(func(k kernels.Kernel) estimators.Classifier { return &rvm.Classifier{Kernel: k} }, seed)
		},
	},
	{
		Name: "eem", Source: OursSource,
		Configuration: "z-score; extreme entropy machine, 250 units of DataRBF, balanced",
		classifier:    func(seed uint64) estimators.Classifier { return classification(&eem.Classifier{Seed: seed}) },
	},
	{
		Name: "eem-frequencies", Source: OursSource,
		Configuration: "as eem, but not balanced: the classes' frequencies are their priors",
		classifier: func(seed uint64) estimators.Classifier {
			return classification(&eem.Classifier{Seed: seed, EmpiricalPriors: true})
		},
	},
	{
		Name: "eekm", Source: OursSource,
		Configuration: "z-score; extreme entropy kernel machine, RBF of the median distance, 250 landmarks, balanced",
		classifier:    func(seed uint64) estimators.Classifier { return classification(&eem.KernelClassifier{Seed: seed}) },
	},
	{
		Name: "eekm-entropy", Source: OursSource,
		Configuration: "as eekm, RBF by entropy",
		classifier: func(seed uint64) estimators.Classifier {
			return classByEntropy(func(k kernels.Kernel) estimators.Classifier { return &eem.KernelClassifier{Kernel: k, Seed: seed} },
				seed)
		},
	},
	{
		Name: "eekm-grid", Source: OursSource,
		Configuration: "as eekm, RBF by " + theGrid,
		classifier: func(seed uint64) estimators.Classifier {
			return classByGrid(func(k kernels.Kernel) estimators.Classifier { return &eem.KernelClassifier{Kernel: k, Seed: seed} }, seed)
		},
	},
	{
		Name: "welm", Source: OursSource,
		Configuration: "z-score; weighted extreme learning machine, 250 units of DataRBF, classes weighed by the size of the largest over " +
			"their own, ridge 1",
		classifier: func(seed uint64) estimators.Classifier {
			return classification(&largestOverOwn{&elm.Classifier{Ridge: 1, Seed: seed}})
		},
	},
	{
		Name: "elm", Source: OursSource,
		Configuration: "as welm, but with rows of equal weight",
		classifier: func(seed uint64) estimators.Classifier {
			return classification(&elm.Classifier{Ridge: 1, Seed: seed})
		},
	},
	{
		Name: "gabasr", Source: OursSource,
		Configuration: "GaBaSR, 50 frequencies, 25 sweeps, 4 chains; scales by itself",
		Regressor:     func(seed uint64) estimators.Regressor { return &gabasr.Regressor{Sweeps: 25, Seed: seed} },
		classifier:    func(seed uint64) estimators.Classifier { return &gabasr.Classifier{Sweeps: 25, Seed: seed} },
	},
	{
		Name: "fourier", Source: OursSource,
		Configuration: "z-score; ridge on 500 random Fourier features, RBF of the median distance, ridge by leave-one-out; for classes on " +
			"targets of ±1",
		Regressor: func(seed uint64) estimators.Regressor { return regression(onFourier(nil, seed)) },
		classifier: func(seed uint64) estimators.Classifier {
			return classification(onTargets(onFourier(nil, seed)))
		},
	},
	{
		Name: "fourier-entropy", Source: OursSource,
		Configuration: "as fourier, RBF by entropy",
		Regressor: func(seed uint64) estimators.Regressor {
			return byEntropy(func(k kernels.Kernel) estimators.Regressor { return onFourier(k, seed) }, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByEntropy(func(k kernels.Kernel) estimators.Classifier { return onTargets(onFourier(k, seed)) }, seed)
		},
	},
	{
		Name: "fourier-grid", Source: OursSource,
		Configuration: "as fourier, RBF by " + theGrid,
		Regressor: func(seed uint64) estimators.Regressor {
			return byGrid(func(k kernels.Kernel) estimators.Regressor { return onFourier(k, seed) }, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByGrid(func(k kernels.Kernel) estimators.Classifier { return onTargets(onFourier(k, seed)) }, seed)
		},
	},
	{
		Name: "nystroem", Source: OursSource,
		Configuration: "z-score; ridge on 500 Nyström features, RBF of the median distance, ridge by leave-one-out; for classes on " +
			"targets of ±1",
		Regressor: func(seed uint64) estimators.Regressor { return regression(onNystroem(nil, seed)) },
		classifier: func(seed uint64) estimators.Classifier {
			return classification(onTargets(onNystroem(nil, seed)))
		},
	},
	{
		Name: "nystroem-entropy", Source: OursSource,
		Configuration: "as nystroem, RBF by entropy",
		Regressor: func(seed uint64) estimators.Regressor {
			return byEntropy(func(k kernels.Kernel) estimators.Regressor { return onNystroem(k, seed) }, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByEntropy(func(k kernels.Kernel) estimators.Classifier { return onTargets(onNystroem(k, seed)) }, seed)
		},
	},
	{
		Name: "nystroem-grid", Source: OursSource,
		Configuration: "as nystroem, RBF by " + theGrid,
		Regressor: func(seed uint64) estimators.Regressor {
			return byGrid(func(k kernels.Kernel) estimators.Regressor { return onNystroem(k, seed) }, seed)
		},
		classifier: func(seed uint64) estimators.Classifier {
			return classByGrid(func(k kernels.Kernel) estimators.Classifier { return onTargets(onNystroem(k, seed)) }, seed)
		},
	},
}

var theGrid = "a grid of 24 points in 3 folds"

func byEntropy(build func(kernels.Kernel) estimators.Regressor, seed uint64) estimators.Regressor {
	return &selection.Regressor{Preprocess: zScore(), Space: selection.Kernels(build), Search: &entropy.Search{Seed: seed}}
}

func classByEntropy(build func(kernels.Kernel) estimators.Classifier, seed uint64) estimators.Classifier {
	return &selection.Classifier{Preprocess: zScore(), Space: selection.Kernels(build), Search: &entropy.Search{Seed: seed}}
}

func byGrid(build func(kernels.Kernel) estimators.Regressor, seed uint64) estimators.Regressor {
	return &selection.Regressor{Preprocess: zScore(), Space: selection.Kernels(build),
		Search: &grid.Search{Splitter: validation.KFold{Seed: seed}}}
}

func classByGrid(build func(kernels.Kernel) estimators.Classifier, seed uint64) estimators.Classifier {
	return &selection.Classifier{Preprocess: zScore(), Space: selection.Kernels(build),
		Search: &grid.Search{Splitter: validation.StratifiedKFold{Seed: seed}}}
}

// medianRegressor and medianClassifier are relevance vector machines with the RBF kernel of the median distance, which is the
// default kernel of other estimators.
type medianRegressor struct{ *rvm.Regressor }

func (r medianRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	if r.Kernel, err = kernels.MedianRBF(ctx, x, r.Seed); err != nil {
		return err
	}
	return r.Regressor.Fit(ctx, x, y)
}

type medianClassifier struct{ *rvm.Classifier }

func (c medianClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	if c.Kernel, err = kernels.MedianRBF(ctx, x, c.Seed); err != nil {
		return err
	}
	return c.Classifier.Fit(ctx, x, y)
}

// medianMachine and medianMachines are least-squares machines with the RBF kernel of the median distance.
type medianMachine struct{ *lssvm.Regressor }

func (m medianMachine) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	if m.Kernel, err = kernels.MedianRBF(ctx, x, m.Seed); err != nil {
		return err
	}
	return m.Regressor.Fit(ctx, x, y)
}

type medianMachines struct{ *lssvm.Classifier }

func (m medianMachines) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	if m.Kernel, err = kernels.MedianRBF(ctx, x, m.Seed); err != nil {
		return err
	}
	return m.Classifier.Fit(ctx, x, y)
}

// halfOfLargestNu is a ν machine with half of the largest possible ν. The largest ν depends on the rows: with two classes, it is
// twice the share of the smaller one.
type halfOfLargestNu struct{ *svm.Classifier }

func (c halfOfLargestNu) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	size := map[int]float64{}
	for _, label := range y {
		size[label]++
	}
	c.Nu = 1
	for a, n := range size {
		for b, m := range size {
			if a != b {
				c.Nu = min(c.Nu, 2*min(n, m)/(n+m))
			}
		}
	}
	c.Nu /= 2
	return c.Classifier.Fit(ctx, x, y)
}

func onFourier(k kernels.Kernel, seed uint64) estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.RandomFourier{Kernel: k, Seed: seed}},
		Final: &ridge.Regressor{}}
}

func onNystroem(k kernels.Kernel, seed uint64) estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Seed: seed}}, Final: &ridge.Regressor{}}
}

// machineCosts and machineScales are the grid of the support vector machines in this module and in scikit-learn (peers/cells.py).
var (
	machineCosts  = []float64{1, 10, 100}
	machineScales = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}
)

// largestOverOwn is the extreme learning machine with the class weights of the entropy paper: the size of the largest class divided
// by that of the row's class. The weights of Balanced differ from these by a factor that depends on the rows, whereas the ridge
// does not depend on the rows.
type largestOverOwn struct{ *elm.Classifier }

func (c *largestOverOwn) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	size, largest := map[int]float64{}, 0.0
	for _, label := range y {
		size[label]++
		largest = max(largest, size[label])
	}
	for label, n := range size {
		size[label] = largest / n
	}
	c.ClassWeights = size
	return c.Classifier.Fit(ctx, x, y)
}

// regressorGrid chooses C and γ of a support vector machine. The scale of γ depends on the number of features.
type regressorGrid struct {
	seed uint64
	selection.Regressor
}

func (g *regressorGrid) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	var candidates []estimators.Regressor
	onMachineGrid(x, func(k kernels.Kernel, c float64) {
		candidates = append(candidates, &scaledTarget{final: &svm.Regressor{Kernel: k, C: c, Epsilon: plainTube}})
	})
	g.Regressor = selection.Regressor{Preprocess: zScore(), Space: selection.Candidates(candidates...),
		Search: &grid.Search{Splitter: validation.KFold{Seed: g.seed}}}
	return g.Regressor.Fit(ctx, x, y)
}

// classifierGrid chooses C and γ of a classifier. Probabilities need a cross-validation of their own, so only a final fit computes
// them.
type classifierGrid struct {
	seed uint64
	*pipeline.Classifier
}

func (g *classifierGrid) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	var candidates []estimators.Classifier
	var chosen []*svm.Classifier
	onMachineGrid(x, func(k kernels.Kernel, c float64) {
		candidates = append(candidates, &svm.Classifier{Kernel: k, C: c})
		chosen = append(chosen, &svm.Classifier{Kernel: k, C: c, Probabilities: true, Seed: g.seed})
	})
	search := &selection.Classifier{
		Preprocess: zScore(),
		Space:      selection.Candidates(candidates...),
		Search:     &grid.Search{Splitter: validation.StratifiedKFold{Seed: g.seed}},
	}
	if err := search.Fit(ctx, x, y); err != nil {
		return err
	}
	g.Classifier = &pipeline.Classifier{Steps: zScore(), Final: chosen[search.Result().Candidate]}
	return g.Classifier.Fit(ctx, x, y)
}

// onMachineGrid calls the function add with each point of the grid for the columns of x.
func onMachineGrid(x mat.Matrix, add func(k kernels.Kernel, c float64)) {
	_, d := x.Dims()
	for _, c := range machineCosts {
		for _, scale := range machineScales {
			add(kernels.RBF{Gamma: scale / float64(d)}, c)
		}
	}
}
