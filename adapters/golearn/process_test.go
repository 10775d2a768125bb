package golearn_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/meta"
	"github.com/sjwhitworth/golearn/trees"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// loadable is the interface of the models that a second process loads.
type loadable interface {
	Fit(base.FixedDataGrid) error
	Predict(base.FixedDataGrid) (base.FixedDataGrid, error)
	Save(path string) error
	Load(path string) error
}

// ensembleOf adapts golearn's composites, whose Fit returns no error.
type ensembleOf struct {
	composite
}

type composite interface {
	Fit(base.FixedDataGrid)
	Predict(base.FixedDataGrid) (base.FixedDataGrid, error)
	Save(path string) error
	Load(path string) error
}

func (e ensembleOf) Fit(g base.FixedDataGrid) error { e.composite.Fit(g); return nil }

func chiMerged() golearn.Step {
	return golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
		f := filters.NewChiMergeFilter(train, 0.90)
		for _, a := range base.NonClassFloatAttributes(train) {
			if err := f.AddAttribute(a); err != nil {
				return nil, err
			}
		}
		return f, f.Train()
	})
}

// constructors holds the models that the parent and the child process build, by name.
var constructors = map[string]func() loadable{
	"Classifier":              func() loadable { return &golearn.Classifier{Estimator: &lssvm.Classifier{}, Balanced: true} },
	"Regressor":               func() loadable { return &golearn.Regressor{Estimator: &rvm.Regressor{}, Missing: golearn.Impute} },
	"selection":               func() loadable { return &golearn.Classifier{Estimator: &selection.Classifier{}} },
	"no Estimator":            func() loadable { return &golearn.Classifier{} },
	"Regressor, no Estimator": func() loadable { return &golearn.Regressor{} },
	"golearn filter": func() loadable {
		return &golearn.Pipeline{Steps: []golearn.Step{binned(6)}, Final: machine()}
	},
	"golearn's ChiMerge filter": func() loadable {
		return &golearn.Pipeline{Steps: []golearn.Step{chiMerged()}, Final: machine()}
	},
	"nested pipelines": func() loadable {
		return &golearn.Pipeline{
			Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})},
			Final: &golearn.Pipeline{
				Steps: []golearn.Step{binned(5), golearn.Transform(&featuremap.Nystroem{Components: 10})},
				Final: &golearn.Classifier{Estimator: &svm.Classifier{}},
			},
		}
	},
	"golearn's tree": func() loadable {
		return &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}, Final: trees.NewID3DecisionTree(0)}
	},
	"Refitted": func() loadable {
		return &golearn.Refitted{New: func() golearn.Model { return trees.NewID3DecisionTree(0) }}
	},
	"Bagging":                  func() loadable { return &golearn.Bagging{New: machine, Models: 3, Features: 2} },
	"in golearn's BaggedModel": func() loadable { return ensembleOf{bagged(machine, 1)} },
	"in golearn's OneVsAllModel": func() loadable {
		return ensembleOf{meta.NewOneVsAllModel(func(string) base.Classifier { return machine() })}
	},
}

const (
	processModel = "KERNELEARN_TEST_MODEL" // the constructor, the model file and the CSV file, separated by newlines
	processMark  = "predicted: "
)

// predictedBy returns the printed predictions of a model for a grid. Numbers have all their digits.
func predictedBy(t *testing.T, m loadable, grid base.FixedDataGrid) []string {
	t.Helper()
	pred, err := m.Predict(grid)
	require.NoError(t, err)
	class := pred.AllClassAttributes()[0]
	spec, err := pred.GetAttribute(class)
	require.NoError(t, err)
	_, n := pred.Size()
	out := make([]string, n)
	for i := range out {
		out[i] = base.GetClass(pred, i)
		if class.GetType() == base.Float64Type {
			out[i] = fmt.Sprint(base.UnpackBytesToFloat(pred.Get(spec, i)))
		}
	}
	return out
}

// A model that one process saves can be loaded by another one, which shares only the constructor with the first.
func TestLoadedByAnotherProcess(t *testing.T) {
	if task := os.Getenv(processModel); task != "" {
		parts := strings.Split(task, "\n")
		m := constructors[parts[0]]()
		require.NoError(t, m.Load(parts[1]))
		grid, err := grids.ReadCSV(parts[2], nil)
		require.NoError(t, err)
		fmt.Println(processMark + strings.Join(predictedBy(t, m, grid), " "))
		return
	}
	if testing.Short() {
		t.Skip("the parent of many processes")
	}
	x, labels := species(60, 1)
	_, y := curve(60, 1)
	for name, build := range constructors {
		t.Run(name, func(t *testing.T) {
			grid, err := grids.LabelledGrid(x, []string{"length", "width", "noise"}, "kind", labels)
			require.NoError(t, err)
			class := func(i int) string { return labels[i] }
			if strings.HasPrefix(name, "Regressor") {
				grid, err = grids.TargetGrid(x, []string{"length", "width", "noise"}, "kind", y)
				require.NoError(t, err)
				class = func(i int) string { return fmt.Sprint(y[i]) }
			}
			m := build()
			require.NoError(t, m.Fit(grid))
			dir := t.TempDir()
			// The other process parses a file whose rows and columns are in another order. golearn's own composites match
			// attributes and levels by their position.
			header, columns, row := "noise,length,width,kind\n", []int{2, 0, 1}, func(i int) int { return 59 - i }
			if strings.HasPrefix(name, "in golearn's") {
				header, columns, row = "length,width,noise,kind\n", []int{0, 1, 2}, func(i int) int { return i }
			}
			csv := header
			for i := range 60 {
				for _, j := range columns {
					csv += fmt.Sprintf("%v,", x.At(row(i), j))
				}
				csv += class(row(i)) + "\n"
			}
			data, model := filepath.Join(dir, "data.csv"), filepath.Join(dir, "model")
			require.NoError(t, os.WriteFile(data, []byte(csv), 0o600))
			require.NoError(t, m.Save(model))

			child := exec.Command(os.Args[0], "-test.run=^TestLoadedByAnotherProcess$")
			child.Env = append(os.Environ(), processModel+"="+strings.Join([]string{name, model, data}, "\n"))
			out, err := child.CombinedOutput()
			require.NoError(t, err, "%s", out)
			_, rest, ok := strings.Cut(string(out), processMark)
			require.True(t, ok, "%s", out)
			line, _, _ := strings.Cut(rest, "\n")
			got, want := strings.Fields(line), predictedBy(t, m, grid)
			require.Len(t, got, 60)
			for i := range got {
				assert.Equal(t, want[row(i)], got[i], "row %d", i)
			}
		})
	}
}

// resealed returns model data that change has modified, with a valid checksum.
func resealed(data []byte, change func([]byte)) []byte {
	out := append([]byte(nil), data...)
	change(out)
	sum := sha256.Sum256(out[:len(out)-sha256.Size])
	copy(out[len(out)-sha256.Size:], sum[:])
	return out
}

// The error of a rejected file contains the reason: another kind, another version, another configuration, or a file that was
// truncated or changed.
func TestARefusedFileSaysWhy(t *testing.T) {
	grid := speciesGrid(t, 45, 1)
	scale := golearn.Transform(&scalers.StandardScaler{})
	type files interface {
		loadable
		MarshalBinary() ([]byte, error)
	}
	for name, c := range map[string]struct {
		build  func() files
		kind   string
		others map[string]loadable // by the text of the expected error
	}{
		"Classifier": {func() files { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} }, "golearn.Classifier", map[string]loadable{
			"golearn.Classifier": &golearn.Regressor{Estimator: &ridge.Regressor{}},
			"lssvm.Classifier":   &golearn.Classifier{Estimator: &svm.Classifier{}},
			"Impute":             &golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: golearn.Impute},
			"NoOneHot":           &golearn.Classifier{Estimator: &lssvm.Classifier{}, NoOneHot: true},
			"Pass":               &golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: golearn.Pass},
		}},
		"Pipeline": {func() files { return &golearn.Pipeline{Steps: []golearn.Step{scale, binned(4)}, Final: machine()} }, "golearn.Pipeline", map[string]loadable{
			"golearn.Pipeline":   &golearn.Classifier{Estimator: &lssvm.Classifier{}},
			"2 steps":            &golearn.Pipeline{Steps: []golearn.Step{scale}, Final: machine()},
			"a Transform":        &golearn.Pipeline{Steps: []golearn.Step{binned(4), scale}, Final: machine()},
			"filter":             &golearn.Pipeline{Steps: []golearn.Step{scale, binned(9)}, Final: machine()},
			"StandardScaler":     &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.MinMaxScaler{}), binned(4)}, Final: machine()},
			"golearn.Classifier": &golearn.Pipeline{Steps: []golearn.Step{scale, binned(4)}, Final: &golearn.Regressor{Estimator: &ridge.Regressor{}}},
		}},
		"Bagging": {func() files { return &golearn.Bagging{New: machine, Models: 3, Features: 2} }, "golearn.Bagging", map[string]loadable{
			"golearn.Bagging":  &golearn.Classifier{Estimator: &lssvm.Classifier{}},
			"3 models":         &golearn.Bagging{New: machine, Models: 4, Features: 2},
			"2 features":       &golearn.Bagging{New: machine, Models: 3},
			"lssvm.Classifier": &golearn.Bagging{New: func() base.Classifier { return &golearn.Classifier{Estimator: &svm.Classifier{}} }, Models: 3, Features: 2},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.build()
			require.NoError(t, m.Fit(grid))
			data, err := m.MarshalBinary()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "model")
			refused := func(m loadable, data []byte, want string) {
				t.Helper()
				require.NoError(t, os.WriteFile(path, data, 0o600))
				err := m.Load(path)
				require.ErrorIs(t, err, estimators.ErrBadModel)
				assert.ErrorContains(t, err, want)
			}
			for want, other := range c.others {
				refused(other, data, want)
			}
			refused(c.build(), data[:len(data)/2], "truncated")
			refused(c.build(), nil, "truncated")
			refused(c.build(), append([]byte("GIF8"), data[4:]...), "not a kernelearn model")
			versionAt := 6 + len(c.kind)
			newer := resealed(data, func(b []byte) { binary.LittleEndian.PutUint16(b[versionAt:], 99) })
			refused(c.build(), newer, "version 99")
			changed := append([]byte(nil), data...)
			changed[len(changed)/2] ^= 1
			refused(c.build(), changed, "checksum")
		})
	}
}
