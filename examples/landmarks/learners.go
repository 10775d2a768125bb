package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/examples/internal/peak"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

func scaled() []transformers.Transformer {
	return []transformers.Transformer{&transformers.StandardScaler{}}
}

// regressors and classifiers are ours, by name.
var (
	regressors = map[string]func(k kernels.Kernel) estimators.Regressor{
		"selection": func(kernels.Kernel) estimators.Regressor { return &selection.Regressor{} },
		"falkon": func(kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: scaled(), Final: &falkon.Regressor{}}
		},
		"falkon-median": func(k kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: scaled(), Final: &falkon.Regressor{Kernel: k}}
		},
	}
	classifiers = map[string]func(k kernels.Kernel) estimators.Classifier{
		"selection": func(kernels.Kernel) estimators.Classifier { return &selection.Classifier{} },
		"falkon": func(kernels.Kernel) estimators.Classifier {
			return &pipeline.Classifier{Steps: scaled(), Final: &falkon.Classifier{}}
		},
		"falkon-median": func(k kernels.Kernel) estimators.Classifier {
			return &pipeline.Classifier{Steps: scaled(), Final: &falkon.Classifier{Kernel: k}}
		},
	}
	// peers are scikit-learn's, which the script knows by these names.
	peers = map[string]bool{"boosting": true, "boosting500": true}
)

// took is what learning took: the clock's and the processors' seconds, and memory.
func took(learn func() error) (value, error) {
	debug.FreeOSMemory()
	peak.Reset()
	before, begin, processor := peak.Bytes(), time.Now(), processorSeconds()
	err := learn()
	v := value{seconds: time.Since(begin).Seconds(), processor: processorSeconds() - processor, megabytes: math.NaN(), landmarks: math.NaN(), iterations: math.NaN()}
	if after := peak.Bytes(); after != nil && before != nil {
		v.megabytes = float64(*after-*before) / 1e6
	}
	return v, err
}

// ours learns and predicts the test rows.
func ours(ctx context.Context, name string, train, test part) (value, error) {
	// Not of the time: a kernel of the median distance is for comparison alone.
	scaler := scaled()[0]
	if err := scaler.Fit(ctx, train.x); err != nil {
		return value{}, err
	}
	z, err := scaler.Transform(train.x)
	if err != nil {
		return value{}, err
	}
	median, err := kernels.MedianRBF(ctx, z, 0)
	if err != nil {
		return value{}, err
	}
	if train.y == nil {
		c := classifiers[name](median)
		v, err := took(func() error { return c.Fit(ctx, train.x, train.labels) })
		if err != nil {
			return v, err
		}
		p, err := c.Predict(test.x)
		if err != nil {
			return v, err
		}
		v.error, err = wrong(test.labels, p)
		return v, err
	}
	r := regressors[name](median)
	v, err := took(func() error { return r.Fit(ctx, train.x, train.y) })
	if err != nil {
		return v, err
	}
	p, err := r.Predict(test.x)
	if err != nil {
		return v, err
	}
	v.error, err = metrics.NMSE(test.y, p, nil)
	return v, err
}

func wrong(labels, predicted []int) (float64, error) {
	right, err := metrics.Accuracy(labels, predicted, nil)
	return 1 - right, err
}

// folder takes matrices for a peer to read, and what it writes.
type folder string

// write stores a matrix under a name: rows and columns, and the values.
func (f folder) write(name string, m *mat.Dense) error {
	r, c := m.Dims()
	out := make([]byte, 0, 16+8*r*c)
	out = binary.LittleEndian.AppendUint64(out, uint64(r))
	out = binary.LittleEndian.AppendUint64(out, uint64(c))
	for i := range r {
		for _, v := range m.RawRowView(i) {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return os.WriteFile(filepath.Join(string(f), name), out, 0o600)
}

// read is the matrix of a name.
func (f folder) read(name string) (*mat.Dense, error) {
	data, err := os.ReadFile(filepath.Join(string(f), name))
	if err != nil {
		return nil, err
	}
	if len(data) < 16 {
		return nil, fmt.Errorf("%s: %d bytes, want a matrix", name, len(data))
	}
	r, c := int(binary.LittleEndian.Uint64(data)), int(binary.LittleEndian.Uint64(data[8:]))
	if r < 1 || c < 1 || len(data) != 16+8*r*c {
		return nil, fmt.Errorf("%s: %d bytes, want %d×%d numbers", name, len(data), r, c)
	}
	values := make([]float64, r*c)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[16+8*i:]))
	}
	return mat.NewDense(r, c, values), nil
}

// put writes what a peer learns from and predicts.
func (f folder) put(train, test part) error {
	y := mat.NewDense(1, train.x.RawMatrix().Rows, nil)
	for i := range y.RawRowView(0) {
		if train.y != nil {
			y.Set(0, i, train.y[i])
		} else {
			y.Set(0, i, float64(train.labels[i]))
		}
	}
	return errors.Join(f.write("x", train.x), f.write("y", y), f.write("xt", test.x))
}

// peer runs the script in a folder, and measures what it predicted.
func (p program) peer(ctx context.Context, f folder, test part, args ...string) (value, error) {
	v := value{megabytes: math.NaN(), landmarks: math.NaN(), iterations: math.NaN()}
	task := "regression"
	if test.y == nil {
		task = "classification"
	}
	cmd := exec.CommandContext(ctx, p.python, append([]string{p.script, string(f), task}, args...)...)
	cmd.Stderr = os.Stderr
	// Threads that wait without sleeping would lose most of their time to other work on the machine.
	cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=PASSIVE")
	text, err := cmd.Output()
	if err != nil {
		return v, fmt.Errorf("%s %s: %w", p.python, p.script, err)
	}
	if _, err := fmt.Sscan(string(text), &v.seconds, &v.processor); err != nil {
		return v, fmt.Errorf("%s answered %q: %w", p.script, strings.TrimSpace(string(text)), err)
	}
	got, err := f.read("p")
	if err != nil {
		return v, err
	}
	predicted := got.RawRowView(0)
	if test.y != nil {
		v.error, err = metrics.NMSE(test.y, predicted, nil)
		return v, err
	}
	labels := make([]int, len(predicted))
	for i, l := range predicted {
		labels[i] = int(l)
	}
	v.error, err = wrong(test.labels, labels)
	return v, err
}

// boosting is a peer on rows.
func (p program) boosting(ctx context.Context, name string, train, test part, seed uint64) (value, error) {
	dir, err := os.MkdirTemp("", "landmarks")
	if err != nil {
		return value{}, err
	}
	defer os.RemoveAll(dir)
	if err := folder(dir).put(train, test); err != nil {
		return value{}, err
	}
	return p.peer(ctx, folder(dir), test, name, strconv.FormatUint(seed, 10))
}
