package modelfile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var (
	ctx    = context.Background()
	rows   = mat.NewDense(6, 2, []float64{0, 1, 1, 0, 2, 3, 3, 2, 4, 5, 5, 4})
	y      = []float64{1, 2, 3, 4, 5, 6}
	labels = []int{0, 0, 0, 5, 5, 5}
)

func fittedPipeline(t *testing.T) *pipeline.Regressor {
	t.Helper()
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{Clip: true}},
		Final: &lssvm.Regressor{Kernel: kernels.Sum{kernels.RBF{Gamma: .5}, kernels.Scaled{Kernel: kernels.Linear{}, Factor: .1}}, Ridge: .1, Seed: 7, Observe: func(estimators.Step) {}},
	}
	require.NoError(t, model.Fit(ctx, rows, y))
	return model
}

// same fails unless the predictions of two regressors are bit-identical.
func same(t *testing.T, want, got estimators.Regressor) {
	t.Helper()
	w, err := want.Predict(rows)
	require.NoError(t, err)
	g, err := got.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, w, g)
}

func TestAPipelineIsReadWithoutAValue(t *testing.T) {
	model := fittedPipeline(t)
	path := filepath.Join(t.TempDir(), "model.keln")
	require.NoError(t, modelfile.SaveNoted(path, model, modelfile.Notes{Columns: []string{"a", "b"}, Comment: "of a test"}))
	got, err := modelfile.Load[*pipeline.Regressor](path)
	require.NoError(t, err)
	same(t, model, got)
	info, err := modelfile.DescribeFile(path)
	require.NoError(t, err)
	model.Final.(*lssvm.Regressor).Observe = nil
	assert.Equal(t, model.Final, got.Final)
	assert.Equal(t, model.Steps, got.Steps)

	assert.Equal(t, "pipeline.Regressor", info.Type)
	assert.Equal(t, "github.com/kernelearn/kernelearn/estimators/pipeline", info.Package)
	assert.Equal(t, []string{"Final.Observe"}, info.LeftOut)
	assert.Equal(t, []string{"a", "b"}, info.ColumnNames)
	assert.Equal(t, 2, info.Columns)
	assert.Equal(t, "of a test", info.Comment)
	assert.Equal(t, []int{1, 1}, []int{info.Format, info.Version})
	stat, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, int(stat.Size()), info.Bytes)
	assert.Len(t, info.Checksum, 64)
	require.Len(t, info.Parts, 2)
	assert.Equal(t, modelfile.Info{
		Name: "Steps[0]", Type: "transformers.StandardScaler", Columns: 2, Settings: []modelfile.Setting{{Name: "Clip", Value: "true"}},
	}, info.Parts[0])
	assert.Equal(t, "Sum(RBF(gamma=0.5), Scaled(0.1, Linear))", info.Parts[1].Kernel)
	text, err := json.Marshal(info)
	require.NoError(t, err)
	var again modelfile.Info
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, info, again)
}

// Settings of every kind are the same after loading as before saving.
func TestEverySetting(t *testing.T) {
	model := &selection.Classifier{
		Preprocess: []transformers.Transformer{&scalers.MinMaxScaler{Low: -1, High: .1}, &columnwise.Imputer{Statistic: columnwise.Median}},
		Space:      selection.Kernels[estimators.Classifier](nil, families.Matern{Nu: 1.5}, families.RBF{}),
		Search:     &grid.Search{Points: 3, Splitter: validation.StratifiedKFold{Folds: 3, Seed: 1 << 63}},
		Workers:    2, MaxKernelBytes: 1 << 40, Budget: time.Hour,
	}
	require.NoError(t, model.Fit(ctx, rows, labels))
	data, err := modelfile.Marshal(model, modelfile.Notes{Classes: []string{"no", "yes"}})
	require.NoError(t, err)
	got, err := modelfile.Unmarshal[estimators.Classifier](data)
	require.NoError(t, err)
	read := got.(*selection.Classifier)
	assert.Equal(t, model.Preprocess, read.Preprocess)
	assert.Equal(t, model.Space, read.Space)
	assert.Equal(t, model.Search, read.Search)
	assert.Equal(t, []any{2, int64(1 << 40), time.Hour}, []any{read.Workers, read.MaxKernelBytes, read.Budget})
	require.NoError(t, read.Fit(ctx, rows, labels), "and is fitted again by them")

	machine := &lssvm.Classifier{ClassWeights: map[int]float64{0: 1, 5: 2.5}, RidgeRule: lssvm.Heuristic, Kernel: kernels.ARD{Kernel: kernels.Matern{Nu: 2.5, Length: 3}, Lengths: []float64{1, 2}, Groups: []int{0, 1}}}
	require.NoError(t, machine.Fit(ctx, rows, labels))
	data, err = modelfile.Marshal(machine, modelfile.Notes{})
	require.NoError(t, err)
	back, err := modelfile.Unmarshal[*lssvm.Classifier](data)
	require.NoError(t, err)
	assert.Equal(t, machine.ClassWeights, back.ClassWeights)
	assert.Equal(t, machine.Kernel, back.Kernel)
	assert.Equal(t, machine.RidgeRule, back.RidgeRule)
	info, err := modelfile.Describe(data)
	require.NoError(t, err)
	assert.Contains(t, info.Settings, modelfile.Setting{Name: "ClassWeights", Value: "[0: 1 5: 2.5]"})
	assert.Contains(t, info.Settings, modelfile.Setting{Name: "RidgeRule", Value: lssvm.Heuristic.String()})
	assert.Equal(t, []int{0, 5}, info.Classes)

	given := &featuremap.Nystroem{Kernel: kernels.RBF{Gamma: 1}, Landmarks: mat.NewDense(2, 2, []float64{1, 2, 3, 4})}
	require.NoError(t, given.Fit(ctx, rows))
	data, err = modelfile.Marshal(given, modelfile.Notes{})
	require.NoError(t, err)
	mapped, err := modelfile.Unmarshal[transformers.Transformer](data)
	require.NoError(t, err)
	assert.Equal(t, given.Landmarks, mapped.(*featuremap.Nystroem).Landmarks)
}

// Functions in a search are omitted, also if the search is in a pipeline. The loaded model can predict, and its next Fit returns an
// error that names the functions.
func TestWhatIsLeftOut(t *testing.T) {
	build := func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k, Ridge: .2} }
	search := &selection.Regressor{
		Space:  selection.Kernels(build, families.RBF{}),
		Search: &grid.Search{Points: 3, Metric: metrics.Metric{Name: "MAE", Values: metrics.MAE}, Splitter: validation.KFold{Folds: 3}},
	}
	model := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: search}
	require.NoError(t, model.Fit(ctx, rows, y))
	data, err := modelfile.Marshal(model, modelfile.Notes{})
	require.NoError(t, err)
	info, err := modelfile.Describe(data)
	require.NoError(t, err)
	assert.Equal(t, []string{"Final.Space", "Final.Search.Metric"}, info.LeftOut)
	read, err := modelfile.Unmarshal[*pipeline.Regressor](data)
	require.NoError(t, err)
	same(t, model, read)
	assert.ErrorContains(t, read.Fit(ctx, rows, y), "its functions were left out of the model file")
	again, err := modelfile.Marshal(read, modelfile.Notes{})
	require.NoError(t, err)
	second, err := modelfile.Unmarshal[*pipeline.Regressor](again)
	require.NoError(t, err)
	same(t, model, second)

	// The file can be read into a value that has the functions.
	into := &pipeline.Regressor{Final: &selection.Regressor{Space: search.Space}}
	require.NoError(t, modelfile.ReadInto(data, into))
	same(t, model, into)
	assert.Equal(t, model.Steps, into.Steps)
	require.NoError(t, into.Fit(ctx, rows, y))
}

// A model that needs a function for its predictions can only be read into a value that has the function.
func TestAFunctionThatPredictionsTake(t *testing.T) {
	group := func(row []float64) int { return int(row[0]) % 2 }
	x, target := mat.NewDense(40, 1, nil), make([]float64, 40)
	for i := range target {
		x.Set(i, 0, float64(i))
		target[i] = float64(i % 5)
	}
	model := &conformal.Regressor{Estimator: &ridge.Regressor{Ridge: .1}, Method: conformal.Split, Group: group}
	require.NoError(t, model.Fit(ctx, x, target))
	data, err := modelfile.Marshal(model, modelfile.Notes{})
	require.NoError(t, err)
	_, err = modelfile.Unmarshal[any](data)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "Group")
	read := &conformal.Regressor{}
	assert.ErrorIs(t, modelfile.ReadInto(data, read), estimators.ErrParam)
	read.Group = group
	require.NoError(t, modelfile.ReadInto(data, read))
	lo, hi, err := model.PredictInterval(x, .8)
	require.NoError(t, err)
	low, high, err := read.PredictInterval(x, .8)
	require.NoError(t, err)
	assert.Equal(t, [][]float64{lo, hi}, [][]float64{low, high})
}

// ownKernel is a kernel type that is not registered.
type ownKernel struct{ kernels.RBF }

func (ownKernel) String() string { return "own" }

func TestErrors(t *testing.T) {
	model := &lssvm.Regressor{Ridge: .1}
	_, err := modelfile.Marshal(model, modelfile.Notes{})
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, model.Fit(ctx, rows, y))
	data, err := modelfile.Marshal(model, modelfile.Notes{})
	require.NoError(t, err)

	_, err = modelfile.Unmarshal[*lssvm.Classifier](data)
	assert.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "the file holds a *lssvm.Regressor, which is not of type *lssvm.Classifier")
	_, err = modelfile.Unmarshal[estimators.Classifier](data)
	assert.ErrorContains(t, err, "which is not of type estimators.Classifier")
	assert.ErrorIs(t, modelfile.ReadInto(data, &lssvm.Classifier{}), estimators.ErrParam)
	assert.ErrorIs(t, modelfile.ReadInto(data, nil), estimators.ErrParam)

	for _, bad := range []any{nil, (*lssvm.Regressor)(nil), 3, "model"} {
		_, err = modelfile.Marshal(bad, modelfile.Notes{})
		assert.Error(t, err, bad)
	}
	own := &lssvm.Regressor{Kernel: ownKernel{kernels.RBF{Gamma: 1}}, Ridge: .1}
	require.NoError(t, own.Fit(ctx, rows, y))
	_, err = modelfile.Marshal(own, modelfile.Notes{})
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "Kernel")
	assert.ErrorContains(t, err, "modelfile_test.ownKernel")
	_, err = modelfile.MarshalCheckpoint(model, modelfile.Notes{})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = modelfile.MarshalCheckpoint(fittedPipeline(t), modelfile.Notes{})
	assert.ErrorIs(t, err, errors.ErrUnsupported)

	for _, n := range []modelfile.Notes{{Columns: []string{"one"}}, {Classes: []string{"one"}}} {
		_, err = modelfile.Marshal(model, n)
		assert.ErrorIs(t, err, estimators.ErrShape)
	}

	bare, err := model.MarshalBinary()
	require.NoError(t, err)
	for _, bad := range [][]byte{nil, []byte("no model"), bare, data[:len(data)-1]} {
		_, err := modelfile.Unmarshal[any](bad)
		assert.ErrorIs(t, err, estimators.ErrBadModel)
	}
	assert.Panics(t, func() { modelfile.Register[*lssvm.Regressor]("another name") })
	assert.Panics(t, func() { modelfile.Register[*modelfile.Info]("lssvm.Regressor") })
}

// changed returns a file in which a text is replaced by another of the same length, with the given version and a correct checksum.
func changed(t *testing.T, data []byte, version int, from, to string) []byte {
	t.Helper()
	var payload any
	_, err := codec.Unmarshal(data, "modelfile", 1, &payload)
	require.NoError(t, err)
	out, err := codec.Marshal("modelfile", version, payload)
	require.NoError(t, err)
	if from == "" {
		return out
	}
	require.Len(t, to, len(from))
	require.Contains(t, string(out), from)
	return resealed(bytes.ReplaceAll(out, []byte(from), []byte(to)))
}

// If a type is not registered, the error names the import, and the file can still be described. If the version of the file is
// newer, the error names both versions.
func TestOtherPrograms(t *testing.T) {
	model := &lssvm.Regressor{Ridge: .1}
	require.NoError(t, model.Fit(ctx, rows, y))
	data, err := modelfile.Marshal(model, modelfile.Notes{})
	require.NoError(t, err)

	unknown := changed(t, data, 1, "lssvm", "lsvvm")
	_, err = modelfile.Unmarshal[any](unknown)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, `import "github.com/kernelearn/kernelearn/estimators/lsvvm"`)
	assert.ErrorContains(t, modelfile.ReadInto(unknown, &lssvm.Regressor{}), "estimators/lsvvm")
	info, err := modelfile.Describe(unknown)
	require.NoError(t, err)
	assert.Equal(t, "lsvvm.Regressor", info.Type)

	newer := changed(t, data, 9, "", "")
	for _, err := range []error{modelfile.ReadInto(newer, &lssvm.Regressor{}), describe(newer)} {
		require.ErrorIs(t, err, estimators.ErrBadModel)
		assert.ErrorContains(t, err, "version 9, this release reads up to 1")
	}

	setting := changed(t, data, 1, "eRidge", "eRidgx")
	_, err = modelfile.Unmarshal[any](setting)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "setting Ridgx: not known to this release")

	library := changed(t, setting, 1, "(devel)", "v9.8.7 ")
	_, err = modelfile.Unmarshal[any](library)
	assert.ErrorContains(t, err, `written by kernelearn "v9.8.7 ", this is "(devel)"`)
}

// One error names all imports that a file needs for its settings, at any depth, and for the parts that a search built.
func TestAllImportsAreTold(t *testing.T) {
	const module = "github.com/kernelearn/kernelearn/"
	data, err := modelfile.Marshal(fittedPipeline(t), modelfile.Notes{})
	require.NoError(t, err)
	info, err := modelfile.Describe(data)
	require.NoError(t, err)
	assert.Equal(t, []string{module + "estimators/pipeline", module + "transformers/scalers", module + "estimators/lssvm", module + "kernels"}, info.Imports)
	assert.Contains(t, info.String(), "imports    "+module+"estimators/pipeline\n           "+module+"transformers/scalers\n           "+module+"estimators/lssvm\n           "+module+"kernels\n")

	unknown := changed(t, changed(t, changed(t, data, 1, "lssvm", "lsvvm"), 1, "pipeline", "pipelime"), 1, "kernels.", "kernelz.")
	unknown = changed(t, unknown, 1, "rn/kernels", "rn/kernelz")
	for _, err := range []error{load(unknown), modelfile.ReadInto(unknown, &pipeline.Regressor{})} {
		require.ErrorIs(t, err, estimators.ErrBadModel)
		assert.EqualError(t, err, `modelfile: bad model data: the types pipelime.Regressor, lsvvm.Regressor, kernelz.Sum, kernelz.RBF, kernelz.Scaled, kernelz.Linear `+
			`are not known to this program: import "`+module+`estimators/pipelime" and "`+module+`estimators/lsvvm" and "`+module+`kernelz", which register them`)
	}

	search := &selection.Regressor{
		Space:  selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k, Ridge: .2} }, families.RBF{}),
		Search: &grid.Search{Points: 3, Splitter: validation.KFold{Folds: 3}},
	}
	require.NoError(t, search.Fit(ctx, rows, y))
	data, err = modelfile.Marshal(search, modelfile.Notes{})
	require.NoError(t, err)
	info, err = modelfile.Describe(data)
	require.NoError(t, err)
	assert.Contains(t, info.Imports, module+"estimators/lssvm", "which only the function of the Space names")
	unknown = changed(t, data, 1, "lssvm.", "lsvvm.")
	unknown = changed(t, unknown, 1, "estimators/lssvm", "estimators/lsvvm")
	err = load(unknown)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, `the type lsvvm.Regressor is not known to this program: import "`+module+`estimators/lsvvm", which registers it`)
}

func load(data []byte) error {
	_, err := modelfile.Unmarshal[any](data)
	return err
}

func describe(data []byte) error {
	_, err := modelfile.Describe(data)
	return err
}

func TestFilesAndStreams(t *testing.T) {
	model := fittedPipeline(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.ErrorIs(t, modelfile.Save(path, &lssvm.Regressor{}), estimators.ErrNotFitted)
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(kept))
	require.NoError(t, modelfile.Save(path, model))
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 1, "no temporary file is left")

	var b bytes.Buffer
	require.NoError(t, modelfile.Write(&b, model))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, data, b.Bytes())
	read, err := modelfile.Read[estimators.Regressor](&b)
	require.NoError(t, err)
	same(t, model, read)
	_, err = modelfile.Load[any](filepath.Join(dir, "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = modelfile.DescribeFile(filepath.Join(dir, "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// PartialFit in one program continues a stream that another program began.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.keln")
	whole := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{Ridge: .1}}
	require.NoError(t, whole.PartialFit(ctx, rows, y))
	require.NoError(t, modelfile.Checkpoint(path, whole))
	info, err := modelfile.DescribeFile(path)
	require.NoError(t, err)
	assert.True(t, info.GoesOn)
	assert.Contains(t, info.String(), "goes on    PartialFit")
	read, err := modelfile.Load[*pipeline.Regressor](path)
	require.NoError(t, err)
	more := mat.NewDense(2, 2, []float64{9, 1, 3, 3})
	for _, m := range []*pipeline.Regressor{whole, read} {
		require.NoError(t, m.PartialFit(ctx, more, []float64{-1, 2}))
	}
	same(t, whole, read)

	require.NoError(t, modelfile.Save(path, whole))
	read, err = modelfile.Load[*pipeline.Regressor](path)
	require.NoError(t, err)
	assert.ErrorIs(t, read.PartialFit(ctx, more, []float64{-1, 2}), estimators.ErrNotFitted)
	require.NoError(t, whole.Fit(ctx, rows, y))
	assert.ErrorIs(t, modelfile.Checkpoint(path, whole), estimators.ErrNotFitted)
}

// A file of each version of the format stays readable.
func TestGoldenFiles(t *testing.T) {
	model := fittedPipeline(t)
	data := golden.Model(t, "pipeline-v1.keln", func() ([]byte, error) {
		return modelfile.Marshal(model, modelfile.Notes{Columns: []string{"a", "b"}})
	})
	read, err := modelfile.Unmarshal[*pipeline.Regressor](data)
	require.NoError(t, err)
	want, err := model.Predict(rows)
	require.NoError(t, err)
	got, err := read.Predict(rows)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-9)
	info, err := modelfile.Describe(data)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, info.ColumnNames)
	assert.True(t, strings.HasPrefix(info.String(), "type       pipeline.Regressor\n"), info)
}

// Fields that refer to the rows of one Fit are not stored as settings: Groups, and the trace from which a search resumed.
func TestFilesHaveNothingOfTheRows(t *testing.T) {
	search := &selection.Regressor{Search: &entropy.Search{}}
	require.NoError(t, search.Fit(ctx, rows, y))
	before, err := modelfile.Marshal(search, modelfile.Notes{})
	require.NoError(t, err)
	search.Resume = search.Result().Trace
	require.NotEmpty(t, search.Resume)
	after, err := modelfile.Marshal(search, modelfile.Notes{})
	require.NoError(t, err)
	assert.Len(t, after, len(before))
	read, err := modelfile.Unmarshal[*selection.Regressor](after)
	require.NoError(t, err)
	assert.Nil(t, read.Resume)

	machine := &lssvm.Regressor{Groups: []int{1, 1, 2, 2, 3, 3}}
	require.NoError(t, machine.Fit(ctx, rows, y))
	data, err := modelfile.Marshal(machine, modelfile.Notes{})
	require.NoError(t, err)
	for _, d := range [][]byte{after, data} {
		info, err := modelfile.Describe(d)
		require.NoError(t, err)
		for _, s := range info.Settings {
			assert.NotContains(t, []string{"Groups", "Resume"}, s.Name)
		}
	}
	back, err := modelfile.Unmarshal[*lssvm.Regressor](data)
	require.NoError(t, err)
	assert.Nil(t, back.Groups)
	want, err := machine.Predict(rows)
	require.NoError(t, err)
	got, err := back.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}
