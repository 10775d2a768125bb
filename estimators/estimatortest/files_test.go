package estimatortest_test

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/forecast"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/internal/testkit/filefuzz"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
	"github.com/kernelearn/kernelearn/transformers/text"
)

// storedModels returns functions that build small models of each type, one for each form of its file.
func storedModels() map[string]func() any {
	rbf := kernels.RBF{Gamma: .5}
	scaled := func() []transformers.Transformer { return []transformers.Transformer{&scalers.StandardScaler{}} }
	out := map[string]func() any{
		"StandardScaler":        func() any { return &scalers.StandardScaler{} },
		"RMSScaler":             func() any { return &scalers.RMSScaler{} },
		"UnitRows":              func() any { return &scalers.UnitRows{} },
		"MinMaxScaler":          func() any { return &scalers.MinMaxScaler{} },
		"PowerTransformer":      func() any { return &columnwise.PowerTransformer{} },
		"PowerTransformer raw":  func() any { return &columnwise.PowerTransformer{NoStandardize: true, Gaps: true} },
		"QuantileTransformer":   func() any { return &columnwise.QuantileTransformer{Quantiles: 4, Output: columnwise.Normal} },
		"Winsorizer":            func() any { return &columnwise.Winsorizer{} },
		"Imputer":               func() any { return &columnwise.Imputer{Indicators: true} },
		"Imputer most frequent": func() any { return &columnwise.Imputer{Statistic: columnwise.MostFrequent} },
		"OneHot":                func() any { return &columnwise.OneHot{Gaps: true, Drop: columnwise.DropBinary} },
		"TargetEncoder":         func() any { return &columnwise.TargetEncoder{} },
		"KernelMap":             func() any { return &featuremap.KernelMap{} },
		"KernelCenterer":        func() any { return &featuremap.KernelCenterer{} },
		"RandomHidden":          func() any { return &featuremap.RandomHidden{Units: 3} },
		"RandomFourier":         func() any { return &featuremap.RandomFourier{Components: 4} },
		"RandomFourier phases": func() any {
			return &featuremap.RandomFourier{Kernel: kernels.Laplacian{}, Components: 3, RandomPhase: true}
		},
		"LocallyStationaryFourier": func() any { return &featuremap.LocallyStationaryFourier{Components: 4} },
		"Nystroem":                 func() any { return &featuremap.Nystroem{Components: 3} },
		"PCA":                      func() any { return &pca.PCA{Components: 2, Whiten: true} },
		"KernelPCA":                func() any { return &pca.KernelPCA{Components: 2} },
		"pipeline.Transformer":     func() any { return &pipeline.Transformer{Steps: scaled()} },
		"ColumnTransformer": func() any {
			return &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{1}, Of: &scalers.StandardScaler{}}}}
		},
		"pipeline.Regressor": func() any { return &pipeline.Regressor{Steps: scaled(), Final: &ridge.Regressor{Ridge: .1}} },
		"pipeline.Classifier": func() any {
			return &pipeline.Classifier{Steps: scaled(), Final: &lssvm.Classifier{Kernel: rbf, Ridge: .1}}
		},
		"pipeline of sums":           func() any { return &pipeline.Classifier{Steps: scaled(), Final: &eem.Classifier{Units: 3}} },
		"lssvm.Regressor":            func() any { return &lssvm.Regressor{} },
		"lssvm.Regressor fixed":      func() any { return &lssvm.Regressor{Kernel: rbf, Ridge: .1} },
		"lssvm.Classifier":           func() any { return &lssvm.Classifier{} },
		"falkon.Regressor":           func() any { return &falkon.Regressor{Components: 4} },
		"falkon.Regressor CG":        func() any { return &falkon.Regressor{Solver: falkon.ConjugateGradients, Components: 4, Ridge: .1} },
		"falkon.Classifier":          func() any { return &falkon.Classifier{Components: 4} },
		"falkon.Classifier log":      func() any { return &falkon.Classifier{Components: 4, Loss: falkon.LogisticLoss} },
		"ridge.Regressor":            func() any { return &ridge.Regressor{} },
		"ridge.MultiRegressor":       func() any { return &ridge.MultiRegressor{} },
		"ridge.MultiRegressor own":   func() any { return &ridge.MultiRegressor{RidgePerTarget: true} },
		"lssvm.MultiRegressor":       func() any { return &lssvm.MultiRegressor{} },
		"lssvm.MultiRegressor fixed": func() any { return &lssvm.MultiRegressor{Kernel: rbf, Ridge: .1} },
		"falkon.MultiRegressor":      func() any { return &falkon.MultiRegressor{Components: 4} },
		"pipeline.MultiRegressor":    func() any { return &pipeline.MultiRegressor{Steps: scaled(), Final: &ridge.MultiRegressor{Ridge: .1}} },
		"ridge.DirectKernel":         func() any { return &ridge.DirectKernel{} },
		"svm.Regressor":              func() any { return &svm.Regressor{} },
		"svm.Classifier":             func() any { return &svm.Classifier{} },
		"svm.Classifier proba":       func() any { return &svm.Classifier{Probabilities: true, C: 1, Kernel: rbf} },
		"rvm.Regressor":              func() any { return &rvm.Regressor{} },
		"rvm.Regressor ARD":          func() any { return &rvm.Regressor{Kernel: kernels.Matern{}, InterceptPrior: rvm.ARDPrior} },
		"rvm.Regressor kernels":      func() any { return &rvm.Regressor{Kernels: []kernels.Kernel{rbf, kernels.Matern{}}} },
		"rvm.Classifier":             func() any { return &rvm.Classifier{} },
		"rvm.Classifier kernels":     func() any { return &rvm.Classifier{Kernels: []kernels.Kernel{rbf, kernels.Matern{}}} },
		"gabasr.Regressor":           func() any { return &gabasr.Regressor{Pairs: 3, Sweeps: 4} },
		"gabasr.Regressor paired":    func() any { return &gabasr.Regressor{Pairs: 3, Sweeps: 4, Features: gabasr.Paired, Trend: 2} },
		"gabasr.Classifier":          func() any { return &gabasr.Classifier{Pairs: 3, Sweeps: 4} },
		"gabasr.Classifier PG":       func() any { return &gabasr.Classifier{Pairs: 3, Sweeps: 4, Likelihood: gabasr.PolyaGamma} },
		"gabasr.Classifier fast":     func() any { return &gabasr.Classifier{Pairs: 3, Sweeps: 4, Likelihood: gabasr.Surrogate} },
		"eem.Classifier":             func() any { return &eem.Classifier{Units: 3} },
		"svm.Regressor nu":           func() any { return &svm.Regressor{Nu: .5} },
		"svm.Classifier nu":          func() any { return &svm.Classifier{Nu: .5, Balanced: true} },
		"svm.OneClass":               func() any { return &svm.OneClass{} },
		"novelty.Density":            func() any { return &novelty.Density{} },
		"novelty.Density plain":      func() any { return &novelty.Density{NoScaling: true} },
		"eem.Classifier Gauss": func() any {
			return &eem.Classifier{Units: 3, Multiclass: eem.Discriminant, Activation: featuremap.Tanh}
		},
		"eem.KernelClassifier": func() any { return &eem.KernelClassifier{Components: 3} },
		"elm.Classifier":       func() any { return &elm.Classifier{Units: 3} },
		"conformal.Regressor":  func() any { return &conformal.Regressor{Estimator: &ridge.Regressor{Ridge: .1}, Folds: 3} },
		"conformal.Regressor spread": func() any {
			return &conformal.Regressor{Estimator: &ridge.Regressor{Ridge: .1}, Spread: &ridge.Regressor{Ridge: 1}, Folds: 3}
		},
		"conformal.Regressor split": func() any {
			return &conformal.Regressor{Estimator: &ridge.Regressor{Ridge: .1}, Method: conformal.Split}
		},
		"conformal.Regressor full": func() any {
			return &conformal.Regressor{Estimator: &ridge.Regressor{Ridge: .1}, Method: conformal.Full}
		},
		"conformal.Classifier": func() any {
			return &conformal.Classifier{Estimator: &lssvm.Classifier{Kernel: rbf, Ridge: .1}, Folds: 3}
		},
		"conformal.Classifier split": func() any {
			return &conformal.Classifier{Estimator: &lssvm.Classifier{Kernel: rbf, Ridge: .1}, Method: conformal.Split, Score: conformal.Adaptive}
		},
		"conformal.Classifier full": func() any { return &conformal.Classifier{Method: conformal.Full} },
		"stacking.Regressor": func() any {
			return &stacking.Regressor{Models: []estimators.Regressor{&lssvm.Regressor{Kernel: rbf, Ridge: .1}, &ridge.Regressor{}}}
		},
		"stacking.Classifier": func() any {
			return &stacking.Classifier{Models: []estimators.Classifier{&lssvm.Classifier{Kernel: rbf, Ridge: .1}, &lssvm.Classifier{Ridge: 1}}}
		},
		"threshold.Classifier":   func() any { return &threshold.Classifier{Estimator: &lssvm.Classifier{Kernel: rbf, Ridge: .1}} },
		"calibration.Classifier": func() any { return &calibration.Classifier{Estimator: &lssvm.Classifier{Kernel: rbf, Ridge: .1}} },
		"calibration isotonic": func() any {
			return &calibration.Classifier{Estimator: &lssvm.Classifier{Kernel: rbf, Ridge: .1}, Method: calibration.Isotonic}
		},
		"selection.Regressor":        func() any { return &selection.Regressor{Preprocess: scaled()} },
		"selection.Regressor grid":   func() any { return &selection.Regressor{Search: &grid.Search{Points: 3}} },
		"selection.Classifier":       func() any { return &selection.Classifier{} },
		"selection.Classifier steps": func() any { return &selection.Classifier{Preprocess: scaled(), Search: &entropy.Search{}} },
	}
	return out
}

// rowsOfFiles returns the rows to which the models are fitted. There are as many as the forms of the files require.
func rowsOfFiles() (x *mat.Dense, y []float64, labels []int) {
	const n = 12
	rng := rand.New(rand.NewPCG(27, 1))
	x, y, labels = mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), float64(i%3) - .5})
		y[i] = x.At(i, 0) - x.At(i, 1) + .1*rng.NormFloat64()
		labels[i] = i % 3
	}
	return x, y, labels
}

// fileSubjects returns all types that can be stored and that this package can import: models, statistics, stages, and the Result of
// a search.
func fileSubjects(tb testing.TB) []*filefuzz.Subject {
	subjectsOnce.Do(func() { subjects = makeSubjects(tb) })
	require.NotEmpty(tb, subjects)
	return subjects
}

var (
	subjectsOnce sync.Once
	subjects     []*filefuzz.Subject
)

func makeSubjects(tb testing.TB) (out []*filefuzz.Subject) {
	root := filepath.Join("..", "..")
	ctx := context.Background()
	x, y, labels := rowsOfFiles()
	blocks := []any{
		streaming.Block[float64]{X: mat.DenseCopyOf(x.Slice(0, 4, 0, 2)), Y: y[:4]}, streaming.Block[int]{X: mat.DenseCopyOf(x.Slice(0, 4, 0, 2)), Y: labels[:4]},
		mat.DenseCopyOf(x.Slice(0, 4, 0, 2)),
	}
	add := func(name string, build func() any, fitted any, args ...any) {
		var data []byte
		var err error
		if j, ok := fitted.(json.Marshaler); ok {
			data, err = j.MarshalJSON()
		} else {
			data, err = fitted.(encoding.BinaryMarshaler).MarshalBinary()
		}
		require.NoError(tb, err, name)
		s := &filefuzz.Subject{Name: name, New: build, Files: [][]byte{data}, Args: append(blocks, args...)}
		if _, ok := fitted.(json.Marshaler); !ok {
			s.Files = append(s.Files, filefuzz.Accepting(build, filefuzz.Golden(tb, root, data))...)
		}
		assert.NoError(tb, s.Prepare())
		out = append(out, s)
	}
	models := storedModels()
	for _, name := range slices.Sorted(maps.Keys(models)) {
		build := models[name]
		e := build()
		if _, ok := e.(*ridge.DirectKernel); ok || name == "KernelCenterer" { // these types need columns that are kernel values of the rows
			k := mat.NewDense(4, 4, []float64{1, .5, .2, 0, .5, 1, .3, 0, .2, .3, 1, .1, 0, 0, .1, 1})
			if r, ok := e.(estimators.Regressor); ok {
				require.NoError(tb, r.Fit(ctx, k, y[:4]), name)
			} else {
				require.NoError(tb, e.(transformers.Transformer).Fit(ctx, k), name)
			}
			add(name, build, e, k)
			continue
		}
		require.NoError(tb, fitWeightless(ctx, e, x, y, labels), name)
		add(name, build, e)
		add("file of "+name, func() any { return &modelFile{} }, &modelFile{e})
		addStatistics(tb, name, build, x, y, labels, add)
	}

	var state *falkon.State
	cg := &falkon.Regressor{Components: 4, Solver: falkon.ConjugateGradients, Ridge: .1, Checkpoint: func(s *falkon.State) { state = s }}
	require.NoError(tb, cg.Fit(ctx, x, y))
	add("falkon.State", func() any { return &falkon.State{} }, state)
	var iterated *lssvm.State
	full := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: 1, Solver: lssvm.ConjugateGradients,
		Checkpoint: func(s *lssvm.State) { iterated = s }}
	many, values := mat.NewDense(1001, 1, nil), make([]float64, 1001)
	for i := range values {
		many.Set(i, 0, float64(i)/100)
		values[i] = float64(i % 7)
	}
	require.NoError(tb, full.Fit(ctx, many, values))
	add("lssvm.State", func() any { return &lssvm.State{} }, iterated)

	addSparse(tb, x, y, labels, add)
	newForecaster := func() any {
		return &forecast.Forecaster{Horizon: 2, Difference: 1, Model: &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}}
	}
	forecaster := newForecaster().(*forecast.Forecaster)
	require.NoError(tb, forecaster.Fit(ctx, values[:40], nil))
	add("forecast.Forecaster", newForecaster, forecaster)

	classes, targets := &measures.ClassSums{}, &measures.TargetSums{}
	require.NoError(tb, classes.AddBlock(ctx, streaming.Block[int]{X: x, Y: labels}))
	require.NoError(tb, targets.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
	units := &eem.Statistics{}
	require.NoError(tb, units.Add(x))
	add("eem.Statistics", func() any { return &eem.Statistics{} }, units)
	add("measures.ClassSums", func() any { return &measures.ClassSums{} }, classes)
	add("measures.TargetSums", func() any { return &measures.TargetSums{} }, targets)

	r := &selection.Regressor{}
	require.NoError(tb, r.Fit(ctx, x, y))
	add("search.Result", func() any { return &search.Result{} }, r.Result())
	add("search.TraceRow", func() any { return &search.TraceRow{} }, &r.Result().Trace[0])
	return out
}

// modelFile reads and writes files of package modelfile, which contain a value of any type and its settings.
type modelFile struct{ model any }

func (f *modelFile) MarshalBinary() ([]byte, error) {
	if f.model == nil {
		return nil, estimators.ErrNotFitted
	}
	return modelfile.Marshal(f.model, modelfile.Notes{})
}

func (f *modelFile) UnmarshalBinary(data []byte) error {
	m, err := modelfile.Unmarshal[any](data)
	_, described := modelfile.Describe(data)
	switch {
	case err != nil:
		return err
	case described != nil:
		return fmt.Errorf("a file that is read is described by the error %v", described)
	}
	f.model = m
	return nil
}

// Predict returns the predictions of any model for rows.
func (f *modelFile) Predict(x mat.Matrix) (*mat.Dense, error) {
	var y []float64
	var err error
	switch m := f.model.(type) {
	case estimators.Regressor:
		y, err = m.Predict(x)
	case estimators.Classifier:
		var labels []int
		labels, err = m.Predict(x)
		for _, l := range labels {
			y = append(y, float64(l))
		}
	case estimators.Detector:
		y, err = m.Score(x)
	case transformers.Transformer:
		return m.Transform(x)
	case estimators.MultiRegressor:
		return m.Predict(x)
	default:
		return nil, estimators.ErrNotFitted
	}
	if err != nil || len(y) == 0 {
		return nil, err
	}
	return mat.NewDense(len(y), 1, y), nil
}

// twoTargets returns a matrix of the targets y and of a second column of targets computed from y.
func twoTargets(y []float64) *mat.Dense {
	out := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		out.SetRow(i, []float64{v, 100 * v * v})
	}
	return out
}

func fitWeightless(ctx context.Context, e any, x *mat.Dense, y []float64, labels []int) error {
	switch e := e.(type) {
	case transformers.Transformer:
		_, err := transformers.FitTransform(ctx, e, x, mat.NewDense(len(y), 1, y))
		return err
	case estimators.Regressor:
		return e.Fit(ctx, x, y)
	case estimators.Classifier:
		return e.Fit(ctx, x, labels)
	case estimators.MultiRegressor:
		return e.Fit(ctx, x, twoTargets(y))
	case estimators.Detector:
		return e.Fit(ctx, x)
	}
	return fmt.Errorf("%T is nothing to fit", e)
}

// addStatistics adds the files of a model that is fitted from statistics: the encoded Stages before the first stage and after each
// stage, and the statistics of each stage.
func addStatistics(tb testing.TB, name string, build func() any, x *mat.Dense, y []float64, labels []int, add func(string, func() any, any, ...any)) {
	e := build()
	if !estimators.Supports(e, estimators.Mergeable) {
		return
	}
	switch e := e.(type) {
	case transformers.Transformer:
		addStages(tb, name, func() (streaming.Stages[streaming.None], error) { return streaming.NewStages[streaming.None](e) },
			func(s streaming.Statistics[streaming.None]) error { return s.AddBlock(tb.Context(), streaming.Rows(x)) }, add)
	case estimators.Regressor:
		addStages(tb, name, func() (streaming.Stages[float64], error) { return streaming.NewStages[float64](e) },
			func(s streaming.Statistics[float64]) error {
				return s.AddBlock(tb.Context(), streaming.Block[float64]{X: x, Y: y})
			}, add)
	case estimators.Classifier:
		addStages(tb, name, func() (streaming.Stages[int], error) { return streaming.NewStages[int](e) },
			func(s streaming.Statistics[int]) error {
				return s.AddBlock(tb.Context(), streaming.Block[int]{X: x, Y: labels})
			}, add)
	}
}

// stagesOf is the interface of the stages of transformers, regressors and classifiers.
type stagesOf[S any] interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	NewStatistics() (S, error)
	FitStatistics(ctx context.Context, s S) error
	Stage() (at, of int)
}

func addStages[S any, T stagesOf[S]](tb testing.TB, name string, begin func() (T, error), sum func(S) error, add func(string, func() any, any, ...any)) {
	fresh := func() T {
		s, err := begin()
		if err != nil {
			panic(err) // cannot fail, since the same call succeeded before; a fuzz target has a different testing.TB
		}
		return s
	}
	_, of := fresh().Stage()
	for k := range of + 1 {
		at := fresh() // a value of its own, because the encoded value must not continue after stage k
		for range k {
			s, err := at.NewStatistics()
			require.NoError(tb, err, name)
			require.NoError(tb, sum(s), name)
			require.NoError(tb, at.FitStatistics(tb.Context(), s), name)
		}
		add(fmt.Sprintf("%s: %d stages", name, k), func() any { return fresh() }, at)
		if k == of {
			break
		}
		empty := func() any {
			s, err := at.NewStatistics()
			if err != nil {
				panic(err)
			}
			return s
		}
		s := empty().(S)
		require.NoError(tb, sum(s), name)
		add(fmt.Sprintf("%s: statistics of stage %d", name, k), empty, s)
	}
}

// addSparse adds machines that are fitted to sparse rows, and transformers from documents to sparse rows.
func addSparse(tb testing.TB, x *mat.Dense, y []float64, labels []int, add func(name string, build func() any, fitted any, args ...any)) {
	ctx, k := context.Background(), kernels.Linear{}
	rows, err := sparse.From("x", x)
	require.NoError(tb, err)
	machine := &lssvm.Regressor{Kernel: k}
	require.NoError(tb, machine.Fit(ctx, rows, y))
	add("lssvm.Regressor of sparse rows", func() any { return &lssvm.Regressor{Kernel: k} }, machine)
	classes := &falkon.Classifier{Kernel: k, Components: 4}
	require.NoError(tb, classes.Fit(ctx, rows, labels))
	add("falkon.Classifier of sparse rows", func() any { return &falkon.Classifier{Kernel: k, Components: 4} }, classes)
	vocabulary := &text.TFIDF{}
	require.NoError(tb, vocabulary.Fit(ctx, []string{"rows of words", "words of rows and columns"}))
	documents := []string{"words", "\xff", ""}
	add("text.TFIDF", func() any { return &text.TFIDF{} }, vocabulary, documents)
	add("text.Hashing", func() any { return &text.Hashing{Columns: 8} }, &text.Hashing{Columns: 8}, documents)
}

// FuzzFiles changes files of every type, corrects their checksums, and calls all methods of the decoded values (see [filefuzz]).
func FuzzFiles(f *testing.F) { filefuzz.Fuzz(f, fileSubjects(f)) }

// TestCampaignFiles runs FuzzFiles on random inputs, which is far faster than the fuzzing of go test.
func TestCampaignFiles(t *testing.T) {
	subjects := fileSubjects(t)
	campaign.Run(t, "files", 600, func(rng *rand.Rand) error { return filefuzz.CheckRandom(subjects, rng) })
}

// The subjects include every type that can be stored.
func TestEveryFileIsChanged(t *testing.T) {
	root := filepath.Join("..", "..")
	var listed []string
	hidden := map[string]bool{}
	for _, s := range fileSubjects(t) {
		v := s.New()
		listed = append(listed, declared.Name(v))
		name, _, _ := strings.Cut(declared.Name(v), "[")
		hidden[name] = true
	}
	declared.Lists(t, "fileSubjects", listed, nil, root, "UnmarshalBinary", "UnmarshalJSON")

	// The unexported types are statistics and stages.
	found := 0
	declared.Files(t, root, []string{"internal", "adapters", "examples", "measurements"}, func(_ string, file *ast.File) {
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Recv == nil || d.Name.Name != "UnmarshalBinary" {
				continue
			}
			typ := d.Recv.List[0].Type.(*ast.StarExpr).X
			switch generic := typ.(type) {
			case *ast.IndexExpr:
				typ = generic.X
			case *ast.IndexListExpr:
				typ = generic.X
			}
			name := typ.(*ast.Ident).Name
			if name == "learned" || name == "ranks" { // these are transformers, which declared.Lists finds, and a part of columnStatistics
				continue
			}
			found++
			assert.True(t, hidden[file.Name.Name+"."+name], "fileSubjects has no %s.%s", file.Name.Name, name)
		}
	})
	assert.Greater(t, found, 20)
}

// Statistics and stages implement encoding.TextMarshaler, so that encoding/json does not write {} for them.
func TestStatisticsAreText(t *testing.T) {
	count := 0
	for _, s := range fileSubjects(t) {
		v := s.New()
		_, sums := v.(interface{ Rows() int })
		_, stages := v.(interface{ Stage() (at, of int) })
		if !sums && !stages {
			continue
		}
		count++
		require.NoError(t, v.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.Files[0]), s.Name)
		text, err := json.Marshal(map[string]any{"sums": v})
		require.NoError(t, err, s.Name)
		direct := s.New()
		require.NoError(t, json.Unmarshal(text[len(`{"sums":`):len(text)-1], direct), s.Name)
		again, err := direct.(encoding.BinaryMarshaler).MarshalBinary()
		require.NoError(t, err, s.Name)
		first, err := v.(encoding.BinaryMarshaler).MarshalBinary()
		require.NoError(t, err, s.Name)
		assert.Equal(t, first, again, s.Name)
		assert.ErrorIs(t, direct.(encoding.TextUnmarshaler).UnmarshalText([]byte("?")), estimators.ErrBadModel, s.Name)
	}
	assert.Greater(t, count, 40)
}
